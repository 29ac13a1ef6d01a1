"""`make compare`: figmill beside what its users would otherwise take, with the same figures, in one run.

    python -m benchmarks.compare [--figures 20] [--rounds 3] [--place FOLDER] [--sheet FILE.png]

Installs the other tools into FOLDER (by default dist/compare), where the next run finds them. What cannot be had is
named at the end, and the rest is measured. Prints the tables of docs/developers/comparison.md.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.compare import figures as made
from benchmarks.compare import looks, measure
from benchmarks.compare.measure import Took
from benchmarks.compare.tools import TOOLS, Machine, Tool, machine

ROOT = Path(__file__).parents[2]
COLUMNS = (
    "figures",
    "tool",
    "picture",
    "words that are text",
    "dark versions",
    "author's descriptions",
    "findings of `figmill lint`",
    "findings of axe, light and dark page",
    "same bytes twice",
    "in another folder",
)


@dataclass(frozen=True, slots=True)
class Runs:
    """A tool's runs, in rounds: from nothing, with nothing changed, with one figure changed; and its pictures."""

    cold: list[Took]
    same: list[Took]
    one: list[Took]
    pictures: list[Path]
    pages: list[Path]
    steady: bool  # the same bytes twice
    placeless: bool  # the same bytes in another folder


def books(tool: Tool, count: int, place: Path, rounds: int, there: Machine) -> Runs:
    """Draw a book of the tool again and again; in the last round only from nothing, in another folder."""
    figures = made.figures(tool.kind, count)
    changed = [made.changed(tool.kind), *figures[1:]]
    cold, same, one = [], [], []
    drawn = []
    for number in range(rounds):
        root = place / ("book" if number < rounds - 1 else "another-folder/book")
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        tool.write(root, figures, there)
        command = tool.command(root, there)
        cold.append(measure.run(command, root))
        drawn.append(measure.digests(products(tool, root, count)))
        if number == rounds - 1:
            break
        same.append(measure.run(command, root))
        tool.write(root, changed, there)
        one.append(measure.run(command, root))
    pages = sorted(root.glob(tool.pages)) if tool.pages else []
    return Runs(
        cold, same, one, products(tool, root, count), pages, drawn[0] == drawn[-2], drawn[0] == drawn[-1]
    )


def products(tool: Tool, root: Path, count: int) -> list[Path]:
    """The pictures of a book. Raises SystemExit unless there is one for each figure."""
    found = sorted(root.glob(tool.products))
    if len([path for path in found if ".dark." not in path.name]) != count:
        raise SystemExit(f"{tool.name} made {len(found)} pictures of {count} figures in {root}")
    return found


def seconds(times: Sequence[Took], what: str) -> float:
    return statistics.median(getattr(took, what) for took in times)


def ratio(one: float, other: float) -> str:
    return f"{one / other:.1f}x" if one / other < 10 else f"{one / other:.0f}x"


def speed_row(tool: Tool, runs: Runs, best: Runs) -> str:
    cells = []
    for name in ("cold", "same", "one"):
        here, there = getattr(runs, name), getattr(best, name)
        cell = f"{seconds(here, 'clock'):.2f} s, {seconds(here, 'used'):.2f} s"
        if runs is not best:
            cell += (
                f": {ratio(seconds(here, 'clock'), seconds(there, 'clock'))}, "
                f"{ratio(seconds(here, 'used'), seconds(there, 'used'))}"
            )
        cells.append(cell)
    return f"| {tool.kind} | {tool.name} | {' | '.join(cells)} |"


def outputs_row(tool: Tool, runs: Runs, there: Machine, count: int) -> str:
    figures = made.figures(tool.kind, count)
    light = [path for path in runs.pictures if ".dark." not in path.name]
    dark = [path for path in runs.pictures if ".dark." in path.name]
    size = statistics.mean(path.stat().st_size for path in light) / 1000
    sort = light[0].suffix[1:].upper()
    contrast = "pictures: not checked"
    if sort == "SVG" and there.browser:
        both = {looks.LIGHT: light, looks.DARK: dark or light}
        axe = looks.found_by_axe(there.browser, both)
        contrast = f"{axe[looks.LIGHT]}, {axe[looks.DARK]}"
    elif sort == "SVG":
        contrast = "no Chromium"
    found = measure.lint(light)  # on a light page; a dark drawing has no place there
    worst = ", ".join(
        f"{name} {number}" for name, number in sorted(found.items(), key=lambda row: -row[1])[:4]
    )
    linted = (
        f"{sum(found.values())}{f' ({worst})' if worst else ''}" if sort == "SVG" else "pictures: not checked"
    )
    cells = [
        tool.kind,
        f"{tool.name} {there.version(tool.name)}",
        f"{sort}, {size:.1f} kB",
        f"{measure.words_kept(figures, light) * 100:.0f} %",
        f"{len(dark)} of {count}",
        f"{measure.described(figures, light, runs.pages)} of {count}",
        linted,
        contrast,
        "yes" if runs.steady else "no",
        "yes" if runs.placeless else "no",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--figures", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--place", type=Path, default=ROOT / "dist/compare")
    parser.add_argument("--sheet", type=Path)
    options = parser.parse_args()
    if options.rounds < 3:
        parser.error("--rounds: at least 3, of which the last is in another folder")
    there, missing = machine(options.place)
    print(
        f"{options.figures} figures of each kind, medians of {options.rounds} rounds; {os.cpu_count()} cores, "
        f"Python {sys.version.split()[0]}\n"
    )
    print("| figures | tool | from nothing | nothing changed | one changed |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        done: list[tuple[Tool, Runs]] = []
        for number, tool in enumerate(TOOLS):
            if not tool.is_there(there):
                continue
            runs = books(tool, options.figures, Path(folder) / str(number), options.rounds, there)
            done.append((tool, runs))
            best = next(runs for other, runs in done if (other.name, other.kind) == ("figmill", tool.kind))
            print(speed_row(tool, runs, best), flush=True)
        print(f"\n| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
        for tool, runs in done:
            print(outputs_row(tool, runs, there, options.figures), flush=True)
        if options.sheet and there.browser:
            looks.sheet(there.browser, sheet_rows(done), options.sheet)
    print("\nNot measured:" if missing else "\nAll tools were there.")
    for line in missing:
        print(f"- {line}")


def first(kind: str, paths: Sequence[Path]) -> Path:
    """The picture of the first figure: the one with its words, since a tool's names may be hashes."""
    figures = made.figures(kind, 1)
    return max(paths, key=lambda path: measure.words_kept(figures, [path]))


def sheet_rows(done: Sequence[tuple[Tool, Runs]]) -> list[list[tuple[str, str, Path]]]:
    """For each kind: the first figure by figmill, light and dark, and by the next tool on the same pages."""
    rows = []
    for kind in made.MAKERS:
        some = [(tool, runs) for tool, runs in done if tool.kind == kind][:2]
        row = []
        for tool, runs in some:
            light = first(kind, [path for path in runs.pictures if ".dark." not in path.name])
            dark = first(kind, [path for path in runs.pictures if ".dark." in path.name] or [light])
            row += [(tool.name, looks.LIGHT, light), (tool.name, looks.DARK, dark)]
        if len(some) == 2:
            rows.append(row)
    return rows


if __name__ == "__main__":
    main()
