"""The palette as other eyes see it, and the checks on colour at their edges."""

from __future__ import annotations

from itertools import combinations

import pytest

from figmill.palette import MUTED, PAGE, ROLES, TEXT
from figmill.svg import Sheet, normalise
from figmill.svg.colour import contrast, luminance
from figmill.svg.colour_vision import distance_for, merging
from figmill.svg.grey_ink import LOOKS

GREY = {
    "": {"compute data", "compute routing", "compute neutral", "data routing", "error neutral"},
    "dark_": {f"{one.name} {other.name}" for one, other in combinations(ROLES, 2)}
    - {"compute error", "data error", "routing error", "error neutral", "error accent"},
}


@pytest.mark.parametrize("theme", GREY)
def test_the_roles_that_merge_are_those_that_are_documented(theme: str) -> None:
    """Fill and line together; docs/themes.md has the table."""
    merged: dict[str, set[str]] = {}
    for one, other in combinations(ROLES, 2):
        tones = [(getattr(one, theme + part), getattr(other, theme + part)) for part in ("fill", "line")]
        for vision in merging(tones):
            merged.setdefault(vision, set()).add(f"{one.name} {other.name}")
    assert merged == {"tritanopia": {"compute data"}, "greyscale": GREY[theme]}


def test_vision_is_what_the_literature_says() -> None:
    """Red and green of one lightness are one without the middle cones, and two for everyone else."""
    assert distance_for("#c00000", "#008000", "deuteranopia") < 0.03
    assert distance_for("#c00000", "#008000", "tritanopia") > 0.25
    assert merging([("#0072b2", "#d55e00")]) == ()
    # One couple that differs is enough.
    assert merging([("#cfe2f3", "#d4edda"), ("#000000", "#ffffff")]) == ()


def lightness(text: str) -> float:
    """CIE L* of a grey: 0 black, 100 white."""
    return 116 * luminance(text) ** (1 / 3) - 16


def test_two_roles_in_grey_differ_in_hatch_or_dashes_or_much_in_lightness() -> None:
    """docs/guide/print.md states both numbers. They hold for every figure, because a role has one look everywhere."""
    least: dict[str, float] = {}
    for one, other in combinations(LOOKS, 2):
        if one.hatch == other.hatch:
            least["areas"] = min(least.get("areas", 100), abs(lightness(one.fill) - lightness(other.fill)))
        if one.dashes == other.dashes:
            least["lines"] = min(least.get("lines", 100), abs(lightness(one.line) - lightness(other.line)))
    assert least == {"areas": pytest.approx(16.7, abs=0.1), "lines": pytest.approx(26.8, abs=0.1)}
    for look in LOOKS:
        assert contrast(TEXT[0], look.fill) >= 7 and contrast(MUTED[0], look.fill) >= 4
        assert contrast(look.line, PAGE[0]) >= 3


def told(body: str, check: str) -> list[str]:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200" font-size="12">{body}</svg>'
    sheet = Sheet(figure="f", title="t", desc="d", checks=frozenset({check}))
    return [message for _, message, _ in normalise(svg.encode(), sheet).warnings]


CELL = '<rect x="{x}" y="{y}" width="20" height="20" fill="{fill}"/>'


def cells(rows: str, text: str = "") -> str:
    """R and G in rows of cells; text: what stands in each."""
    markup = ""
    for y, row in enumerate(rows.split()):
        for x, sort in enumerate(row):
            fill = {"R": "#c00000", "G": "#008000"}[sort]
            markup += CELL.format(x=10 + 22 * x, y=10 + 22 * y, fill=fill)
            if text:
                markup += f'<text x="{14 + 22 * x}" y="{24 + 22 * y}" fill="#ffffff">{text}{sort}</text>'
    return markup


def test_cells_in_between_each_other_are_told_by_colour_alone() -> None:
    (message,) = told(cells("RGRG GRGR"), "colour-only")
    assert message.startswith("4 and 4 areas differ in colour alone (#c00000 and #008000)")


@pytest.mark.parametrize(
    "body",
    [
        cells("RRRR GGGG"),  # each in its own row
        cells("RRGG RRGG"),  # each on its own side
        cells("RGRG GRGR", "x"),  # words in each
        cells("RGGG GGGG"),  # one of a kind is pointed at, not classed
        cells("RRRR RRRR"),
    ],
)
def test_place_and_words_tell_cells_apart(body: str) -> None:
    assert told(body, "colour-only") == []


def test_words_that_are_the_same_do_not_tell_a_legends_looks_apart() -> None:
    legend = "".join(
        f'<rect x="20" y="{100 + 20 * n}" width="18" height="10" fill="{fill}"/>'
        f'<text x="46" y="{109 + 20 * n}">{name}</text>'
        for n, (fill, name) in enumerate((("#c00000", "failed"), ("#008000", "passed")))
    )
    numbers = cells("RRRR GGGG", "1").replace("1R", "1").replace("1G", "1")
    assert len(told(numbers + legend, "colour-only")) == 1
    assert told(cells("RRRR GGGG", "1") + legend, "colour-only") == []


def test_a_size_is_that_of_the_figure_as_it_is_shown() -> None:
    nested = '<svg width="100" height="50" viewBox="0 0 200 100"><text x="9" y="50" font-size="14">half</text></svg>'
    (message,) = told(nested, "small-text")
    assert message == "the text 'half' is 7 px high as shown; 8 px are needed"
    assert told('<text x="9" y="50" font-size="8">just right</text>', "small-text") == []
    assert told('<text x="9" y="50" font-size="4" display="none">not shown</text>', "small-text") == []


def test_a_colour_that_nobody_sees_is_not_told() -> None:
    assert told('<g fill="#ff00ff"><rect width="9" height="9" fill="#cfe2f3"/></g>', "off-palette") == []
    assert len(told('<g fill="#ff00ff"><rect width="9" height="9"/></g>', "off-palette")) == 1
