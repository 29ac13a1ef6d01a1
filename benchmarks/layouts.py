"""What the checks of the layout find in drawings, as a table: a row for each folder.

    python -m benchmarks.layouts [--list] FOLDER...

A cell is the number of drawings with a finding; n: as notes. --list prints each finding too, to be looked at.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from figmill.checks import NOTE, OFF, levels_alone
from figmill.lint.drawings import findings

CHECKS = ("edge-through-box", "short-arrow", "arrow-inside", "edge-ends-nowhere", "boxes-overlap", "almost-aligned",
          "label-far-from-line", "clearance", "unequal", "crossings", "mixed-routes", "crowded")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    levels = {name: level if name in CHECKS else OFF for name, level in levels_alone({}).items()}
    print(f"| drawings | number | {' | '.join(f'`{name}`' for name in CHECKS)} | ms each |")
    print(f"|{'---|' * (len(CHECKS) + 3)}")
    for folder in given.folders:
        counts = Counter[str]()
        paths = [path for path in sorted(folder.rglob("*.svg")) if not path.stem.endswith(".dark")]
        began = time.process_time()
        for path in paths:
            rows = list(findings(path.name, path.read_bytes(), levels))
            counts.update({f"n{row.check}" if row.level == NOTE else row.check for row in rows})
            for row in rows if given.list else ():
                print(
                    f"{folder.name}/{path.name}:{row.origin.line}: {row.level}: {row.message} [{row.check}]"
                )
        spent = 1e3 * (time.process_time() - began) / max(1, len(paths))
        cells = (f"{counts[f'n{name}']} n" if counts[f"n{name}"] else f"{counts[name]}" for name in CHECKS)
        print(f"| {folder.name} | {len(paths)} | {' | '.join(cells)} | {spent:.0f} |")


if __name__ == "__main__":
    main()
