"""The exporter: a published SVG becomes PNG or PDF. Pure: equal SVG, form and fonts give equal bytes everywhere.

typst makes both (the extra `figmill[export]`). It gets a copy of the SVG in which every text names an available font,
and it sees no other fonts. Unaware of books, the ledger and the output folder.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from figmill import xml_tree
from figmill.font_metrics import matplotlib_folder
from figmill.formats import FORMATS
from figmill.host import files
from figmill.kind.typefaces import FACES, FOLDER, MONO, MONO_FACES, SANS
from figmill.late import imported
from figmill.late_dataclasses import dataclass
from figmill.svg import usvg

if TYPE_CHECKING:
    from typst import Fonts

    from figmill.model import Form

PIXELS = 100_000_000  # per PNG, at four bytes each, eight during creation
POINTS = 0.75  # per px
REFUSAL = "PDF/UA-1 error: "  # how typst begins the reason

# A page of the figure's size. The figure is passed only as strings, so that none of it becomes part of this program.
PAGE = b"""\
#let code = sys.inputs.lang.split("-")
#set text(lang: code.at(0), region: code.at(1, default: none))
#set document(title: sys.inputs.title, description: sys.inputs.alt, date: none)
#let behind = if sys.inputs.page == "" { none } else { rgb(sys.inputs.page) }
#set page(width: float(sys.inputs.width) * 1pt, height: float(sys.inputs.height) * 1pt, margin: 0pt, fill: behind)
#image(bytes(sys.inputs.svg), format: "svg", width: 100%, height: 100%, fit: "stretch", alt: sys.inputs.alt)
"""


class ExportError(Exception):
    """A figure cannot be exported in this form; the message says why."""


@dataclass(frozen=True, slots=True)
class Written:
    """An export's bytes."""

    data: bytes
    untagged: str = ""  # why a PDF cannot state PDF/UA-1; empty: it states it, or it is not a PDF


@dataclass(frozen=True, slots=True)
class TypstCopy:
    """A figure's copy for typst: width and height in px; title, alt and language from the SVG; the colour behind it."""

    svg: str
    width: float
    height: float
    title: str
    alt: str
    language: str = ""
    page: str = ""


def export(svg: bytes, form: Form, fonts: Fonts, page: str = "", language: str = "en") -> Written:
    """The figure in `svg` in a format that has a writer.

    page: the colour behind it; empty: none. language: of an SVG that states none.
    """
    figure = copy(svg, fonts.families())
    stated = figure.language or language
    shrunk = min(1.0, form.width / figure.width) if form.width else 1.0
    shown = replace(
        figure,
        page=page,
        language=_language(stated),
        width=figure.width * shrunk,
        height=figure.height * shrunk,
    )
    written: Written = imported(FORMATS[form.format].writer)(shown, form.scale, fonts)
    return written


def _language(code: str) -> str:
    """A language and, if there is one, a region as typst takes them: `zh-CN` for zh-Hans-CN."""
    language, *subtags = code.replace("_", "-").split("-")
    region = next((part.upper() for part in subtags if len(part) == 2 and part.isalpha()), "")
    return f"{language.lower()}-{region}" if region else language.lower()


def png(figure: TypstCopy, scale: float, fonts: Fonts) -> Written:
    """RGBA, transparent where nothing is drawn, without a page. The sides are the figure's, times `scale`, rounded."""
    width, height = (max(1, round(side * scale)) for side in (figure.width, figure.height))
    if width * height > PIXELS:
        raise ExportError(f"{width} x {height} pixels are more than {PIXELS:,}; choose a smaller --scale")
    return Written(_printed(figure, width, height, fonts, format="png", ppi=72.0))


def pdf(figure: TypstCopy, _scale: float, fonts: Fonts) -> Written:
    """One page of the figure's size, with text as text and subsets of the fonts it needs.

    It is tagged: one Figure with the alt text. It conforms to PDF/UA-1 (ISO 14289-1), unless typst finds a reason why
    this figure cannot, such as a character that no font has; the result states this reason.
    """
    size = figure.width * POINTS, figure.height * POINTS
    try:
        return Written(_printed(figure, *size, fonts, format="pdf", pdf_standards="ua-1"))
    except ExportError as refused:
        untagged = str(refused).removeprefix(REFUSAL)
        return Written(_printed(figure, *size, fonts, format="pdf"), untagged)


def _printed(figure: TypstCopy, width: float, height: float, fonts: Fonts, **form: Any) -> bytes:
    """Compile the page. width, height: of the page, in pt."""
    import typst

    inputs = {
        "svg": figure.svg,
        "title": figure.title,
        "alt": figure.alt,
        "width": str(width),
        "height": str(height),
        "page": figure.page,
        "lang": figure.language,
    }
    try:
        data: bytes = typst.compile(
            PAGE, font_paths=fonts, ignore_system_fonts=True, sys_inputs=inputs, **form
        )
    except typst.TypstError as error:
        raise ExportError(" ".join(error.message.split())) from None
    return data


def copy(svg: bytes, families: Iterable[str]) -> TypstCopy:
    """A published SVG in which every text names an available font. families: the available ones."""
    from lxml import etree

    try:
        root = xml_tree.parsed(svg)
    except etree.XMLSyntaxError as error:
        raise ExportError(f"the SVG is not the published one: {error}") from None
    available = tuple(families)
    for node in root.iter():
        stack = node.get("font-family")
        if stack is not None:
            node.set("font-family", usvg.family(stack, available, SANS, MONO))
    usvg.adapt(root)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    title, desc = _text_of(root, "title"), _text_of(root, "desc")
    language = str(root.get("lang") or "")
    return TypstCopy(etree.tostring(root, encoding="unicode"), width, height, title, desc, language)


def _text_of(root: Any, tag: str) -> str:
    return str(root.findtext(f"{{http://www.w3.org/2000/svg}}{tag}") or "")


def faces(extra: Iterable[Path], has_symbols: bool) -> list[Path | str]:
    """Every font that an export may use, in the order of lookup. A name stands for a subset of a font."""
    ours = (FOLDER / name for name in FACES)
    return [
        *ours,
        *extra,
        *(usvg.SYMBOL_FONTS if has_symbols else ()),
        *(matplotlib_folder() / name for name in (*usvg.SYMBOL_FONTS, *MONO_FACES)),
    ]


def load(fonts: Iterable[Path | str], folder: Path) -> Fonts:
    """Exactly these fonts, in this order. folder: an empty one, which must exist while the fonts are used.

    typst takes folders, and lists each in the file system's order, which differs between machines. So each font gets
    its own folder.
    """
    from typst import Fonts

    folders = []
    for number, font in enumerate(fonts):
        place = files.new_folder(folder / f"{number:03}")
        if isinstance(font, str):
            files.create(os.path.join(place, font), usvg.symbol_font(font))
        else:
            files.lay_out(font, os.path.join(place, font.name))
        folders.append(place)
    return Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=folders)


def fonts_of(svg: bytes, extra: tuple[Path, ...]) -> Fonts:
    """The fonts for a published SVG. Those of symbols, which take 0.3 s to cut, only if it has letters for them."""
    letters = "".join(set(svg.decode("utf-8", "replace")))
    return _loaded(extra, b"&#" in svg or usvg.needs_symbols(letters))


@lru_cache(maxsize=2)
def _loaded(extra: tuple[Path, ...], has_symbols: bool) -> Fonts:
    """Fonts of exports, loaded once per process from a folder in its scratch folder."""
    return load(faces(extra, has_symbols), Path(tempfile.mkdtemp()))
