"""What `fix --layout` repairs in drawings, as a table: a row for each check.

    python -m benchmarks.repair [--list] [--sheets FOLDER] FOLDER...

A row counts findings: in the drawings as they are, those that `fix` leaves, and those that `fix --layout` leaves. --list
prints what was moved and what is left. --sheets writes a picture of each drawing that was moved, before and after.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from figmill.lint.mending import mend
from figmill.svg import Mended, SvgError

OVERLAPS = ("text-overlap", "line-through-text", "text-overflow", "text-outside", "label-far-from-line")
WIDE, TALL = 900, 700  # px of a picture in a sheet


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--sheets", type=Path)
    given = parser.parse_args()
    counts = [Counter[str](), Counter[str](), Counter[str]()]
    drawings = Counter[str]()
    paths = [path for folder in given.folders for path in (sorted(folder.rglob("*.svg")) if folder.is_dir() else [folder])]
    spent, moved = 0.0, 0
    for path in paths:
        data = path.read_bytes()
        try:
            plain = mend(path.name, data)
            began = time.process_time()
            result = mend(path.name, data, moves=True)
        except SvgError:
            continue
        spent += time.process_time() - began
        rows = (plain.found, _checks(plain), _checks(result))
        for count, row in zip(counts, rows, strict=True):
            count.update(row)
        drawings.update(set(plain.found))
        if plain.svg == result.svg:
            continue
        moved += 1
        for line in _lines(path, result) if given.list else ():
            print(line)
        if given.sheets:
            given.sheets.mkdir(parents=True, exist_ok=True)
            _sheet(plain.svg, result.svg, given.sheets / f"{path.parent.name}-{path.stem}"[:200])
    print("| check | drawings | findings | `fix` leaves | `fix --layout` leaves | repaired |")
    print(f"|{'---|' * 6}")
    for check in sorted(counts[0]):
        found, plain_left, left = (count[check] for count in counts)
        share = 100 * (found - left) / found
        print(f"| `{check}` | {drawings[check]} | {found} | {plain_left} | {left} | {share:.0f} % |")
    print(f"{len(paths)} drawings, {moved} of them changed by moves; {1e3 * spent / max(1, len(paths)):.0f} ms each")


def _checks(result: Mended) -> Counter[str]:
    return Counter(finding.check for finding in result.left)


def _lines(path: Path, result: Mended) -> list[str]:
    name = f"{path.parent.name}/{path.name}"
    return [f"{name}: {change}" for change in result.changes] + [
        f"{name}: left: {finding.message} [{finding.check}]" for finding in result.left
    ]


def _sheet(before: bytes, after: bytes, stem: Path) -> None:
    from PIL import Image

    from figmill.compare.pictures import pixels
    from figmill.xml_tree import parsed

    pictures = []
    for svg in (before, after):
        root = parsed(svg)
        fits = min(WIDE / float(root.get("width", 1)), TALL / float(root.get("height", 1)))
        pictures.append(Image.fromarray(pixels(svg, "light", scale=fits)))
    sheet = Image.new("RGB", (2 * WIDE + 20, max(picture.height for picture in pictures)), "#dddddd")
    for number, picture in enumerate(pictures):
        sheet.paste(picture, (number * (WIDE + 20), 0))
    sheet.save(f"{stem}.png")


if __name__ == "__main__":
    main()
