"""The figures of a whole script, as authors write them: each show() ends one, and so does a file that is saved."""

from __future__ import annotations

import base64
import re
import shutil
import struct
import subprocess
import sys

import pytest
from helpers.book import Ran, Space, believed
from lxml import etree

LOOP = """\
import matplotlib
matplotlib.use("TkAgg")
import matplotlib.pyplot as plt
for name in ("loss", "accuracy"):
    plt.plot([1, 2, 3])
    plt.title(name)
    plt.pause(60)
    plt.show()
"""
OPEN = """\
import matplotlib.pyplot as plt
plt.switch_backend("qtagg")
plt.figure()
plt.plot([1, 2])
plt.figure("second")
plt.title("two")
plt.figure()
"""
SAVED = """\
import matplotlib.pyplot as plt
plt.title("one")
plt.savefig("nowhere/x.svg")
plt.savefig("x.png", dpi=30)
plt.savefig(__file__.replace(".py", ".pdf"))
plt.close()
assert open("x.png", "rb").read(4) == b"\\x89PNG"
"""
SHOWN_FIRST = """\
import matplotlib.pyplot as plt
plt.title("as it was")
plt.show()
plt.savefig("late.png")
"""
CHANGED = """\
import matplotlib.pyplot as plt
figure, axes = plt.subplots(figsize=(2, 2))
for number in range(9):
    axes.clear()
    axes.set_title(f"step {number}")
    figure.savefig(f"frame{number}.png", dpi=10)
"""
OWN = """\
import os
import matplotlib.pyplot as plt
plt.title("aside")
plt.savefig("aside.svg")
plt.close()
plt.title("own")
plt.savefig(os.environ["VISUAL_OUT_PATH"])
"""
SCRIPTS = {"loop": LOOP, "open": OPEN, "saved": SAVED, "first": SHOWN_FIRST, "changed": CHANGED, "own": OWN}
STYLED = """\
import figmill
import matplotlib.pyplot as plt
import numpy as np
figmill.style()
for n in range(3):
    plt.plot([0, n + 1], label=f"run {n}")
plt.legend()
figmill.facts(mean=np.float64(2.5), runs=3)
"""
UNSTYLED = STYLED.replace("figmill.style()\n", "")
UNFIT = UNSTYLED.replace("runs=3", "runs=object()")
# Name of a figure -> its script, and which figure of it is chosen.
CHOSEN = {
    "a": ("loop", "1"),
    "b": ("loop", "accuracy"),
    "c": ("open", "second"),
    "d": ("frames", "frame1"),
}
NOT_THERE = {"a": ("loop", "3"), "b": ("loop", "Loss"), "c": ("draw", "1"), "d": ("loop", "0")}


def titled(space: Space, name: str) -> str:
    """The heading of a built figure: the only text in the size of headings."""
    root = etree.fromstring(space.read(f"build/global/{name}.svg").encode())
    sizes = {float(node.get("font-size", "0")): node for node in root.iter("{*}text")}
    return "".join(sizes[max(sizes)].itertext())


def chosen(space: Space, id_: str, rows: dict[str, tuple[str, str]]) -> Space:
    lines = [
        f"- {{name: {name}, kind: matplotlib, source: {source}.py, alt: a plot, figure: {figure}}}"
        for name, (source, figure) in rows.items()
    ]
    return space.write({f"questions/{id_}.yaml": f"id: {id_}\nvisuals:\n" + "\n".join(lines) + "\n"})


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Space, Ran]:
    """Scripts of all sorts in one book, built, and what was said. Not to be changed."""
    space = Space(tmp_path_factory.mktemp("shown"))
    scripts = {**SCRIPTS, "frames": CHANGED.replace("range(9)", "range(2)"), "styled": STYLED, "plain": UNFIT}
    space.write({f"visuals/{name}.py": text for name, text in scripts.items()})
    space.write({"visuals/draw.py": "def draw():\n    pass\n", "visuals/h.svg": "<svg/>"})
    for name in SCRIPTS:
        space.question(name, f"kind: matplotlib, source: {name}.py, alt: a plot")
    space.question(
        "styled", "source: styled.py, alt: 'Three runs, {mean:.1f} on average', expect: {facts: {runs: 3}}"
    )
    space.question("plain", "source: plain.py, alt: three runs in lines")
    space.question("h", "source: h.svg, alt: a drawing, figure: 1")
    chosen(chosen(space, "q", CHOSEN), "none", NOT_THERE)
    ran = space.run("--jobs", "1")
    assert ran.code == 1
    return space, ran


def told(ran: Ran, *starts: str) -> list[str]:
    """The lines that begin with one of these."""
    return [line for line in ran.err.splitlines() if line.startswith(starts)]


def test_a_script_with_one_figure_however_it_ends_it(shown: tuple[Space, Ran]) -> None:
    space, ran = shown
    names = ("saved", "first", "own")
    assert told(ran, *(f"{place}/{name}." for place in ("visuals", "questions") for name in names)) == []
    assert [titled(space, name) for name in names] == ["one", "as it was", "own"]
    assert not [*(space.root / "visuals").glob("*.pdf")]


def test_one_line_gives_the_look_of_the_book_and_one_states_facts(shown: tuple[Space, Ran]) -> None:
    space, ran = shown
    assert told(ran, "visuals/plain.py", "visuals/styled.py", "questions/styled.yaml") == [
        "visuals/plain.py:7: fact 'runs' is of type object; use a number, text, true, false or null, or a list of these"
    ]
    light, dark = (space.read(f"build/global/styled{theme}.svg") for theme in ("", ".dark"))
    assert "Three runs, 2.5 on average" in light
    assert all(f'stroke="{line}"' in light for line in ("#4a90c4", "#c87b2a", "#3d9e5a"))
    assert all(f'stroke="{line}"' in dark for line in ("#6db3e8", "#e8a657", "#5fc47f"))
    assert "stroke-dasharray" in light and "styled" not in space.run("lint", "--id", "styled").out
    script = [sys.executable, str(space.root / "visuals/styled.py")]
    assert subprocess.run(script, check=False).returncode == 0  # without a build


def test_the_cycle_of_the_book(space: Space) -> None:
    space.write({"visuals/a.py": UNSTYLED})
    space.question("a", "source: a.py, alt: three runs in lines")
    assert space.run("--jobs", "1").code == 0 and 'stroke="#1f77b4"' in space.read("build/global/a.svg")
    space.write({"figmill.toml": 'cycle = "book"\n'})
    assert "(cycle)" in space.run("--jobs", "1").out
    assert 'stroke="#4a90c4"' in space.read("build/global/a.svg")


def test_several_figures_are_named_and_none_is_published(shown: tuple[Space, Ran]) -> None:
    space, ran = shown
    names = ("changed", "loop", "open")
    assert [
        path for path in space.outputs() if path.startswith(tuple(f"build/global/{n}." for n in names))
    ] == []
    advice = "; choose one with `figure: 1`, or list several under `visuals:`"
    frames = ", ".join(f"{n + 1} 'frame{n}' (line 6)" for n in range(8))
    assert [line for line in ran.err.splitlines() if "it makes" in line and "it has" not in line] == [
        f"visuals/changed.py:6: it makes 9 figures: {frames} and 1 more{advice}",
        f"visuals/loop.py:8: it makes 2 figures: 1 'loss' (line 8), 2 'accuracy' (line 8){advice}",
        f"visuals/open.py: it makes 2 figures: 1, 2 'second'{advice}",
    ]


def test_a_number_or_a_name_chooses(shown: tuple[Space, Ran], space: Space) -> None:
    built, ran = shown
    assert told(ran, "questions/q.yaml") == [] and "(q-" not in ran.err
    assert [titled(built, f"q-{name}") for name in CHOSEN] == ["loss", "accuracy", "two", "step 1"]
    shutil.copytree(built.root, space.root, dirs_exist_ok=True)
    believed(space.root)
    for path in space.root.glob("questions/*"):
        if path.name != "q.yaml":
            path.unlink()
    assert space.run().out.endswith("4 figures, all fresh\n") and space.run("--check").code == 0
    chosen(space, "q", {**CHOSEN, "a": ("loop", "2")}).run("--jobs", "1")  # another figure of the same script
    assert titled(space, "q-a") == "accuracy"


def test_a_figure_that_is_not_there_is_told_with_those_that_are(shown: tuple[Space, Ran]) -> None:
    said = shown[1].err
    there = "it makes 1 'loss' (line 8), 2 'accuracy' (line 8)"
    assert f"visuals/loop.py: it has no figure '3'; {there} (none-a)" in said
    assert f"visuals/loop.py: it has no figure 'Loss'; {there} (none-b)" in said
    assert re.search(
        r"none.yaml:5:\d+: draw\(\) of visuals/draw.py returns one figure; leave `figure` out", said
    )
    assert re.search(r"none.yaml:6:\d+: figure must be a number from 1, or a name, not 0", said)
    assert (
        "figure chooses one of several that a script for matplotlib or schemdraw draws; 'h.svg' draws one"
        in said
    )


DENSE = """\
import matplotlib.pyplot as plt
figure, axes = plt.subplots(figsize=(6, 4))
axes.plot(range(1000), [n % 7 for n in range(1000)], "o", rasterized=True)
plt.show()
"""


@pytest.mark.parametrize("limits", [(0.6, 0.3), pytest.param((4, 0.6, 0.3), marks=pytest.mark.soak)])
def test_the_book_s_limit_of_pixels_reaches_the_drawing(space: Space, limits: tuple[float, ...]) -> None:
    """A picture is drawn with as many pixels as may be published, so none is made smaller afterwards."""
    space.write({"visuals/dense.py": DENSE}).question(
        "dense", "kind: matplotlib, source: dense.py, alt: a plot"
    )
    sides = {}
    for most in limits:
        space.write({"figmill.toml": f"[limits]\nmegapixels = {most}\n"})
        done = space.run("--jobs", "1")
        assert (done.code, done.err) == (0, ""), most
        (picture,) = re.findall(r"data:image/png;base64,([^\"]+)", space.read("build/global/dense.svg"))
        sides[most] = struct.unpack(">II", base64.b64decode(picture)[16:24])
        assert sides[most][0] * sides[most][1] <= most * 1e6
    # With half of the pixels, the area is half as large.
    areas = {most: width * height for most, (width, height) in sides.items()}
    assert areas[0.3] * 2 == pytest.approx(areas[0.6], rel=0.05)
    assert [*areas.values()] == sorted(areas.values(), reverse=True)
