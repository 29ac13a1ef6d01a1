"""matplotlib without what it does for nobody: faster to load, and the same to a script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from helpers.book import Space
from matplotlib import _afm, artist, get_data_path

from figmill.enclosure import sandbox
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


WARMED = """
import json, os, sys
from matplotlib import _afm
read, whole = [], _afm._parse_header

def counted(file):
    read.append(file.name)
    return whole(file)

_afm._parse_header = counted
from figmill.kinds import KINDS
KINDS["matplotlib"].load().warm(())
before = len(read)
from matplotlib import font_manager
font_manager.fontManager.addfont(sys.argv[1])
links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")] if sys.platform == "linux" else []
fonts = [link for link in links if os.path.exists(link) and os.readlink(link).endswith(".ttf")]
named = sorted({entry.name for entry in font_manager.fontManager.afmlist})
print(json.dumps([before, len(read), named, fonts]))
"""


def test_no_metrics_of_fonts_are_read_that_no_figure_is_drawn_with(tmp_path: Path) -> None:
    """Afterwards a script can read them; and no font's file is left open, whose position children would share."""
    font = Path(get_data_path(), "fonts", "afm", "phvr8a.afm")
    home = dict.fromkeys(("HOME", "MPLCONFIGDIR"), str(tmp_path))
    ran = subprocess.run(
        [sys.executable, "-c", WARMED, str(font)],
        env={**os.environ, **sandbox.FIXED, **home},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == [0, 1, ["Helvetica"], []]
    assert ran.stderr == ""


def test_a_matplotlib_without_such_metrics_loads_as_ever() -> None:
    kept = _afm.AFM
    del _afm.AFM
    try:
        with loading.without_metrics():
            assert not hasattr(_afm, "AFM")
    finally:
        _afm.AFM = kept  # type: ignore[misc]
    with loading.without_metrics():
        assert _afm.AFM is not kept
    assert _afm.AFM is kept
