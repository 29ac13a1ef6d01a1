"""Scripts of Schemdraw: returned, shown, saved or only made; words as text that fit; errors at the script's line."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec

import pytest
from helpers.book import Space
from helpers.kind_sources import CIRCUITS as GOOD
from helpers.kind_sources import HEAD

pytestmark = pytest.mark.skipif(find_spec("schemdraw") is None, reason="needs the package schemdraw")


@pytest.mark.parametrize(
    "again", [("--id", "saved"), pytest.param((), marks=pytest.mark.soak)], ids=["one", "all"]
)
def test_drawings_of_all_ways_are_taken_and_repeatable(space: Space, again: tuple[str, ...]) -> None:
    space.write({f"visuals/{name}.py": HEAD + text for name, text in GOOD.items()})
    for name in GOOD:
        kind = ", kind: schemdraw" if name == "plots" else ""
        more = ", expect: {elements: 2, facts: {Resistor: 2, n: 2}}" if name == "returned" else ""
        space.question(name, f"source: {name}.py, alt: A drawing of {name}{kind}{more}")
    done = space.run()
    assert (done.code, done.err) == (0, "")
    svg = space.read("build/global/saved.svg")
    assert "R &amp; D" in svg and "dominant-baseline" not in svg and "dasharray" not in svg
    assert re.search(r'<tspan dy="2.8" font-size="0.7em">in</tspan>', svg)
    rows = {row["id"]: row["facts"] for row in json.loads(space.read("build/manifest.json"))["figures"]}
    assert rows["saved"] == {"elements": 2, "Resistor": 1, "Capacitor": 1}
    assert not (space.root / "visuals/one.svg").exists()
    first = space.outputs()
    assert space.run("--force", *again).code == 0 and space.outputs() == first


BAD = {
    "def draw():\n    d = schemdraw.Drawing()\n    d += elm.Resistor().labl('x')\n    return d\n": "6: AttributeError",
    "with schemdraw.Drawing():\n    elm.Dot().label(r'$\\frac{a}{b}$')\n    elm.Dot()\n": "5: ValueError: the formula",
    "def draw():\n    schemdraw.Drawing()\n": "4: draw() must return a schemdraw.Drawing, not None",
    "def draw():\n    return schemdraw.Drawing()\n": "4: schemdraw cannot draw this: it is empty",
    "print(1)\n": " it makes no drawing",
    "for n in 'ab':\n    with schemdraw.Drawing(file=n + '.svg'):\n"
    "        elm.Dot().label(n)\n": "it makes 2 figures: 1 'a' (line 5), 2 'b' (line 5)",
}


def test_a_mistake_is_told_at_its_line(space: Space) -> None:
    for number, text in enumerate(BAD):
        space.write({f"visuals/n{number}.py": HEAD + text})
        space.question(f"n{number}", f"source: n{number}.py, alt: A drawing of a mistake")
    err = space.run().err
    for number, message in enumerate(BAD.values()):
        assert re.search(
            rf"n{number}\.py:\d* ?.*{re.escape(message.partition(': ')[2] or message.strip())}", err
        ), (message, err)
        if message[0].isdigit():
            assert f"visuals/n{number}.py:{message}" in err


def test_a_drawing_in_the_library_s_own_sizes_has_those_of_the_book(space: Space) -> None:
    body = "with schemdraw.Drawing({options}):\n    elm.Resistor().label('R')\n"
    space.write({"visuals/own.py": HEAD + body.format(options="")})
    space.write({"visuals/large.py": HEAD + body.format(options="fontsize=20")})
    for name in ("own", "large"):
        space.question(name, f"source: {name}.py, alt: A resistor")
    assert space.run().code == 0
    own, large = (space.read(f"build/global/{name}.svg") for name in ("own", "large"))
    rows = {row["id"]: row["files"][0] for row in json.loads(space.read("build/manifest.json"))["figures"]}
    assert (rows["own"]["smallest_text"], rows["large"]["smallest_text"]) == (13, 26.67)
    scale = rows["own"]["width"] / float(re.findall(r'viewBox="[^"]* ([\d.]+) [\d.]+"', own)[0])
    assert float(re.findall(r'stroke-width="([\d.]+)"', own)[0]) * scale == pytest.approx(1.3, abs=0.01)
    assert 'font-size="20"' in large
