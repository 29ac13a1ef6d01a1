"""Cut static instances of the book font out of Arimo's variable files when the package is built.

Graphviz and matplotlib mis-measure variable fonts, so the four styles are shipped as plain static files. Graphviz
gets a second set with wider letters: it rounds the width of each to whole pixels at 96 dpi, which at 14 points
makes words 4 % too narrow, and readers' fonts may be wider than Arimo, bold ones more than others.
They are data of the wheel, made here and not committed; the same inputs give the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The file, what it is cut from at which weight, and how much wider its letters are for Graphviz.
FACES = (
    ("Regular.ttf", "Arimo[wght].ttf", 400, 1.06),
    ("Bold.ttf", "Arimo[wght].ttf", 700, 1.1),
    ("Italic.ttf", "Arimo-Italic[wght].ttf", 400, 1.06),
    ("BoldItalic.ttf", "Arimo-Italic[wght].ttf", 700, 1.1),
)


class CutFonts(BuildHookInterface):  # type: ignore[type-arg]
    """The build hook that hatchling runs, for a wheel and for an editable install alike."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "wheel":
            cut(Path(self.root) / "figmill" / "fonts")


def cut(folder: Path) -> None:
    """Write the four faces, each a second time for Graphviz, their licence and one digest of them all."""
    from fontTools.ttLib import TTFont
    from fontTools.varLib import instancer

    spec = find_spec("fontpkg_arimo")
    if spec is None or spec.origin is None:
        raise RuntimeError("fontpkg-arimo is not installed: it holds the font that is shipped")
    source = Path(spec.origin).parent
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    for style, variable, weight, wider in FACES:
        font = TTFont(source / "files" / variable, recalcTimestamp=False)
        instancer.instantiateVariableFont(font, {"wght": weight}, inplace=True, updateFontNames=True)
        plain = _bytes(font)
        # Read again, so that the tables that stay are copied and not made anew.
        layout = TTFont(io.BytesIO(plain), recalcTimestamp=False)
        _widen(layout, wider)
        for name, data in ((f"Arimo-{style}", plain), (f"ArimoLayout-{style}", _bytes(layout))):
            _write(folder / name, data)
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


def _widen(font: Any, factor: float) -> None:
    """Give every letter so much more room; its outline stays."""
    advances = font["hmtx"].metrics
    for name, (advance, bearing) in advances.items():
        advances[name] = round(advance * factor), bearing
    font["hhea"].recalc(font)  # which states the widest, too
    for table in ("hdmx", "LTSH", "VDMX"):  # widths by pixel size, which would be wrong now
        if table in font:
            del font[table]
