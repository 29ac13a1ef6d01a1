"""What the sandbox costs: cold builds with and without it, in pairs. The median of the ratios counts.

python -m benchmarks.sandbox [PAIRS]
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks.__main__ import figmill, row, seconds

REPOSITORY = Path(__file__).parent.parent
SETTING = 'sandbox = "{}"\n'
PLOT = """
def draw():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    axes.plot([1, 2, {number}])
    axes.set_xlabel("step")
    return figure
"""


def showcase(root: Path) -> None:
    """The book of this repository."""
    for name in ("questions", "visuals"):
        shutil.copytree(REPOSITORY / name, root / name)


def small_plots(root: Path, count: int = 60) -> None:
    """A script for each figure: where there are many, the sandbox costs most."""
    for name in ("questions", "visuals"):
        (root / name).mkdir(parents=True)
    for number in range(count):
        name = f"p-{number:02d}"
        (root / f"visuals/{name}.py").write_text(PLOT.format(number=number))
        (root / f"questions/{name}.yaml").write_text(
            f"id: {name}\nvisual: {{kind: matplotlib, source: {name}.py, alt: A line through {number}.}}\n"
        )


def cold(root: Path, setting: str) -> float:
    """Seconds that a build from nothing takes."""
    for made in ("build", ".figmill"):
        shutil.rmtree(root / made, ignore_errors=True)
    (root / "figmill.toml").write_text(SETTING.format(setting))
    return seconds(lambda: figmill(root))


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    print("| what | with | without | ratio |\n|---|---|---|---|")
    for what, make in (("the showcase", showcase), ("60 small plots", small_plots)):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "book"
            make(root)
            cold(root, "off")  # what is loaded for the first time
            # Each in turn goes first, so that neither gains by it.
            found = [
                (cold(root, "require"), cold(root, "off"))
                if number % 2
                else (cold(root, "off"), cold(root, "require"))[::-1]
                for number in range(pairs)
            ]
            ratios = sorted(here / there for here, there in found)
            here, there = (statistics.median(side) for side in zip(*found, strict=True))
            row(
                f"cold build of {what}, {pairs} pairs",
                f"{here:.2f} s",
                f"{there:.2f} s",
                f"{statistics.median(ratios):.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})",
            )


if __name__ == "__main__":
    main()
