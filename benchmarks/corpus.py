"""Books to measure with: any folder of plain pyplot scripts, or a large book of generated questions."""

from __future__ import annotations

import shutil
from pathlib import Path

# What every script of a corpus gets at its end, for every side that draws it: it saves where it is told to.
SAVE = (
    "\n\nimport os as _os\nimport matplotlib.pyplot as _plt\n"
    "_plt.savefig(_os.environ['VISUAL_OUT_PATH'], format='svg')\n"
)


def scripts(folder: Path) -> list[Path]:
    """The scripts below a folder that draw with pyplot and need no window, no input and no other package."""
    wanted = []
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        foreign = (
            "FuncAnimation",
            "sample_data",
            "ginput",
            "waitforbuttonpress",
            "usetex",
            "basemap",
            "pandas",
            "scipy",
            "PIL",
            "imshow",
            "pcolormesh",
            "figimage",
            "matplotlib.use(",
            "tkinter",
            "gtk",
            "Qt",
            "timer",
            "widgets",
            "argparse",
            "imread",
            "xkcd",
        )
        if "plt.show()" in text and not any(word in text for word in foreign):
            wanted.append(path)
    return wanted


def book_of_scripts(folder: Path, root: Path, count: int) -> list[Path]:
    """A book with a question for each of the first `count` scripts below `folder`; returns the sources."""
    sources = []
    for number, path in enumerate(scripts(folder)[:count]):
        name = f"s-{number:03d}"
        source = root / "visuals" / f"{name}.py"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(path.read_text(encoding="utf-8") + SAVE, encoding="utf-8")
        question = root / "questions" / f"{name}.yaml"
        question.parent.mkdir(parents=True, exist_ok=True)
        question.write_text(
            f"id: {name}\nvisual: {{kind: matplotlib, source: {name}.py, alt: What {path.stem} shows.}}\n",
            encoding="utf-8",
        )
        sources.append(source)
    return sources


PROSE = (
    "scenario: >-\n"
    + "  A cluster of eight ranks reduces gradients over a tree, and one link is slow today.\n" * 5
    + "question: How long does a step take?\nanswer: >-\n"
    + "  It takes the slowest path, twice, and that is the point of it.\n" * 6
)


def large_book(root: Path, questions: int, figures: int) -> None:
    """`questions` files of about 1 kB, every n-th with a graph of ten nodes."""
    shutil.rmtree(root, ignore_errors=True)
    every = questions // figures
    for number in range(questions):
        track, name = f"t{number % 20:02d}", f"q-{number:05d}"
        text = f"id: {name}\ntrack: {track}\ntitle: Question number {number}\n"
        if number % every == 0:
            text += f"visual:\n  source: {name}.dot\n  alt: A chain of ten nodes, number {number}.\n"
            source = root / "visuals" / track / f"{name}.dot"
            source.parent.mkdir(parents=True, exist_ok=True)
            source.write_text(graph(number), encoding="utf-8")
        file = root / "questions" / track / f"{name}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + PROSE, encoding="utf-8")


def graph(number: int) -> str:
    """DOT text of ten nodes."""
    edges = "".join(f'  n{k} -> n{k + 1} [label="{number}"]\n' for k in range(9))
    return f"digraph {{\n  rankdir=LR\n{edges}}}\n"
