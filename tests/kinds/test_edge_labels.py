"""Labels of edges keep a distance from level edges, and no other label or line suffers."""

from __future__ import annotations

import pytest
from lxml import etree

from figmill.kinds.graphs.edges import mended

EDGE = """\
<g id="{name}" class="edge"><title>a-&gt;b</title><path fill="none" stroke="black" d="{d}"/>{texts}</g>
"""
TEXT = '<text text-anchor="middle" x="100" y="{y}" font-family="Arial" font-size="10">{text}</text>'
LEVEL = "M20,-18C60,-18 140,-18 180,-18"


def drawn(*edges: tuple[str, tuple[tuple[float, str], ...]], more: str = "") -> list[float]:
    """The heights of all labels after the move."""
    body = "".join(
        EDGE.format(name=f"e{n}", d=d, texts="".join(TEXT.format(y=y, text=text) for y, text in labels))
        for n, (d, labels) in enumerate(edges)
    )
    svg = mended(f'<svg xmlns="http://www.w3.org/2000/svg"><g>{body}{more}</g></svg>'.encode())
    return [float(text.get("y", 0)) for text in etree.fromstring(svg).iter("{*}text")]


@pytest.mark.parametrize(
    ("labels", "after"),
    [
        (((-19.0, "uses"),), [-23.1]),  # 3 pt between the line and the descenders
        (((-9.0, "uses"),), [-7.8]),  # below its edge: downwards
        (((-40.0, "uses"),), [-40.0]),  # far enough
        (((-16.0, "uses"),), [-23.1]),  # struck through
        (((-31.0, "two"), (-19.0, "lines")), [-35.1, -23.1]),
        ((), []),
    ],
)
def test_a_label_keeps_a_distance_from_its_level_edge(
    labels: tuple[tuple[float, str], ...], after: list[float]
) -> None:
    assert drawn((LEVEL, labels)) == pytest.approx(after)


def test_a_steep_edge_beside_a_label_moves_it_not() -> None:
    assert drawn(("M130,-80C130,-60 130,-20 130,0", ((-19.0, "uses"),))) == [-19.0]


def test_a_label_moves_onto_no_other_line_label_or_node() -> None:
    above = LEVEL.replace("-18", "-29")
    assert drawn((LEVEL, ((-19.0, "uses"),)), (above, ())) == [-19.0]
    assert drawn((LEVEL, ((-19.0, "uses"),)), ("M0,0C0,0 1,0 1,0", ((-28.5, "other"),))) == [-19.0, -28.5]
    node = '<g id="n" class="node"><polygon points="80,-40 120,-40 120,-27 80,-27"/></g>'
    assert drawn((LEVEL, ((-19.0, "uses"),)), more=node) == [-19.0]
