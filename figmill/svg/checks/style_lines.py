"""Rules of a house style about lines: how they run, where they end, how wide they are, and what is beside them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from figmill.svg.checks.arrow_ends import border
from figmill.svg.checks.edge_through_box import name
from figmill.svg.checks.routes import named
from figmill.svg.checks.styled import SAME, Styled, any_of, is_one_of, nearest, px
from figmill.svg.checks.text_room import beside_lines
from figmill.svg.document import Element
from figmill.svg.geometry.detours import by_right_angles, path
from figmill.svg.geometry.heads import form, reach
from figmill.svg.geometry.outlines import Point, to_line
from figmill.svg.geometry.parts import placed, segments
from figmill.svg.geometry.scene import PaintedShape
from figmill.svg.geometry.strokes import coarse
from figmill.svg.geometry.structure import Connector

LEVEL = 2.0  # px by which a straight line may be off its way, as by hand
TILT = 0.1  # slope of a part that runs along an axis
CORNER = 20.0  # px: the largest round corner


def routes(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`style-routes`: each line that is slanted, or that bends where the style asks for straight lines."""
    parts, wanted = styled.parts, styled.style.routes
    for line in parts.joining:
        if line.start.box is line.end.box:
            continue
        if wanted == "orthogonal" and _slant(line) * parts.px > LEVEL:
            way = path(by_right_angles(line))
            yield (
                line.shape.node,
                f"the line {named(line)} is slanted; the style asks for right angles: {way}",
            )
        elif wanted == "straight" and _bends(line) * parts.px > LEVEL:
            ends = f"{placed(line.start.point)} to {placed(line.end.point)}"
            yield (
                line.shape.node,
                f"the line {named(line)} bends; the style asks for straight lines: from {ends}",
            )


def _slant(line: Connector) -> float:
    """How far the most slanted stretch of a line is off the axes; round corners between level parts count as level."""
    runs = [(slanted, list(run)) for slanted, run in groupby(segments(line), _is_slanted)]
    most = 0.0
    for number, (slanted, run) in enumerate(runs):
        (x0, y0), (x1, y1) = run[0][0], run[-1][1]
        off = min(abs(x1 - x0), abs(y1 - y0))
        is_corner = 0 < number < len(runs) - 1 and off <= CORNER
        if slanted and not is_corner:
            most = max(most, off)
    return most


def _is_slanted(part: tuple[Point, Point]) -> bool:
    (x0, y0), (x1, y1) = part
    across, down = abs(x1 - x0), abs(y1 - y0)
    return min(across, down) > TILT * max(across, down)


def _bends(line: Connector) -> float:
    """How far a line is from the straight one between its ends."""
    whole = line.pieces[0].points[0], line.pieces[-1].points[-1]
    return max(to_line(point, whole) for piece in line.pieces for point in piece.points)


def arrow_ends(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`style-arrow-ends`: each arrow that ends short of the border of its box, or inside it."""
    parts, most = styled.parts, styled.style.arrow_ends
    assert most is not None
    for line in parts.joining:
        for end in line.ends:
            if not end.has_head or end.box is None or end.box.is_cell:
                continue
            gap = (end.gap - reach(line, end, parts.scene)) * parts.px
            if abs(gap) <= most + SAME:
                continue
            where = "short of" if gap > 0 else "inside"
            yield (
                line.shape.node,
                f"an arrow ends {px(abs(gap))} {where} the box '{name(end.box)}'; the style allows {most:g} px: "
                f"end it at {placed(border(line, end))}",
            )


def clearance(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`style-clearance`: each text that is closer to a line than the style allows."""
    least = styled.style.clearance
    for label, far, cure in beside_lines(styled.parts, least):
        yield (
            label.text.node,
            f"the text '{label.words[:30]}' is {px(far)} from a line; the style asks for {least:g} px: {cure}",
        )


def line_width(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`style-line-width`: each line between boxes, and each outline of a box, in another width."""
    parts, allowed = styled.parts, styled.style.line_width
    outlines = [(f"outline of the box '{name(box)}'", box.area.shape) for box in styled.boxes]
    lines = [(f"line {named(line)}", line.shape) for line in parts.joining]
    for what, shape in (*outlines, *lines):
        width = _width(shape) * parts.px
        if shape.stroke and width and not is_one_of(width, allowed):
            right = nearest(width, allowed)
            own = right / parts.px / _scale(shape)
            yield (
                shape.node,
                f"the {what} is {px(width)} wide; the style asks for {any_of(allowed)}: "
                f"stroke-width = {round(own, 2):g}",
            )


def _width(shape: PaintedShape) -> float:
    return next((stroke.width for stroke in coarse(shape)), 0.0)


def _scale(shape: PaintedShape) -> float:
    a, b, c, d, *_ = shape.ctm
    return float(abs(a * d - b * c) ** 0.5) or 1.0


def arrowheads(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`style-arrowheads`: each head of a form that the style lacks."""
    parts, allowed = styled.parts, styled.style.arrowheads
    for line in parts.joining:
        for end in line.ends:
            has = form(line, end, parts.scene, parts.px) if end.has_head else None
            if has is not None and has not in allowed:
                yield (
                    line.shape.node,
                    f"the line {named(line)} has a head that is {has}; the style asks for {' or '.join(allowed)}",
                )
