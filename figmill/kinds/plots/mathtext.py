"""Formulas in plots as text: each character at mathtext's position, in reading order (kind/formulas.py)."""

from __future__ import annotations

from typing import Any

from figmill.kind import formulas


def has_rare_signs(renderer: Any, formula: str, prop: Any) -> bool:
    """Whether a formula has a character that readers' fonts lack, or have in another place or size."""
    return not formulas.is_text(renderer._text2path.mathtext_parser.parse(formula, 72, prop).glyphs)


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
    for run in formulas.runs_of(parsed.glyphs):
        places = " ".join(f"{at:.4f}" for at in run.places)
        out.element("tspan", run.text, x=places, y=f"{-run.up:.4f}", style=run.font())
    out.end("text")
    for left, bottom, width, height in parsed.rects:
        out.element(
            "rect", x=f"{left:.4f}", y=f"{-bottom - height:.4f}", width=f"{width:.4f}", height=f"{height:.4f}"
        )
    out.end("g")
