"""A published SVG -> a PNG or a PDF. Pure: the same bytes for the same SVG, form and fonts, on every machine.

typst makes both (the extra `figmill[export]`). It sees a private copy of the SVG, in which every text names a
font that it has, and no font but those it is given. Unaware of books, of the ledger and of the output folder.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from figmill.host import files
from figmill.kinds.typefaces import FACES, FOLDER, MONO, MONO_FACES, SANS, mono_folder
from figmill.svg.passes.fonts import choose, split

if TYPE_CHECKING:
    from typst import Fonts

PIXELS = 100_000_000  # that one PNG may have; four bytes each, and twice that while it is made
POINTS = 0.75  # of a px
# For the characters that Arimo does not have: arrows, operators, Greek of other styles.
SYMBOLS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSans-Oblique.ttf", "DejaVuSans-BoldOblique.ttf")
NEARLY = 0.02  # between two ratios of a figure's sides that are meant to be one

# A page that is the figure. Nothing of the figure is part of this program: all of it comes in as strings.
PAGE = b"""\
#set document(title: sys.inputs.title, description: sys.inputs.alt, date: none)
#set page(width: float(sys.inputs.width) * 1pt, height: float(sys.inputs.height) * 1pt, margin: 0pt, fill: none)
#image(bytes(sys.inputs.svg), format: "svg", width: 100%, height: 100%, fit: "stretch", alt: sys.inputs.alt)
"""


class ExportError(Exception):
    """A figure cannot be had in that form; the message says why."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A figure as it is handed on: width and height in px; its title and alt text as the SVG states them."""

    svg: str
    width: float
    height: float
    title: str
    alt: str


def export(svg: bytes, format_: str, scale: float, fonts: Fonts) -> bytes:
    """The figure in `svg` as one of FORMATS; scale: pixels for each px, where there are pixels."""
    return FORMATS[format_](copy(svg, fonts.families()), scale, fonts)


def _png(figure: Copy, scale: float, fonts: Fonts) -> bytes:
    """RGBA, transparent where nothing is drawn. Its sides are the figure's times `scale`, rounded."""
    width, height = (max(1, round(side * scale)) for side in (figure.width, figure.height))
    if width * height > PIXELS:
        raise ExportError(
            f"{width} x {height} pixels are more than {PIXELS:,}; a smaller --scale makes it possible"
        )
    return _printed(figure, width, height, fonts, format="png", ppi=72.0)


def _pdf(figure: Copy, _scale: float, fonts: Fonts) -> bytes:
    """One page of the figure's size, text as text, with the subsets of fonts that it needs."""
    return _printed(figure, figure.width * POINTS, figure.height * POINTS, fonts, format="pdf")


FORMATS: Mapping[str, Callable[[Copy, float, Fonts], bytes]] = MappingProxyType({"png": _png, "pdf": _pdf})


def _printed(figure: Copy, width: float, height: float, fonts: Fonts, **form: Any) -> bytes:
    """width, height: of the page, in pt."""
    import typst

    inputs = {
        "svg": figure.svg, "title": figure.title, "alt": figure.alt, "width": str(width), "height": str(height)
    }  # fmt: skip
    try:
        made: bytes = typst.compile(
            PAGE, font_paths=fonts, ignore_system_fonts=True, sys_inputs=inputs, **form
        )
    except typst.TypstError as error:
        raise ExportError(" ".join(error.message.split())) from None
    return made


def copy(svg: bytes, families: Iterable[str]) -> Copy:
    """A published SVG with the fonts named that are there; families: of every font that may be used."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(svg, parser)
    except etree.XMLSyntaxError as error:
        raise ExportError(f"not the SVG that was published: {error}") from None
    there = {name.casefold(): name for name in families}
    for node in root.iter():
        stack = node.get("font-family")
        if stack is not None:
            node.set("font-family", family(stack, there))
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    if "preserveAspectRatio" not in root.attrib and _is_near(root.get("viewBox", ""), width, height):
        root.set("preserveAspectRatio", "none")  # no hair of another colour at the edges
    return Copy(
        etree.tostring(root, encoding="unicode"), width, height, _said(root, "title"), _said(root, "desc")
    )


def family(stack: str, there: Mapping[str, str]) -> str:
    """The first family of a stack that is there, by its folded name; else what its place is taken by."""
    named = (there[name.casefold()] for name in split(stack) if name.casefold() in there)
    return next(named, choose(stack, SANS, MONO).strip("'"))


def _is_near(view_box: str, width: float, height: float) -> bool:
    sides = [float(number) for number in view_box.replace(",", " ").split()[2:]]
    return len(sides) == 2 and abs(sides[0] * height - sides[1] * width) <= NEARLY * sides[1] * width


def _said(root: Any, tag: str) -> str:
    return str(root.findtext(f"{{http://www.w3.org/2000/svg}}{tag}") or "")


def faces(extra: Iterable[Path]) -> list[Path]:
    """Every font file that an export may use. A character is looked for in this order."""
    ours = (FOLDER / name for name in FACES)
    return [*ours, *extra, *(mono_folder() / name for name in (*SYMBOLS, *MONO_FACES))]


def load(fonts: Iterable[Path], folder: Path) -> Fonts:
    """The fonts in `fonts` and no other, in their order; `folder` is empty, and stays as long as they do.

    typst takes folders and keeps the order in which the file system lists them, which differs between
    machines: each font gets a folder of its own.
    """
    from typst import Fonts

    folders = []
    for number, path in enumerate(fonts):
        place = files.new_folder(folder / f"{number:03}")
        files.lay_out(path, os.path.join(place, path.name))
        folders.append(place)
    return Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=folders)
