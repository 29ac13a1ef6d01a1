"""The change as one picture: what it marks, that it agrees with the words, and what it leaves as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import pytest
from helpers.cases import cases

from figmill.compare import marks, pictures, placing
from figmill.compare.marks import Colours
from figmill.compare.matching import matching
from figmill.compare.merged import Merged, merged
from figmill.compare.svg_changes import phrases
from figmill.palette import PAGE, ROLES
from figmill.svg import Sheet, in_themes, skeleton_of
from figmill.svg.colour import contrast
from figmill.xml_tree import parsed

Places: TypeAlias = Mapping[str, tuple[float, float]]
WIDTH, HEIGHT = 90, 40


@dataclass(frozen=True)
class Plan:
    """A drawing by hand: boxes by name with their left top corners, and lines with their labels."""

    boxes: Places
    lines: Sequence[tuple[str, str, str]] = ()
    fills: Mapping[str, str] = field(default_factory=dict)
    more: str = ""
    view: str = "0 0 620 240"

    def pictures(self) -> tuple[bytes, bytes]:
        """Its normal form, light and dark."""
        head = '<marker id="m" refX="9" refY="5" markerWidth="9" markerHeight="9" viewBox="0 0 10 10" orient="auto">'
        parts = [f'{head}<path d="M0 0L10 5L0 10z"/></marker>']
        for name, (x, y) in self.boxes.items():
            fill = self.fills.get(name, "#cfe2f3")
            parts.append(
                f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" fill="{fill}" stroke="#4a90c4"/>'
            )
            parts.append(f'<text x="{x + WIDTH / 2}" y="{y + 25}" text-anchor="middle">{name}</text>')
        for start, end, label in self.lines:
            (x0, y0), (x1, y1) = self.boxes[start], self.boxes[end]
            if y0 == y1:
                x0, y0, x1, y1 = x0 + WIDTH, y0 + HEIGHT / 2, x1, y1 + HEIGHT / 2
            else:
                x0, y0, x1 = x0 + WIDTH / 2, y0 + HEIGHT, x1 + WIDTH / 2
            parts.append(f'<path d="M{x0} {y0}L{x1} {y1}" fill="none" stroke="#333" marker-end="url(#m)"/>')
            parts.append(
                f'<text x="{(x0 + x1) / 2}" y="{(y0 + y1) / 2 - 5}" text-anchor="middle" font-size="12">{label}</text>'
            )
        data = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{self.view}">{"".join(parts)}{self.more}</svg>'
        )
        sheet = Sheet("plan", "A plan", "Boxes and lines.", checks=frozenset())
        light, dark = in_themes(data.encode(), sheet, ("light", "dark"))
        return light.svg, dark.svg


ROW = {"Client": (20.0, 20.0), "Relay": (180.0, 20.0), "Server": (340.0, 20.0), "Store": (500.0, 20.0)}
JOINED = (("Client", "Relay", "asks"), ("Relay", "Server", ""), ("Server", "Store", "reads"))
BEFORE = Plan(ROW, JOINED)
ADDED = replace(BEFORE, boxes={**ROW, "Audit": (180.0, 160.0)}, lines=(*JOINED, ("Relay", "Audit", "tells")))
FRAMED = {"Relay": (240.0, 100.0), "Server": (430.0, 100.0)}
FRAME = '<rect x="190" y="10" width="380" height="220" fill="none" stroke="#333"/><text x="380" y="30">Zone</text>'
INWARD = '<path d="M110 140H189" fill="none" stroke="#333" marker-end="url(#m)"/>'
RENAMED = {name.replace("Relay", "Proxy"): at for name, at in ROW.items()}
# before, after -> what the picture shows, and what is said
CASES: dict[str, tuple[Plan, Plan, tuple[str, ...], tuple[str, ...]]] = {
    "a box and its line": (
        BEFORE,
        ADDED,
        ("+ added: 1 node, 1 edge",),
        ("new nodes: 'Audit'", "new edges: 'Relay' to 'Audit'", "new words: 'tells'"),
    ),
    "the same is gone": (
        ADDED,
        BEFORE,
        ("− removed: 1 node, 1 edge",),
        ("nodes gone: 'Audit'", "edges gone: 'Relay' to 'Audit'", "words gone: 'tells'"),
    ),
    "a line is gone": (
        BEFORE,
        replace(BEFORE, lines=JOINED[:2]),
        ("− removed: 1 edge",),
        ("edges gone: 'Server' to 'Store'", "words gone: 'reads'"),
    ),
    "a line is turned": (
        BEFORE,
        replace(BEFORE, lines=(*JOINED[:2], ("Store", "Server", "reads"))),
        ("+ added: 1 edge", "− removed: 1 edge"),
        ("new edges: 'Store' to 'Server'", "edges gone: 'Server' to 'Store'"),
    ),
    "another name": (
        BEFORE,
        Plan(RENAMED, [(a.replace("Relay", "Proxy"), b.replace("Relay", "Proxy"), c) for a, b, c in JOINED]),
        ("renamed: 1 node",),
        ("words: 'Relay' is now 'Proxy'",),
    ),
    "another name, and a new box in its place": (
        ADDED,
        replace(
            ADDED,
            boxes={**ROW, "Error": (180.0, 160.0), "Audits": (330.0, 160.0)},
            lines=(*JOINED, ("Relay", "Audits", "tells"), ("Relay", "Error", "")),
        ),
        ("+ added: 1 node, 1 edge", "renamed: 1 node", "1 node made room"),
        ("new nodes: 'Error'", "new edges: 'Relay' to 'Error'", "words: 'Audit' is now 'Audits'"),
    ),
    "another label": (
        BEFORE,
        replace(BEFORE, lines=(("Client", "Relay", "begs"), *JOINED[1:])),
        ("renamed: 1 label",),
        ("words: 'asks' is now 'begs'",),
    ),
    "a box has moved": (
        BEFORE,
        replace(BEFORE, boxes={**ROW, "Store": (500.0, 150.0)}),
        ("moved: 1 node",),
        ("nodes moved: 'Store'",),
    ),
    "another colour": (
        BEFORE,
        replace(BEFORE, fills={"Relay": "#d4edda"}),
        ("~ drawn differently: 1 node",),
        ("colours: #cfe2f3 is now #d4edda",),
    ),
    "several at once": (
        ADDED,
        replace(
            ADDED,
            boxes={**ROW, "Queue": (340.0, 160.0)},
            lines=(*JOINED[:2], ("Server", "Queue", "tells")),
        ),
        ("+ added: 1 node, 1 edge", "− removed: 1 node, 2 edges"),
        (
            "new nodes: 'Queue'",
            "nodes gone: 'Audit'",
            "new edges: 'Server' to 'Queue'",
            "edges gone: 'Server' to 'Store', 'Relay' to 'Audit'",
            "words gone: 'reads'",
        ),
    ),
    "a container is all that is left": (
        Plan({"In": (20.0, 120.0), **FRAMED}, [("Relay", "Server", "")], more=FRAME + INWARD),
        Plan(FRAMED, [("Relay", "Server", "")], more=FRAME, view="180 0 400 240"),
        ("− removed: 1 node, 1 edge",),
        ("nodes gone: 'In'", "edges gone: 'In' to 'Zone'", "size: 620 x 240 is now 400 x 240 px"),
    ),
    "without lines": (
        Plan(ROW),
        Plan({**ROW, "Audit": (20.0, 150.0)}),
        ("+ added: 1 box",),
        ("new boxes: 'Audit'",),
    ),
}
BARS = "".join(f'<path d="M{20 + 9 * n} 230V{220 - 3 * n}" stroke="#333"/>' for n in range(60))


def both(before: Plan, after: Plan) -> list[tuple[str, bytes, bytes, Merged | None]]:
    """The pictures of two drawings, light and dark, each with its change."""
    themes = zip(("light", "dark"), before.pictures(), after.pictures(), strict=True)
    return [(theme, old, new, merged(old, new, theme)) for theme, old, new in themes]


def signs(svg: bytes, form: str) -> int:
    return svg.count(f' d="{form}"'.encode())


@cases(("before", "after", "shown", "said"), CASES.values(), ids=CASES)
def test_the_picture_and_the_words_agree(
    before: Plan, after: Plan, shown: tuple[str, ...], said: tuple[str, ...]
) -> None:
    for theme, old, new, picture in both(before, after):
        assert picture is not None and picture.legend == shown
        assert picture == merged(old, new, theme)
        lines = phrases(old, new, None, None, True)
        assert lines == said or theme == "dark"  # which has other colours
        named = {kind: count(lines, kind) for kind in ("new ", " gone")}
        assert (signs(picture.svg, marks.PLUS), signs(picture.svg, marks.MINUS)) == (
            named["new "],
            named[" gone"],
        )
        stays(old, new, picture.svg)


def stays(old: bytes, new: bytes, change: bytes) -> None:
    """Every element of the picture after is there, in its order and place; the ids are others."""
    mine, its = ([flat(node) for node in parsed(svg).iter("*")] for svg in (change, new))
    left = iter(mine)
    # After the root, its words and its page, which may grow.
    assert all(element in left for element in its[4:])
    ids = re.findall(rb' id="([^"]+)"', old.replace(b"plan-", b"then-") + new + change)
    assert len(ids) == len(set(ids))
    assert {*re.findall(rb"#([\w-]+)\)", change)} <= {*re.findall(rb'id="([^"]+)"', change)}


def count(lines: Sequence[str], kind: str) -> int:
    """How many nodes and edges the words name as new or gone; their labels are parts of them."""
    lists = [
        text.partition(": ")[2] for text in lines if kind in text.partition(":")[0] and "words" not in text
    ]
    return sum(1 + text.count(", ") for text in lists)


def flat(node: Any) -> tuple[Any, ...]:
    attributes = [(name, value.replace("-change", "")) for name, value in sorted(node.items())]
    tag = node.tag.rpartition("}")[2]
    return tag, attributes, None if tag in ("g", "desc") else node.text


def test_marks_hide_no_words() -> None:
    """Neither those of the picture nor those that are gone; a dashed line through a word would strike it out."""
    ends = {"Client": (20.0, 100.0), "Store": (500.0, 100.0)}
    before = Plan(ends, [("Client", "Store", "")], more='<text x="250" y="210">a loose word</text>')
    after = Plan(ends, more='<text x="280" y="125">another</text>')
    _, old, new, picture = both(before, after)[0]
    assert picture is not None
    assert picture.legend == ("+ added: 1 label", "− removed: 1 edge, 1 label")
    boxes = [label.bounds for svg in (old, new) for label in skeleton_of(svg).labels]
    drawn = picture.svg.decode()
    (line,) = re.findall(r'd="M ([^"]*)" stroke-dasharray="5 3"', drawn)
    route = [(float(x), float(y)) for x, y in (point.split() for point in line.split(" L "))]
    assert not [box for box in boxes if placing.meets(route, box)]
    signs = re.findall(r'translate\((\S+) (\S+)\)"><circle r="([^"]*)"', drawn)
    assert len(signs) == 3
    for x, y, radius in (map(float, sign) for sign in signs):
        disc = placing.grown((x, y, x, y), radius)
        assert not [box for box in boxes if placing.meet(disc, box)]


def test_a_change_is_described_and_can_be_drawn() -> None:
    *_, picture = both(BEFORE, ADDED)[0]
    assert picture is not None
    assert pictures.is_png(pictures.png(picture.svg, "light"))
    assert "The change: + added: 1 node, 1 edge. Boxes and lines.</desc>" in picture.svg.decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BEFORE, BEFORE),
        (BEFORE, Plan({f"{name} {n}": (x, y + 60 * n) for name, (x, y) in ROW.items() for n in (1, 2)})),
        (Plan({"Client": (0, 0)}), Plan({"Server": (0, 0)})),
        (Plan({}, more=BARS), Plan({}, more=BARS.replace("V", "V1"))),
        (BEFORE, replace(ADDED, more=BARS)),
    ],
    ids=["the same", "half is another", "one box", "a plot", "much else"],
)
def test_what_cannot_be_read_as_one_picture_has_none(before: Plan, after: Plan) -> None:
    assert [picture for *_, picture in both(before, after)] == [None, None]


def test_an_unchanged_box_that_makes_room_has_not_moved() -> None:
    """As a layout does: what is new pushes the rest aside, in the same order."""
    pushed = {name: (x + 110 * (x > 300), y) for name, (x, y) in ROW.items()}
    after = Plan(
        {**pushed, "Cache": (310.0, 20.0)},
        (JOINED[0], ("Relay", "Cache", ""), ("Cache", "Server", ""), JOINED[2]),
    )
    *_, picture = both(BEFORE, after)[0]
    assert picture is not None
    assert picture.legend == ("+ added: 1 node, 2 edges", "− removed: 1 edge", "2 nodes made room")


def test_many_boxes_with_other_names_are_matched() -> None:
    places = [(20.0 + 110 * (n % 10), 20.0 + 60 * (n // 10)) for n in range(120)]
    sides = [
        {f"{(n * 7919 + n % 2 * side) % 9973:04}": at for n, at in enumerate(places)} for side in (0, 4001)
    ]
    (before, _), (after, _) = (Plan(boxes, view="0 0 1130 760").pictures() for boxes in sides)
    match = matching(before, after)
    assert match is not None and len(match.boxes.renamed) == 60


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_marks_are_seen_on_their_page(theme: str) -> None:
    """WCAG 1.4.11 asks for 3:1 of what is drawn, and 1.4.3 for 4.5:1 of words."""
    colours, page = Colours.of(theme, ROLES), PAGE[theme == "dark"]
    assert all(contrast(colour, page) >= 3 for colour in (colours.new, colours.gone, colours.other))
    assert contrast(colours.muted, page) >= 4.5
