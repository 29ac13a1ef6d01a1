"""Which fonts Chromium is given: one set of Liberation Sans, whichever packages install it."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import browser

FIRST, SECOND = Path("/fonts/liberation"), Path("/fonts/liberation2")


def styles(folder: Path) -> tuple[Path, ...]:
    return tuple(
        folder / f"LiberationSans-{style}.ttf" for style in ("Bold", "BoldItalic", "Italic", "Regular")
    )


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        (styles(FIRST), styles(FIRST)),
        (styles(SECOND), styles(SECOND)),
        ((*styles(SECOND), *styles(FIRST)), styles(FIRST)),  # both packages, in any order
        ((*styles(FIRST)[:3], *styles(SECOND)), styles(SECOND)),  # never one family's styles out of two
        ((*styles(FIRST), FIRST / "LiberationSansNarrow-Bold.ttf"), styles(FIRST)),
        (styles(FIRST)[1:], ()),
        ((), ()),
    ],
)
def test_one_package_gives_the_four_styles(installed: tuple[Path, ...], expected: tuple[Path, ...]) -> None:
    assert browser.four_styles(installed) == expected


def test_this_machine_has_them() -> None:
    assert len({path.parent for path in browser.liberation()}) == 1
    assert [path.name for path in browser.liberation()] == [path.name for path in styles(FIRST)]
