"""Edges reach the rounded corners of boxes, with their arrowheads; all others stay where they are."""

from __future__ import annotations

import pytest
from lxml import etree

from figmill.kinds.graphs.edge_labels import points_in
from figmill.kinds.graphs.edges import mended

# A box of 54 x 36 with corners of 12, as Graphviz draws it.
BOX = (
    '<g class="{kind}"><path fill="none" d="M42,-36C42,-36 12,-36 12,-36 6,-36 0,-30 0,-24 0,-24 0,-12 0,-12 '
    '0,-6 6,0 12,0 12,0 42,0 42,0 48,0 54,-6 54,-12 54,-12 54,-24 54,-24 54,-30 48,-36 42,-36"/></g>'
)
EDGE = '<g class="edge"><path fill="none" d="{line}"/>{head}</g>'


def placed(line: str, head: str = "", kind: str = "node") -> tuple[list[tuple[float, float]], ...]:
    """The points of the edge's line, then of its arrowhead."""
    body = BOX.format(kind=kind) + EDGE.format(line=line, head=head)
    root = etree.fromstring(mended(f'<svg xmlns="http://www.w3.org/2000/svg"><g>{body}</g></svg>'.encode()))
    (edge,) = (group for group in root.iter("{*}g") if group.get("class") == "edge")
    return tuple(points_in(shape.get("d") or shape.get("points", "")) for shape in edge)


@pytest.mark.parametrize("kind", ["node", "cluster"])
def test_a_head_moves_to_the_arc_of_a_rounded_corner_and_its_line_follows(kind: str) -> None:
    tip = "-1.5,-37"
    head = f'<polygon points="-8.69,-38.84 {tip} -5.97,-42.92 -8.69,-38.84"/>'
    line, corners = placed("M-60,-76C-40,-62.67 -20,-49.33 -7.33,-40.88", head, kind)
    step = corners[1][0] + 1.5, corners[1][1] + 37
    assert 2 < (step[0] ** 2 + step[1] ** 2) ** 0.5 < 7 and step[0] > step[1] > 0  # along the line
    assert line[0] == (-60, -76) and line[-1] == pytest.approx((-7.33 + step[0], -40.88 + step[1]), abs=0.02)
    assert 0 < corners[1][0] < 12 and -36 < corners[1][1] < -24


def test_a_line_without_a_head_begins_at_the_arc() -> None:
    (line,) = placed("M54.3,-35.5C70,-46 80,-53 90,-60")
    assert line[0][0] < 52.5 and line[0][1] > -34.5 and line[-1] == (90, -60)


@pytest.mark.parametrize(
    "line",
    [
        "M54.3,-18C70,-18 80,-18 90,-18",  # at a straight side
        "M58,-36C70,-36 80,-36 90,-36",  # passes by
        "M27,-18C40,-18 70,-18 90,-18",  # begins inside
        "M54.3,-36C54.3,-50 54.3,-60 54.3,-70",  # its direction misses the box
    ],
)
def test_every_other_end_stays(line: str) -> None:
    assert placed(line) == (points_in(line),)
