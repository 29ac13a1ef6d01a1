"""The fonts that a book's settings name: their full paths, each checked.

A broken font is reported once, at its line of the settings, before anything is drawn. Writes nothing. The ledger names
the fonts of all published figures, and these have been checked.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from figmill import config
from figmill.config import Options
from figmill.config.font_packages import SUFFIXES
from figmill.errors import AuthorError, ToolError
from figmill.host import files
from figmill.kind import typefaces
from figmill.kind.job import Raw
from figmill.render.pool import Pool
from figmill.store.journal import Journal
from figmill.store.ledger import INPUTS


def with_fonts(options: Options, root: Path) -> Options:
    """The settings with full paths of fonts. Raises ToolError if a file is missing, or is not a sound font."""
    if not options.fonts:
        return options
    paths = tuple(_font_file(name, root) for name in options.fonts)
    if not are_known(paths, root):
        faults = _faults(typefaces.digest(paths), paths, root, options.sandbox)
        errors = [
            _wrong(root, name, message)
            for name, message in zip(options.fonts, faults, strict=True)
            if message
        ]
        if errors:
            raise ToolError(str(errors[0]), detail="\n".join(map(str, errors[1:])))
    return replace(options, fonts=tuple(map(str, paths)))


def are_known(paths: tuple[Path, ...], root: Path) -> bool:
    """Whether a figure was published with exactly these fonts."""
    try:
        digest = typefaces.digest(paths).encode()
        return any(digest in rows for rows in Journal(root).of_kind(INPUTS).values())
    except (AuthorError, OSError):
        return False


@cache
def _faults(_digest: str, paths: tuple[Path, ...], root: Path, enclosure: str) -> tuple[str, ...]:
    """The problem with each font; empty for a sound one. _digest: of all fonts, so that the result can be cached."""
    # a build with known fonts does not need this module before its processes
    from figmill.publish import book_fonts

    with Pool(root, paths, enclosure) as pool:
        answers = pool.make(Raw(b""), [book_fonts.opening(path) for path in paths])
    return tuple(map(book_fonts.fault, answers))


def _font_file(name: str, root: Path) -> Path:
    """The path of a font that the settings name. Raises ToolError if there is no such file."""
    path = root / name
    if path.suffix.lower() not in SUFFIXES or not path.is_file():
        raise _wrong(
            root,
            name,
            "is not a font file of the book",
            "name a .ttf, .otf or .ttc below its root, or a package of the extra `fonts`",
        )
    size = path.stat().st_size
    if size > files.FONT:
        raise _wrong(root, name, files.too_large(size, files.FONT), "name a smaller one")
    return path


def _wrong(root: Path, name: str, fault: str, right: str = "") -> ToolError:
    message = f"{fault}; {right}" if right else f"is a broken font: {fault}; replace it with a valid one"
    return config.wrong(root, ("fonts",), f"fonts: '{name}' {message}", name)
