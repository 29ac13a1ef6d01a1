"""A change in words: what a reviewer cares for, and nothing where nothing is to be seen."""

from __future__ import annotations

import pytest

from figmill.compare.markdown import LONGEST, escaped
from figmill.compare.svg_changes import phrases
from figmill.model import Published


def svg(inside: str) -> bytes:
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="100" height="60">{inside}</svg>'.encode()


def published(alt: str = "a box", **facts: float | str) -> Published:
    return Published("a", None, "global", "A", "dot", "visuals/a.dot", alt, None, facts)


WORDS = "<text>{}</text>"
RECT = '<rect x="{x}" width="9" height="9" fill="{fill}"/>'
CASES = {
    # before, after -> what is said
    "a word": (WORDS.format("Rank 1"), WORDS.format("Rank 2"), ("words: 'Rank 1' is now 'Rank 2'",)),
    "a word in many places": (
        3 * WORDS.format("Rank 1"),
        3 * WORDS.format("Rank 2"),
        ("words: 'Rank 1' is now 'Rank 2' (3 times)",),
    ),
    "a new word": ("", WORDS.format("Rank 1"), ("new words: 'Rank 1'",)),
    "many new words": (
        "",
        3 * WORDS.format("7") + WORDS.format("Rank 1"),
        ("new words: 'Rank 1', '7' (3 times)",),
    ),
    "a word less": (WORDS.format("Rank 1"), "", ("words gone: 'Rank 1'",)),
    "a colour": (
        RECT.format(x=1, fill="#cfe2f3"),
        RECT.format(x=1, fill="#d8f0ff"),
        ("colours: #cfe2f3 is now #d8f0ff",),
    ),
    "a place": (
        RECT.format(x=1, fill="#cfe2f3"),
        RECT.format(x=5, fill="#cfe2f3"),
        ("places and shapes only",),
    ),
    "a shape more": (
        RECT.format(x=1, fill="red"),
        2 * RECT.format(x=1, fill="red"),
        ("shapes: 1 rect more",),
    ),
}


@pytest.mark.parametrize(("before", "after", "told"), CASES.values(), ids=CASES)
def test_what_is_said(before: str, after: str, told: tuple[str, ...]) -> None:
    changes = phrases(svg(before), svg(after), None, None, True)
    assert changes == told


def test_a_change_that_no_pixel_shows_is_said_to_be_none() -> None:
    changes = phrases(
        svg(RECT.format(x=1, fill="red")), svg(RECT.format(x="1.0", fill="red")), None, None, False
    )
    assert changes == ("nothing visible",)


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        (("58.667", "130.667"), "size: 100 x 59 is now 100 x 131 px"),
        (("58.6", "58.7"), "size: 100 x 58.6 is now 100 x 58.7 px"),
    ],
)
def test_sizes_are_told_in_whole_px_where_these_differ(sizes: tuple[str, str], told: str) -> None:
    both = [svg("").replace(b'height="60"', f'height="{size}"'.encode()) for size in sizes]
    assert phrases(both[0], both[1], None, None, True)[0] == told


def test_facts_and_alt_are_told_with_both_values() -> None:
    then, now = published(bubble=0.375, steps=4), published("a round box", bubble=0.4, ranks=2)
    assert phrases(b"<svg/>", b"<svg/>", then, now, False) == (
        "alt: 'a box' is now 'a round box'",
        "facts: bubble: 0.375 is now 0.4, ranks = 2 (new), steps is gone",
    )


def test_new_and_gone() -> None:
    assert phrases(None, svg(""), None, None, True) == ("a new figure",)
    assert phrases(svg(""), None, None, None, True) == ("the figure is gone",)


@pytest.mark.parametrize(
    "text", ["a|b", "<img src=x>", "@someone", "#12", "`x`", "[a](b)", "https://example.org"]
)
def test_words_are_words_in_markdown(text: str) -> None:
    assert not set("|<>@#`[") & set(escaped(text).replace("&#", "")) and "://" not in escaped(text)
    assert LONGEST == 65_536
