"""The figures of a whole script: those that it shows with `plt.show()`, saves to a file, or leaves open at its end.

Each is drawn at the moment at which the script finishes it, because a script may change it afterwards. A figure that is
ended twice and looks the same counts once. This module does not know how a figure becomes SVG.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from functools import wraps
from pathlib import Path
from typing import Any

from figmill.late_dataclasses import dataclass

MANY = 8  # figures that a message lists
LONG = 40  # characters of a name in a message


class NotOneError(Exception):
    """A script ends no figure, or several, and the question selects none; the message lists them. line: of the
    second.
    """

    def __init__(self, text: str, line: int | None = None) -> None:
        super().__init__(text)
        self.line = line


@dataclass(slots=True)
class EndedFigure:
    """One figure. names: those by which it can be chosen, as well as by its number. line: of the script, where it
    ended.

    digest: of its SVG; None if it was not drawn, because the question wants another one.
    """

    figure: Any
    digest: bytes | None
    line: int | None
    names: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Collection:
    """The figures of a script in the order in which it ended them.

    wanted: a number from 1, or a name; empty: the only one. drawn: figure -> SVG. own: the path of the file that
    figmill reads itself, so it is not in this list. root: the book's; nothing is saved in it. titles: what a figure is
    called.
    """

    wanted: str
    drawn: Callable[[Any], bytes]
    line: Callable[[], int | None]
    own: str
    root: str
    titles: Callable[[Any], list[str]] = lambda figure: _titles(figure)
    figures: list[EndedFigure] = field(default_factory=list)
    svgs: dict[int, bytes] = field(default_factory=dict)  # by index: of figures that may be wanted
    is_drawing: bool = False
    cell: tuple[str, ...] = ()  # the tags of the notebook's cell that runs
    saved: Any = None  # the figure saved as `own`

    def end(self, figure: Any, name: str = "", *, is_over: bool = False) -> None:
        """Add a finished figure. is_over: the script no longer changes it, so it is drawn only if it is wanted."""
        index, svg = len(self.figures), None
        earlier = [n for n, ended in enumerate(self.figures) if ended.figure is figure]
        names = [title for title in (*self.cell, name) if title]
        if earlier or not is_over or self._is_wanted(index, [*names, *self.titles(figure)]):
            svg = self._svg(figure)
        digest = None if svg is None else hashlib.sha256(svg).digest()
        index = next((n for n in earlier if self.figures[n].digest in (digest, None)), index)
        if index == len(self.figures):
            self.figures.append(EndedFigure(figure, digest, self.line(), self.titles(figure)))
        ended = self.figures[index]
        ended.names[:0] = [title for title in names if title not in ended.names]
        if svg is not None and self._is_wanted(index, ended.names):
            self.svgs[index] = svg

    def _svg(self, figure: Any) -> bytes:
        self.is_drawing = True
        try:
            return self.drawn(figure)
        finally:
            self.is_drawing = False

    def _is_wanted(self, index: int, names: Iterable[str]) -> bool:
        return self.wanted in (str(index + 1), *names) if self.wanted else index == 0

    def end_open(self, *, close: bool) -> None:
        """End the figures that pyplot has open. Blank ones count only if there are no others."""
        from matplotlib import pyplot

        figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
        drawn = [figure for figure in figures if _holds_something(figure)]
        for figure in drawn or (figures if not self.figures else ()):
            self.end(figure, is_over=True)
        if close:
            pyplot.close("all")

    def chosen(self) -> bytes | None:
        """The SVG of the selected figure; None if the script has ended none. Raises NotOneError."""
        if not self.figures:
            return None
        called = [index for index, ended in enumerate(self.figures) if self.wanted in ended.names]
        numbered = [index for index in range(len(self.figures)) if self.wanted == str(index + 1)]
        fitting = numbered or called if self.wanted else [*range(len(self.figures))]
        if not fitting:
            raise NotOneError(f"it has no figure '{self.wanted}'; it makes {_list(self.figures)}")
        first, *others = fitting
        if others:
            many = f"it makes {len(self.figures)} figures: {_list(self.figures)}"
            if self.wanted:
                many = f"several of its figures are called '{self.wanted}': {_list(self.figures)}"
            advice = "choose one with `figure: 1`, or list several under `visuals:`"
            raise NotOneError(f"{many}; {advice}", self.figures[others[0]].line)
        return self.svgs[first]


def _titles(figure: Any) -> list[str]:
    """The names of a figure: its label, or else its heading and those of its axes."""
    label = str(figure.get_label())
    axes = figure.axes
    headings = (figure.get_suptitle(), axes[0].get_title() if len(axes) == 1 else "")
    return [" ".join(text.split()) for text in (label, *headings) if text.strip()][:1]


def _list(figures: Iterable[EndedFigure]) -> str:
    """The figures as text: 1 'loss' (line 12), 2 (line 20)."""
    rows = [*figures]
    entries = []
    for number, ended in enumerate(rows[:MANY], 1):
        name = f" '{ended.names[0][:LONG]}'" if ended.names else ""
        line = f" (line {ended.line})" if ended.line else ""
        entries.append(f"{number}{name}{line}")
    return ", ".join(entries) + (f" and {len(rows) - MANY} more" if len(rows) > MANY else "")


def _holds_something(figure: Any) -> bool:
    contents = (
        figure.axes,
        figure.texts,
        figure.lines,
        figure.patches,
        figure.images,
        figure.artists,
        figure.legends,
        figure.subfigs,
    )
    return any(contents)


_collecting: ContextVar[Collection | None] = ContextVar("collecting", default=None)


@contextmanager
def collecting(collection: Collection) -> Iterator[Collection]:
    """While the context is open, this collection receives what a script shows and saves."""
    token = _collecting.set(collection)
    try:
        yield collection
    finally:
        _collecting.reset(token)


def current() -> Collection | None:
    """The collection of the script that runs."""
    return _collecting.get()


def settle() -> None:
    """Patch how figures are shown and saved, once per process. A script's choice of a window system has no effect."""
    import matplotlib
    from matplotlib import pyplot
    from matplotlib.figure import Figure

    pyplot.switch_backend("agg")
    plain = Figure.savefig

    @wraps(plain)
    def save(self: Any, fname: Any, **options: Any) -> None:
        collection = current()
        if collection is None or collection.is_drawing:
            plain(self, fname, **options)
            return
        path = os.path.abspath(os.fsdecode(fname)) if isinstance(fname, str | bytes | os.PathLike) else None
        if path == collection.own or path is None or not _is_of_the_book(path, collection.root):
            plain(self, fname, **options)
        if path == collection.own:
            collection.saved = self
        elif path is not None:
            collection.end(self, Path(path).stem)

    def save_current(*args: Any, **options: Any) -> Any:
        """Save like pyplot, without redrawing for a window; a figure that was shown can still be saved."""
        collection = current()
        is_over = collection is not None and collection.figures and not pyplot.get_fignums()
        figure = collection.figures[-1].figure if collection is not None and is_over else pyplot.gcf()
        return figure.savefig(*args, **options)

    def show(*_: Any, block: bool | None = None, **__: Any) -> None:
        collection = current()
        if collection is not None and block is not False and not pyplot.isinteractive():
            collection.end_open(close=True)

    Figure.savefig = save  # type: ignore[method-assign]
    Figure.show = _nothing  # type: ignore[method-assign]
    pyplot.savefig = wraps(pyplot.savefig)(save_current)
    pyplot.show = show
    pyplot.pause = _nothing
    pyplot.switch_backend = _nothing
    matplotlib.use = _nothing


def _nothing(*_: Any, **__: Any) -> None:
    """Do nothing: a script may be written for a screen."""


def _is_of_the_book(path: str, root: str) -> bool:
    """Whether a script would save into the book, or into a folder that does not exist where it runs."""
    folder = os.path.dirname(path)
    return not os.path.isdir(folder) or os.path.realpath(path).startswith(root)


def line_in(filename: str) -> int | None:
    """The line of this file that is running, even if it has called other code."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == filename:
            return int(frame.f_lineno)
        frame = frame.f_back
    return None
