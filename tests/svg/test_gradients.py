"""What lies behind words on a gradient: the colours of that place, not of the gradient's ends."""

from __future__ import annotations

import pytest
from helpers.book import Space

from figmill.compare.pictures import pixels
from figmill.svg.geometry.display_list import scene
from figmill.svg.geometry.gradients import gradient
from figmill.svg.pipeline import admitted
from figmill.svg.spec import Sheet

STOPS = '<stop stop-color="#102030"/><stop offset=".4" stop-color="#fff0c0"/><stop offset="1" stop-color="#2060d0"/>'
GRADIENTS = {
    "across": f'<linearGradient id="g">{STOPS}</linearGradient>',
    "down": f'<linearGradient id="g" x2="0" y2="1">{STOPS}</linearGradient>',
    "slanted, in units of the drawing": '<linearGradient id="g" gradientUnits="userSpaceOnUse" x1="30" y1="20" x2="150"'
    f' y2="90">{STOPS}</linearGradient>',
    "turned": f'<linearGradient id="g" gradientTransform="rotate(40)">{STOPS}</linearGradient>',
    "repeated": f'<linearGradient id="g" x2="30%" spreadMethod="repeat">{STOPS}</linearGradient>',
    "reflected": f'<linearGradient id="g" x2="30%" spreadMethod="reflect">{STOPS}</linearGradient>',
    "of another": f'<linearGradient id="h" y2="1">{STOPS}</linearGradient><linearGradient id="g" href="#h" x1=".2"/>',
    "round": f'<radialGradient id="g">{STOPS}</radialGradient>',
    "round, in units of the drawing": '<radialGradient id="g" gradientUnits="userSpaceOnUse" cx="60" cy="50" r="50"'
    f' gradientTransform="scale(1.5 1)">{STOPS}</radialGradient>',
    "round, seen from aside": f'<radialGradient id="g" fx=".3" fy=".4">{STOPS}</radialGradient>',
    "of two colours at once": '<linearGradient id="g"><stop stop-color="#204060"/>'
    '<stop offset=".5" stop-color="#204060"/><stop offset=".5" stop-color="#ffffff"/>'
    '<stop offset="1" stop-color="#ffffff"/></linearGradient>',
}
AREAS = {
    "a rectangle": '<rect x="20" y="10" width="160" height="80" fill="url(#g)"/>',
    "moved and larger": '<g transform="translate(10 5) scale(1.6 1.5)"><rect x="10" y="5" width="100" height="50"'
    ' fill="url(#g)"/></g>',
    "a path": '<path d="M 20 10 H 180 V 90 H 20 Z" fill="url(#g)"/>',
}
PLACES = [(31, 17), (52, 66), (83, 50), (104, 22), (131, 61), (149, 78), (165, 45)]


def drawing(body: str, size: str = "0 0 200 100") -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" width="200" height="100">{body}</svg>'.encode()


def near(one: str, other: tuple[int, ...], within: int = 6) -> bool:
    return all(
        abs(int(one[at : at + 2], 16) - part) <= within for at, part in zip((1, 3, 5), other, strict=True)
    )


@pytest.mark.parametrize("area", AREAS.values(), ids=AREAS)
@pytest.mark.parametrize("defs", GRADIENTS.values(), ids=GRADIENTS)
def test_a_gradient_shows_what_is_drawn_there(defs: str, area: str) -> None:
    data = drawing(defs + area)
    root = admitted(data, Sheet("f", "t", "d")).root
    figure = scene(root, {node.attrib["id"]: node for node in root.walk() if "id" in node.attrib})
    (shape,) = figure.shapes
    assert shape.server is not None
    mine = gradient(*shape.server, shape.node, shape.ctm, figure.ids, (0, 0, 200, 100))
    assert mine is not None
    picture = pixels(data, "light", ())
    for x, y in PLACES:
        drawn = tuple(int(part) for part in picture[y, x][:3])
        (colour, _), *others = mine.tones([(x + 0.5, y + 0.5)])
        assert near(colour, drawn) and not others, (x, y, colour, drawn)
        shown = mine.tones([(x, y), (x + 12, y), (x, y + 6), (x + 12, y + 6), (x + 6, y + 3)])
        under = [
            tuple(int(part) for part in picture[y + 1 + down, x + 1 + right][:3])
            for down in (0, 4)
            for right in (0, 10)
        ]
        light, dark = (
            some(sum(int(c[at : at + 2], 16) for at in (1, 3, 5)) for c, _ in shown) for some in (max, min)
        )
        # Nothing there is lighter or darker.
        assert all(dark - 20 <= sum(pixel) <= light + 20 for pixel in under)


WORDS = '<text x="{}" y="{}" font-size="12" text-anchor="middle" fill="{}">{}</text>'
DARK_ENDS = '<linearGradient id="g"><stop stop-color="#202020"/><stop offset=".25" stop-color="#f0f0f0"/>\
<stop offset=".75" stop-color="#f0f0f0"/><stop offset="1" stop-color="#202020"/></linearGradient>'
BAND = '<rect x="0" y="20" width="400" height="60" fill="url(#g)"/>'
HUES = '<linearGradient id="g"><stop stop-color="#ff0000"/><stop offset="1" stop-color="#008c00"/></linearGradient>'
# What stands on the gradient, and how many words of it cannot be read.
RESTS = {
    "in the middle": (DARK_ENDS + BAND + WORDS.format(200, 54, "#000000", "middle"), 0),
    "at the end": (DARK_ENDS + BAND + WORDS.format(25, 54, "#000000", "end"), 1),
    "white at the end": (DARK_ENDS + BAND + WORDS.format(25, 54, "#ffffff", "end"), 0),
    "reaching into the dark": (
        DARK_ENDS + BAND + WORDS.format(200, 54, "#000000", "a long line of words, " * 3),
        1,
    ),
    "between two hues": (HUES + BAND + WORDS.format(200, 54, "#000000", "hue"), 1),
    "on one of two hues": (HUES + BAND + WORDS.format(25, 54, "#000000", "hue"), 0),
}


def test_words_are_judged_by_what_lies_under_them(space: Space) -> None:
    for number, (body, _) in enumerate(RESTS.values()):
        space.write(
            {f"visuals/f{number}.svg": drawing(body, "0 0 400 100").replace(b'"200" height="100"', b'"400"')}
        )
        space.question(f"f{number}", f"source: f{number}.svg, alt: words on a gradient")
    ran = space.run("--format", "json")
    told = [
        sum(w["check"] == "contrast" and not w["message"].startswith("dark") for w in row.get("warnings", ()))
        for row in ran.json["figures"]
    ]
    assert dict(zip(RESTS, told, strict=True)) == {name: count for name, (_, count) in RESTS.items()}, ran.out
