"""Widths against Arimo's own tables, and characters that no font has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from helpers.cases import cases

from figmill import sfnt
from figmill.font_metrics import FACES, MONO, WIDE, measure, missing, path_of


def test_arimo_has_helveticas_widths() -> None:
    """Helvetica's: a space 278, a 556, M 833 thousandths of the size."""
    assert measure(" aM", 1000) == pytest.approx(278 + 556 + 833, abs=1.5)


def test_bold_is_wider_and_italic_is_not() -> None:
    assert measure("bubble", 10, bold=True) > measure("bubble", 10)
    assert measure("bubble", 10, italic=True) == pytest.approx(measure("bubble", 10), rel=0.01)


def test_code_is_monospaced() -> None:
    assert measure("iii", 10, mono=True) == measure("MMM", 10, mono=True)


def test_width_grows_with_size() -> None:
    assert measure("stage", 20) == pytest.approx(2 * measure("stage", 10))


def test_missing() -> None:
    assert missing("Bubble = 0.43 µs → ∑α") == ()
    assert missing("\u4e2d\u6587\u4e2d a") == ("\u4e2d", "\u6587")


@cases("name", [*FACES.values(), *MONO.values(), *WIDE.values()])
def test_our_reader_agrees_with_fonttools(name: str) -> None:
    with TTFont(path_of(name)) as font:
        em, lines = font["head"].unitsPerEm, font["hhea"]
        widths = {code: font["hmtx"][glyph][0] / em for code, glyph in font.getBestCmap().items()}
    advances = sfnt.advances(path_of(name))
    assert {code: advances[code] for code in advances if code is not None} == widths
    assert sfnt.heights(path_of(name)) == (lines.ascent / em, -lines.descent / em)


def test_a_font_of_another_form_is_left_to_fonttools(tmp_path: Path) -> None:
    whole = Path(path_of(FACES[False, False])).read_bytes()
    for number, data in enumerate((b"", b"wOF2" + whole[4:], whole[:200], b"ttcf" + whole[4:])):
        font = tmp_path / f"{number}.ttf"
        font.write_bytes(data)
        for read in (sfnt.advances, sfnt.heights):
            with pytest.raises(sfnt.OtherFormatError):
                read(str(font))


def test_plain_words_need_no_font_to_be_read() -> None:
    """ASCII is in every font: a build of plain figures never loads fontTools."""
    code = (
        "import sys; from figmill.font_metrics import missing; missing('plain'); "
        "print('fontTools' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"
    )
