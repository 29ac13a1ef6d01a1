"""The return value of draw() becomes matplotlib's figure in it, or SVG made by another library.

One table lists the accepted types and their conversions. It matches class names, so that only libraries imported by
the script are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from figmill.kind.vega import altair_svg

# arguments: the value and a seed; returns a Figure, or SVG as bytes
How: TypeAlias = Callable[[Any, int], Any]


class NotTakenError(Exception):
    """The value does not contain a figure; the message says what it is, and what would be right."""


def figure_of(value: Any, seed: int) -> Any:
    """A Figure, or SVG as bytes. seed: for random placement of nodes. Raises NotTakenError."""
    how = _how(value)
    if how is not None:
        return how(value, seed)
    if _is_many(value):
        return _only(value, seed)
    name = "None" if value is None else "numbers" if _is_number(value) else f"a {type(value).__name__}"
    advice = "; does it end in `return figure`?" if value is None else ""
    if _is_number(value):
        advice = "; show an array with ax.imshow() or ax.plot(), and return the figure"
    raise NotTakenError(
        f"draw() must return a matplotlib Figure or Drawing(figure, facts), not {name}{advice}"
    )


def _how(value: Any) -> How | None:
    """The first row of the table for one of the value's classes, nearest class first."""
    names = (f"{cls.__module__}.{cls.__qualname__}" for cls in type(value).__mro__)
    return next((how for name in names for start, how in TAKEN.items() if _fits(name, start)), None)


def _fits(name: str, start: str) -> bool:
    return name == start or (start.endswith(".") and name.startswith(start))


def _is_many(value: Any) -> bool:
    return isinstance(value, list | tuple | dict) or str(getattr(value, "dtype", "")) == "object"


def _is_number(value: Any) -> bool:
    """Whether it is a number or an array of numbers."""
    return isinstance(value, int | float | complex) or hasattr(value, "dtype")


def _only(values: Any, seed: int) -> Any:
    """The single figure of several things: axes in a list or an array, the result of ax.hist()."""

    figures = {id(figure): figure for figure in _figures(values, seed, 0)}
    if not figures:
        raise NotTakenError(
            f"draw() returned a {type(values).__name__} with no figure in it; return the figure or its axes"
        )
    if len(figures) > 1:
        raise NotTakenError(
            f"draw() returned {len(figures)} figures; return one, and make a question for each of the others"
        )
    (figure,) = figures.values()
    return figure


def _figures(values: Any, seed: int, depth: int) -> Iterator[Any]:
    inside = (
        values.values() if isinstance(values, dict) else values.flat if hasattr(values, "flat") else values
    )
    for value in inside:
        how = _how(value)
        if how is not None:
            yield how(value, seed)
        elif _is_many(value) and depth < 4:
            yield from _figures(value, seed, depth + 1)


def _of_artist(artist: Any, _seed: int) -> Any:
    figure = artist.get_figure(root=True)
    if figure is None:
        raise NotTakenError(f"draw() returned a {type(artist).__name__} that is in no figure; add it to one")
    return figure


def _of_container(container: Any, seed: int) -> Any:
    return _of_artist(next(iter(container.get_children())), seed)


def _of_network(graph: Any, seed: int) -> Any:
    """A figure as drawn by networkx.draw_networkx, with the same positions on every run."""
    import networkx
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.add_subplot()
    axes.set_axis_off()
    networkx.draw_networkx(graph, networkx.spring_layout(graph, seed=seed), ax=axes)
    return figure


def _of_module(module: Any, _seed: int) -> Any:
    """`return plt` means the figure that pyplot draws on."""
    if module.__name__ != "matplotlib.pyplot":
        raise NotTakenError(f"draw() returned the module {module.__name__}; return the figure")
    if not module.get_fignums():
        raise NotTakenError("draw() returned matplotlib.pyplot, and no figure is open; return the figure")
    return module.gcf()


def _no(value: str) -> How:
    def refuse(_value: Any, _seed: int) -> Any:
        raise NotTakenError(f"draw() returned {value}")

    return refuse


# A class, or its package -> the conversion to a figure. The first match counts.
TAKEN: Mapping[str, How] = MappingProxyType(
    {
        "matplotlib.figure.Figure": lambda figure, _: figure,
        "matplotlib.artist.Artist": _of_artist,  # axes, subfigures, and all their content
        "matplotlib.container.Container": _of_container,
        "matplotlib.animation.Animation": _no(
            "an animation, and figures do not move; return one figure, such as its last frame"
        ),
        # FacetGrid, PairGrid, JointGrid, ClusterGrid
        "seaborn.axisgrid._BaseGrid": lambda grid, _: grid.figure,
        "seaborn._core.plot.Plot": lambda plot, _: plot.plot()._figure,
        "seaborn._core.plot.Plotter": lambda plotter, _: plotter._figure,
        "plotnine.ggplot.ggplot": lambda plot, _: plot.draw(),
        "networkx.classes.graph.Graph": _of_network,
        "altair.": altair_svg,
        "graphviz.graphs.BaseGraph": _no("a graph of graphviz; write `kind: dot` in its question"),
        "pygraphviz.agraph.AGraph": _no("a graph of pygraphviz; write `kind: dot` in its question"),
        "plotly.": _no(
            "a figure of plotly, which needs a browser to draw; export it as SVG, with `kind: svg`"
        ),
        "bokeh.": _no("a figure of bokeh, which needs a browser to draw; export it as SVG, with `kind: svg`"),
        "holoviews.": _no("an element of holoviews; return hv.render(element, backend='matplotlib')"),
        "pandas.": _no("a table of pandas, not a figure; return what its .plot() returns"),
        "polars.": _no("a table of polars, not a figure; draw it, and return the figure"),
        "builtins.module": _of_module,
        "PIL.Image.Image": _no("a picture; show it with ax.imshow() and return the figure"),
    }
)
