"""Widths from the tables of font files: the same as fontTools', which reads what is in no usual form."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.ttLib import TTCollection, TTFont
from fontTools.ttLib.tables._g_l_y_f import Glyph

from figmill.paths import FONTS
from figmill.svg.geometry import font_metrics
from figmill.svg.geometry.font_tables import Advances, RareError, advances

SANS = FONTS / "ArimoLayout-Regular.ttf"
FILES = sorted([*FONTS.glob("*.ttf"), *Path(font_metrics.path_of("DejaVuSans.ttf")).parent.glob("*.ttf")])


def by_name(path: Path) -> Advances:
    """As fontTools tells it, by the names of the glyphs."""
    with TTFont(path) as font:
        em, widths, first = font["head"].unitsPerEm, font["hmtx"].metrics, font.getGlyphOrder()[0]
        found: Advances = {code: widths[name][0] / em for code, name in font.getBestCmap().items()}
        return {**found, None: widths[first][0] / em}


def test_every_font_of_a_figure_is_read_and_as_by_fonttools() -> None:
    rare = set()
    for path in FILES:
        try:
            assert list(advances(str(path)).items()) == list(by_name(path).items()), path
        except RareError:
            rare.add(path.name)
    assert len(FILES) > 30 and rare == {"LastResortHE-Regular.ttf"}


@pytest.mark.parametrize("form", ["woff", "collection", "format 13"])
def test_a_font_in_a_rare_form_is_read_by_fonttools(tmp_path: Path, form: str) -> None:
    path, source = tmp_path / "font", SANS
    if form == "woff":
        with TTFont(SANS) as font:
            font.flavor = "woff"
            font.save(path)
    elif form == "collection":
        collection = TTCollection()
        collection.fonts = [TTFont(SANS)]
        collection.save(path)
    else:
        path = source = next(file for file in FILES if file.name.startswith("LastResort"))
    with pytest.raises(RareError):
        advances(str(path))
    assert font_metrics.code_points(str(path)) == {code for code in by_name(source) if code is not None}


@pytest.mark.parametrize("flavor", [None, "woff"])
def test_the_first_glyph_stands_for_missing_ones_whatever_its_name(
    tmp_path: Path, flavor: str | None
) -> None:
    builder = FontBuilder(1000)
    builder.setupGlyphOrder(["nothing", "a", "b"])
    builder.setupCharacterMap({ord("a"): "a", ord("b"): "b", 0x1F600: "b"})
    builder.setupGlyf(dict.fromkeys(("nothing", "a", "b"), Glyph()))
    builder.setupHorizontalMetrics({"nothing": (300, 0), "a": (500, 0), "b": (500, 0)})
    builder.setupHorizontalHeader()
    builder.setupPost()
    builder.font.flavor = flavor
    path = tmp_path / "own.ttf"
    builder.save(path)
    assert font_metrics.code_points(str(path)) == {ord("a"), ord("b"), 0x1F600}
    assert font_metrics.missing("µa\U0001f600", [str(path)]) == ()
    if flavor is None:
        assert advances(str(path)) == {None: 0.3, ord("a"): 0.5, ord("b"): 0.5, 0x1F600: 0.5}


def test_a_damaged_font_is_refused_or_read_as_by_fonttools(tmp_path: Path) -> None:
    whole, chance = SANS.read_bytes(), random.Random(7)
    count = int.from_bytes(whole[4:6], "big")
    rows = [whole[12 + 16 * at : 28 + 16 * at] for at in range(count)]
    places = [int.from_bytes(row[8:12], "big") for row in rows
              if row[:4] in (b"cmap", b"head", b"hhea", b"hmtx", b"maxp")]  # fmt: skip
    path, read, refused = tmp_path / "font", 0, 0
    for _ in range(200):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 3))):
            data[chance.choice((0, *places)) + chance.randrange(200)] = chance.randrange(256)
        path.write_bytes(data[: chance.choice((len(data), len(data), len(data) // 2))])
        try:
            found = advances(str(path))
        except RareError:
            refused += 1
            continue
        try:
            told = font_metrics._advances_of_any(str(path))
        except Exception:
            continue  # fontTools minds what does not matter here
        read += 1
        assert found == told
    assert read > 50 and refused > 20


def test_a_font_with_fewer_widths_than_it_says_is_left_to_fonttools(tmp_path: Path) -> None:
    """A table that is cut short must not lend its last width to all other glyphs."""
    data = bytearray(SANS.read_bytes())
    row = next(at for at in range(12, 12 + 16 * data[5], 16) if data[at : at + 4] == b"hmtx")
    data[row + 12 : row + 16] = (40).to_bytes(4, "big")
    path = tmp_path / "font"
    path.write_bytes(data)
    with pytest.raises(RareError):
        advances(str(path))
