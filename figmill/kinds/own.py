"""The kinds that figmill itself brings. The module of each draws, and only processes that draw import it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from figmill.kind.definition import BEFORE, Hint, Kind, Needs, Process
from figmill.kinds import dot_hints, starters


class Dot(Kind):
    """Graphs: Graphviz lays them out. A script may return one."""

    module = "figmill.kinds.dot"
    suffixes = (".dot", ".gv", ".py")
    fences = ("dot", "graphviz")
    counts = ("nodes", "edges")
    layouts = ("dot", "neato", "fdp", "sfdp", "circo", "twopi", "osage", "patchwork")
    beside_product = ".dot"
    libraries = (b"graphviz", b"pygraphviz")
    script_signs = (b"graphviz",)
    whole_scripts = False
    translates = BEFORE
    takes_roles = True
    is_graph = True
    reads_by_job = True
    needs = Needs(
        packages=("pygraphviz",),
        script_packages=("graphviz",),
        conda=("graphviz",),
        code=(
            "kind.notebook",
            "kind.script",
            "kind.script_facts",
            "kinds.dot",
            "kinds.dot_images",
            "kinds.dot_lexer",
            "kinds.dot_roles",
            "kinds.graphs",
        ),
    )
    starter = starters.DOT

    def hints(self, source: str) -> Iterable[Hint]:
        """More room, another direction, labels beside their edges."""
        return dot_hints.hints(source)


class Matplotlib(Kind):
    """Plots of scripts and notebooks: matplotlib's, and those of libraries that draw with it, and altair's charts."""

    module = "figmill.kinds.matplotlib_"
    suffixes = (".py", ".ipynb")
    beside_product = ".py"
    libraries = (b"matplotlib", b"pylab", b"seaborn", b"plotnine", b"altair")
    # pandas and the like load matplotlib themselves; the module that draws says why it takes no plotly and bokeh
    libraries_at_last = (b"pandas", b"geopandas", b"xarray", b"plotly", b"bokeh")
    # figmill's own generators draw with matplotlib too
    script_signs = (b"matplotlib", b"seaborn", b"altair", b"plotnine", b"figmill")
    translates = BEFORE
    # "tab10", the default cycle
    line_colours = frozenset(
        (
            "#1f77b4",
            "#ff7f0e",
            "#2ca02c",
            "#d62728",
            "#9467bd",
            "#8c564b",
            "#e377c2",
            "#7f7f7f",
            "#bcbd22",
            "#17becf",
        )
    )
    rasterises = True
    reads_by_job = True
    process = Process(loads_long=True, helpers=((b"altair", "figmill.kind.vega:begin"),))
    needs = Needs(
        packages=("matplotlib", "numpy", "pillow", "contourpy", "kiwisolver"),
        code=(
            "kind.formulas",
            "kind.notebook",
            "kind.script",
            "kind.script_facts",
            "kind.script_figures",
            "kind.vega",
            "kind.vega_data",
            "kind.vega_words",
            "kinds.matplotlib_",
            "kinds.plots",
        ),
    )
    starter = starters.MATPLOTLIB


class Svg(Kind):
    """Drawings by hand."""

    module = "figmill.kinds.svg"
    suffixes = (".svg", ".svgz")
    by_hand = True
    is_placed = True
    reads_by_job = True
    needs = Needs(code=("kinds.svg",))
    starter = starters.SVG


class Picture(Kind):
    """Photographs and screenshots."""

    module = "figmill.kinds.picture"
    suffixes = (".png", ".jpg", ".jpeg", ".webp")
    is_everyday = True
    translates = ""
    reads_by_job = True
    needs = Needs(packages=("pillow",), code=("kinds.picture",))


OWN: Mapping[str, Kind] = MappingProxyType(
    {"dot": Dot(), "matplotlib": Matplotlib(), "svg": Svg(), "picture": Picture()}
)
