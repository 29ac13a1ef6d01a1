"""Widths of letters are those of fontTools by the names of glyphs, though names are not read."""

from __future__ import annotations

from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.ttLib import TTCollection, TTFont
from fontTools.ttLib.tables._g_l_y_f import Glyph
from helpers.cases import cases

from figmill import font_metrics
from figmill.paths import FONTS

SANS = FONTS / "Arimo-Regular.ttf"
FILES = sorted(
    [*FONTS.glob("*.ttf"), *Path(font_metrics.path_of("DejaVuSans.ttf")).parent.glob("DejaVu*.ttf")]
)


def by_name(path: Path) -> dict[int | None, float]:
    with TTFont(path) as font:
        em, widths, first = font["head"].unitsPerEm, font["hmtx"].metrics, font.getGlyphOrder()[0]
        advances = {code: widths[name][0] / em for code, name in font.getBestCmap().items()}
        return {**advances, None: widths[first][0] / em}


@cases("path", FILES, ids=lambda path: path.stem)
def test_widths_are_those_of_the_named_glyphs(path: Path) -> None:
    assert font_metrics._advances(str(path)) == by_name(path)


@pytest.mark.parametrize("form", ["woff", "collection"])
def test_a_font_in_a_rare_form_is_read(tmp_path: Path, form: str) -> None:
    path = tmp_path / "font"
    if form == "woff":
        with TTFont(SANS) as font:
            font.flavor = "woff"
            font.save(path)
    else:
        collection = TTCollection()
        collection.fonts = [TTFont(SANS)]
        collection.save(path)
    assert font_metrics.code_points(str(path)) == {code for code in by_name(SANS) if code is not None}


def test_the_first_glyph_stands_for_missing_ones_whatever_its_name(tmp_path: Path) -> None:
    builder = FontBuilder(1000)
    builder.setupGlyphOrder(["nothing", "a", "b"])
    builder.setupCharacterMap({ord("a"): "a", ord("b"): "b", 0x1F600: "b"})
    builder.setupGlyf(dict.fromkeys(("nothing", "a", "b"), Glyph()))
    builder.setupHorizontalMetrics({"nothing": (300, 0), "a": (500, 0), "b": (500, 0)})
    builder.setupHorizontalHeader()
    builder.setupPost()
    path = tmp_path / "own.ttf"
    builder.save(path)
    assert font_metrics._advances(str(path)) == {None: 0.3, ord("a"): 0.5, ord("b"): 0.5, 0x1F600: 0.5}
    assert font_metrics.missing("\u00b5a\U0001f600", [str(path)]) == ()
