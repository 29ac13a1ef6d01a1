"""What of a page is not drawn as draw.io draws it, so that the page is refused. Pure.

The tables of shapes, heads and routes have only what was compared with draw.io's own pictures of the same diagrams.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence

from figmill_kinds.drawio.heads import HEADS
from figmill_kinds.drawio.model import Connector, GraphModel, Point, Shape
from figmill_kinds.drawio.picture import picture_in
from figmill_kinds.drawio.routes import MANNERS
from figmill_kinds.drawio.shapes import is_known
from figmill_kinds.drawio.styles import Style, is_on
from figmill_kinds.drawio.wide import WIDE

_FORMULA = re.compile(r"\$\$.+?\$\$|\\\(.+?\\\)|`[^`]+`")
_PICTURE = re.compile(r"<img\b", re.IGNORECASE)


def unproven(diagram: GraphModel, lines: Mapping[str, Sequence[Point]]) -> tuple[str, int | None] | None:
    """The first part of a page that is refused, and its line. lines: the points of each connector."""
    unknown = [cell for cell in diagram.cells if isinstance(cell, Shape) and _is_unknown(cell)]
    if unknown:
        names = list(dict.fromkeys(cell.style["shape"] for cell in unknown))
        listed = ", ".join(f"'{name}'" for name in names[:4]) + ", ..." * (len(names) > 4)
        return f"shapes that figmill does not draw ({listed})", unknown[0].line
    missing = [cell for cell in diagram.cells if _is_picture(cell.style) and not picture_in(cell.style)[1]]
    if missing:
        reason = f"{len(missing)} picture{'s' * (len(missing) > 1)} that the file does not contain"
        return reason, missing[0].line
    for cell in diagram.cells:
        reason = next(_styles(cell.style), "") or _words(cell.label, diagram.formulas)
        if not reason and isinstance(cell, Connector):
            reason = next(_parts(cell, lines), "")
        if reason:
            return reason, cell.line
    return None


def _is_unknown(cell: Shape) -> bool:
    return bool(cell.box.width and cell.box.height) and not is_known(cell.style)


def _is_picture(style: Style) -> bool:
    return style.get("shape") == "image"


def _styles(style: Style) -> Iterator[str]:
    """What a style asks for that figmill does not draw."""
    if is_on(style, "sketch") or is_on(style, "comic"):
        yield "the hand-drawn look (`sketch`), which figmill does not draw"
    if (fill := style.get("fillStyle", "solid")) not in ("solid", "auto", ""):
        yield f"a fill that figmill does not draw (`fillStyle={fill}`)"
    if style.get("gradientDirection") == "radial":
        yield "a radial gradient, which figmill does not draw"
    if style.get("textDirection", "").startswith("vertical"):
        yield "vertical writing, which figmill does not draw"


def _words(label: str, formulas: bool) -> str:
    """What a label has that figmill does not draw."""
    if _PICTURE.search(label):
        return "a picture in a label, which figmill does not draw"
    formula = _FORMULA.search(label) if formulas else None
    return f"a formula, {formula[0][:60]}" if formula else ""


def _parts(cell: Connector, lines: Mapping[str, Sequence[Point]]) -> Iterator[str]:
    """What a connector has that figmill does not draw."""
    style = cell.style
    if (shape := style.get("shape", "connector")) not in ("connector", *WIDE):
        yield f"a connector that figmill does not draw ('{shape}')"
    if (route := style.get("edgeStyle", "none") or "none") not in ("none", *MANNERS):
        yield f"a route that figmill does not draw ('{route}')"
    for name in ("startArrow", "endArrow"):
        if (head := style.get(name, "none") or "none") not in ("none", *HEADS):
            yield f"a head that figmill does not draw ('{head}')"
    if style.get("jumpStyle", "none") != "none" and _crosses(cell.id, lines):
        yield f"line jumps, which figmill does not draw (`jumpStyle={style['jumpStyle']}`)"


def _crosses(id_: str, lines: Mapping[str, Sequence[Point]]) -> bool:
    """Whether a connector crosses another one."""
    own = list(itertools.pairwise(lines.get(id_, ())))
    others = (pair for name, points in lines.items() if name != id_ for pair in itertools.pairwise(points))
    return any(_meet(*piece, *other) for other in others for piece in own)


def _meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two pieces of lines cross, not only touch."""
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _side(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
