"""matplotlib without its composed docstrings: faster to load, and the same to a script."""

from __future__ import annotations

from helpers.book import Space
from matplotlib import artist

from figmill.kinds.plots import loading

SCRIPT = """\
import inspect

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from figmill import Drawing


class Mine(Line2D):
    def set_tail(self, tail):
        self.tail = tail


class Own(Patch):
    def set(self, **properties):
        return "mine"


class Heir(Own):
    pass


def draw():
    figure = Figure(figsize=(3, 2))
    axes = figure.add_subplot()
    axes.set(title="Set at once", xlim=(0, 2))
    (line,) = axes.plot([1, 2])
    line.set(color="red", lw=3)
    other = Mine([0, 1], [0, 1])
    other.set(tail=7, linewidth=2)
    axes.add_line(other)
    assert Heir().set(color="red") == "mine"
    signature = ",".join(inspect.signature(Mine.set).parameters)
    told = int("tail" in signature) + int("linewidth" in Mine.set.__doc__)
    return Drawing(figure, facts={"tail": other.tail, "told": told})
"""


def test_classes_are_set_and_made_as_ever(space: Space) -> None:
    space.write({"visuals/a.py": SCRIPT})
    space.question("a", "kind: matplotlib, source: a.py, alt: 'A line, {tail}, {told}'")
    ran = space.run()
    assert ran.code == 0, ran.err + ran.out
    svg = space.read("build/global/a.svg")
    assert "Set at once" in svg and "A line, 7, 2" in svg


def test_this_matplotlib_has_what_is_left_out() -> None:
    assert loading.COMPOSER in vars(artist.Artist) and callable(getattr(artist, loading.LIST))


def test_a_matplotlib_that_has_it_not_loads_as_ever() -> None:
    kept = artist.kwdoc
    del artist.kwdoc
    try:
        with loading.undocumented():
            assert not hasattr(artist, "kwdoc")
    finally:
        artist.kwdoc = kept
    with loading.undocumented():
        assert artist.kwdoc(artist.Artist) == ""
    assert artist.kwdoc is kept
