"""Schemdraw for one script: its SVG backend, the book's font, no windows, and no files in the book.

`settled` patches the library for the rest of a process. Knows nothing of jobs.
"""

from __future__ import annotations

import re
import sys
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from unicodedata import normalize
from xml.etree.ElementTree import fromstring as etree_of
from xml.etree.ElementTree import tostring

from lxml import etree

from figmill.kind import TEXT, font_metrics, script_figures
from figmill.kind.drawn_text import tree
from figmill.kind.typefaces import MONO_SIGNS

# In points. A drawing in schemdraw's own size of text shrinks until its smallest text has the size of the book's other
# drawings, 13 px: its elements have sizes of their own for text, which would not follow another default.
DEFAULT, SIZE = 14.0, 9.75
LINE = 1.3 * DEFAULT / 13  # as shrunk, 1.3 px
OFF = 0.2  # units between an element and its label; as shrunk, 6 px. schemdraw has half of it
# The size of subscripts and superscripts, and how far they are moved, in em of the text: as the font's own digits ₁ and
# ². schemdraw sets them in CSS's `smaller`, 5/6, and lowers them by 2 px.
SMALLER, LOWERED, RAISED = 0.7, 0.2, 0.35
# How far text stands below y, in em: readers align each smaller piece of a line by itself, so all pieces use the
# baseline.
LOWER = {"central": 0.35, "hanging": 0.72, "ideographic": -0.2}
PLOTS = "it draws into matplotlib's axes; state `kind: matplotlib`, or leave the axes out"
# figmill paints the page behind a circuit, in each theme.
_PAPER = frozenset({"white", "#fff", "#ffffff", "none", "transparent"})
_NUMBER = re.compile(r"[\d.]+")
_SCRIPTS = re.compile("([₀-₉]+)|[⁰¹²³⁴-⁹]+")
_FORMULA = re.compile(r"\$[^$]*\$")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)")
_UPRIGHT = re.compile(r"\\(?:mathrm|mathsf|mathit|mathbf|text|textrm|rm|it|bf)\s*\{([^{}]*)\}")
_SIGNS = {
    r"\cdot": "·",
    r"\degree": "°",
    r"\approx": "≈",
    r"\sim": "∼",
    r"\to": "→",
    r"\rightarrow": "→",
    r"\leftarrow": "←",
    r"\parallel": "∥",
    r"\le": "≤",
    r"\ge": "≥",
    r"\ne": "≠",
    r"\oplus": "⊕",
    r"\,": "\u2009",
    r"\;": " ",
    r"\:": " ",
    r"\ ": " ",
    r"\!": "",
    r"\left": "",
    r"\right": "",
    r"\%": "%",
    r"\#": "#",
    r"\&": "&",
}


def settled() -> Any:
    """The class schemdraw.Drawing, ready for a script.

    - Text is text, as wide as in the book's font. A formula with a command that schemdraw does not convert is an error.
    - `schemdraw.use` and `schemdraw.theme` have no effect, and a white background is left out.
    - A drawing that is shown or saved goes to the collection of kind/script_figures.py.
    """
    sys.modules.setdefault("schemdraw.backends.mpl", None)  # type: ignore[arg-type]  # it loads all of matplotlib
    core, backend = import_module("schemdraw.schemdraw"), import_module("schemdraw.backends.svg")
    import_module("schemdraw.default_canvas").default_canvas = "svg"  # type: ignore[attr-defined]
    for module in (import_module("schemdraw"), core):
        module.use = module.theme = _nothing  # type: ignore[attr-defined]
    core.schemdrawstyle.update(color=TEXT[0], lw=LINE, lblofst=OFF)
    backend.ziamath = None  # type: ignore[attr-defined]
    backend.config.text = "text"
    _set_words(import_module("schemdraw.backends.svgtext"))
    figure, drawing = backend.Figure, core.Drawing
    colour_page, draw = figure.bgcolor, drawing._drawsvg

    def draw_svg(self: Any, svg: Any = None) -> None:
        draw(self, svg)
        self.fig.shows = self

    def draw_plot(self: Any, ax: Any = None) -> None:
        if ax is not None:
            raise ValueError(PLOTS)
        draw_svg(self)

    def colour(self: Any, tone: Any) -> None:
        if str(tone).lower() not in _PAPER:
            colour_page(self, tone)

    def end(self: Any, path: Any = "", **_: Any) -> None:
        collection = script_figures.current()
        if collection is not None:
            collection.end(self.shows, Path(path).stem)

    element: Any = import_module("schemdraw.elements").Element
    label = element.label

    @wraps(label)
    def checked(self: Any, text: Any = "", *args: Any, **options: Any) -> Any:
        for line in text if isinstance(text, list | tuple) else (text,):
            _FORMULA.sub(lambda match: simple(match[0]), str(line))  # here the line of a mistake is known
        return label(self, text, *args, **options)

    element.label = checked
    drawing._drawsvg, drawing._drawmpl = draw_svg, draw_plot
    figure.bgcolor, figure.show, figure.save = colour, end, end
    return drawing


def svg_of(figure: Any) -> bytes:
    """A drawing as SVG, regardless of the canvas that it names. Raises ValueError, or what schemdraw raises."""
    import_module("schemdraw.drawing_stack").push_element(None)  # the last one of a `with` block
    if not figure.elements:
        raise ValueError("it is empty; add an element, like `d += elm.Resistor()`")
    if hasattr(figure.canvas, "plot"):
        raise ValueError(PLOTS)
    import_module("schemdraw.backends.svg").Figure.total_clips = 0  # counts over all drawings of this process
    kept, figure.fig = figure.fig, None
    try:
        figure._drawsvg()
        return _shrunk(bytes(figure.fig.getimage()).replace(b"stroke-dasharray:-;", b""))  # a solid line
    finally:
        figure.fig = kept


def _shrunk(svg: bytes) -> bytes:
    """A drawing in the size of the book's others; one with text larger than by default keeps its size. Pure."""
    root = tree(svg)
    sizes = [
        float(size) for text in root.iter("{*}text") if _NUMBER.fullmatch(size := str(text.get("font-size")))
    ]
    if not sizes or max(sizes) != DEFAULT or min(sizes) <= SIZE:
        return svg
    for side in ("width", "height"):
        points = float(str(root.get(side)).removesuffix("pt"))
        root.set(side, f"{points * SIZE / min(sizes):.3f}pt")
    return etree.tostring(root)


def _set_words(texts: ModuleType) -> None:
    """Patch how schemdraw reads and measures text."""
    plain, written = texts.mathtextsvg, texts.text_tosvg

    def words(text: str) -> Any:
        formulas = _FORMULA.sub(lambda match: simple(match[0]), text).replace("&", "&amp;")
        row = etree_of(_SCRIPTS.sub(_lettered, tostring(plain(formulas), encoding="unicode")))
        for part in row.iter("tspan"):
            if part.get("font-size") == "smaller":
                part.set("font-size", f"{SMALLER:g}em")
                is_raised = part.get("baseline-shift") == "super"
                part.set("baseline-shift", f"{(RAISED if is_raised else -LOWERED) / SMALLER:g}em")
        return row

    def width(text: str, fontsize: float = 12, font: str = "") -> float:
        return font_metrics.measure(text, fontsize, mono=_is_mono(font))

    def size_of(text: str, font: str = "", size: float = 16) -> tuple[float, float, float]:
        lines = text.splitlines()
        return max((_width(words(line), size, font) for line in lines), default=0.0), len(lines) * size, 0

    def as_svg(text: str, x: float, y: float, font: str = "", size: float = 16, **options: Any) -> Any:
        drawn = written(text, x, y, font=font, size=size, **options)
        for node in drawn.iter("text"):
            lower = LOWER.get(node.attrib.pop("dominant-baseline", ""), 0.0) * size
            node.set("y", f"{float(node.get('y')) + lower:g}")
        return drawn

    texts.text_tosvg = as_svg  # type: ignore[attr-defined]
    texts.mathtextsvg, texts.string_width, texts.text_approx_size = words, width, size_of  # type: ignore[attr-defined]


def _lettered(digits: re.Match[str]) -> str:
    """Subscript or superscript digits as pieces of text, like schemdraw's letters: a font's own digits differ."""
    shift = "-2" if digits[1] else "super"
    return f'<tspan baseline-shift="{shift}" font-size="smaller">{normalize("NFKC", digits[0])}</tspan>'


def simple(formula: str) -> str:
    """A formula with only the commands that schemdraw sets as text. Raises ValueError for any other command. Pure."""
    formula = _UPRIGHT.sub(r"\1", formula)
    formula = _COMMAND.sub(lambda match: _SIGNS.get(match[0], match[0]), formula)
    left = import_module("schemdraw.backends.svgtext").replacelatex(formula)
    odd = next(
        (command for command in _COMMAND.findall(left) if command not in (r"\sqrt", r"\overline")), None
    )
    if odd:
        raise ValueError(
            f"the formula '{formula}' has {odd}; as text, formulas have sub- and superscripts, Greek letters, signs, "
            r"\sqrt and \overline"
        )
    return formula


def _width(node: Any, size: float, font: str) -> float:
    """The width of a <tspan> and those in it."""
    own_size = size * SMALLER if node.get("font-size") else size
    inside = sum(_width(child, own_size, font) + _measured(child.tail, own_size, font) for child in node)
    return _measured(node.text, own_size, font) + inside


def _measured(text: str | None, size: float, font: str) -> float:
    return font_metrics.measure(text or "", size, mono=_is_mono(font))


def _is_mono(font: str | None) -> bool:
    return any(sign in (font or "").lower() for sign in MONO_SIGNS)


def _nothing(*_: Any, **__: Any) -> None:
    """Do nothing: a script may be written for a screen."""
