"""Fonts that installed packages bring along, named in the settings: words of other scripts are no boxes."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from fontTools.ttLib import TTFont
from helpers.book import Space

from figmill.config import font_packages

PACKAGES = ("noto-cjk-sans-otc", "fontpkg-noto-sans-thai", "fontpkg-noto-sans-devanagari")
WORDS = {"cjk": "日本語の図", "hangul": "한국어", "thai": "กขคง", "devanagari": "कखग"}
SCRIPT = f"""\
import matplotlib.pyplot as plt
from figmill import Drawing
def draw():
    figure = plt.figure(figsize=(4, 3), dpi=72)
    renderer = figure.canvas.get_renderer()
    facts = {{}}
    for number, (name, words) in enumerate({WORDS!r}.items()):
        text = figure.text(0.1, 0.2 + number / 5, words, fontsize=20)
        facts[name] = text.get_window_extent(renderer).width
    return Drawing(figure, facts)
"""


@cache
def read(package: str) -> tuple[dict[int, str], Any, int]:
    """The glyphs of a font by their characters, the advances of glyphs, and the units of an em."""
    font = TTFont(font_packages.file_of(package), fontNumber=0, lazy=True)
    return font.getBestCmap(), font["hmtx"], font["head"].unitsPerEm


def width(words: str, size: float) -> float:
    """What the letters take, as the first font that has them says."""
    for package in PACKAGES:
        known, advances, em = read(package)
        if all(ord(letter) in known for letter in words):
            return sum(advances[known[ord(letter)]][0] for letter in words) * size / em
    raise AssertionError(words)


def test_words_of_other_scripts_are_measured_with_the_fonts_of_packages(space: Space) -> None:
    names = ", ".join(f'"{name}"' for name in PACKAGES)
    space.write({"visuals/w.py": SCRIPT, "figmill.toml": f"fonts = [{names}]\n"})
    space.question("w", "source: w.py, alt: words of four scripts")
    done = space.run()
    assert (done.code, done.err) == (0, "")  # no character is missing
    manifest = json.loads(space.read("build/manifest.json"))
    stated = manifest["figures"][0]["facts"]
    for name, words in WORDS.items():
        assert stated[name] == pytest.approx(width(words, 20), abs=2.5), name
    assert space.run("--check").code == 0
    space.write({"figmill.toml": "fonts = []\n"})
    assert "[missing-character]" in space.run().err


def test_a_package_that_is_not_there_is_told(space: Space) -> None:
    space.write({"figmill.toml": 'fonts = ["fontpkg-nowhere"]\n'})
    space.write({"visuals/h.svg": "<svg/>"}).question("h", "source: h.svg, alt: a drawing")
    done = space.run()
    message = "fonts: 'fontpkg-nowhere' is not a font file of the book; name a .ttf, .otf or .ttc below its "
    assert done.code == 2 and f"figmill.toml:1: {message}root, or a package of the extra `fonts`" in done.err


@pytest.mark.parametrize("name", ["fonts/x.ttf", "x.ttf", "..", "", "os", "fontTools", "no-such-package"])
def test_what_names_no_package_of_fonts(name: str) -> None:
    assert font_packages.file_of(name) is None


def test_the_file_is_an_upright_one() -> None:
    path = font_packages.file_of("fontpkg-arimo")
    assert path is not None and Path(path).is_file() and "Italic" not in path
