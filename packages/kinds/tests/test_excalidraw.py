"""Scenes of Excalidraw: every sort of element, words as text that fit their shapes, mistakes at their line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.book import Space
from lxml import etree

from figmill_kinds.excalidraw.scene import read
from figmill_kinds.excalidraw.shapes import drawn
from figmill_kinds.excalidraw.sketch import Hand, along, hatching, outside
from figmill_kinds.excalidraw.starter import STARTER


def element(kind: str, number: int, **more: Any) -> dict[str, Any]:
    place = {"x": 200 * number, "y": 0, "width": 120, "height": 60}
    return {"type": kind, "id": f"e{number}", "seed": number + 1, "strokeColor": "#1e1e1e", **place, **more}


LONG = "a label much longer than its box"
SCENE = [
    element("rectangle", 0, backgroundColor="#a5d8ff", fillStyle="solid", roundness={"type": 3}),
    element("ellipse", 1, backgroundColor="#b2f2bb", fillStyle="hachure"),
    element("diamond", 2, backgroundColor="#ffec99", fillStyle="cross-hatch", angle=0.5),
    element("line", 3, points=[[0, 0], [60, 40], [120, 0]], strokeStyle="dashed", roundness={"type": 2}),
    element(
        "arrow", 4, points=[[0, 0], [120, 60]], startArrowhead="triangle", endArrowhead="crowfoot_one_or_many"
    ),
    element("freedraw", 5, points=[[0, 0], [10, 5], [20, 9]]),
    element("frame", 6, name="A frame"),
    element("embeddable", 7, link="https://example.org/"),
    element("text", 8, text="free\ntext", fontSize=20, fontFamily=3, textAlign="right"),
    element("text", 9, text=LONG, fontSize=20, containerId="e0", textAlign="center", x=10, width=100),
    element("ellipse", 10, isDeleted=True),
]


def scene(*elements: dict[str, Any]) -> str:
    return json.dumps({"type": "excalidraw", "version": 2, "elements": elements, "files": {}}, indent=1)


@pytest.mark.parametrize(
    "again", [("--id", "a"), pytest.param((), marks=pytest.mark.soak)], ids=["one", "all"]
)
def test_every_element_is_drawn_counted_and_the_same_again(space: Space, again: tuple[str, ...]) -> None:
    space.write({"visuals/a.excalidraw": scene(*SCENE), "visuals/b.excalidraw": STARTER.source.decode()})
    space.question(
        "a", "source: a.excalidraw, alt: One of each, expect: {nodes: 4, edges: 1, text: [free, A frame]}"
    )
    space.question("b", "source: b.excalidraw, alt: A reader asks a site, expect: {nodes: 2, edges: 1}")
    done = space.run()
    assert done.code == 0 and "text-overflow" not in done.err and "text-outside" not in done.err, done.err
    first = space.outputs()
    for theme in ("", ".dark"):
        root = etree.fromstring(first[f"build/global/a{theme}.svg"])
        texts = [str(text.text) for text in root.iter("{*}text")]
        assert {"free", "text", "A frame"} <= {*texts} and LONG in " ".join(texts)
    assert space.run("--force", "--jobs", "1", *again).code == 0 and space.outputs() == first


@pytest.mark.parametrize("align", ["left", "center", "right"])
def test_a_picture_is_as_wide_as_its_title_in_the_book_s_font(space: Space, align: str) -> None:
    title = element(
        "text", 0, text="A title, measured by hand", fontSize=28, textAlign=align, width=200, height=35
    )
    space.write({"visuals/a.excalidraw": scene(title)}).question("a", "source: a.excalidraw, alt: a title")
    done = space.run()
    assert (done.code, done.err) == (0, "")


def test_mistakes_are_told_at_their_line(space: Space) -> None:
    wrong = {
        "kind": (
            scene(element("rectangle", 0), element("rectangel", 1)),
            ": element 1 has the type 'rectangel'; did you",
        ),
        "number": (scene(element("ellipse", 0, x="left")), ": `x` of element 0 must be a number"),
        "json": ('{"elements": [\n}', ":2:1: not JSON: "),
        "library": (
            '{"type": "excalidrawlib", "library": []}',
            ": this is a library; draw with it, and save the scene",
        ),
        "empty": (scene(), ": the scene is empty; draw something, and save it again"),
    }
    for name, (text, _) in wrong.items():
        space.write({f"visuals/{name}.excalidraw": text})
        space.question(name, f"source: {name}.excalidraw, alt: A scene with a mistake")
    done = space.run()
    assert done.code == 1
    for name, (_, told) in wrong.items():
        assert any(
            line.startswith(f"visuals/{name}.excalidraw") and told in line for line in done.err.splitlines()
        ), done.err


def test_a_hand_of_one_seed_draws_one_line() -> None:
    assert (
        Hand(7, 1).line((0, 0), (50, 9))
        == Hand(7, 1).line((0, 0), (50, 9))
        != Hand(8, 1).line((0, 0), (50, 9))
    )
    assert Hand(7, 0).line((0, 0), (50, 9)) == "M0.00,0.00L50.00,9.00"


def test_hatching_stays_inside_its_shape() -> None:
    lines = hatching([(0, 0), (30, 0), (30, 30), (0, 30)], 5, 0.0)
    assert len(lines) == 6
    assert all(-0.01 <= value <= 30.01 for line in lines for point in line for value in point)


def test_nothing_in_a_scene_acts() -> None:
    text = scene(
        element(
            "rectangle", 0, link="javascript:alert(1)", strokeColor='"/><script>', backgroundColor="url(#x)"
        )
    )
    svg = drawn(read(text, "a"))
    assert "script" not in svg and "url(" not in svg


def test_a_line_leaves_room_for_the_words_on_it() -> None:
    assert outside([(0, 0), (100, 0)], (40, -5, 60, 5)) == [[(0, 0), (40, 0)], [(60, 0), (100, 0)]]
    assert outside([(0, 0), (100, 0)], (40, 5, 60, 15)) == [[(0, 0), (100, 0)]]
    assert outside([(0, 0), (50, 0), (50, 50)], (40, -5, 60, 5)) == [[(0, 0), (40, 0)], [(50, 5), (50, 50)]]
    curve = along([(0, 0), (50, 20), (100, 0)])
    assert curve[0] == (0, 0) and curve[8] == (50, 20) and curve[-1] == (100, 0)
    label = element(
        "text",
        1,
        text="asks",
        fontSize=20,
        containerId="e0",
        x=40,
        width=40,
        height=25,
        y=-12,
        textAlign="center",
    )
    arrow = element("arrow", 0, points=[[0, 0], [120, 0]], roughness=0)
    svg = drawn(read(scene(arrow, label), "x"))
    assert svg.count('"M0.00,0.00L') == 1 and "L120.00,0.00" in svg and "M0.00,0.00L120" not in svg
