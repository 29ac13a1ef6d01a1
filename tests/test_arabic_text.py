"""The width of Arabic text: that of its joined letters."""

from __future__ import annotations

import pytest

from figmill import font_metrics
from figmill.arabic import joined, letters_of

# In DejaVu Sans, by HarfBuzz 11; a word without blanks, whose width is another font's.
WIDTHS = {
    "العميل": 2.702,
    "السلام": 2.69,  # lam and alef are one
    "لا": 0.57,
    "المخزن": 3.092,
    "طلب": 2.109,
}


@pytest.mark.parametrize("word", WIDTHS)
def test_a_word_is_as_wide_as_harfbuzz_says(word: str) -> None:
    assert font_metrics.width(word) == pytest.approx(WIDTHS[word], abs=0.002)


def test_marks_and_other_letters_change_no_form() -> None:
    assert joined("سَلام")[1] == "\u064e" and joined("سَلام").replace("\u064e", "") == joined("سلام")
    assert joined("a 12 ب") == "a 12 \ufe8f" and joined("دد") == "\ufea9\ufea9"
    assert letters_of("\ufefb") == "لا" and letters_of("a") == "a"
    assert joined("پی") == "\ufb58\ufbfd"  # Persian


def test_a_joined_form_that_a_font_lacks_is_as_wide_as_its_letter() -> None:
    assert font_metrics.width("ݐ") > 0  # it has no forms in Unicode
