"""A published SVG -> its pixels, by resvg with the book's fonts: the same on every machine, and without a browser."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from figmill.compare.pixels import Pixels
from figmill.errors import ToolError
from figmill.kinds.typefaces import FACES, FOLDER, MONO, MONO_FACES, SANS, mono_folder
from figmill.palette import PAGE

LIBRARY = "resvg_py"
LONGEST = 2000  # pixels of a side; larger figures are compared smaller
PAGES = {"light": PAGE[0], "dark": PAGE[1]}


def require() -> None:
    """Raise ToolError unless figures can be compared here."""
    try:
        import resvg_py  # noqa: F401 - only to see whether the extra is installed
    except ImportError:
        raise ToolError("--report needs the package resvg-py: pip install 'figmill[report]'") from None


def pixels(svg: bytes, theme: str, fonts: Sequence[Path] = ()) -> Pixels:
    """The drawing on the page of its theme, one pixel for each px. Raises ValueError if resvg cannot draw it."""
    import resvg_py
    from PIL import Image

    files = [*(FOLDER / name for name in FACES), *fonts, *(mono_folder() / name for name in MONO_FACES)]
    width = _width(svg)
    png = resvg_py.svg_to_bytes(
        svg_string=svg.decode(),
        background=PAGES[theme],
        skip_system_fonts=True,
        font_files=[str(path) for path in files],
        font_family=SANS,
        sans_serif_family=SANS,
        serif_family=SANS,
        monospace_family=MONO,
        width=width,
    )
    with Image.open(io.BytesIO(bytes(png))) as image:
        return np.asarray(image.convert("RGB"), dtype=np.uint8)


def _width(svg: bytes) -> int | None:
    """The width to draw it with, where it is too large to be compared pixel by pixel."""
    from lxml import etree

    root = etree.fromstring(svg, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    longest = max(width, height)
    return max(1, int(width * LONGEST / longest)) if longest > LONGEST else None
