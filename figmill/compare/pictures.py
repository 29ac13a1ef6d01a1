"""A published SVG -> its pixels, by resvg with the book's fonts: the same on every machine, and without a browser."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from figmill.compare.pixels import Pixels
from figmill.errors import ToolError
from figmill.host import files
from figmill.kinds.typefaces import FACES, FOLDER, MONO, MONO_FACES, SANS, mono_folder
from figmill.palette import PAGE
from figmill.render.temp_dirs import Scratch
from figmill.svg import symbols
from figmill.svg.usvg import DPI, LANGUAGES, retell

if TYPE_CHECKING:
    from lxml.etree import _Element

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
    from lxml import etree
    from PIL import Image

    root = etree.fromstring(svg, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True))
    retell(root)
    signs = _signs() if symbols.needed("".join(map(str, root.itertext()))) else ()
    faces = [
        *(FOLDER / name for name in FACES),
        *fonts,
        *signs,
        *(mono_folder() / name for name in MONO_FACES),
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
        width=_width(root),
        dpi=DPI,
        languages=list(LANGUAGES),
    )
    with Image.open(io.BytesIO(bytes(png))) as image:
        return np.asarray(image.convert("RGB"), dtype=np.uint8)


@cache
def _signs() -> tuple[Path, ...]:
    """The fonts of signs as files, as long as this process lives."""
    folder = Path(_scratch())
    for name in symbols.FILES:
        files.create(os.fspath(folder / name), symbols.cut(name))
    return tuple(folder / name for name in symbols.FILES)


@cache
def _scratch() -> str:
    """A folder that goes with this process, which may be a child of multiprocessing."""
    scratch = Scratch()
    place = scratch.__enter__()
    Finalize(None, scratch.__exit__, exitpriority=0)
    return place


def _width(root: _Element) -> int | None:
    """The width to draw it with, where it is too large to be compared pixel by pixel."""
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    longest = max(width, height)
    return max(1, int(width * LONGEST / longest)) if longest > LONGEST else None
