"""Plots: what is data keeps its colours in every theme, nothing is cut off, and whatever draw() returns is taken.

Everything is drawn by a pool, in workers, and settled as a build settles it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from itertools import zip_longest

import matplotlib
import pytest
from helpers.book import Space, believed
from lxml import etree

from figmill.kind.job import Job
from figmill.model import Json
from figmill.render.pool import Pool
from figmill.render.results import Drawn, Result
from figmill.svg import Normal, Sheet, in_themes

SHEET = Sheet("f", "Title", "What it shows")
SVG = "{http://www.w3.org/2000/svg}"
MARK = "data-figmill-colours"
PAINTED = {f"{SVG}{tag}" for tag in ("path", "rect", "polygon", "use")}
HIDDEN = {f"{SVG}{tag}" for tag in ("defs", "clipPath")}
INITIAL = {"fill": "#000000", "stroke": "none"}

# One script that draws every kind of colour-mapped plot, with a colour bar.
PLOTS = """\
import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

x, y = np.meshgrid(np.linspace(-2, 2, 5), np.linspace(-2, 2, 5))
z = x * np.exp(-x**2 - y**2)
KINDS = {
    "pcolormesh": lambda ax, cmap: ax.pcolormesh(z, cmap=cmap),
    "pcolormesh with edges": lambda ax, cmap: ax.pcolormesh(z, cmap=cmap, edgecolors="w", linewidth=1),
    "contourf": lambda ax, cmap: ax.contourf(x, y, z, cmap=cmap),
    "contour": lambda ax, cmap: ax.contour(x, y, z, cmap=cmap),
    "scatter": lambda ax, cmap: ax.scatter(x, y, c=z, cmap=cmap, edgecolors="k"),
    "hexbin": lambda ax, cmap: ax.hexbin(x.ravel(), y.ravel(), C=z.ravel(), gridsize=5, cmap=cmap),
    "quiver": lambda ax, cmap: ax.quiver(x, y, x, y, z, cmap=cmap),
    "tripcolor": lambda ax, cmap: ax.tripcolor(x.ravel(), y.ravel(), z.ravel(), cmap=cmap),
    "gouraud": lambda ax, cmap: ax.tripcolor(x.ravel(), y.ravel(), z.ravel(), cmap=cmap, shading="gouraud"),
    "surface": lambda ax, cmap: ax.plot_surface(x, y, z, cmap=cmap),
}


def draw(kind, cmap):
    figure = Figure(figsize=(4, 3))
    axes = figure.add_subplot(projection="3d" if kind == "surface" else None)
    steps = colormaps[cmap].resampled(65)
    figure.colorbar(KINDS[kind](axes, steps), ax=axes, extend="both")
    return figure
"""
KINDS = re.findall(r'^    "([^"]+)": lambda', PLOTS, re.MULTILINE)
MAPS = sorted(name for name in matplotlib.colormaps if not name.endswith("_r"))


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pool]:
    """The processes of one build, which draw the plots of all tests here; each script has a process of its own."""
    with Pool(tmp_path_factory.mktemp("plots"), slots=2) as pool:
        pool.start(("matplotlib",))
        yield pool


def drawn(pool: Pool, script: str, rows: list[Mapping[str, Json]], **job: int) -> list[bytes]:
    """The SVG of a generator for each row of parameters."""
    Space(pool.root).write({"visuals/plot.py": script})
    jobs = [Job("matplotlib", "visuals/plot.py", "draw", params, **job) for params in rows]
    results = list(pool.draw_all(jobs))
    assert all(isinstance(result, Drawn) for result in results), results
    return [result.raw.svg for result in results if isinstance(result, Drawn)]


def settled(svg: bytes) -> tuple[Normal, Normal]:
    light, dark = in_themes(svg, SHEET, ("light", "dark"))
    return light, dark


def one(pool: Pool, body: str) -> tuple[Normal, Normal]:
    """A figure whose draw() has this body, settled."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    head = "import numpy as np\nimport matplotlib.pyplot as plt\n\n\ndef draw():\n"
    return settled(drawn(pool, f"{head}{lines}\n", [{}])[0])


def kept(page: Normal) -> list[str]:
    """Every paint that can be seen below a mark that keeps it, in order."""
    found: list[str] = []
    for group in etree.fromstring(page.svg).iter():
        names = {"keep": ("fill", "stroke"), "keep-fills": ("fill",)}.get(group.get(MARK, ""), ())
        for node in group.iter():
            above = [node, *node.iterancestors()]
            if node.tag == f"{SVG}stop":
                found.append(f"stop {node.get('stop-color')}")
            elif node.tag in PAINTED and not any(other.tag in HIDDEN for other in above):
                for name in names:
                    said = (other.get(name) for other in above if other.get(name))
                    found.append(f"{name} {next(said, INITIAL[name])}")
    return [re.sub(r"f-(?:light|dark)-\d+", "id", text) for text in found]


@pytest.mark.parametrize("step", [30, pytest.param(1, marks=pytest.mark.soak)])
def test_mapped_colours_are_the_same_in_both_themes(pool: Pool, step: int) -> None:
    """Every kind of plot with a diverging map, which is white in its middle; each n-th map with one of the kinds."""
    every = zip_longest((), MAPS[::step])
    rows: list[Mapping[str, Json]] = [{"kind": kind, "cmap": "RdBu"} for kind in KINDS]
    rows += [{"kind": KINDS[n % len(KINDS)], "cmap": cmap} for n, (_, cmap) in enumerate(every)]
    for row, svg in zip(rows, drawn(pool, PLOTS, rows), strict=True):
        light, dark = settled(svg)
        assert kept(light) == kept(dark), row
        colours = {text for text in kept(light) if "#" in text}
        assert len(colours) >= 3, (row, colours)
        assert settled(light.svg)[1].svg == dark.svg, row  # a light figure that is a source again


def test_a_sketch_has_no_plate_in_the_dark(pool: Pool) -> None:
    _, dark = one(pool, "with plt.xkcd():\n    plt.plot([1, 3, 2])\n    return plt.gcf()")
    fills = {node.get("fill") for node in etree.fromstring(dark.svg).iter(*PAINTED) if node.get("fill")}
    assert "none" in fills and not fills & {"#1e2129", "#ffffff"}, fills


ABUTTING = {
    "a mesh": "plt.pcolormesh(np.arange(30).reshape(5, 6), cmap='bone')",
    "triangles": "plt.tripcolor([0, 1, 0, 1], [0, 0, 1, 1], [1, 2, 3, 4])",
    "bands": "plt.contourf(np.arange(30).reshape(5, 6))",
}


@pytest.mark.parametrize("call", ABUTTING.values(), ids=ABUTTING)
def test_nothing_shines_through_between_cells(pool: Pool, call: str) -> None:
    """Smoothed edges that abut let the page through, as a grid that is no data; lines stay smooth."""
    for page in one(pool, f"plt.plot([1, 2])\n{call}\nreturn plt.gcf()"):
        crisp = [node for node in etree.fromstring(page.svg).iter() if node.get("shape-rendering")]
        assert [node.get("shape-rendering") for node in crisp] == ["crispEdges"]
        assert crisp[0].findall(f".//{SVG}path") and not crisp[0].findall(f".//{SVG}text")


def test_what_asks_to_be_smooth_is_smooth(pool: Pool) -> None:
    for page in one(pool, "return plt.pcolormesh([[1, 2]], antialiased=True)"):
        assert b"crispEdges" not in page.svg


def test_mapped_colours_are_those_of_the_map(pool: Pool) -> None:
    light, dark = one(
        pool,
        "return plt.pcolormesh([[0, 1], [2, 3]], cmap=plt.matplotlib.colors."
        "ListedColormap(['#fefefe', '#cfe2f4', '#2b2b2b', '#000000']))",
    )
    for page in (light, dark):
        assert {"fill #fefefe", "fill #cfe2f4", "fill #2b2b2b", "fill #000000"} <= set(kept(page))


def fill_of(page: Normal, words: str) -> str:
    """The colour that a word is written in."""
    root = etree.fromstring(page.svg)
    (text,) = [node for node in root.iter(f"{SVG}text") if "".join(node.itertext()) == words]
    return next((node.get("fill") for node in (text, *text.iterancestors()) if node.get("fill")), "#000000")


def test_words_and_lines_on_mapped_areas_stay_and_those_beside_them_change(pool: Pool) -> None:
    body = """\
figure, axes = plt.subplots()
axes.pcolormesh(np.eye(4), cmap="Blues_r", vmax=3, vmin=-3)
axes.set_xlim(0, 8)
axes.text(2, 2, "on it", color="#ffffff", ha="center")
axes.plot([1, 3], [1, 3], color="#ffffff")
axes.text(6, 2, "beside it", color="#000000", ha="center")
return figure"""
    light, dark = one(pool, body)
    assert fill_of(light, "on it") == fill_of(dark, "on it") == "#ffffff"
    assert fill_of(light, "beside it") == "#000000"
    assert fill_of(dark, "beside it") > "#d0"
    assert light.svg.count(b'stroke="#ffffff"') == dark.svg.count(b'stroke="#ffffff"') == 1


def test_what_a_clip_hides_is_behind_nothing(pool: Pool) -> None:
    """A dark mesh larger than its axes: labels beside the axes are on the page."""
    body = """\
figure, axes = plt.subplots()
axes.pcolormesh(np.zeros((9, 9)), cmap="gray")
axes.fill_between([0, 9], -90, 90, color="#202020")
axes.set(xlim=(3, 6), ylim=(3, 6), title="beside it")
return figure"""
    light, dark = one(pool, body)
    assert light.warnings == dark.warnings == ()
    assert fill_of(dark, "beside it") > "#d0"


@pytest.mark.parametrize("axes", ["plt.subplot(projection='polar')", "plt.subplot(projection='3d')"])
def test_a_grid_is_quiet_on_every_axes(pool: Pool, axes: str) -> None:
    """No finding, and in the dark no line of it that shines."""
    light, dark = one(pool, f"ax = {axes}\nax.plot([0, 1, 2], [0, 1, 2])\nreturn ax")
    assert light.warnings == dark.warnings == ()
    quiet = [group for group in etree.fromstring(dark.svg).iter() if group.get(MARK) == "quiet"]
    lines = [
        node.get("stroke") for group in quiet for node in group.iter() if node.get("stroke-width") == "0.8"
    ]
    assert sum(tone != "none" and int(tone[1:3], 16) < 0x90 for tone in lines if tone) > 5


@pytest.mark.parametrize("axes", ["plt.subplot()", "plt.axes((0, 0, 1, 1)).inset_axes((0.2, 0.2, 0.5, 0.5))"])
def test_a_grid_line_at_the_limit_of_an_axis_keeps_its_weight(pool: Pool, axes: str) -> None:
    """It is not clipped, and a curve still is."""
    curve = "ax.plot([0, 9], [0, 9], color='#123456')\nax.set_ylim(0, 2)"
    body = f"ax = {axes}\n{curve}\nax.grid(color='#dfe3e8')\nreturn ax.figure"
    light, _ = one(pool, body)
    nodes = list(etree.fromstring(light.svg).iter())
    groups = [node for node in nodes if node.get("clip-path")]
    clipped = [other.get("stroke") for node in groups for other in node.iter()]
    lines = [node.get("stroke") for node in nodes].count("#dfe3e8")
    assert lines > 6 and "#dfe3e8" not in clipped and "#123456" in clipped


def test_a_line_in_a_band_of_its_own_colour_passes(pool: Pool) -> None:
    body = "plt.plot([0, 1, 2], [1, 2, 1], color='C0')\nreturn plt.fill_between([0, 1, 2], 0, 3, alpha=.5, color='C0')"
    light, dark = one(pool, body)
    assert light.warnings == dark.warnings == ()


def test_the_edges_of_stacked_areas_are_no_lines(pool: Pool) -> None:
    """pandas draws each area and a line of its colour on top: nothing to be told, nor to be moved in the dark."""
    data = "pd.DataFrame(np.arange(24).reshape(6, 4) % 7 + 1, columns=list('abcd'))"
    body = f"import pandas as pd\nreturn {data}.plot.area()"
    light, dark = one(pool, body)
    assert light.warnings == dark.warnings == ()
    areas, edges = (
        {paint for paint in re.findall(rf'{name}="(#\w+)"', dark.svg.decode()) if len(set(paint[1:])) > 2}
        for name in ("fill", "stroke")
    )
    assert areas >= edges and len(areas) >= 4


@pytest.mark.parametrize(
    "plot",
    [
        "plt.pcolormesh(np.ma.masked_less(np.arange(36).reshape(6, 6), 12), edgecolors='w', "
        "linewidth=.5, cmap='Blues')",
        "plt.hexbin(np.arange(50) % 7, np.arange(50) % 5 + np.arange(50) / 9, gridsize=12, cmap='Greens_r')",
        "plt.hexbin([0, 1, 9], [0, 1, 9], gridsize=12, cmap='Greys')",
    ],
)
def test_the_least_value_of_a_scale_may_be_white(pool: Pool, plot: str) -> None:
    """As in seaborn's heat maps with a mask, and in its joint plots of hexagons."""
    light, dark = one(pool, f"{plot}\nreturn plt.gcf()")
    assert light.warnings == dark.warnings == ()


def test_what_a_clip_hides_lies_behind_no_axes(pool: Pool) -> None:
    """A broken axis: the curve of the upper axes goes on where the lower ones are, and nobody sees it."""
    body = """\
figure, (upper, lower) = plt.subplots(2, 1, sharex=True)
for axes, limits in ((upper, (.8, 1)), (lower, (0, .2))):
    axes.plot([.1, .9, .1, .15])
    axes.set_ylim(*limits)
return figure"""
    dark = one(pool, body)[1]
    assert b'fill="#1e2129"' not in dark.svg and dark.warnings == ()


def test_white_on_an_image_is_seen_in_the_dark(pool: Pool) -> None:
    body = """\
figure, axes = plt.subplots()
axes.imshow(np.arange(9).reshape(3, 3), cmap="Blues_r", aspect="auto")
axes.plot([0, 2], [0, 2], color="white", lw=3)
axes.text(1, .5, "in a box", backgroundcolor="white")
return figure"""
    light, dark = (page.svg.decode() for page in one(pool, body))
    line = r'<path d="[^"]*"[^>]*stroke="#ffffff"'
    assert (
        len(re.findall(line, light)) == len(re.findall(line, dark)) == 2
    )  # the curve, and the box of the words


def test_a_line_in_a_band_of_another_colour_is_told(pool: Pool) -> None:
    band = "return plt.fill_between([0, 1, 2], 0, 3, alpha=.5, color='C0')"
    body = f"plt.plot([0, 1, 2], [1, 2, 1], color='#1f77b5')\n{band}"
    assert [check for *_, check in one(pool, body)[0].warnings] == ["contrast"]


def test_a_dark_drawing_is_no_white_plate_in_the_dark(pool: Pool) -> None:
    body = """\
plt.style.use("dark_background")
figure, axes = plt.subplots()
axes.plot([1, 2], color="#ffffff")
axes.set_title("words")
return figure"""
    light, dark = one(pool, body)
    assert fill_of(light, "words") == fill_of(dark, "words") == "#ffffff"
    assert b'fill="#ffffff"/>' not in light.svg.splitlines()[3]
    assert re.findall(rb"<path[^>]* fill=\"#[^>]*>", dark.svg) == []  # neither page nor panel


CLIPPED = """\
import matplotlib.pyplot as plt

def draw(size):
    figure, axes = plt.subplots(**({"figsize": size} if size else {}))
    axes.plot([1, 2], label="a name that is long enough to be cut off")
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1))
    return figure
"""


def test_a_legend_beside_the_axes_is_not_cut_off(pool: Pool) -> None:
    said, free = drawn(pool, CLIPPED, [{"size": [4, 3]}, {"size": None}])
    for svg in (said, free):
        page = settled(svg)[0]
        assert "text-outside" not in [check for *_, check in page.warnings]
        assert "a name that is long enough to be cut off" in page.texts
        assert page.width > 500


@pytest.mark.parametrize("size", ["", "figsize=(6.5, 4.8)"])
def test_the_key_of_a_quiver_plot_is_not_cut_off(pool: Pool, size: str) -> None:
    """matplotlib leaves it out of the tight box, as it does not say how large it is."""
    body = f"""\
figure, axes = plt.subplots({size})
arrows = axes.quiver([0, 1], [0, 1], [1, 1], [1, 1])
axes.quiverkey(arrows, 0.9, 1.05, 2, "two metres a second", labelpos="E")
return figure"""
    page = one(pool, body)[0]
    assert "two metres a second" in page.texts
    assert page.warnings == ()


def test_a_figure_has_the_size_that_it_says(pool: Pool) -> None:
    page = one(pool, "return plt.figure(figsize=(4, 3)).add_subplot()")[0]
    assert (page.width, page.height) == (384, 288)


XKCD = """\
import os, matplotlib.pyplot as plt
with plt.xkcd():
    figure = plt.figure(figsize=(3, 2))
    figure.add_axes((0.02, 0.02, 0.9, 0.9)).set_xlabel("words that are cut off")
    figure.savefig(os.environ["VISUAL_OUT_PATH"], format="svg")
"""


def test_words_with_a_halo_are_words_and_found_where_they_are_cut_off(pool: Pool) -> None:
    Space(pool.root).write({"visuals/plot.py": XKCD})
    (result,) = pool.draw_all([Job("matplotlib", "visuals/plot.py", "script")])
    assert isinstance(result, Drawn)
    page = settled(result.raw.svg)[0]
    assert "words that are cut off" in page.texts
    assert any(
        "words that are cut off" in told for _, told, check in page.warnings if check == "text-outside"
    )


RETURNED = {
    "axes": "return plt.subplots()[1]",
    "an array of axes": "return plt.subplots(2, 2)[1]",
    "a figure and its axes": "return plt.subplots(2)",
    "axes by name": "return plt.figure().subplot_mosaic('AB')",
    "lines": "return plt.plot([1, 2])",
    "what hist returns": "return plt.hist([1, 2, 2])",
    "bars": "return plt.bar([1, 2], [3, 4])",
    "a subfigure": "figure = plt.figure()\nfigure.subfigures(2)[0].subplots()\nreturn figure.subfigs[0]",
    "pandas": "import pandas\nreturn pandas.DataFrame({'a': [1, 2], 'b': [2, 3]}).plot(subplots=True)",
    "FacetGrid": "import seaborn, pandas\nreturn seaborn.relplot(pandas.DataFrame({'a': [1, 2]}))",
    "JointGrid": "import seaborn\nreturn seaborn.jointplot(x=[1, 2, 3], y=[1, 3, 2])",
    "ClusterGrid": "import seaborn\nreturn seaborn.heatmap(np.eye(3), annot=True)",
    "seaborn.objects": "import seaborn.objects as so\nreturn so.Plot(x=[1, 2], y=[2, 1]).add(so.Line())",
    "pyplot": "plt.plot([1, 2])\nreturn plt",
    "networkx": "import networkx\nreturn networkx.path_graph(4)",
}
CHART = """\
def draw():
    import altair, pandas
    return altair.Chart(pandas.DataFrame({"a": [1, 2]})).mark_bar().encode(x="a:Q")
"""


@pytest.mark.parametrize("name", RETURNED)
def test_what_draw_returns_is_taken_for_what_it_is(pool: Pool, name: str) -> None:
    light, _ = one(pool, RETURNED[name])
    assert light.svg.count(b"<path") > 2
    assert light.width > 50


ENDLESS = """\
def draw():
    import altair
    data = altair.sequence(0, 400_000_000, as_="x")
    return altair.Chart(data).mark_point().encode(x="x:Q")
"""
WRONG = """\
def draw():
    import altair, pandas
    chart = altair.Chart(pandas.DataFrame({"a": [1, 2]})).mark_bar().encode(x="a:Q")
    return chart.transform_filter("datum.a >")
"""


ENDED = """\
import os
from pathlib import Path

def draw():
    import altair, pandas
    for child in Path("/proc/thread-self/children").read_text().split():
        os.kill(int(child), 9)
    return altair.Chart(pandas.DataFrame({"a": [1, 2]})).mark_bar().encode(x="a:Q")
"""


def test_a_chart_of_altair_that_another_module_makes_is_told_what_to_write(pool: Pool) -> None:
    scripts = {"wrong": "from charts import draw\n", "good": "import altair\nfrom charts import draw\n"}
    Space(pool.root).write({"visuals/charts.py": CHART})
    wrong, good = side_by_side(pool, scripts)
    assert not isinstance(wrong, Drawn) and "write `import altair` in this file too" in wrong.error.message
    assert isinstance(good, Drawn)


CANNOT = {
    "too much": (ENDLESS, "ran out of memory"),
    "no expression": (WRONG, "Vega cannot draw this chart: Unexpected end of input"),
    "it has ended": (ENDED, "Vega ended while it drew the chart"),
}


@pytest.mark.parametrize(
    "names", [["no expression", "it has ended"], pytest.param(["too much"], marks=pytest.mark.soak)], ids=str
)
def test_a_chart_that_cannot_be_drawn_fails_alone(pool: Pool, names: list[str]) -> None:
    """The good one is drawn beside its script, as V8 reserves far more addresses than `memory`."""
    *wrong, good = side_by_side(pool, {**{name: CANNOT[name][0] for name in names}, "good": CHART})
    assert isinstance(good, Drawn) and settled(good.raw.svg)[0].svg.count(b"<path") > 2
    for name, result in zip(names, wrong, strict=True):
        assert not isinstance(result, Drawn)
        assert CANNOT[name][1] in result.error.message


def side_by_side(pool: Pool, scripts: Mapping[str, str]) -> list[Result]:
    """What becomes of each script, with a gibibyte of memory."""
    Space(pool.root).write({f"visuals/{name}.py": text for name, text in scripts.items()})
    jobs = [Job("matplotlib", f"visuals/{name}.py", "draw", memory=1 << 30, timeout=60) for name in scripts]
    return list(pool.draw_all(jobs))


REFUSED = {
    "nothing": ("plt.plot([1])", "not None; does it end in `return figure`?"),
    "a number": ("return 1", "must return a matplotlib Figure or Drawing(figure, facts), not numbers; show"),
    "an array": (
        "import numpy as np\nreturn np.zeros((3, 3))",
        "not numbers; show an array with ax.imshow()",
    ),
    "text": ("return 'x'", "must return a matplotlib Figure or Drawing(figure, facts), not a str"),
    "pyplot without a figure": ("return plt", "returned matplotlib.pyplot, and no figure is open"),
    "another module": ("import numpy\nreturn numpy", "draw() returned the module numpy; return the figure"),
    "two figures": ("return [plt.figure(), plt.figure()]", "returned 2 figures; return one"),
    "an empty list": ("return []", "returned a list with no figure in it"),
    "a table": ("import pandas\nreturn pandas.DataFrame({'a': [1]})", "a table of pandas, not a figure"),
    "plotly": (
        "import plotly.graph_objects as go\nreturn go.Figure()",
        "a figure of plotly, which needs a browser",
    ),
    "graphviz": ("import graphviz\nreturn graphviz.Digraph()", "write `kind: dot` in its question"),
    "a picture": ("from PIL import Image\nreturn Image.new('L', (2, 2))", "show it with ax.imshow()"),
    "a film": (
        "from matplotlib.animation import FuncAnimation\nreturn FuncAnimation(plt.figure(), print, 2)",
        "an animation, and figures do not move",
    ),
}


def test_what_is_no_figure_says_what_it_is(space: Space) -> None:
    for number, (body, _) in enumerate(REFUSED.values()):
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        space.write({f"visuals/f{number}.py": f"import matplotlib.pyplot as plt\n\ndef draw():\n{lines}\n"})
        space.question(f"f{number}", f"kind: matplotlib, source: f{number}.py, alt: What it shows")
    ran = space.run("--jobs", "1")
    assert ran.code == 1
    for number, (name, (_, told)) in enumerate(REFUSED.items()):
        (line,) = [line for line in ran.err.splitlines() if line.startswith(f"visuals/f{number}.py:3: ")]
        assert told in line, (name, line)


DENSE = """\
import numpy as np, matplotlib.pyplot as plt

def draw(kind):
    values = np.random.default_rng(0).normal(size=(2, 3000))
    figure, axes = plt.subplots()
    if kind == "scatter":
        axes.scatter(*values, label="dots")
    elif kind == "dots":
        axes.plot(*values, ".", label="dots")
    else:
        axes.pcolormesh(values.reshape(60, 100))
    axes.set_title("words")
    if kind != "mesh":
        axes.legend()
    return figure
"""


@pytest.mark.parametrize("kind", ["scatter", "dots", "mesh"])
def test_a_dense_artist_becomes_a_picture_and_its_axes_do_not(pool: Pool, kind: str) -> None:
    (svg,) = drawn(pool, DENSE, [{"kind": kind}], rasterise=2000)
    light, dark = settled(svg)
    assert light.svg.count(b"<image") == dark.svg.count(b"<image") == 1
    assert len(light.svg) < 400_000
    assert ({"words"} if kind == "mesh" else {"words", "dots"}) <= set(light.texts)
    told = [told for _, told, check in light.warnings if check == "rasterised"]
    assert len(told) == 1
    assert re.match(r"[36],000 elements of a plot are drawn as a picture; `rasterise = 0`", told[0])
    assert kept(light) == kept(dark)
    assert b"data-figmill-dots" not in light.svg


def test_a_setting_keeps_dense_artists_as_they_are(pool: Pool) -> None:
    (svg,) = drawn(pool, DENSE, [{"kind": "scatter"}], rasterise=0)
    page = settled(svg)[0]
    assert b"<image" not in page.svg
    assert page.svg.count(b"<use") > 3000


def test_an_image_has_the_resolution_of_its_data_and_sharp_edges(pool: Pool) -> None:
    light, dark = one(pool, "return plt.imshow(np.arange(12).reshape(3, 4), cmap='RdBu')")
    for page in (light, dark):
        assert re.search(rb'<image [^>]* width="4" height="3" [^>]*image-rendering="pixelated"', page.svg)
    assert re.findall(rb"base64,([^\"]*)", light.svg) == re.findall(rb"base64,([^\"]*)", dark.svg)


def test_labels_beside_an_image_are_not_cut_off(pool: Pool) -> None:
    """The box is measured at the same resolution, whatever that of pictures is."""
    labels = "axes.set_yticks([0, 1], ['a long label', 'another one'])"
    page = one(pool, f"axes = plt.subplots()[1]\naxes.imshow(np.eye(3))\n{labels}\nreturn axes")[0]
    assert page.warnings == ()
    assert page.width < 600


LINES = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.plot([2, 1])\n"
LINTED = {
    "lines": LINES,
    "text": f"{LINES}plt.text(0, 1, 'orange', color='C1')\n",
    "picture": "import matplotlib.pyplot as plt\n\ndef draw():\n"
    "    plt.plot([1, 2])\n    return plt.title('words', rasterized=True)\n",
}


Linted = tuple[Space, list[str], str]


@pytest.fixture(scope="module")
def linted(tmp_path_factory: pytest.TempPathFactory) -> Linted:
    """A book, what a strict build says of it, and what lint says. Not to be changed."""
    book = Space(tmp_path_factory.mktemp("linted"))
    for name, script in LINTED.items():
        book.write({f"visuals/{name}.py": script})
        book.question(name, f"kind: matplotlib, source: {name}.py, alt: Two lines that cross")
    told = book.run("--strict", "--jobs", "1").err.splitlines()
    return book, told, book.run("lint").out


def test_words_in_a_picture_are_told_by_lint(linted: Linted) -> None:
    _, told, by_lint = linted
    assert "[words-in-picture]" not in "".join(told)
    assert re.search(r"^visuals/picture\.py.*text is part of a picture", by_lint, re.MULTILINE), by_lint


def test_a_pale_line_of_the_default_cycle_is_told_by_lint_alone(linted: Linted) -> None:
    """An author did not choose its orange. Text in that colour was chosen."""
    _, told, by_lint = linted
    (line,) = [line for line in told if not line.startswith("visuals/picture.py")]
    assert line.startswith("visuals/text.py: the text 'orange' in #ff7f0e on #ffffff: contrast 2.53:1")
    assert "visuals/lines.py: a line in #ff7f0e" in by_lint


def test_a_pale_line_is_told_by_every_build_of_a_book_that_asks(linted: Linted, space: Space) -> None:
    shutil.copytree(linted[0].root, space.root, dirs_exist_ok=True)
    believed(space.root)
    space.write({"figmill.toml": 'lint = {contrast = "error"}\n'})
    assert "visuals/lines.py: a line in #ff7f0e" in space.run("--jobs", "1").err


@pytest.mark.parametrize("letters", [r"\mathcal{O}", r"\mathbb{R}", r"\mathfrak{g}", r"\mathscr{L}"])
def test_letters_of_other_styles_keep_them(pool: Pool, letters: str) -> None:
    """They are drawn as shapes, since readers' fonts have none; a plain letter would be text."""
    plain = letters[-2]
    page = one(pool, f"plt.text(.5, .5, r'${letters}(n)$')\nreturn plt.gca()")[0]
    assert not any(plain in text for text in page.texts)
