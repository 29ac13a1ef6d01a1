"""Sources beside scripts, graphs and drawings: pictures, charts of Vega-Lite, notebooks."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Sequence

import numpy as np
import pytest
from helpers.book import Ran, Space
from lxml import etree
from PIL import Image

from figmill import font_metrics
from figmill.errors import AuthorError
from figmill.kind import notebook, vega
from figmill.palette import role


def picture(format_: str, turned: bool = False) -> bytes:
    """Four areas of different grey, wider than high."""
    image = Image.fromarray(np.kron([[10, 80], [160, 240]], np.ones((20, 30))).astype("uint8")).convert("RGB")
    exif = image.getexif()
    if turned:
        exif[0x0112] = 6  # to be turned to the right by 90 degrees
    out = io.BytesIO()
    image.save(out, format_, exif=exif)
    return out.getvalue()


def shown(space: Space, name: str, theme: str = "") -> tuple[Image.Image, etree._Element]:
    root = etree.fromstring(space.read(f"build/global/{name}{theme}.svg").encode())
    (node,) = root.iter("{*}image")
    data = base64.b64decode(str(node.get("href")).partition(",")[2])
    return Image.open(io.BytesIO(data)).convert("L"), root


def test_a_picture_alone_is_a_figure_of_its_size_upright_in_both_themes(space: Space) -> None:
    every = {"a.png": picture("PNG"), "b.jpg": picture("JPEG", turned=True), "c.webp": picture("WEBP")}
    space.write({f"visuals/{name}": data for name, data in every.items()})
    for name in every:
        space.question(name[0], f"source: {name}, alt: four areas")
    done = space.run()
    assert (done.code, done.err) == (0, "")
    for name, size, corner in (("a", (60, 40), 10), ("b", (40, 60), 160), ("c", (60, 40), 10)):
        for theme in ("", ".dark"):
            image, root = shown(space, name, theme)
            assert (root.get("width"), root.get("height")) == (str(size[0]), str(size[1])), name
            assert image.size == size and abs(image.getpixel((3, 3)) - corner) < 8, name  # type: ignore[operator]
    space.write({"visuals/b.jpg": picture("JPEG")})
    assert space.run().code == 0 and shown(space, "b")[0].size == (60, 40)


def test_what_is_no_picture_is_told(space: Space) -> None:
    space.write(
        {"visuals/a.png": b"\x89PNG\r\n", "visuals/b.webp": b"GIF89a", "visuals/C.PNG": picture("PNG")}
    )
    space.question("a", "source: a.png, alt: xxx").question("b", "source: b.webp, alt: xxx")
    space.question("c", "source: C.PNG, alt: xxx").question("d", "source: d.gif, alt: xxx")
    told = space.run().err
    for name in ("a.png", "b.webp"):
        assert f"visuals/{name}: it is not a readable PNG, JPEG or WebP; save it again" in told
    assert "figmill cannot draw 'C.PNG'; write its suffix in small letters" in told
    assert "figmill cannot draw 'd.gif'; save it as PNG, JPEG or WebP" in told


def test_a_picture_under_another_key_is_the_book_s_own(space: Space) -> None:
    space.write({"questions/a.yaml": "id: a\nimage: {path: photo.png}\n"})
    assert space.run().err == ""


BARS = {
    "data": {"url": "data/t.csv"},
    "mark": "bar",
    "width": 200,
    "height": 100,
    "encoding": {
        "x": {"field": "a", "type": "nominal"},
        "y": {"field": "b", "type": "quantitative", "scale": {"domain": [0, 8]}},
    },
}


def bars(space: Space, name: str = "v") -> list[float]:
    """The heights of a chart's bars, in the order of the drawing."""
    root = etree.fromstring(space.read(f"build/global/{name}.svg").encode())
    found = [node.get("d", "") for node in root.iter("{*}path") if node.get("fill") == role("compute").fill]
    matches = [re.search(r"[Vv] (-?[\d.]+)", d) or re.search(r"v (-?[\d.]+)", d) for d in found]
    tops = [re.match(r"M [\d.]+ ([\d.]+)", d) for d in found]
    return [abs(float(m[1]) - float(t[1])) for m, t in zip(matches, tops, strict=True) if m and t]


def test_a_chart_of_vega_lite_reads_its_table_from_the_book_when_it_is_there(space: Space) -> None:
    missing = {**BARS, "data": {"url": "data/m.csv"}}
    space.write({"visuals/v.vl.json": json.dumps(BARS), "visuals/m.vl.json": json.dumps(missing)})
    space.write({"visuals/data/t.csv": "a,b\nx,2\ny,4\n"})
    space.question("v", "source: v.vl.json, alt: two bars").question("m", "source: m.vl.json, alt: two bars")
    (told,) = space.run("--jobs", "1").err.splitlines()
    assert told.startswith("visuals/m.vl.json:1:") and "data 'data/m.csv' cannot be read" in told
    assert bars(space) == [25, 50]  # of 100 px for 8
    space.write({"visuals/data/t.csv": "a,b\nx,2\ny,8\n", "visuals/data/m.csv": "a,b\nx,2\ny,4\n"})
    assert (space.run("--jobs", "1").err, bars(space), bars(space, "m")) == ("", [25, 100], [25, 50])
    assert space.run("--check").code == 0


REFUSED = {
    '{"mark": "bar",}': r":1:16: not JSON: ",
    "[]": ": a chart of Vega-Lite is an object",
    '{"mark": "bar", "data": {"url": "https://example.org/t.csv"}}': ":1:34: data are read only from the book",
    '{"mark": "bar", "data": {"url": "../t.csv"}}': ":1:34: data are read only from the book",
    '{"mark": "bar", "data": {"url": "t.csv"}}': ":1:34: data 't.csv' cannot be read: No such file",
    '{"mark": "bar", "data": {"url": "t.xlsx"}}': ":1:34: data 't.xlsx' must end in one of csv, tsv,",
    '{"mark": "bars"}': ":1:10: Vega-Lite has no mark 'bars'; did you mean 'bar'?",
    '{"mark": "bar", "data": {"values": [{}, null]}}': ":1:26: row 2 of the data is null; a row is an object",
}


LONG = "I am a very long label, and although I was cut off, I should be readable in the file"


def test_the_title_of_an_axis_stands_beside_its_longest_label() -> None:
    encoding = {"x": {"field": "b"}, "y": {"field": "c", "type": "nominal"}}
    chart = {"data": {"values": [{"b": 28, "c": LONG}]}, "mark": "bar", "encoding": encoding}
    drawing = etree.fromstring(vega.drawn(json.dumps(chart).encode()))
    title = next(text for text in drawing.iter("{*}text") if text.text == "c")
    left = float(str(title.get("transform")).removeprefix("translate(").split(",")[0])
    assert left < -10 * font_metrics.width(LONG), left  # its labels have 10 px


def test_a_label_of_a_chart_is_measured_with_the_font_that_comes_along() -> None:
    """`W` is five times as wide as `l`: a limit in px leaves more of the narrow one."""
    kept = {}
    for letter in "Wl":
        axis = {"labelLimit": 100, "labelFont": "Segoe UI"}
        encoding = {"y": {"field": "c", "type": "nominal", "axis": axis}}
        chart = {"data": {"values": [{"c": letter * 80}]}, "mark": "bar", "encoding": encoding}
        drawing = etree.fromstring(vega.drawn(json.dumps(chart).encode()))
        kept[letter] = max(str(text.text).count(letter) for text in drawing.iter("{*}text"))
    assert kept["l"] > 3.5 * kept["W"], kept


DRAWN_AS_VEGA_DOES = (
    '{"mark": {"type": "arc", "theta": 1, "theta2": 3, "radius": 40}, "data": {"values": [{}]}}',
    '{"mark": "bar", "datasets": [], "data": {"values": [1, 2]}}',
    '{"mark": "bar", "data": {"url": "rows.txt"}, "encoding": {"x": {"field": "a", "type": "quantitative"}}}',
    '{"mark": "bar", "data": {"values": "[{\\"a\\": 1}]", "format": {"type": "json"}}, "encoding": {"x": {"field": "a"}}}',  # noqa: E501
)


FONTS = {"none": None, "arial": "Arial", "helvetica": "Helvetica Neue", "fira": "Fira Code"}


def with_font(font: str | None) -> str:
    """A chart with a long label on its axis and in its legend, whose title is as long."""
    rows = [{"a": "J", "b": 28, "c": LONG}, {"a": "K", "b": 55, "c": "short"}]
    chart = {
        "data": {"values": rows},
        "mark": "bar",
        "config": {"font": font, "axisY": {"labelFont": font}} if font else {},
        "encoding": {"x": {"field": "b"}, "y": {"field": "c"}, "color": {"field": "c", "title": LONG}},
    }
    return json.dumps(chart)


PICTURES = {
    "title": {"text": ["Two lines", "of a title"]},
    "data": {"values": [{"x": 1, "file": "data/dot.png"}]},
    "mark": {"type": "image", "width": 20, "height": 20},
    "encoding": {"x": {"field": "x", "type": "quantitative"}, "url": {"field": "file"}},
}
IGNORED = '{"mark": "point",\n "data": {"values": [{}]},\n "encodng": {"x": {"field": "a"}}}'


UNFIT = ("0000", "0001", "fffe")  # characters of no picture
UNFIT_CHART = '{{\n "data": {{"values": [{{"a": 1}}]}},\n "mark": "bar", "title": "x\\u{}y"}}'
CRASHING = """{"data": {"values": [{"a": 1}]}, "transform": [{"calculate": "'x' + '\\\\u0000'", "as": "b"}],
"mark": "text", "encoding": {"text": {"field": "b"}}}"""  # such a character, which the chart itself computes
DESCRIBED = {
    **BARS,
    "description": "Two bars, the second is higher.",
    "title": "Load",
    "config": {"view": {"stroke": None}},
}
HOUSE = {
    **BARS,
    "title": "Load",
    "data": {"values": [{"a": "x", "b": 90}, {"a": "y", "b": 400}]},
    "encoding": {**BARS["encoding"], "y": {"field": "b", "type": "quantitative"}},  # type: ignore[dict-item]
}
OWN = {**HOUSE, "mark": {"type": "bar", "color": "#4a90c4"}, "config": {"axisY": {"titleAngle": -90}}}
CHARTS = {
    "ignored": IGNORED,
    "crashing": CRASHING,
    "not-crashing": CRASHING.replace("\\\\u0000", "y"),
    "house": json.dumps(HOUSE),
    "own": json.dumps(OWN),
    **{name: with_font(font) for name, font in FONTS.items()},
    **{f"refused{number}": text for number, text in enumerate(REFUSED)},
    **{f"unfit{code}": UNFIT_CHART.format(code) for code in UNFIT},
}


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Space, Ran]:
    """Charts in one book, built, and what was said. Not to be changed."""
    space = Space(tmp_path_factory.mktemp("charts"))
    dot = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(dot, "PNG")
    space.write({"visuals/data/dot.png": dot.getvalue(), "visuals/rows.txt": '[{"a": 1}]'})
    space.write({"visuals/data/t.csv": "a,b\nx,2\ny,4\n", "visuals/t.xlsx": b"PK\x03\x04\xff"})
    for number, text in enumerate(DRAWN_AS_VEGA_DOES):
        space.write({f"visuals/p{number}.vl.json": text})
        space.question(
            f"p{number}", f"source: p{number}.vl.json, alt: a chart, expect: {{marks: {1 + (number == 1)}}}"
        )
    for name, text in CHARTS.items():
        space.write({f"visuals/{name}.vl.json": text})
        space.question(name, f"source: {name}.vl.json, alt: two bars")
    space.write({"visuals/pictures.vl.json": json.dumps(PICTURES)})
    space.question("pictures", 'source: pictures.vl.json, alt: "{title}"')
    alone = {"described": (json.dumps(DESCRIBED), ", expect: {marks: 2}"), "bare": ('{"mark": "point"}', "")}
    for name, (text, more) in alone.items():
        visual = f"visual: {{source: {name}.vl.json{more}}}"
        space.write({f"visuals/{name}.vl.json": text, f"questions/{name}.yaml": f"id: {name}\n{visual}\n"})
    done = space.run("--jobs", "1")
    assert done.code == 1, done.err
    return space, done


def test_a_chart_that_cannot_be_drawn_is_told(charts: tuple[Space, Ran]) -> None:
    told = [line for line in charts[1].err.splitlines() if line.startswith("visuals/refused")]
    assert len(told) == len(REFUSED)
    for number, (line, words) in enumerate(zip(told, REFUSED.values(), strict=True)):
        assert line.startswith(f"visuals/refused{number}.vl.json{words}"), line


def test_a_chart_shows_pictures_of_the_book_and_has_a_title_of_lines(charts: tuple[Space, Ran]) -> None:
    drawing = charts[0].read("build/global/pictures.svg")
    assert "data:image/png;base64," in drawing and "Two lines of a title</" in drawing


def test_labels_of_a_chart_are_whole_in_every_font(charts: tuple[Space, Ran]) -> None:
    drawn = {name: etree.fromstring(charts[0].read(f"build/global/{name}.svg").encode()) for name in FONTS}
    whole = {name: [text.text for text in root.iter("{*}text")].count(LONG) for name, root in drawn.items()}
    assert whole == dict.fromkeys(FONTS, 3)  # of the axis, of the legend, and its title


def test_a_chart_is_drawn_if_vega_draws_it(charts: tuple[Space, Ran]) -> None:
    space, done = charts
    names = [f"p{number}" for number in range(len(DRAWN_AS_VEGA_DOES))]
    assert [name for name in names if not (space.root / f"build/global/{name}.svg").is_file()] == []
    places = tuple(f"{folder}/{name}." for name in names for folder in ("visuals", "questions"))
    assert [row for row in done.err.splitlines() if row.startswith(places)] == []


def test_a_key_that_vega_ignores_is_a_warning(charts: tuple[Space, Ran]) -> None:
    told = "visuals/ignored.vl.json:3: Vega-Lite ignores 'encodng', which it does not have; did you mean 'encoding'?"
    assert told in charts[1].err, charts[1].err


def test_a_chart_has_the_palette_and_describes_itself(charts: tuple[Space, Ran]) -> None:
    space, done = charts
    light, dark = (space.read(f"build/global/described{theme}.svg") for theme in ("", ".dark"))
    assert (
        "#4a90c4" in light
        and "#6db3e8" in dark
        and ">Load</title>" in light
        and ">Two bars, the second is higher.</desc>" in light
    )
    assert (
        "questions/bare.yaml:2:9: visual needs alt: what the figure shows" in done.err
        and '"description": "..."` in visuals/bare.vl.json' in done.err
    )


def book_of(cells: Sequence[tuple[str, tuple[str, ...]]], indent: int | None = 1, **more: object) -> str:
    rows = [
        {
            "cell_type": "code",
            "metadata": {"tags": list(tags)},
            "outputs": [],
            "source": code.splitlines(keepends=True),
        }
        for code, tags in cells
    ]
    words = {"cell_type": "markdown", "metadata": {}, "source": ["x = 1"]}
    return json.dumps({"cells": [words, *rows], "nbformat": 4, "metadata": {}, **more}, indent=indent)


CELLS = (
    ("%matplotlib inline\nimport matplotlib.pyplot as plt\n!pip install matplotlib", ()),
    ("plt.title('first')", ("loss",)),
    ("%%bash\nexit 1", ()),
    ("%%time\nif True:\n    %config x\nplt.title('second')\nplt.show()\nplt.title('third')", ("many",)),
    ("plt.title('last')\n1/0", ("wrong",)),
)


def test_a_cell_of_a_notebook_is_chosen_by_its_tag(space: Space) -> None:
    space.write({"visuals/n.ipynb": book_of(CELLS), "visuals/one.ipynb": book_of(CELLS[:2])})
    rows = ("n.ipynb, figure: loss", "n.ipynb, figure: many", "n.ipynb", "one.ipynb")
    lines = [f"- {{name: q{n}, source: {row}, alt: a plot}}" for n, row in enumerate(rows)]
    space.write({"questions/q.yaml": "id: q\nvisuals:\n" + "\n".join(lines) + "\n"})
    told = space.run("--jobs", "1").err
    for name in ("q0", "q3"):
        assert ">first</text>" in space.read(f"build/global/q-{name}.svg")
    text = space.read("visuals/n.ipynb").splitlines()
    line = next(n for n, row in enumerate(text, 1) if "1/0" in row)
    assert f"visuals/n.ipynb:{line}: ZeroDivisionError: division by zero (q-q2)" in told
    second = next(n for n, row in enumerate(text, 1) if "plt.show" in row)
    assert re.search(
        rf"n.ipynb(:\d+)?: several of its figures are called 'many': 1 'loss'( \(line \d+\))?, "
        rf"2 'many' \(line {second}\), 3 'many'",
        told,
    )


def test_each_line_of_a_notebook_has_the_number_of_its_line_in_the_file() -> None:
    code = 'a = "é \\n"\nb = 2\n\nprint(a)\n'
    for text in (book_of([(code, ()), ("%%html\n<p>", ()), (code, ("t",))]),):
        script = notebook.as_script(text.encode(), "n.ipynb").decode().splitlines()
        for number, line in enumerate(script):
            if line:
                assert json.dumps(line)[:-1] in text.splitlines()[number]
        assert script.count("b = 2") == 2


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{", "n.ipynb:1:2: not a notebook: "),
        (b"{}", "n.ipynb: not a notebook of format 4"),
        (b"\xff", "n.ipynb:1: not UTF-8"),
        (b'{"cells": [], "metadata": {"kernelspec": {"language": "R"}}}', "n.ipynb: a notebook in r; "),
    ],
)
def test_what_is_no_notebook(data: bytes, words: str) -> None:
    with pytest.raises(AuthorError) as error:
        notebook.cells(data, "n.ipynb")
    assert str(error.value).startswith(words)


def test_odd_cells_are_passed_over() -> None:
    rows: list[object] = [
        None,
        {"cell_type": "code"},
        {"cell_type": "code", "source": 5, "metadata": {"tags": [1]}},
    ]
    found = notebook.cells(json.dumps({"cells": rows}).encode(), "n.ipynb")
    assert [(cell.tags, cell.code) for cell in found] == [((), "5")]


def test_a_character_that_no_picture_can_hold_is_told_at_its_line(charts: tuple[Space, Ran]) -> None:
    """Such a character ends the process of vl-convert, with a trace of its own."""
    assert [line for line in charts[1].err.splitlines() if "unfit" in line] == [
        f"visuals/unfit{code}.vl.json:3:28: a text has the character U+{code.upper()}, which no picture can hold; "
        f"remove it (unfit{code})"
        for code in UNFIT
    ]


def test_a_crash_of_vl_convert_leaves_no_trace_of_it(charts: tuple[Space, Ran]) -> None:
    space, done = charts
    (told,) = (line for line in done.err.splitlines() if "crashing" in line)
    crashed = "visuals/crashing.vl.json: what draws kind vega-lite crashed (SIGABRT); leave out one part"
    assert told.startswith(crashed)
    assert [line for line in done.err.splitlines() if not line.startswith(("visuals/", "questions/"))] == []
    assert (space.root / "build/global/not-crashing.svg").exists()


def test_a_chart_has_the_house_look_that_its_own_settings_override(charts: tuple[Space, Ran]) -> None:
    space, done = charts
    assert [line for line in done.err.splitlines() if re.match(r"\w+/(house|own)\.", line)] == []
    assert max(bars(space, "house")) == pytest.approx(100 / 1.1, abs=1)  # room above the highest bar
    house, own = (space.read(f"build/global/{name}.svg") for name in ("house", "own"))
    assert "rotate(-90)" not in house and "rotate(-90)" in own
    assert '"#cfe2f3"' in house and '"#cfe2f3"' not in own
    places = [re.search(r"translate\((-\d+)\b[^>]*>\s*400<", chart) for chart in (house, own)]
    # px left of the plot; Vega's own value is that of labels beyond ticks
    assert [place and place[1] for place in places] == ["-8", "-7"]
