"""Every label fits in Chromium, with Liberation Sans and with DejaVu alone: the showcase and a corpus of figures.

Chromium lays the words out and measures them; which shape is a label's is found by geometry here, with Liberation
Sans, and holds with DejaVu. Nothing of figmill's own measuring is used. `python tests/browser/test_fit.py` prints the
counts of docs/developers/measured-sources.md.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from helpers import browser, lettered
from helpers.book import REPOSITORY, Space
from helpers.showcase import built

JS = (REPOSITORY / "tests" / "helpers" / "labels.js").read_text(encoding="utf-8")

FONTS = {"Liberation Sans": browser.liberation, "DejaVu Sans": browser.dejavu}
STRETCHED = re.compile(r' (?:lengthAdjust="spacingAndGlyphs"|textLength="[^"]*")')
SEEN = 1.0  # px


@dataclass(frozen=True)
class Counts:
    """What does not fit, in one font: figure and words."""

    labels: int
    boxed: int  # labels in a shape
    wider: list[str]  # than their shape
    outside: list[str]  # of the viewBox
    over: list[str]  # other words
    into: list[str]  # a shape that they are clear of in the book's metrics


@pytest.fixture(scope="session")
def figures(showcase: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return drawn(tmp_path_factory.mktemp("lettered"), Space(showcase))


@pytest.fixture(
    scope="session",
    params=[
        pytest.param(4, id="a quarter of the showcase"),
        pytest.param(1, id="all of it", marks=pytest.mark.soak),
    ],
)
def measured(
    request: pytest.FixtureRequest, figures: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Counts]]:
    light = {name: svg for name, svg in figures.items() if ".dark." not in name}
    explored = [name for name in light if name.count("/") == 3]  # some of those that readers explore
    showcase = [name for name in light if not name.startswith("build/global/") and name not in explored]
    left = {*showcase} - {*showcase[:: request.param]} | {*explored} - {*explored[::6]}
    looked = {name: svg for name, svg in light.items() if name not in left}
    return measure(looked, tmp_path_factory.mktemp("fonts"), "DejaVu Sans")


def drawn(folder: Path, showcase: Space) -> dict[str, str]:
    """The corpus, and the showcase in both themes, by name."""
    corpus = lettered.write(Space(folder))
    ran = corpus.run("--quiet")
    assert ran.code == 0, ran.err
    assert "[text-" not in ran.err, ran.err
    return {name: data.decode() for name, data in (corpus.outputs() | showcase.outputs()).items()}


def measure(figures: dict[str, str], folder: Path, *bare: str) -> dict[str, dict[str, Counts]]:
    """By font, what does not fit: as figures are, and with some as they would be without a textLength of ours."""
    plain = {name: svg if "own-length" in name else STRETCHED.sub("", svg) for name, svg in figures.items()}
    measures: dict[str, dict[str, list[Any]]] = {}
    for font, files in FONTS.items():
        with browser.page(folder / font.replace(" ", "-"), files()) as page:
            measures[font] = {}
            for what, shown in (("with", figures), ("without", plain))[: 1 + (font in bare)]:
                page.set_content(
                    "<!doctype html><meta charset=utf-8>"
                    + "".join(f'<figure id="{name}">{svg}</figure>' for name, svg in shown.items())
                )
                measures[font][what] = json.loads(page.evaluate(JS))
            used = browser.fonts_of(
                page, "figure:nth-of-type(9n) text:not([font-family*=monospace]):nth-of-type(3n + 1)"
            )
            assert font in used and used <= {font, "DejaVu Sans Mono"}, used
    homes = _homes(measures["Liberation Sans"]["with"])
    clear = [
        [set(line["ends"]) for line in figure["lines"]] for figure in measures["Liberation Sans"]["with"]
    ]
    return {
        font: {what: count(looked, homes, clear) for what, looked in both.items()}
        for font, both in measures.items()
    }


def _homes(figures: list[Any]) -> list[list[int | None]]:
    """For each label the smallest shape that holds all of it in the book's metrics, or that it is the middle of."""
    return [[_home(line["around"]) for line in figure["lines"]] for figure in figures]


def _home(around: list[Any]) -> int | None:
    return next((shape["index"] for shape in around if shape["fits"] or shape["centred"]), None)


def count(figures: list[Any], homes: list[list[int | None]], clear: list[list[set[int]]]) -> Counts:
    wider, outside, over, into, labels, boxed = [], [], [], [], 0, 0
    for figure, shapes, ends in zip(figures, homes, clear, strict=True):
        lines = figure["lines"]
        assert len(lines) == len(shapes), figure["name"]
        for line, home, touched in zip(lines, shapes, ends, strict=True):
            labels += 1
            boxed += home is not None
            name = f"{figure['name']}: {line['words']}"
            if home is not None and not any(s["index"] == home and s["fits"] for s in line["around"]):
                wider.append(name)
            if not set(line["ends"]) <= touched:
                into.append(name)
            if line["over"] > SEEN:
                outside.append(f"{name} ({line['over']:.1f} px)")
        lines.sort(key=lambda line: line["bounds"][1])
        for place, one in enumerate(lines):
            for other in lines[place + 1 :]:
                if other["bounds"][1] > one["bounds"][3]:
                    break
                if (
                    one["text"] != other["text"]
                    and one["words"] != other["words"]
                    and _depth(one, other) > 2 * SEEN
                ):
                    over.append(f"{figure['name']}: {one['words']} / {other['words']}")
    return Counts(labels, boxed, wider, outside, over, into)


def _depth(one: Any, other: Any) -> float:
    """How far the rectangles around two lines overlap, in px."""
    if one["bounds"][2] <= other["bounds"][0] or other["bounds"][2] <= one["bounds"][0]:
        return 0.0
    least = float("inf")
    for corners in (one["corners"], other["corners"]):
        for first, second in ((corners[0], corners[1]), (corners[1], corners[2])):
            dx, dy = second["x"] - first["x"], second["y"] - first["y"]
            length = (dx * dx + dy * dy) ** 0.5 or 1.0
            a = [(p["x"] * dx + p["y"] * dy) / length for p in one["corners"]]
            b = [(p["x"] * dx + p["y"] * dy) / length for p in other["corners"]]
            least = min(least, max(a) - min(b), max(b) - min(a))
    return max(0.0, least)


def test_dark_figures_are_lettered_like_the_light_ones(figures: dict[str, str]) -> None:
    dark = [name for name in figures if ".dark." in name]
    assert len(dark) >= 19
    for name in dark:
        assert _lettered(figures[name]) == _lettered(figures[name.replace(".dark.", ".")]), name


def _lettered(svg: str) -> list[str]:
    return [re.sub(r' (?:fill|stroke)="[^"]*"', "", text) for text in re.findall(r"<text.*</text>", svg)]


@pytest.mark.parametrize("font", FONTS)
def test_every_label_fits(font: str, measured: dict[str, dict[str, Counts]]) -> None:
    counts = measured[font]["with"]
    assert counts.wider == []
    assert counts.outside == []
    assert counts.over == []
    assert counts.into == []


def test_without_a_text_length_labels_would_not_fit(measured: dict[str, dict[str, Counts]]) -> None:
    """The corpus is hard enough, and the measuring sees it."""
    counts = measured["DejaVu Sans"]["without"]
    assert len(counts.wider) >= 20
    assert len(counts.outside) >= 5


def test_the_corpus_is_large(figures: dict[str, str], measured: dict[str, dict[str, Counts]]) -> None:
    corpus = [name for name in figures if name.startswith("build/global/")]
    assert len(corpus) >= 60
    assert measured["DejaVu Sans"]["with"].boxed >= 300


def main(folder: Path) -> None:
    (folder / "corpus").mkdir()
    figures = drawn(folder / "corpus", built(folder / "showcase"))
    print(f"{len(figures)} pictures")
    print(
        "| font | | labels | in a shape | wider than it | outside the viewBox | over other text | into other shapes |"
    )
    for font, both in measure(figures, folder / "fonts", *FONTS).items():
        for what, counts in both.items():
            print(
                f"| {font} | {what} textLength | {counts.labels} | {counts.boxed} | {len(counts.wider)} | "
                f"{len(counts.outside)} | {len(counts.over)} | {len(counts.into)} |"
            )
            if "-v" in sys.argv:
                print(
                    "\n".join(
                        [
                            "wider",
                            *counts.wider,
                            "outside",
                            *counts.outside,
                            "over",
                            *counts.over,
                            "into",
                            *counts.into,
                        ]
                    )
                )


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        main(Path(place))
