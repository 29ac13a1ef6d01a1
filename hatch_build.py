"""Cut static instances of the book font out of Arimo's variable files when the package is built.

matplotlib mis-measures variable fonts, so the four styles are shipped as plain static files. They are data of the
wheel, made here and not committed; the same inputs give the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The file, and what it is cut from at which weight.
FACES = (
    ("Regular.ttf", "Arimo[wght].ttf", 400),
    ("Bold.ttf", "Arimo[wght].ttf", 700),
    ("Italic.ttf", "Arimo-Italic[wght].ttf", 400),
    ("BoldItalic.ttf", "Arimo-Italic[wght].ttf", 700),
)


class CutFonts(BuildHookInterface):  # type: ignore[type-arg]
    """The build hook that hatchling runs, for a wheel and for an editable install alike."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "wheel":
            cut(Path(self.root) / "figmill" / "fonts")


def cut(folder: Path) -> None:
    """Write the four faces, their licence and one digest of them all."""
    from fontTools.ttLib import TTFont
    from fontTools.varLib import instancer

    spec = find_spec("fontpkg_arimo")
    if spec is None or spec.origin is None:
        raise RuntimeError("fontpkg-arimo is not installed: it holds the font that is shipped")
    source = Path(spec.origin).parent
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    for style, variable, weight in FACES:
        font = TTFont(source / "files" / variable, recalcTimestamp=False)
        instancer.instantiateVariableFont(font, {"wght": weight}, inplace=True, updateFontNames=True)
        data = _bytes(font)
        _write(folder / f"Arimo-{style}", data)
        digest.update(data)
    _write(folder / "OFL.txt", (source / "LICENSE").read_bytes())
    _write(folder / "digest", f"{digest.hexdigest()}\n".encode("ascii"))


def _bytes(font: Any) -> bytes:
    buffer = io.BytesIO()
    font.save(buffer)
    return buffer.getvalue()


def _write(path: Path, data: bytes) -> None:
    """Write a file that other processes may be reading: whole, and only if its bytes are others."""
    if path.is_file() and path.read_bytes() == data:
        return
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_bytes(data)
    beside.replace(path)
