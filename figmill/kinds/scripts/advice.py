"""Advice for scripts that cannot draw a figure as they are; found before anything runs. Pure.

Lines for IPython are not Python. A browser, or an engine that does not run within a script's limits, shows and saves
figures of plotly, bokeh and altair.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType

_BROWSER = (
    "a figure of {0}, which needs a browser to draw; export it as SVG, and name that file with `kind: svg`"
)
# Library -> what to do instead of showing or saving its figure.
LIBRARIES: Mapping[str, str] = MappingProxyType(
    {
        "plotly": _BROWSER.format("plotly"),
        "bokeh": _BROWSER.format("bokeh"),
        "altair": "a script cannot save a chart of altair; define draw() that returns the chart",
    }
)
# Libraries that draw with matplotlib: a script that imports one may draw with it.
DRAWN = frozenset({"matplotlib", "pylab", "seaborn", "plotnine"})
ENDS = frozenset({"show", "save", "write_image", "write_html", "savefig", "display"})


def of_line(text: str) -> str | None:
    """The advice for a line that Python cannot read; None if there is none."""
    line = text.strip()
    if not line.startswith(("%", "!")) or len(line) < 2 or not (line[1:2].isalpha() or line[1] in "%"):
        return None
    word = line.split()[0]
    return f"`{word}` is a command of IPython, not Python; leave the line out"


def of_script(tree: ast.Module) -> tuple[int, str] | None:
    """The line and the advice for a whole script that uses one of LIBRARIES and none of DRAWN."""
    libraries = dict(_imported(tree))
    if DRAWN & libraries.keys():
        return None
    library = next((name for name in LIBRARIES if name in libraries), None)
    if library is None:
        return None
    return next(_ends(tree), libraries[library]), LIBRARIES[library]


def _imported(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The libraries that a script imports, and where."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name.partition(".")[0], node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0], node.lineno


def _ends(tree: ast.Module) -> Iterator[int]:
    """The lines where something is shown or saved."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in ENDS:
                yield node.lineno
