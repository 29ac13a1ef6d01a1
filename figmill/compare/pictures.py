"""A published SVG -> its pixels, drawn by resvg with the book's fonts: equal on every machine, without a browser."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Sequence
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path

import numpy as np

from figmill import xml_tree
from figmill.compare.pixels import Pixels
from figmill.errors import ToolError
from figmill.font_metrics import matplotlib_folder
from figmill.host import files
from figmill.kind.typefaces import FACES, FOLDER, MONO, MONO_FACES, SANS
from figmill.palette import PAGE
from figmill.render.temp_dirs import Scratch
from figmill.svg import usvg

LIBRARY = "resvg_py"
# Larger figures are scaled down, so that the time of a report depends on the number of figures alone.
LONGEST = 2000  # pixels of a side
MOST = 1_500_000  # pixels of a picture
PAGES = {"light": PAGE[0], "dark": PAGE[1]}


LACKING = "comparing pixels needs the package resvg-py: pip install 'figmill[report]'"


def is_there() -> bool:
    """Whether pixels can be compared here."""
    try:
        import resvg_py  # noqa: F401 - only to see whether the extra is installed
    except ImportError:
        return False
    return True


def require() -> None:
    """Raise ToolError unless figures can be compared here."""
    if not is_there():
        raise ToolError(LACKING)


def scale(svg: bytes) -> float:
    """The scale at which a drawing is compared; 1 for most. Raises ValueError if it is not a drawing."""
    root = xml_tree.parsed(svg)
    width, height = (float(root.get(name, 0)) for name in ("width", "height"))
    fits = min(LONGEST / max(width, height, 1.0), math.sqrt(MOST / max(width * height, 1.0)))
    return min(1.0, fits)


def pixels(svg: bytes, theme: str, fonts: Sequence[Path] = (), scale: float = 1.0) -> Pixels:
    """The drawing on the page of its theme, `scale` pixels for each px. Raises ValueError if resvg cannot draw it."""
    import resvg_py
    from lxml import etree
    from PIL import Image

    root = xml_tree.parsed(svg)
    usvg.adapt(root)
    letters = "".join(set("".join(map(str, root.itertext()))))  # each once: labels are often repeated
    signs = _signs() if usvg.needs_symbols(letters) else ()
    faces = [
        *(FOLDER / name for name in FACES),
        *fonts,
        *signs,
        *(matplotlib_folder() / name for name in MONO_FACES),
    ]
    png = resvg_py.svg_to_bytes(
        svg_string=etree.tostring(root, encoding="unicode"),
        background=PAGES[theme],
        skip_system_fonts=True,
        font_files=[str(path) for path in faces],
        font_family=SANS,
        sans_serif_family=SANS,
        serif_family=SANS,
        monospace_family=MONO,
        width=None if scale == 1 else max(1, int(float(root.get("width", 0)) * scale)),
        dpi=usvg.DPI,
        languages=list(usvg.LANGUAGES),
    )
    with Image.open(io.BytesIO(bytes(png))) as image:
        return np.asarray(image.convert("RGB"), dtype=np.uint8)


def png(svg: bytes, theme: str, fonts: Sequence[Path] = ()) -> bytes:
    """The same as a PNG file that `is_png` recognises. Raises ValueError if resvg cannot draw it."""
    from PIL import Image, PngImagePlugin

    note = PngImagePlugin.PngInfo()
    note.add_text("Software", "figmill")
    file = io.BytesIO()
    Image.fromarray(pixels(svg, theme, fonts, scale(svg))).save(file, "PNG", optimize=True, pnginfo=note)
    return file.getvalue()


def is_png(begin: bytes) -> bool:
    """Whether a file with this beginning is one of `png`."""
    return begin.startswith(b"\x89PNG") and b"Software\0figmill" in begin


@cache
def _signs() -> tuple[Path, ...]:
    """The symbol fonts as files, which exist as long as this process lives."""
    folder = Path(_scratch())
    for name in usvg.SYMBOL_FONTS:
        files.create(os.fspath(folder / name), usvg.symbol_font(name))
    return tuple(folder / name for name in usvg.SYMBOL_FONTS)


@cache
def _scratch() -> str:
    """A folder that is removed with this process, which may be a child of multiprocessing."""
    scratch = Scratch()
    place = scratch.__enter__()
    Finalize(None, scratch.__exit__, exitpriority=0)
    return place
