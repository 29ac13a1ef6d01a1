"""Drawings in the manner of each tool, and real ones where they are: taken as they are, told in one line, final.

The small ones are written for these tests. What is expected of a picture is compared with Chromium's in tests/browser.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from helpers.book import REPOSITORY, Ran, Space
from helpers.cases import cases
from helpers.reading import faults

from figmill.svg import Sheet, SvgError, in_themes, normalise
from figmill.svg.intake.tools import tool_of

HERE = REPOSITORY / "tests" / "svg" / "exports"
OWN = sorted(HERE.glob("*.svg"))
EXPORTS = Path(os.environ.get("FIGMILL_EXPORTS") or REPOSITORY.parent / "shared" / "corpus" / "exports")
REAL = sorted(EXPORTS.rglob("*.svg"))
SHEET = Sheet("fig", "Title", "What it shows")
THEMES = ("light", "dark")

# What each of ours says beside its picture, and what a reader must find in it.
TOLD = {
    "d2": ("embedded font (@font-face)", ("client", "server")),
    "drawio": ("light-dark() or prefers-color-scheme", ("Wallet",)),
    "drawio-dark": ("filter over the whole drawing", ("Registry",)),
    "dvisvgm": ("embedded font (<font>)", ("x ∈ A",)),
    "excalidraw": ("embedded font (@font-face)", ("validateUserOp",)),
    "goat": ("(@media)", ("A",)),
    "highcharts": ("CSS padding", ("Sales",)),
    "illustrator": ("", ("Layer",)),
    "inkscape": ("<flowRoot>", ("Words that flow", "on two lines")),
    "lucidchart": ("", ("a",)),
    "mermaid": ("CSS max-width", ("Client", "getOperationHandler()")),
    "railroad": ("rules for :hover", ("digit",)),
    "stats-card": ("animation", ("Commits:", "12")),
    "termtosvg": ("film of 3 frames, of which the last is shown", ("$ make", "done")),
    "visio": ("", ("Sheet",)),
}


def test_a_note_of_the_program_about_itself_is_told_nobody() -> None:
    told = " ".join(message for _, message, _ in normalise((HERE / "d2.svg").read_bytes(), SHEET).warnings)
    assert "embedded font" in told and "ersion" not in told and "did you mean" not in told


def test_every_one_of_ours_is_in_the_table() -> None:
    assert {path.stem for path in OWN} == set(TOLD)


@cases("path", OWN, ids=lambda path: path.stem)
def test_a_drawing_of_a_tool(path: Path) -> None:
    forms = in_themes(path.read_bytes(), SHEET, THEMES)
    told, texts = TOLD[path.stem]
    lines = [message for _, message, check in forms[0].warnings if check == "dropped"]
    assert len(lines) == (1 if told else 0), lines
    for part in told.split(", "):
        assert part in "".join(lines)
    assert " ".join(texts) in " ".join(forms[0].texts)
    for form, theme in zip(forms, THEMES, strict=True):
        assert faults(form.svg, f"fig-{theme}") == []
        again = in_themes(form.svg, SHEET, (theme,))[0]
        assert again.svg == form.svg
        assert not [check for _, _, check in again.warnings if check == "dropped"]


def dropped(ran: Ran) -> set[str]:
    """The drawings of which it is told that something was left out of them."""
    lines = [line for line in (ran.out + ran.err).splitlines() if "[dropped]" in line]
    names = {line.partition(":")[0].removeprefix("visuals/").removesuffix(".svg") for line in lines}
    assert len(names) == len(lines)
    return names


def test_a_book_of_them_builds_in_silence_and_lint_says_one_line_each(space: Space) -> None:
    """The real command: `lint` tells what was left out."""
    for path in OWN:
        space.write({f"visuals/{path.name}": path.read_bytes()})
        space.question(path.stem, f"source: {path.name}, alt: A drawing of another program")
    told = {name for name, (messages, _) in TOLD.items() if messages}
    unsigned = {name for name in told if tool_of((HERE / f"{name}.svg").read_bytes()) is None}
    assert unsigned < told
    ran = space.run()
    assert ran.code == 0, ran
    assert dropped(ran) == unsigned
    assert dropped(space.run("lint")) == told
    space.write({"pyproject.toml": '[tool.figmill.lint]\ndropped = "off"\n'})
    assert dropped(space.run()) == dropped(space.run("lint")) == set()


LINE = '<path d="M10 10 L90 90" fill="none" stroke="{colour}" stroke-width="2"/>'
SIGNED = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"{mark}>{content}'
    "<style>@font-face{{font-family:x;src:url(data:font/woff2;base64,AAAA)}}</style></svg>"
)


@pytest.mark.parametrize(
    ("mark", "colour", "told"),
    [
        (' content="&lt;mxfile&gt;"', "#82b366", ""),  # draw.io's own
        (' content="&lt;mxfile&gt;"', "#cccccc", "contrast"),  # chosen by whoever drew it
        ("", "#82b366", "contrast dropped"),  # of nobody known
    ],
)
def test_the_default_colours_of_a_program_are_told_by_lint_alone(
    space: Space, mark: str, colour: str, told: str
) -> None:
    space.write({"visuals/a.svg": SIGNED.format(mark=mark, content=LINE.format(colour=colour))})
    space.question("a", "source: a.svg, alt: A line across")
    strict = space.run("--strict")
    assert strict.code == bool(told)
    ran = space.run()
    assert ran.code == 0
    for check in ("contrast", "dropped"):
        assert (f"[{check}]" in ran.err) == (f"[{check}:" in strict.err) == (check in told)
        assert f"[{check}]" in space.run("lint").out
    dark = space.read("build/global/a.dark.svg")
    assert colour not in dark  # it is mended there all the same
    space.write({"figmill.toml": 'lint = {contrast = "error", dropped = "error"}\n'})
    refused = space.run()
    assert refused.code == 1 and "[contrast: an error in this book]" in refused.err
    assert "[dropped: an error in this book]" in refused.err


def test_a_book_tells_all_that_is_wrong_with_a_drawing_at_once(space: Space) -> None:
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">\n<rect onclick="a()"/>\n<script>a()</script>\n'
        '<use href="//e.org/#a"/>\n<iframe/>\n</svg>'
    )
    space.write({"visuals/a.svg": drawing})
    space.question("a", "source: a.svg, alt: A drawing that acts")
    ran = space.run()
    assert ran.code == 1
    places = [line.split(": ")[0] for line in ran.err.splitlines() if line.startswith("visuals/")]
    assert places == [f"visuals/a.svg:{line}:1" for line in (2, 3, 4, 5)]


def test_a_book_takes_compressed_drawings_and_suffixes_in_capitals(space: Space) -> None:
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><style>@media (prefers-color-scheme: dark)'
        "{rect{fill:#abcdef}}</style>\n<rect fill='#123456' width='4' height='4'/></svg>"
    )
    space.write({"visuals/b.SVG": drawing})
    (space.root / "visuals/a.svgz").write_bytes(gzip.compress(drawing.encode()))
    space.question("a", "source: a.svgz, alt: A square")
    space.question("b", "source: b.SVG, alt: A square")
    assert space.run().code == 0
    for name in "ab":
        assert "#123456" in space.read(f"build/global/{name}.svg")
        assert "#abcdef" in space.read(f"build/global/{name}.dark.svg")


def test_a_compressed_drawing_is_unpacked_within_bounds() -> None:
    with pytest.raises(SvgError, match="more than 5,000,000 bytes when unpacked"):
        normalise(gzip.compress(b" " * 50_000_000), Sheet("fig", "Title", "What it shows"))
    with pytest.raises(SvgError, match="compressed and damaged"):
        normalise(b"\x1f\x8b torn", Sheet("fig", "Title", "What it shows"))


def test_a_figure_is_not_larger_than_what_can_be_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule of a style sheet is written at each element, so a small file can make a large figure."""
    style = f"<style>.a{{stroke:red;stroke-dasharray:{'1.25 2.5 ' * 50}}}</style>"
    lines = '<path class="a" d="M0 0h9"/>' * 9
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{style}{lines}</svg>'
    sheet = Sheet("fig", "Title", "What it shows")
    size = len(normalise(drawing.encode(), sheet).svg)
    monkeypatch.setattr("figmill.svg.pipeline.MAX_BYTES", size)
    normalise(drawing.encode(), sheet)
    monkeypatch.setattr("figmill.svg.pipeline.MAX_BYTES", size - 1)
    with pytest.raises(
        SvgError, match=f"the finished figure has {size:,} bytes; a figure may have {size - 1:,}"
    ):
        normalise(drawing.encode(), sheet)


# Why real exports are refused: each of these acts.
ACTS = {
    "flamegraph/py-spy-flamegraph-large.svg": "event handler",
    "gnuplot/canvg-issue229.svg": "event handler",
    "highcharts/canvg-issue161.svg": "leaves the figure",
    "mermaid/erc7715-approve-flow.svg": "xml-stylesheet",
    "mermaid/erc7730-curation-model.svg": "xml-stylesheet",
    "pygal/pytest-benchmark-sample.svg": "<script>",
    "termtosvg/awesome-window-frame-js-var.svg": "<script>",
    "termtosvg/awesome-window-frame-js.svg": "<script>",
    "termtosvg/window-frame-waapi.svg": "<script>",
}


@pytest.mark.soak  # every run takes the drawings of each tool above
@pytest.mark.skipif(not REAL, reason="the corpus of exports is not beside this checkout")
def test_real_exports_are_taken_unless_they_act() -> None:
    """All but those that act: 127 of 127."""
    refused: dict[str, list[str]] = {}
    for path in REAL:
        name = path.relative_to(EXPORTS).as_posix()
        try:
            result = normalise(path.read_bytes(), SHEET)
        except SvgError as error:
            told = refused[name] = [error.message, *(other.message for other in error.others)]
            assert name in ACTS, told
            assert any(ACTS[name] in message for message in told), told
        else:
            assert len([1 for _, _, check in result.warnings if check == "dropped"]) <= 1
    assert refused.keys() == ACTS.keys()


@pytest.mark.parametrize("start", range(8))
@pytest.mark.skipif(not REAL, reason="the corpus of exports is not beside this checkout")
def test_real_exports_are_a_fixed_point_in_both_themes(start: int) -> None:
    for path in [path for path in REAL if path.stat().st_size < 60_000][start::8]:
        try:
            forms = in_themes(path.read_bytes(), SHEET, THEMES)
        except SvgError:
            continue
        for form, theme in zip(forms, THEMES, strict=True):
            assert in_themes(form.svg, SHEET, (theme,))[0].svg == form.svg, path.name
            assert b"<image" in form.svg or faults(form.svg, f"fig-{theme}") == [], path.name
