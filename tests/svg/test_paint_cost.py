"""What a reader's browser would paint for minutes is refused at its line; what drawing tools write is not."""

from __future__ import annotations

import time
from bisect import bisect_left
from contextlib import suppress

import pytest
from helpers.cases import cases

from figmill.svg import CHECKS, Sheet, SvgError, in_themes, normalise

SHEET = Sheet("fig", "Title", "What it shows", checks=CHECKS)
WHOLE = '<rect width="1000" height="1000" fill="#48a" {}/>'
FILTER = '<filter id="f" x="0" y="0" width="1" height="1">{}</filter>'
BLUR = '<feGaussianBlur stdDeviation="{}"/>'
MASK = '<mask id="m"><rect width="1000" height="1000" fill="#fff"/></mask>'


def svg(inside: str) -> bytes:
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000" viewBox="0 0 1000 1000">'
    return f"{head}\n{inside}</svg>".encode()


def filtered(steps: str) -> bytes:
    return svg(FILTER.format(steps) + WHOLE.format('filter="url(#f)"'))


DEAR = {
    "200 blurs in a chain": filtered(BLUR.format(5) * 200),
    "a chain of 20 blurs": filtered(BLUR.format(5) * 20),  # took Chromium 6 s on a busy machine
    "wide blurs": filtered(BLUR.format(50) * 20),
    "functions": svg(WHOLE.format(f'filter="{"blur(5px) " * 100}"')),
    "shadows": filtered('<feDropShadow stdDeviation="5"/>' * 50),
    "a thick outline": filtered('<feMorphology radius="150"/>'),
    "filters within filters": svg(
        FILTER.format(BLUR.format(5)) + '<g filter="url(#f)">' * 50 + WHOLE.format("") + "</g>" * 50
    ),
    "uses of what is filtered": svg(
        FILTER.format(BLUR.format(5))
        + f'<g id="a" filter="url(#f)">{WHOLE.format("")}</g>'
        + '<use href="#a"/>' * 100
    ),
    "masks within masks": svg(
        "".join(
            f'<mask id="m{n}">' + WHOLE.format(f'mask="url(#m{n + 1})"') * 2 + "</mask>" for n in range(9)
        )
        + '<mask id="m9"/>'
        + WHOLE.format('mask="url(#m0)"')
    ),
    "masks on masks": svg(MASK + WHOLE.format('mask="url(#m)"') * 500),
    "dashes": svg('<path d="M0 0L1000 1000" stroke="red" stroke-dasharray=".001"/>'),
    "dashes that are handed down": svg(
        '<g stroke="red" stroke-dasharray=".1 .1">' + '<path d="M0 0L1000 1000"/>' * 50 + "</g>"
    ),
    "areas over areas": svg(WHOLE.format('opacity="0.5"') * 5000),
    "a filter that asks for each step twice": filtered(
        "".join(f'<feBlend result="r{n + 1}" in="r{n}" in2="r{n}"/>' for n in range(40))
    ),
    "a merge of merges": filtered(
        "".join(
            f'<feMerge result="r{n + 1}"><feMergeNode in="r{n}"/><feMergeNode in="r{n}"/></feMerge>'
            for n in range(30)
        )
    ),
    "blended areas": svg(WHOLE.format('style="mix-blend-mode: multiply"') * 1000),
    "see-through groups": svg(('<g opacity=".5">' * 150 + WHOLE.format("") * 2 + "</g>" * 150) * 9),
    "words along a long path": svg(
        '<path id="p" d="M0 0'
        + "L9 9L0 0" * 5000
        + '"/>'
        + '<text><textPath href="#p">a</textPath></text>' * 5000
    ),
    "a filtered marker on each point": svg(
        FILTER.format(BLUR.format(5))
        + '<marker id="m"><path d="M0 0L9 9" filter="url(#f)"/></marker>'
        + '<path d="M0 0'
        + "L9 9L0 0" * 500
        + '" marker-mid="url(#m)"/>'
    ),
    "lines over the whole picture": svg('<path d="M0 0L1000 1000" stroke="#456"/>' * 20_000),
    "a path of long sides": svg('<path d="M0 0' + "L1000 999L9 0" * 20_000 + '" stroke="#456"/>'),
} | {
    f"many shapes in <{tag}> for many uses": svg(
        f'<{tag} id="m"{size}>'
        + '<path d="M0 0L1 1"/>' * 1000
        + f"</{tag}>"
        + f'<path d="M0 0L9 9" {said}="url(#m)"/>' * 1000
    )
    for tag, said, size in (
        ("marker", "marker-end", ""),
        ("clipPath", "clip-path", ""),
        ("mask", "mask", ""),
        ("pattern", "fill", ' width="9" height="9"'),
    )
}
FAIR = {
    "a shadow on each of 300 boxes": svg(
        '<filter id="f"><feDropShadow dx="2" dy="2" stdDeviation="2"/></filter>'
        + "".join(
            f'<rect x="{n % 20 * 50}" y="{n // 20 * 50}" width="40" height="30" filter="url(#f)"/>'
            for n in range(300)
        )
    ),
    "a soft background": filtered(BLUR.format(40)),
    "a glow of four steps": filtered(
        '<feFlood flood-color="red"/><feComposite in2="SourceAlpha" operator="in"/>'
        + BLUR.format(4)
        + "<feMerge><feMergeNode/><feMergeNode in='SourceGraphic'/></feMerge>"
    ),
    "50 blends": filtered('<feBlend in2="SourceGraphic"/>' * 50),  # 0.9 s at most, as the next two
    "10 displacements": filtered('<feDisplacementMap in2="SourceGraphic" scale="20"/>' * 10),
    "10 lights": filtered('<feSpecularLighting><feDistantLight azimuth="20"/></feSpecularLighting>' * 10),
    "1000 dashed lines": svg(
        '<g stroke="red" stroke-dasharray="4 2">'
        + "".join(f'<path d="M0 {n}H1000"/>' for n in range(1000))
        + "</g>"
    ),
    "1000 lines over the whole picture": svg(
        "".join(f'<path d="M0 {n}L1000 {1000 - n}" fill="none" stroke="#456"/>' for n in range(1000))
    ),
    "ten masks": svg(MASK + WHOLE.format('mask="url(#m)"') * 10),
}


@pytest.mark.parametrize("name", DEAR)
def test_what_would_take_a_browser_long_is_refused(name: str) -> None:
    with pytest.raises(SvgError, match="painting this figure takes a browser") as error:
        normalise(DEAR[name], SHEET)
    assert error.value.line == 2


@cases("name", FAIR)
def test_what_drawing_tools_write_is_not(name: str) -> None:
    normalise(FAIR[name], SHEET)


# Counted by hand: 50 diagonals of 1414.2 px with a dash on each 0.2 px; 120 masks of 1 megapixel; a blur of weight 2 on
# 1 megapixel and 15 px around it, 60 times.
COUNTED = {
    "dashes that are handed down": "353,553 dashes; the limit is 200,000",
    "120 masks": "120 megapixels of masks; the limit is 100",
    "60 blurs": "127 megapixels of filter steps, each times its weight; the limit is 100",
}
AGAINST = DEAR | {
    "120 masks": svg(MASK + WHOLE.format('mask="url(#m)"') * 120),
    "60 blurs": svg(FILTER.format(BLUR.format(5)) + WHOLE.format('filter="url(#f)"') * 60),
}


@pytest.mark.parametrize("name", COUNTED)
def test_a_message_says_how_much_there_is_and_how_much_there_may_be(name: str) -> None:
    with pytest.raises(SvgError, match=COUNTED[name]):
        normalise(AGAINST[name], SHEET)


def test_bounds_hold_together() -> None:
    """Two thirds of one and two thirds of another are too much."""
    masks = MASK + WHOLE.format('mask="url(#m)"') * 66
    blurs = FILTER.format(BLUR.format(5)) + WHOLE.format('filter="url(#f)"') * 31
    for some in (masks, blurs):
        normalise(svg(some), SHEET)
    with pytest.raises(SvgError, match="the limit is 100 if nothing else is expensive"):
        normalise(svg(masks + blurs), SHEET)


# Makers of drawings that grow, each with a size that takes a good tenth of a second.
GROWING = {
    "selectors": (lambda n: f"<style>{','.join(f'.c{i}' for i in range(n))}{{fill:red}}</style><g/>", 1500),
    "rules and elements": (
        lambda n: (
            f"<style>{''.join(f'.c{i}{{fill:red}}' for i in range(n))}</style>"
            + "".join(f'<rect class="c{i}"/>' for i in range(n))
        ),
        800,
    ),
    "choices": (lambda n: f"<switch>{'<g/>' * n}{'<rect/>' * n}<text>a</text></switch>", 3000),
    "clips": (
        lambda n: '<clipPath id="c">' + '<rect width="9"/>' * n + '</clipPath><rect clip-path="url(#c)"/>',
        5000,
    ),
    "gradients": (
        lambda n: (
            f'<linearGradient id="g">{"<stop/>" * 900}</linearGradient>'
            + '<rect width="1" height="1" fill="url(#g)"/>' * n
        ),
        600,
    ),
    "colours": (lambda n: "".join(f'<rect width="1" fill="#{i * 977:06x}"/>' for i in range(n)), 1500),
    "words outside": (lambda n: "".join(f'<text x="990" y="{i}">outside</text>' for i in range(n)), 1200),
    "words": (lambda n: "<text>" + "<tspan>ab </tspan>" * n + "</text>", 2000),
    "uses": (lambda n: '<rect id="r" width="1" height="1"/>' + '<use href="#r"/>' * n, 1500),
    "steps of a path": (lambda n: f'<path d="M0 0{"l1 1c1 2 3 4 -5 -6" * n}" stroke="red"/>', 4000),
    "transforms": (lambda n: f'<g transform="{"scale(1)rotate(1)" * n}"><rect/></g>', 8000),
    "groups in groups": (lambda n: ("<g style='fill:red'>" * 150 + "</g>" * 150) * n, 15),
    "filters": (
        lambda n: "".join(
            f'<filter id="f{i}"><feOffset/></filter><rect width="1" height="1" filter="url(#f{i})"/>'
            for i in range(n)
        ),
        700,
    ),
    "words on see-through areas": (
        lambda n: "".join(
            f'<rect width="300" height="300" fill="#48a" fill-opacity=".{i % 8 + 1}"/>'
            f'<text x="{i % 30 * 10}" y="{i // 30 % 30 * 10}">word</text>'
            for i in range(n)
        ),
        300,
    ),
    "shapes in a pattern, and its uses": (
        lambda n: (
            '<pattern id="p" width="9" height="9">'
            + '<g fill="red"/>' * n
            + "</pattern>"
            + '<rect width="9" height="9" fill="url(#p)"/>' * n
        ),
        800,
    ),
    "entries of a legend": (
        lambda n: "".join(
            f'<rect x="10" y="10" width="10" height="10" fill="#{i * 977:06x}"/>'
            f'<text x="24" y="19" font-size="9">entry {i}</text>'
            for i in range(n)
        ),
        800,
    ),
    "pages": (lambda n: '<rect width="1000" height="1000" fill="#fff"/>' * n, 200),
    "words in areas": (
        lambda n: "".join(
            f'<circle cx="{i % 97 * 10}" cy="{i // 97 % 97 * 10}" r="{i // 60 % 8 + 1}" fill="#6{i % 9}9922"/>'
            f'<text x="{i % 97 * 10}" y="{i // 97 % 97 * 10}" font-size="8">w</text>'
            for i in range(n)
        ),
        500,
    ),
    "pieces of text": (lambda n: f"<text>{'a<!-- -->' * n}</text>", 20_000),
}


RUN = set[tuple[str, int]]()


def seconds(name: str, size: int, *, may_be_refused: bool = False) -> float:
    """Processor time of one run; a drawing above a bound is to be refused as fast."""
    assert (name, size) not in RUN, "it was read before"
    RUN.add((name, size))
    data = svg(GROWING[name][0](size))
    before = time.process_time()
    with suppress(*([SvgError] if may_be_refused else [])):
        in_themes(data, SHEET, ("light", "dark"))
    return time.process_time() - before


@pytest.mark.parametrize("scale", [1, pytest.param(4, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", GROWING)
def test_four_times_as_much_takes_about_four_times_as_long(name: str, scale: int) -> None:
    """Sixteen times as long would be a square; 0.1 s is what a busy machine may add. The better of two runs counts.

    No two runs have the same size, whatever their scale: a drawing that was read before takes no time.
    """
    size = GROWING[name][1] * scale + 2 * (scale - 1)
    in_themes(svg(GROWING[name][0](3)), SHEET, ("light", "dark"))  # what is loaded with the first
    most = 9 * min(seconds(name, size + more) for more in range(2)) + 0.1
    assert any(seconds(name, 4 * size + more, may_be_refused=scale > 1) < most for more in range(2))


def test_what_was_published_may_cost_a_little_more() -> None:
    """Rounding and the page's rectangle change a price: what was accepted once is accepted again."""
    sheet = Sheet("fig", "A title", "What it shows")

    def priced(count: int, root: str = "") -> str:
        blurs = '<feGaussianBlur stdDeviation="9"/>' * count
        shape = '<rect width="900" height="700" fill="#cfe2f3" filter="url(#f)"/>'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 800"{root}>'
            f'<filter id="f">{blurs}</filter>{shape}</svg>'
        )

    def is_taken(count: int, root: str = "") -> bool:
        try:
            normalise(priced(count, root).encode(), sheet)
        except SvgError:
            return False
        return True

    dearer = 1 + bisect_left(range(1, 200), True, key=lambda count: not is_taken(count))
    assert is_taken(dearer - 1) and not is_taken(dearer)
    assert is_taken(dearer, ' aria-labelledby="fig-light-1"')
    assert not is_taken(2 * dearer, ' aria-labelledby="fig-light-1"')
