"""The kinds that figmill itself brings. The module of each draws, and only processes that draw import it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from figmill.kind.definition import BEFORE, Hint, Kind, Needs, Process, Scripts, Taken
from figmill.kind.job import Job, memory_limit
from figmill.kinds import dot_hints, starters

if TYPE_CHECKING:
    from figmill.kind.answer import Ended

# What assert() of the C library writes: file, line and function, then what did not hold.
_ASSERTION = re.compile(r"(\S+:\d+: [^\n]*?): Assertion `[^\n]*' failed")


class Dot(Kind):
    """Graphs: Graphviz lays them out. A script may return one."""

    module = "figmill.kinds.dot"
    suffixes = (".dot", ".gv", ".py")
    fences = ("dot", "graphviz")
    counts = ("nodes", "edges")
    layouts = ("dot", "neato", "fdp", "sfdp", "circo", "twopi", "osage", "patchwork")
    beside_product = ".dot"
    scripts = Scripts(libraries=(b"graphviz", b"pygraphviz"), signs=(b"graphviz",), run_whole=False)
    translates = BEFORE
    takes = (Taken.ROLES,)
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

    def cause_of(self, ended: Ended, job: Job) -> str | None:
        """Without memory, Graphviz ends the process: by exit, by a failed assertion, or by a bad pointer."""
        if ended.status <= 0 and ended.how not in ("SIGABRT", "SIGBUS", "SIGSEGV", "SIGTRAP"):
            return None
        failed = _ASSERTION.search(ended.printed)
        if ended.status < 0 and ended.had_room(job.memory) and (failed or ended.how != "SIGTRAP"):
            reason = f"its own check '{failed[1]}' failed" if failed else ended.how
            return (
                f"Graphviz crashed on this graph because of a bug in Graphviz ({reason}); "
                "try another `engine` or another value of `splines`"
            )
        return f"Graphviz gave up ({ended.how}), usually for lack of memory; {memory_limit(job)}"


class Matplotlib(Kind):
    """Plots of scripts and notebooks: matplotlib's, and those of libraries that draw with it, and altair's charts."""

    module = "figmill.kinds.matplotlib_"
    suffixes = (".py", ".ipynb")
    beside_product = ".py"
    scripts = Scripts(
        libraries=(b"matplotlib", b"pylab", b"seaborn", b"plotnine", b"altair"),
        # pandas and the like load matplotlib themselves; the module that draws says why it takes no plotly and bokeh
        libraries_at_last=(b"pandas", b"geopandas", b"xarray", b"plotly", b"bokeh"),
        # figmill's own generators draw with matplotlib too
        signs=(b"matplotlib", b"seaborn", b"altair", b"plotnine", b"figmill"),
    )
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
    takes = (Taken.RASTERISE, Taken.CYCLE, Taken.MEGAPIXELS)
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
    needs = Needs(code=("kinds.svg",))
    starter = starters.SVG


class Picture(Kind):
    """Photographs and screenshots."""

    module = "figmill.kinds.picture"
    suffixes = (".png", ".jpg", ".jpeg", ".webp")
    translates = ""
    needs = Needs(packages=("pillow",), code=("kinds.picture",))


OWN: Mapping[str, Kind] = MappingProxyType(
    {"dot": Dot(), "matplotlib": Matplotlib(), "svg": Svg(), "picture": Picture()}
)
