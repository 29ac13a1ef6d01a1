"""A place in a file as a link: into the author's editor, else to a page that shows the file. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote

from figmill.model import Origin
from figmill.serve.pages.markup import Safe, el
from figmill.serve.pages.reader import Reader

# Editor -> the address that opens a file there. {path} is absolute and quoted.
EDITORS: Mapping[str, str] = MappingProxyType(
    {
        "code": "vscode://file{path}:{line}:{column}",
        "codium": "vscodium://file{path}:{line}:{column}",
        "cursor": "cursor://file{path}:{line}:{column}",
        "zed": "zed://file{path}:{line}:{column}",
        "idea": "idea://open?file={path}&line={line}&column={column}",
        "pycharm": "pycharm://open?file={path}&line={line}&column={column}",
        "subl": "subl://open?url=file://{path}&line={line}&column={column}",
        "txmt": "txmt://open?url=file://{path}&line={line}&column={column}",
    }
)


def editor_of(environment: Mapping[str, str]) -> str | None:
    """The editor that the environment names, where it is one that takes addresses."""
    if environment.get("TERM_PROGRAM") == "vscode":
        return "code"
    for name in ("VISUAL", "EDITOR"):
        command = environment.get(name, "").split()
        if command and Path(command[0]).stem in EDITORS:
            return Path(command[0]).stem
    return None


def address(origin: Origin, reader: Reader) -> str:
    """Where a click on a place leads."""
    if reader.editor is None:
        return f"{reader.base}/source/{quote(origin.path)}" + (f"#L{origin.line}" if origin.line else "")
    path = quote((reader.root / origin.path).as_posix())
    return EDITORS[reader.editor].format(path=path, line=origin.line or 1, column=origin.column or 1)


def link(origin: Origin, reader: Reader) -> Safe:
    """The place as `file:line:column`, to be clicked."""
    return el("a", {"class": "place", "dir": "ltr", "href": address(origin, reader)}, str(origin))
