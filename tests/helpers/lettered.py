# ruff: noqa: E501 - a drawing is easier to read on one long line than on two
"""Figures whose words all fit: graphs, plots and drawings with all that words do in them, as a book's files."""

from __future__ import annotations

from helpers.book import Space

LONG = "Unabhängigkeitserklärungsversammlung"
HTML = (
    '<<table border="0" cellborder="1" cellspacing="0"><tr><td bgcolor="#cfe2f3"><b>Stage</b></td><td><b>Time in ms'
    "</b></td></tr><tr><td>forward pass of the model</td><td>12.5</td></tr><tr><td>backward pass</td><td>25.0</td>"
    "</tr></table>>"
)

GRAPHS = {
    "plain": 'digraph { a -> b -> c; a -> c [label="gradient all-reduce"] }',
    "boxes": 'digraph { node [shape=box]; a [label="Parameter server"]; b [label="Worker with a long name, rank 17"];'
    " a -> b }",
    "long-word": f'digraph {{ node [shape=box]; a [label="{LONG}"]; b [label="{LONG * 2}"]; a -> b }}',
    "ellipses": 'digraph { a [label="an ellipse around many words that go on and on"]; a -> "two\\nlines of words" }',
    "circles": 'digraph { node [shape=circle]; a [label="idle"]; b [label="computing gradients"]; a -> b -> a }',
    "diamonds": 'digraph { node [shape=diamond]; a [label="is the queue of requests empty?"]; a -> "yes"; a -> "no" }',
    "shapes": "digraph { "
    + "; ".join(
        f'{shape} [shape={shape} label="a {shape} of words"]'
        for shape in (
            "hexagon",
            "octagon",
            "parallelogram",
            "trapezium",
            "house",
            "cylinder",
            "note",
            "tab",
            "folder",
            "component",
            "box3d",
            "egg",
            "doublecircle",
            "doubleoctagon",
        )
    )
    + " }",
    "rounded": 'digraph { node [shape=box style="rounded,filled" fillcolor="#cfe2f3"]; "Load the shard of data" -> '
    '"Tokenise and pack the sequences" }',
    "records": 'digraph { node [shape=record]; a [label="<f0> left part|the middle of it|<f2> right part"]; '
    'b [label="{head of a record|{key|value with words}|tail}"]; a:f0 -> b }',
    "mrecord": 'digraph { node [shape=Mrecord]; a [label="{Rank 0|{forward|backward}|optimizer step and more}"] }',
    "html": f"digraph {{ node [shape=plain]; a [label={HTML}] }}",
    "html-in-box": f"digraph {{ node [shape=box]; a [label={HTML}]; a -> b [label=<<i>slowly</i>>] }}",
    "html-fonts": "digraph { a [shape=box label=<plain, <b>bold words</b> and <i>slanted ones</i><br/>H<sub>2</sub>O>] }",
    "html-sizes": 'digraph { a [shape=box label=<<font point-size="22">Large words</font><br/>'
    '<font face="Courier">code_of(x)</font>>] }',
    "clusters": 'digraph { subgraph cluster_0 { label="The host with a long name"; a } subgraph cluster_1 { '
    'label="Accelerator"; labeljust=l; bgcolor="#fdebd0"; b -> c } a -> b }',
    "nested-clusters": 'digraph { subgraph cluster_0 { label="Data centre in Frankfurt am Main"; subgraph cluster_1 { '
    'label="Rack number 4 of 128"; a } } a -> b }',
    "title": 'digraph { label="A title under the graph that is wider than all of the graph"; labelloc=t; a -> b }',
    "edge-labels": 'digraph { rankdir=LR; a -> b [label="request" headlabel="head" taillabel="tail"]; b -> a '
    '[label="the answer, some time later"] }',
    "xlabels": 'digraph { a [xlabel="outside words"]; b [xlabel="more of them"]; a -> b }',
    "bold": 'digraph { node [shape=box fontname="Helvetica-Bold"]; "Bold words in a box" -> "Synchronisation barrier" }',
    "italic": 'digraph { node [shape=box fontname="Times-Italic"]; "slanted words in a box" -> "tensor parallel group" }',
    "mono": 'digraph { node [shape=box fontname="Courier New"]; "all_reduce(grads, op=SUM)" -> "optimizer.step()" }',
    "small": 'digraph { node [shape=box fontsize=8 margin="0.02,0.01" width=0 height=0]; '
    '"words in small type that are long" -> "and a short one" }',
    "large": 'digraph { node [shape=box fontsize=40]; "Large words" -> "in boxes" }',
    "tight": 'digraph { node [shape=box margin=0 width=0 height=0]; "no margin at all around" -> "these words" }',
    "non-ascii": 'digraph { node [shape=box]; "Größenänderung für Österreich" -> "βασική θεωρία ουρών" -> '
    '"Теория массового обслуживания" -> "μ₀ ≤ λ·√n → ∞" }',
    "left": 'digraph { node [shape=box]; a [label="these lines\\lhang on the left side\\lall\\l"]; b [label="and\\r'
    'these on the right\\r"]; a -> b }',
    "neato": 'graph { layout=neato; overlap=false; node [shape=box]; "node one" -- "second node" -- "the third of them" '
    '-- "node one" }',
    "fdp": 'graph { node [shape=ellipse]; "head node" -- {"worker 1" "worker 2" "worker 3" "a worker with a name"} }',
    "circo": 'digraph { "rank 0" -> "rank 1" -> "rank 2" -> "rank 3" -> "rank 0" }',
    "twopi": 'graph { ranksep=1.6; root [label="Parameter server"]; root -- {"shard A" "shard B" "shard C" "shard D" "shard E"} }',
    "osage": 'graph { subgraph cluster_a { label="Group one of two"; "left node" "right node" } "a lone node" }',
    "patchwork": 'graph { node [style=filled]; "activations" [area=9]; "weights" [area=7]; "states" [area=9] }',
    "points": 'digraph { node [shape=point]; a -> b [label="between points"]; b -> c [label="and on"] }',
    "plaintext": 'digraph { node [shape=plaintext]; "words alone" -> "without a shape around" }',
    "many": "digraph { rankdir=LR; node [shape=box]; "
    + "; ".join(
        f'"stage {n} of the pipeline" -> "stage {n + 1} of the pipeline" [label="activations {n}"]'
        for n in range(8)
    )
    + " }",
}
ENGINES = {name: name for name in ("neato", "fdp", "circo", "twopi", "osage", "patchwork")}

PLOTS = """
import numpy as np
from matplotlib.figure import Figure

from figmill import Drawing

X = np.linspace(0, 10, 40)


def draw(which: str) -> Drawing:
    figure = Figure(figsize=(5, 3.5), layout="constrained")
    globals()[which](figure)
    return Drawing(figure)


def ticks(figure):
    axes = figure.add_subplot()
    axes.plot(X * 1e4, X**5)
    axes.set(title="Ticks with many digits", xlabel="time in seconds since the start", ylabel="operations")


def crowded(figure):
    axes = figure.add_subplot()
    axes.bar([f"worker {n}" for n in range(8)], range(8))
    axes.tick_params(axis="x", labelsize=7)


def rotated(figure):
    axes = figure.add_subplot()
    axes.bar([f"a worker named {n}" for n in range(6)], range(6))
    axes.tick_params(axis="x", rotation=45)


def upright(figure):
    axes = figure.add_subplot()
    axes.bar([f"a worker named {n}" for n in range(6)], range(6))
    axes.tick_params(axis="x", rotation=90)


def legend(figure):
    axes = figure.add_subplot()
    for n in range(3):
        axes.plot(X, np.sin(X + n), label=f"a series with quite a long name, {n}")
    axes.legend(loc="upper right")


def legend_columns(figure):
    axes = figure.add_subplot()
    for n in range(4):
        axes.plot(X, np.sin(X + n), label=f"series number {n}")
    axes.legend(loc="lower left", ncols=2, title="Measured on four machines")


def legend_outside(figure):
    axes = figure.add_subplot()
    for n in range(3):
        axes.plot(X, np.sin(X + n), label=f"outside, series {n}")
    figure.legend(loc="outside right upper")


def annotated(figure):
    axes = figure.add_subplot()
    axes.plot(X, np.cos(X))
    axes.annotate("the minimum of this curve", (3.1, -1), (4.5, -0.4), arrowprops={"arrowstyle": "->"})
    axes.text(0.5, 0.5, "in a box of its own", bbox={"boxstyle": "round", "facecolor": "#fdebd0"})
    axes.text(5, 0.6, "square box, larger words", size=14, bbox={"facecolor": "#cfe2f3"})


def boxed_bold(figure):
    axes = figure.add_subplot()
    axes.set_axis_off()
    for n, style in enumerate(("square,pad=0.3", "round,pad=0.4", "round4,pad=0.5", "larrow", "ellipse,pad=0.4")):
        axes.text(0.5, n / 5 + 0.1, f"bold words in {style.split(',')[0]}", weight="bold", ha="center",
                  bbox={"boxstyle": style, "facecolor": "#cfe2f3"})


def turned(figure):
    axes = figure.add_subplot()
    axes.plot(X, X)
    axes.text(5, 5.2, "along the line", rotation=45, rotation_mode="anchor", transform_rotates_text=True, ha="center")
    axes.text(1, 6, "upright words\\nin two lines", rotation=90, va="center")


def mathtext(figure):
    axes = figure.add_subplot()
    axes.plot(X, X)
    axes.set_title(r"$\\mu_0 = \\frac{\\lambda}{n} \\cdot x^2$ and words")
    axes.set_xlabel(r"utilisation $\\rho$")
    axes.set_ylabel(r"$W_q$ (ms)")
    axes.text(1, 8, r"$\\alpha^2 + \\beta_i \\leq \\gamma$")


def powers(figure):
    axes = figure.add_subplot()
    axes.loglog(10 ** (X / 2), 10 ** X)
    axes.set(xlabel="batch size", ylabel="tokens per second")


def bars(figure):
    axes = figure.add_subplot()
    found = axes.barh(["forward", "backward", "optimizer", "all-reduce"], [12.5, 25.1, 4.2, 9.9])
    axes.bar_label(found, fmt="%.1f ms", padding=3)
    axes.margins(x=0.2)


def bars_inside(figure):
    axes = figure.add_subplot()
    found = axes.barh(["one", "two"], [80, 95], color="#cfe2f3")
    axes.bar_label(found, fmt="%.0f samples a second", label_type="center")


def stacked(figure):
    axes = figure.add_subplot()
    bottom = np.zeros(3)
    for n in range(3):
        part = axes.bar(["a", "b", "c"], [3, 4, 5], bottom=bottom, color=["#cfe2f3", "#fdebd0", "#d5f5e3"][n])
        axes.bar_label(part, label_type="center")
        bottom += [3, 4, 5]


def pie(figure):
    axes = figure.add_subplot()
    axes.pie([4, 3, 2], labels=["activations", "weights", "optimizer states"], autopct="%.0f%%",
             colors=["#cfe2f3", "#fdebd0", "#d5f5e3"])


def heat(figure):
    axes = figure.add_subplot()
    axes.pcolormesh(np.arange(25).reshape(5, 5), cmap="Blues", vmax=60)
    for n in range(25):
        axes.text(n % 5 + 0.5, n // 5 + 0.5, f"{n / 10:.1f}", ha="center", va="center")


def panels(figure):
    for n, axes in enumerate(figure.subplots(2, 3).flat):
        axes.plot(X, np.sin(n * X))
        axes.set_title(f"Panel {n}", fontsize=9)
        axes.tick_params(labelsize=7)
    figure.suptitle("Six panels under one bold title", weight="bold")


def colourbar(figure):
    axes = figure.add_subplot()
    shown = axes.pcolormesh(np.arange(100).reshape(10, 10) * 1e3)
    figure.colorbar(shown, label="occupied memory in bytes")


def table(figure):
    axes = figure.add_subplot()
    axes.set_axis_off()
    axes.table([["12.5", "25.0"], ["3.5", "1.25"]], colLabels=["forward", "backward"], rowLabels=["one", "two"],
               loc="center")


def lines(figure):
    axes = figure.add_subplot()
    axes.plot(X, X)
    axes.set_title("A title in two lines,\\nof which the second is the longer one", loc="left")
    axes.set_xlabel("left words", loc="left")


def mono(figure):
    axes = figure.add_subplot()
    axes.plot(X, X)
    axes.text(1, 8, "all_reduce(grads)", family="monospace", bbox={"facecolor": "#cfe2f3"})


def dates(figure):
    axes = figure.add_subplot()
    axes.plot(np.arange("2024-01-01", "2024-06-01", dtype="datetime64[W]"), np.arange(22))


def polar(figure):
    axes = figure.add_subplot(projection="polar")
    axes.plot(X, X)
"""
PLOTTED = tuple(line.split("(")[0][4:] for line in PLOTS.splitlines() if line.startswith("def "))[1:]


def box(x: float, width: float, label: str, more: str = "", height: float = 30, y: float = 10) -> str:
    """A box with words in its middle."""
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="4" fill="#cfe2f3" stroke="#4a90c4"/>'
        f'<text x="{x + width / 2}" y="{y + height / 2 + 4}" text-anchor="middle" font-size="12" {more}>{label}</text>'
    )


def svg(inside: str, width: int = 300, height: int = 100) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">{inside}</svg>'


HANDS = {
    "box": svg(box(10, 90, "Data loader")),
    "box-bold": svg(box(10, 92, "Data loader", 'font-weight="bold"')),
    "box-start": svg(
        '<rect x="10" y="10" width="120" height="30" fill="#fdebd0"/><text x="16" y="29" font-size="12">'
        "starts in its box</text>"
    ),
    "box-end": svg(
        '<rect x="10" y="10" width="120" height="30" fill="#fdebd0"/><text x="126" y="29" font-size="12" '
        'text-anchor="end">ends in its box</text>'
    ),
    "circle": svg(
        '<circle cx="50" cy="50" r="40" fill="#d5f5e3"/><text x="50" y="54" text-anchor="middle" '
        'font-size="12">accelerator</text>'
    ),
    "spans": svg(
        '<rect x="10" y="10" width="130" height="60" fill="#cfe2f3"/><text font-size="12" text-anchor="middle">'
        '<tspan x="75" y="30">three lines of words</tspan><tspan x="75" dy="1.3em">in one text, of which'
        '</tspan><tspan x="75" dy="1.3em">each hangs alone</tspan></text>'
    ),
    "styles": svg(
        '<rect x="10" y="10" width="205" height="30" fill="#cfe2f3"/><text x="15" y="30" font-size="12">some '
        '<tspan font-weight="bold">bold</tspan> and <tspan font-style="italic">slanted</tspan> words</text>'
    ),
    "scaled": svg(f'<g transform="translate(20 10) scale(1.5)">{box(0, 90, "a scaled box")}</g>'),
    "turned": svg(f'<g transform="rotate(-90 50 50)">{box(10, 88, "a turned box")}</g>'),
    "slanted": svg(
        '<g transform="translate(40 20) rotate(20)"><rect width="150" height="30" fill="#fdebd0"/><text x="75"'
        ' y="19" text-anchor="middle" font-size="12">words on a slant, boxed</text></g>'
    ),
    "mono": svg(box(10, 150, "all_reduce(grads)", 'font-family="Courier New"')),
    "em": svg(
        '<g font-size="12"><rect x="10" y="10" width="130" height="40" fill="#cfe2f3"/><text x="75" y="2.8em" '
        'font-size="1.25em" text-anchor="middle">in larger words</text></g>'
    ),
    "edge": svg(
        '<text x="296" y="50" text-anchor="end" font-size="14">words that end where the picture ends</text>'
    ),
    "whole": svg('<text x="4" y="50" font-size="16">Words as wide as the whole of this picture</text>', 316),
    "neighbours": svg(
        '<text x="10" y="50" font-size="12">first, long words</text><text x="105" y="50" font-size="12">'
        "and others beside</text>"
    ),
    "row": svg("".join(box(10 + 70 * n, 62, f"stage {n + 1}") for n in range(4))),
    "polygon": svg(
        '<polygon points="20,50 60,10 190,10 230,50 190,90 60,90" fill="#d5f5e3"/><text x="125" y="54" '
        'text-anchor="middle" font-size="14">six sides and these words</text>'
    ),
    "path": svg(
        '<path d="M 20 10 h 120 a 8 8 0 0 1 8 8 v 24 a 8 8 0 0 1 -8 8 h -120 z" fill="#cfe2f3"/><text x="84" '
        'y="34" text-anchor="middle" font-size="13">a path around it</text>'
    ),
    "table": svg(
        '<g><rect x="10" y="10" width="250" height="30" fill="none" stroke="#2b2b2b"/><line x1="100" y1="10" '
        'x2="100" y2="40" stroke="#2b2b2b"/><text x="14" y="30" font-size="12">left of the line</text>'
        '<text x="104" y="30" font-size="12">right of the same line</text></g>'
    ),
    "halo": svg(
        '<g font-size="14"><text x="20" y="50" fill="none" stroke="#ffffff" stroke-width="3">a word and its '
        'halo</text><text x="20" y="50">a word and its halo</text></g>'
    ),
    "middle": svg(
        '<rect x="10" y="10" width="140" height="40" fill="#cfe2f3"/><text x="80" y="30" font-size="13" '
        'text-anchor="middle" dominant-baseline="central">in the very middle</text>'
    ),
    "spaced": svg(
        '<rect x="10" y="10" width="150" height="40" fill="#cfe2f3"/><text x="85" y="34" font-size="12" '
        'text-anchor="middle" letter-spacing="1">letters apart, wide</text>'
    ),
    "own-length": svg(box(10, 100, "as its author says", 'textLength="90"')),
    "used": svg(
        f'<defs><g id="a">{box(0, 70, "used twice")}</g></defs><use href="#a" x="10"/><use href="#a" x="120"/>'
    ),
    "viewbox": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 1" width="300"><rect x="0.1" y="0.1" width="0.9"'
    ' height="0.4" fill="#cfe2f3"/><text x="0.55" y="0.34" text-anchor="middle" font-size="0.12">small units'
    "</text></svg>",
}


def write(space: Space) -> Space:
    """The whole corpus as a book."""
    space.write({"pyproject.toml": '[tool.figmill]\nthemes = ["light"]\n', "visuals/plots.py": PLOTS})
    for name, source in GRAPHS.items():
        space.write({f"visuals/dot-{name}.dot": source + "\n"})
        engine = f", engine: {ENGINES[name]}" if name in ENGINES else ""
        space.question(f"dot-{name}", f"source: dot-{name}.dot, alt: a graph of the corpus{engine}")
    for name in PLOTTED:
        space.question(
            f"plot-{name.replace('_', '-')}",
            f"kind: matplotlib, source: plots.py, alt: a plot of the corpus, params: {{which: {name}}}",
        )
    for name, source in HANDS.items():
        space.write({f"visuals/hand-{name}.svg": source})
        space.question(f"hand-{name}", f"source: hand-{name}.svg, alt: a drawing of the corpus")
    return space
