"""Formulas in plots as text: each character at mathtext's position, in reading order.

matplotlib itself writes the characters of a formula sorted by style, which makes it impossible to read aloud or copy.
Characters that no text font has in the right place and size, such as radicals and tall brackets, are still paths.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import groupby
from typing import Any

from figmill import font_metrics
from figmill.kind import typefaces

OWN = (typefaces.SANS, typefaces.MONO)
DOT = {0x22C5: "·"}  # the dot operator: the middle dot looks the same, and every font has it


def has_rare_signs(renderer: Any, formula: str, prop: Any) -> bool:
    """Whether a formula has a character that readers' fonts lack, or have in another place or size."""
    glyphs = renderer._text2path.mathtext_parser.parse(formula, 72, prop).glyphs
    return any(
        font.family_name not in OWN and not _is_common(font.family_name, code) for font, _, code, *_ in glyphs
    )


def _is_common(family: str, code: int) -> bool:
    """Whether text fonts have a character that Arimo lacks; never for tall brackets, accents and radicals."""
    return code in DOT or (
        family == "STIXGeneral"
        and unicodedata.category(chr(code)) in ("Sm", "Ps", "Pe", "Po")
        and chr(code) != "√"  # it would not join its bar
        and bool(_symbols().get_char_index(code))
    )


@cache
def _symbols() -> Any:
    """A font that represents the characters available on most machines."""
    from matplotlib.ft2font import FT2Font

    return FT2Font(str(font_metrics.matplotlib_folder() / "DejaVuSans.ttf"))


def forget_symbols() -> None:
    """Close the font that has_rare_signs() opened."""
    _symbols.cache_clear()


def write(renderer: Any, gc: Any, x: float, y: float, formula: str, prop: Any, angle: float) -> None:
    """Write a formula into a renderer's SVG. x, y: in points, y downwards. angle: in degrees, anticlockwise."""
    from matplotlib.colors import rgb2hex

    parsed = renderer._text2path.mathtext_parser.parse(formula, 72, prop)
    out = renderer.writer
    style = f"fill: {rgb2hex(gc.get_rgb())}"
    if gc.get_alpha() != 1.0:
        style += f"; opacity: {gc.get_alpha():.4g}"
    turn = f" rotate({-angle:.6g})" if angle else ""
    out.start("g", style=style, transform=f"translate({x:.6f} {y:.6f}){turn}")
    out.start("text")
    signs = [
        (_face(font, size), float(up), float(at), DOT.get(code, chr(code)))
        for font, size, code, _, at, up in parsed.glyphs
    ]
    for (face, up), run in groupby(signs, key=lambda sign: sign[:2]):
        part = list(run)
        while part and part[0][3].isspace():  # SVG joins white space between two tspans anyway
            del part[0]
        while part and part[-1][3].isspace():
            del part[-1]
        if part:
            places = " ".join(f"{at:.4f}" for _, _, at, _ in part)
            out.element("tspan", "".join(sign[3] for sign in part), x=places, y=f"{-up:.4f}", style=face)
    out.end("text")
    for left, bottom, width, height in parsed.rects:
        out.element(
            "rect", x=f"{left:.4f}", y=f"{-bottom - height:.4f}", width=f"{width:.4f}", height=f"{height:.4f}"
        )
    out.end("g")


def _face(font: Any, size: float) -> str:
    """The CSS of a face chosen by mathtext."""
    name = font.style_name.casefold()
    slant = "italic" if "italic" in name or "oblique" in name else "normal"
    weight = "bold" if "bold" in name else "normal"
    family = "monospace" if font.family_name == typefaces.MONO else "sans-serif"
    return f"font: {slant} {weight} {size:.6g}px {family}"
