# ruff: noqa: E501 - a drawing is easier to read on one long line than on two
"""Figures with one defect each, and figures with none: what `lint` is measured on.

A row is the check that must find the defect, what the question says beside its source, and the source. The good
ones come near to a defect where they can: what they do is right.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from helpers.book import Space

LONG = "words that are too long"
ALT = "alt: 'Two ranks send their gradients to a third, which adds them up'"


@dataclass(frozen=True)
class Figure:
    """A figure to be written: suffix of its source, the source, the rest of its `visual`, its title."""

    suffix: str
    source: str
    rest: str = ALT
    title: str = "Gradients"
    kind: str = ""  # of a script

    def write(self, space: Space, id_: str) -> None:
        space.write({f"visuals/{id_}{self.suffix}": self.source})
        kind = f"kind: {self.kind}, " if self.kind else ""
        text = f"id: {id_}\ntitle: {self.title}\nvisual: {{{kind}source: {id_}{self.suffix}, {self.rest}}}\n"
        space.write({f"questions/{id_}.yaml": text})


def svg(
    body: str, rest: str = ALT, *, size: str = 'viewBox="0 0 300 200"', title: str = "Gradients"
) -> Figure:
    source = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-size="12">\n{body}\n</svg>\n'
    return Figure(".svg", source, rest, title)


def dot(body: str, rest: str = ALT) -> Figure:
    return Figure(".dot", f"digraph {{\n{body}\n}}\n", rest)


def plot(body: str, rest: str = ALT) -> Figure:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    head = "import numpy as np\nfrom matplotlib.figure import Figure\n\n\ndef draw():\n    figure = Figure((4, 3))\n"
    return Figure(
        ".py", f"{head}    axes = figure.add_subplot()\n{lines}\n    return figure\n", rest, kind="matplotlib"
    )


def graph(module: str, number: str) -> Figure:
    """A script that draws a number, which an expression with a module gives."""
    source = f"import {module}\n\n\ndef draw():\n    return f'digraph {{{{ a -> n{{{number}}} }}}}'\n"
    return Figure(".py", source, kind="dot")


def alt(text: str, more: str = "", title: str = "Gradients") -> Figure:
    return svg('<rect width="50" height="40" fill="#cfe2f3"/>', f"alt: '{text}'{more}", title=title)


def key(swatches: list[str], step: tuple[int, int] = (0, 24)) -> str:
    """A legend: swatches at 0, 0 with a word after each."""
    rows = (
        f'<g transform="translate({20 + n * step[0]} {20 + n * step[1]})">{swatch}<text x="26" y="9">kind {"ABCDEF"[n]}'
        f"</text></g>"
        for n, swatch in enumerate(swatches)
    )
    return "\n".join(rows)


def box(fill: str, more: str = "") -> str:
    return f'<rect width="18" height="10" fill="{fill}" {more}/>'


def dots(colours: list[str], columns: int = 4) -> str:
    return "\n".join(
        f'<circle cx="{30 + 30 * (n % columns)}" cy="{30 + 30 * (n // columns)}" r="8" fill="{colour}"/>'
        for n, colour in enumerate(colours)
    )


def hatch(id_: str, d: str, colour: str = "#2b2b2b") -> str:
    return (
        f'<pattern id="{id_}" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<rect width="6" height="6" fill="#cfe2f3"/><path d="{d}" stroke="{colour}"/></pattern>'
    )


BLUE, GREEN, RED = "#4a90c4", "#3d9e5a", "#c44444"
LETTER = "M0 0 L4 -8 L8 0 Z"
WORD = '<g transform="translate(20 40)">{}</g>'

DEFECTS: tuple[tuple[str, Figure], ...] = (
    ("alt-short", alt("A ring")),
    ("alt-short", alt("Chart 1")),
    ("alt-short", alt("Topology")),
    ("alt-repeats-caption", alt("Ring of four ranks", ", caption: Ring of four ranks")),
    ("alt-repeats-caption", alt("Ring of four ranks.", ", caption: 'RING OF FOUR RANKS!'")),
    ("alt-repeats-caption", alt("A ring of the four ranks", ", caption: A ring of four ranks")),
    ("alt-repeats-caption", alt("Ring of four ranks", title="Ring of four ranks")),
    ("alt-says-image", alt("Image of four ranks in a ring, each sending to the next")),
    ("alt-says-image", alt("A picture showing four ranks in a ring")),
    ("alt-says-image", alt("This figure shows four ranks in a ring")),
    ("alt-file-name", alt("ring-allreduce.svg")),
    ("alt-file-name", alt("cloud-2848_final.png")),
    ("alt-unfinished", alt("TODO: say what the figure shows")),
    (
        "alt-unfinished",
        alt("Four ranks in a ring, each sending to the next", ", caption: '... to be written'"),
    ),
    ("alt-long", alt("Four ranks in a ring. " * 19)),
    (
        "undescribed",
        svg(
            "".join(
                f'<text x="10" y="{9 * n}" font-size="9">rank {"abcdefghijklmnopqrstuvwxyz"[n]}{n} waits</text>'
                for n in range(1, 22)
            )
        ),
    ),
    ("caption-long", alt("Four ranks in a ring", ", caption: " + "Each sends to the next one. " * 5)),
    ("picture", svg('<image width="20" height="20"/><rect width="20" height="10" fill="#cfe2f3"/>')),
    ("rasterised", plot("axes.scatter(*np.random.default_rng(0).normal(size=(2, 60000)), color='#1f77b4')")),
    ("words-in-picture", plot("axes.set_title('words', rasterized=True)")),
    ("words-in-picture", plot("axes.plot([1, 2], color='#4a90c4')\naxes.set_rasterized(True)")),
    ("words-in-picture", plot("axes.text(0.5, 0.5, 'words', rasterized=True)")),
    (
        "artwork",
        svg('<circle cx="60" cy="40" r="30" fill="#cc0000"/><path d="M50 30h20v20h-20z" fill="#fff"/>'),
    ),
    ("artwork", svg('<path d="M0 20h50v20H0z" fill="#555"/><path d="M50 20h50v20H50z" fill="#4c1"/>')),
    ("colour-only", svg(key([box("#d62728"), box("#2ca02c")]))),
    ("colour-only", svg(key([box("#c00000"), box("#008000")], (90, 0)))),
    ("colour-only", svg(key([box("#1f77b4"), box("#9467bd")]))),
    ("colour-only", svg(key([box("#56b4e9"), box("#e69f00")]))),
    ("colour-only", svg(key([box("#cfe2f3", 'stroke="#4a90c4"'), box("#d4edda", 'stroke="#3d9e5a"')]))),
    (
        "colour-only",
        svg(
            key(
                [
                    '<circle cx="9" cy="5" r="5" fill="#d62728"/>',
                    '<circle cx="9" cy="5" r="5" fill="#2ca02c"/>',
                ]
            )
        ),
    ),
    (
        "colour-only",
        svg(key([f'<path d="M0 5 H18" stroke="{c}" stroke-width="2"/>' for c in ("#4477aa", "#228833")])),
    ),
    ("colour-only", svg(dots(["#d62728", "#2ca02c", "#2ca02c", "#d62728", "#2ca02c", "#d62728"]))),
    ("colour-only", svg(dots(["#e377c2", "#17becf"] * 6))),
    (
        "colour-only",
        plot(
            "axes.bar([0, 2], [3, 4], color='#d62728', label='failed')\naxes.bar([1, 3], [2, 1], color='#2ca02c', label='passed')\naxes.legend()"
        ),
    ),
    (
        "colour-only",
        plot(
            "axes.plot([1, 2, 4], color='C2', label='measured')\naxes.plot([1, 3, 9], color='C3', label='modelled')\naxes.legend()"
        ),
    ),
    ("colour-only", plot("n = np.arange(12)\naxes.scatter(n, n * 7 % 5, c=['#d62728', '#2ca02c'] * 6)")),
    ("off-palette", svg('<rect width="80" height="60" fill="#ff00ff"/>')),
    ("off-palette", svg('<path d="M10 10 L90 90" stroke="#0000ff" stroke-width="2"/>')),
    ("off-palette", svg('<g fill="teal"><circle cx="50" cy="50" r="20"/></g>')),
    (
        "off-palette",
        svg(
            '<linearGradient id="g"><stop stop-color="#cfe2f3"/><stop offset="1" stop-color="#7700cc"/></linearGradient><rect width="80" height="60" fill="url(#g)"/>'
        ),
    ),
    ("off-palette", dot("a [style=filled, fillcolor=tomato] a -> b")),
    ("off-palette", plot("axes.plot([1, 4, 9])")),
    ("small-text", svg('<text x="10" y="30" font-size="6">too small to read</text>')),
    (
        "small-text",
        svg('<g transform="scale(0.5)"><text x="20" y="60" font-size="14">drawn at half its size</text></g>'),
    ),
    (
        "small-text",
        svg(
            '<text x="10" y="30">wide drawing in a narrow place</text>',
            size='viewBox="0 0 1200 400" width="600" height="200"',
        ),
    ),
    (
        "small-text",
        svg('<text x="10" y="30">total<tspan x="10" dy="14" font-size="7">per rank and step</tspan></text>'),
    ),
    ("small-text", dot("a [label=gather, fontsize=5] a -> b")),
    ("small-text", plot("axes.tick_params(labelsize=4)")),
    ("too-wide", dot("rankdir=LR " + " -> ".join(f"stage_{n}" for n in range(40)))),
    ("long-label", dot('a [label="' + "one long sentence that nobody breaks, " * 6 + '"] a -> b')),
    (
        "text-as-paths",
        svg(
            '<defs><path id="DejaVuSans-41" d="M0 0 L4 -8 L8 0 Z"/></defs>'
            + WORD.format(
                '<use href="#DejaVuSans-41"/><use href="#DejaVuSans-41" x="9"/><use href="#DejaVuSans-41" x="18"/>'
            )
        ),
    ),
    (
        "text-as-paths",
        svg(
            '<defs><g id="STIXGeneral-Italic-1d465"><path d="M0 0 L4 -8 L8 0 Z"/></g></defs>'
            + WORD.format(
                '<use href="#STIXGeneral-Italic-1d465"/><use href="#STIXGeneral-Italic-1d465" x="9"/><use href="#STIXGeneral-Italic-1d465" x="18"/>'
            )
        ),
    ),
    (
        "text-as-paths",
        svg(
            f'<g aria-label="Rank 0"><path d="{LETTER}" transform="translate(20 40)"/><path d="{LETTER}" transform="translate(30 40)"/></g>'
        ),
    ),
    (
        "text-as-paths",
        svg(
            '<defs><symbol id="glyph0-1" overflow="visible"><path d="M0 0 L4 -8 L8 0 Z"/></symbol></defs>'
            + WORD.format(
                '<use href="#glyph0-1" x="1"/><use href="#glyph0-1" x="9"/><use href="#glyph0-1" x="18"/>'
            )
        ),
    ),
    (
        "text-as-paths",
        svg(
            '<defs><path id="g0-65" d="M0 0 L4 -8 L8 0 Z"/></defs>'
            + WORD.format('<use href="#g0-65" x="1"/><use href="#g0-65" x="9"/><use href="#g0-65" x="18"/>')
        ),
    ),
    ("missing-character", svg('<text x="10" y="30">rank \U0001f680</text>')),
    ("missing-character", dot('a [label="\u6f22\u5b57"]')),
    ("graphviz", dot("splines=ortho\na -> b [label=gather]")),
    ("graphviz", dot('a [fixedsize=true, width=0.5, label="a label that is too long"] a -> b')),
    (
        "graphviz",
        dot(
            "a [label=<<table fixedsize='true' width='9' height='9'><tr><td>long words</td></tr></table>>] a -> b"
        ),
    ),
    ("graphviz", dot("layout=neato overlap=prism\na -> b -> c")),
    ("graphviz", dot("subgraph cluster_a { a -> b } subgraph cluster_c { c -> d }\n{rank=same; a; c}")),
    ("graphviz", dot("label = two words\na -> b")),
    ("graphviz", dot("rank-1 -> b")),
    ("graphviz", dot("a \u2192 b")),
    (
        "not-drawn",
        Figure(".mmd", 'flowchart LR\n  a@{ shape: framed-circle, label: "Sum of all" }\n  a --> b\n'),
    ),
    (
        "not-drawn",
        Figure(".wavedrom", "{signal: [{name: 'bus', wave: '=2<30>2.', data: ['a', 'b', 'c', 'd']}]}"),
    ),
    (
        "nothing-drawn",
        Figure(
            ".vl.json",
            '{"data": {"values": [{"a": "x", "b": 3}]}, "mark": "bar", "encoding": {"x": {"field": "a"}, "y": {"field": "c", "type": "quantitative"}}}',
        ),
    ),
    ("empty-graph", dot("")),
    ("empty-graph", dot("node [shape=box]")),
    ("contrast", svg('<text x="10" y="30" fill="#b8bcc2">pale words</text>')),
    (
        "contrast",
        svg(
            '<rect width="120" height="50" fill="#fdebd0"/><text x="10" y="30" fill="#ffffff">white on pale</text>'
        ),
    ),
    ("contrast", svg('<path d="M10 10 L90 90" fill="none" stroke="#fdebd0" stroke-width="2"/>')),
    ("contrast", dot('a [label=gather, fontcolor="#c9ced6"]')),
    ("contrast", plot("axes.set_title('faint', color='#cccccc')")),
    (
        "invisible",
        svg(
            '<g fill="none" stroke="white"><rect x="9" y="9" width="80" height="40"/><path d="M89 29 H160"/></g><text x="20" y="33" fill="white">Rank 0</text>'
        ),
    ),
    (
        "invisible",
        svg('<circle cx="50" cy="50" r="30" fill="#fefefe"/><path d="M100 40 h30 v30 h-30 z" fill="#fff"/>'),
    ),
    (
        "invisible",
        svg(
            f'<rect x="9" y="9" width="80" height="40" fill="#cfe2f3" stroke="{BLUE}"/><text x="20" y="33">Rank 0</text><text x="100" y="33" fill="#ffffff">sends</text>'
        ),
    ),
    (
        "invisible",
        svg(
            '<rect x="9" y="9" width="80" height="40" fill="#cfe2f3"/><rect x="200" y="9" width="80" height="40" fill="#cfe2f3"/><path d="M89 29 H200" stroke="#fff"/>'
        ),
    ),
    (
        "invisible",
        svg(
            '<path d="M9 9 L90 90" stroke="#ffffff" stroke-width="2"/><path d="M90 9 L9 90" stroke="white"/>',
            size='viewBox="0 0 100 100"',
        ),
    ),
    (
        "invisible",
        plot(
            "axes.set_axis_off()\naxes.patch.set_alpha(0)\nfigure.patch.set_alpha(0)\naxes.plot([1, 4, 9], color='white')\naxes.text(1, 2, 'grows', color='white')"
        ),
    ),
    ("dead-reference", svg('<rect width="80" height="60" fill="url(#gone)"/>')),
    ("dead-reference", svg('<path d="M10 10 H90" stroke="#2b2b2b" marker-end="url(#arrow)"/>')),
    ("unreadable-value", svg('<path d="M10 10 L20 20 L30" stroke="#2b2b2b"/>')),
    ("unreadable-value", svg('<rect width="80" height="60" fill="#cfe2f3" transform="rotate(ten)"/>')),
    ("unreadable-value", svg('<rect width="80" height="60" fill="#cfe2f3" stroke="charcoal"/>')),
    ("text-outside", svg(f'<text x="230" y="60">{LONG}</text>')),
    ("text-outside", svg(f'<text x="290" y="60" text-anchor="middle">{LONG}</text>')),
    ("text-outside", svg('<text x="20" y="4">at the very top</text>')),
    ("text-outside", svg(f'<g transform="rotate(-90 100 40)"><text x="100" y="40">{LONG}</text></g>')),
    (
        "text-outside",
        svg('<g transform="translate(250 40)"><text>a remark that leaves the figure</text></g>'),
    ),
    (
        "text-overflow",
        svg(
            f'<rect x="60" y="35" width="80" height="30" fill="#cfe2f3"/><text x="100" y="54" text-anchor="middle">{LONG}</text>'
        ),
    ),
    (
        "text-overflow",
        svg(
            f'<circle cx="100" cy="50" r="40" fill="#cfe2f3"/><text x="100" y="54" text-anchor="middle">{LONG}</text>'
        ),
    ),
    (
        "text-overflow",
        svg(
            '<rect x="60" y="35" width="80" height="30" fill="#cfe2f3"/><text x="100" y="54" text-anchor="middle" font-family="Courier New">all_reduce(x)</text>'
        ),
    ),
    (
        "text-overflow",
        svg(
            f'<path d="M60 35 h80 v30 h-80 z" fill="none" stroke="#2b2b2b"/><text text-anchor="middle"><tspan x="100" y="46">short</tspan><tspan x="100" y="60">{LONG}</tspan></text>'
        ),
    ),
    ("text-overlap", svg(f'<text x="40" y="50">{LONG}</text><text x="60" y="54">and others</text>')),
    ("text-overlap", svg('<text x="20" y="54">first of them</text><text x="75" y="54">second</text>')),
    (
        "text-overlap",
        svg(
            f'<text x="40" y="54">{LONG}</text><text transform="rotate(-90 100 50)" x="70" y="54">over the others</text>'
        ),
    ),
    (
        "text-squeezed",
        svg(
            '<rect x="38" y="35" width="124" height="30" fill="#cfe2f3"/><text x="100" y="54" text-anchor="middle" font-weight="bold">113355779911335577</text>'
        ),
    ),
    (
        "left-out",
        svg(
            '<switch><foreignObject width="90" height="20"><table xmlns="http://www.w3.org/1999/xhtml"><tr><td colspan="2">words</td></tr></table></foreignObject><text x="10" y="30">words</text></switch>'
        ),
    ),
    (
        "left-out",
        svg(
            '<switch><foreignObject width="90" height="20"><table xmlns="http://www.w3.org/1999/xhtml"><tr><td rowspan="2">sum</td></tr></table></foreignObject><text x="10" y="30">sum</text></switch>'
        ),
    ),
    (
        "dropped",
        svg(
            '<style>@font-face{font-family:Virgil;src:url(data:font/woff2;base64,AAAA)} text:hover{fill:red}</style><text x="10" y="30">words</text>'
        ),
    ),
    ("dropped", svg('<rect x="9" y="9" widht="30" width="9" height="9" fill="#cfe2f3"/>')),
    (
        "dropped",
        svg('<g style="animation: spin 2s infinite; max-width: 10px"><text x="10" y="30">words</text></g>'),
    ),
    ("not-repeatable", graph("os", "os.urandom(4).hex()")),
    ("not-repeatable", graph("time", "time.time_ns()")),
    ("not-repeatable", graph("uuid", "uuid.uuid4().int % 9973")),
    ("needless-exception", alt("Four ranks in a ring", ", lint: {contrast: it is a photograph}")),
    ("needless-exception", dot("a -> b", ALT + ", lint: {colour-only: the labels tell}")),
)

# Question files and sources that hold no figure, and the check that must find them.
LOOSE: tuple[tuple[str, str, str], ...] = (
    ("misspelled-key", "questions/k1.yaml", "id: k1\nVisual: {source: g.dot, alt: a graph of two nodes}\n"),
    (
        "misspelled-key",
        "questions/k2.yaml",
        "id: k2\nvisuel:\n  source: g.dot\n  alt: a graph of two nodes\n",
    ),
    (
        "misspelled-key",
        "questions/k3.yaml",
        "id: k3\nvisul: {kind: svg, path: k3.svg, alt: a ring of ranks}\n",
    ),
    ("misspelled-key", "questions/k4.yaml", "id: k4\nvisauls:\n- {name: one, source: g.dot, alt: a graph}\n"),
    ("unused-source", "visuals/left-over.dot", "digraph { a -> b }\n"),
    ("unused-source", "visuals/old.py", "def draw():\n    return None\n"),
    ("unused-source", "visuals/nobody.svg", '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>\n'),
)

# At even places: the figure with a note and the one with an exception, which each run of the tests counts.
GOOD: tuple[Figure, ...] = (
    alt("Ring of 4 ranks", ", caption: Ring of 8 ranks", title="Ring of 16 ranks"),
    alt("Each rank sends a quarter to the next one", ", caption: Ring AllReduce", title="Ring AllReduce"),
    alt("Imaging pipeline: three stages feed one writer"),
    alt("Pictures per second grow with the batch, then level off at 64"),
    dot("a -> b -> c"),
    dot("node [shape=box, role=compute] a; b [role=data] a -> b"),
    dot("subgraph cluster_a { label=rack; role=neutral; a } a -> b [role=error, label=fails]"),
    dot('rankdir=LR node [shape=record] a [label="{head|body}"] a -> b [label="next"]'),
    dot("node [shape=circle, role=accent] a -> {b c d}"),
    dot('a [shape=plain, label=<<TABLE><TR><TD BGCOLOR="role:data">key</TD><TD>value</TD></TR></TABLE>>]'),
    dot("node [shape=point] a -> b -> c -> a", ALT + ", engine: circo"),
    dot("a [label=<x<SUB>i</SUB> + y<SUP>2</SUP>>] a -> b"),
    dot("edge [style=dashed] a -> b; a -> c [style=solid]"),
    plot(f"axes.plot([1, 4, 9], color='{BLUE}')"),
    plot(
        f"axes.plot([1, 4, 9], color='{BLUE}', label='measured')\naxes.plot([1, 3, 5], '--', color='{GREEN}', label='modelled')\naxes.legend()"
    ),
    plot(
        f"axes.plot([1, 4, 9], 'o-', color='{BLUE}', label='one')\naxes.plot([1, 3, 5], 's-', color='{GREEN}', label='two')\naxes.legend()"
    ),
    plot(f"axes.bar(['a', 'b'], [3, 4], color='#cfe2f3', edgecolor='{BLUE}')"),
    plot(
        f"axes.bar([0, 2], [3, 4], color='#cfe2f3', edgecolor='{BLUE}', label='sent')\naxes.bar([1, 3], [3, 4], color='#d4edda', edgecolor='{GREEN}', hatch='//', label='kept')\naxes.legend()"
    ),
    plot(
        f"axes.plot([1, 4, 9], color='{GREEN}', label='good')\naxes.plot([9, 4, 1], color='{RED}', label='bad')\naxes.legend()"
    ),
    plot("axes.pcolormesh(np.arange(36).reshape(6, 6), cmap='viridis')"),
    plot("axes.imshow(np.arange(36).reshape(6, 6), cmap='viridis')"),
    plot("axes.scatter([1, 2, 3], [1, 2, 3], color='#1f77b4', rasterized=True)"),
    plot("figure.colorbar(axes.pcolormesh(np.arange(64).reshape(8, 8), cmap='cividis'), ax=axes)"),
    plot(f"axes.set_title(r'$x_{{i}}^{{2}} + \\mu_{{max}}$')\naxes.plot([1, 4], color='{BLUE}')"),
    plot(f"axes.loglog([1, 10, 100], [1, 5, 9], color='{BLUE}')"),
    plot(f"axes.fill_between([0, 1, 2], [0, 1, 0], color='#cfe2f3')\naxes.plot([0, 1, 0], color='{BLUE}')"),
    plot(f"axes.hist([1, 2, 2, 3, 3, 3], bins=3, color='#d4edda', edgecolor='{GREEN}')"),
    plot(f"axes.errorbar([1, 2, 3], [1, 4, 9], yerr=1, color='{RED}', capsize=3)"),
    plot(
        f"axes.pie([3, 4, 5], labels=['reads', 'writes', 'idle'], colors=['#cfe2f3', '#d4edda', '#fdebd0'], wedgeprops={{'edgecolor': '{BLUE}'}})"
    ),
    plot(f"axes.step([0, 1, 2], [1, 3, 2], color='{BLUE}')\naxes.axhline(2, color='#767c83', ls=':')"),
    plot(
        f"axes.barh(['a', 'b', 'c'], [3, 1, 2], color=['#cfe2f3', '#d4edda', '#cfe2f3'], edgecolor='{BLUE}')"
    ),
    plot(
        f"axes.scatter([1, 2, 3], [3, 1, 2], c='{BLUE}', marker='o', label='cold')\naxes.scatter([1, 2, 3], [1, 2, 3], c='{GREEN}', marker='^', label='warm')\naxes.legend()"
    ),
    plot(
        f"axes.plot([1, 4, 9], color='{BLUE}')\naxes.annotate('knee', (1, 4), (0.2, 7), arrowprops={{'arrowstyle': '->'}})"
    ),
    plot(
        "axes.text(0.5, 0.5, 'warm-up', ha='center', bbox={'facecolor': '#fdebd0', 'edgecolor': '#c87b2a'})"
    ),
    svg(
        key([box("#cfe2f3", f'stroke="{BLUE}"'), box("url(#h)", f'stroke="{GREEN}"')])
        + f"<defs>{hatch('h', 'M0 6 L6 0')}</defs>"
    ),
    svg(
        key(
            [
                f'<path d="M0 5 H18" stroke="{BLUE}"/>',
                f'<path d="M0 5 H18" stroke="{GREEN}" stroke-dasharray="4 2"/>',
            ]
        )
    ),
    svg(
        key(
            [
                box("#cfe2f3", f'stroke="{BLUE}"'),
                box("#d4edda", f'stroke="{GREEN}"') + f'<rect y="8" width="18" height="2" fill="{GREEN}"/>',
            ]
        )
    ),
    svg(key([box("#2b2b2b"), box("#cfe2f3", f'stroke="{BLUE}"')])),
    svg(
        key(
            [
                box("#cfe2f3", f'stroke="{BLUE}"'),
                '<circle cx="9" cy="5" r="5" fill="#d4edda" stroke="#3d9e5a"/>',
            ]
        )
    ),
    svg(
        "\n".join(
            f'<rect x="10" y="{10 + 20 * n}" width="200" height="20" fill="{("#e9ecef", "#ffffff")[n % 2]}"/><text x="16" y="{24 + 20 * n}">row {n}</text>'
            for n in range(6)
        )
    ),
    svg(
        "\n".join(
            f'<rect x="{10 + 24 * n}" y="{10 + 40 * m}" width="20" height="30" fill="{("#cfe2f3", "#d4edda")[m]}" stroke="{(BLUE, GREEN)[m]}"/>'
            for n in range(5)
            for m in range(2)
        )
    ),
    svg(
        "\n".join(
            f'<circle cx="{30 + 40 * n}" cy="40" r="14" fill="{("#f9d6d5", "#d4edda")[n % 2]}" stroke="{(RED, GREEN)[n % 2]}"/><text x="{30 + 40 * n}" y="44" text-anchor="middle">{("no", "ok")[n % 2]}</text>'
            for n in range(6)
        )
    ),
    svg(
        '<defs><path id="chip-12" d="M0 0 H20 V14 H0 Z"/></defs>'
        + "".join(
            f'<use href="#chip-12" x="{20 + 30 * n}" y="20" fill="#cfe2f3" stroke="{BLUE}"/>'
            for n in range(5)
        )
    ),
    svg(
        '<defs><path id="Arrow-1" d="M0 0 L8 4 L0 8 Z"/></defs><use href="#Arrow-1" x="10" y="10"/><use href="#Arrow-1" x="30" y="10"/>'
    ),
    svg('<text x="10" y="40" font-size="14">x<tspan dy="4" font-size="7">i+1</tspan></text>'),
    svg(
        '<text x="5" y="15" font-size="5">small units, shown large</text>',
        size='viewBox="0 0 120 60" width="600" height="300"',
    ),
    svg('<g transform="scale(2)"><text x="10" y="20" font-size="5">drawn at twice its size</text></g>'),
    svg(
        '<linearGradient id="g"><stop stop-color="#cfe2f3"/><stop offset="1" stop-color="#d4edda"/></linearGradient><rect width="80" height="60" fill="url(#g)"/>'
    ),
    svg(
        '<rect width="120" height="60" fill="#f4f4f5" stroke="#8a8a8a"/><text x="10" y="30" fill="#444444">greys of all sorts</text>'
    ),
    # Typed off by one: becomes the palette's.
    svg('<rect width="80" height="60" fill="#cfe2f4" stroke="#4a90c5"/>'),
    svg(
        "\n".join(
            f'<rect x="{9 * n}" y="9" width="9" height="40" fill="hsl({9 * n}, 70%, 50%)"/>'
            for n in range(30)
        )
    ),
    svg(
        '<mask id="m"><rect width="80" height="60" fill="red"/></mask><rect width="80" height="60" fill="#cfe2f3" mask="url(#m)"/>'
    ),
    svg(
        f'<g fill="#b3d4ee" fill-opacity="0"><rect width="80" height="60" stroke="{BLUE}"/></g><text x="9" y="30">hollow</text>'
    ),
    # A gap, and a halo.
    svg(
        f'<rect width="90" height="60" fill="#cfe2f3"/><rect x="60" width="90" height="60" fill="#d4edda"/><path d="M60 -9 V70" stroke="#fff" stroke-width="4"/><path d="M5 80 H200" stroke="white" stroke-width="6"/><path d="M5 80 H200" stroke="{BLUE}"/>'
    ),
    svg(
        f'<rect width="300" height="200" fill="#fff" stroke="#ffffff"/><rect x="9" y="9" width="60" height="40" fill="white" stroke="{BLUE}"/><text x="20" y="33">hollow</text>'
    ),
    svg(
        '<linearGradient id="g"><stop stop-color="#2b2b2b"/><stop offset="1" stop-color="#ffffff"/></linearGradient><rect width="300" height="60" fill="url(#g)"/><text x="9" y="30" fill="#fff">loaded</text>'
    ),
    svg(
        '<path d="M50 50 L90 50 A40 40 0 1 1 50 10 Z" fill="#2b2b2b" stroke="#ffffff"/><text x="30" y="70" fill="#ffffff">idle</text>'
    ),
    plot(f"axes.bar(['a', 'b'], [3, 4], color='{BLUE}', edgecolor='white')\naxes.grid(color='white')"),
    svg(
        '<rect width="90" height="60" fill="#ff00ff"/>',
        ALT + ", lint: {off-palette: the colour is what the text is about}",
    ),
)


def write_defects(space: Space, step: int = 1) -> dict[str, str]:
    """A book of each n-th defect of each check; the check that must find it, by id of the figure or by path."""
    expected, counts = {}, Counter[str]()
    for number, (check, figure) in enumerate(DEFECTS):
        if counts[check] % step == 0:
            figure.write(space, f"d{number:02}")
            expected[f"d{number:02}"] = check
        counts[check] += 1
    for check, path, text in LOOSE:
        space.write({path: text})
        expected[path] = check
    return expected


def write_good(space: Space, step: int = 1) -> int:
    """A book of each n-th good figure; how many there are."""
    numbers = range(0, len(GOOD), step)
    for number in numbers:
        GOOD[number].write(space, f"g{number:02}")
    return len(numbers)
