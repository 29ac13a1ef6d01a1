"""What `lint --fix --layout` repairs in drawings, as a table: a row for each check.

    python -m benchmarks.repair [--list] [--sheets FOLDER] FOLDER...

A row counts findings of the layout: in the drawings as they are, those that `lint --fix` leaves, and those that
`lint --fix --layout` leaves. --list prints what was moved and what is left. --sheets writes a picture of each drawing
that was moved, before and after.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from figmill.checks import NOTE, levels_alone
from figmill.lint.drawings import sheet_of
from figmill.lint.receipt import LAYOUT
from figmill.svg import Mended, SvgError, mended, still_copy

NOTES = frozenset(check for check, level in levels_alone({}).items() if level == NOTE)
WIDE, TALL, ROUND = 900, 700, 160  # px of a picture in a sheet, and around what differs


SHEET = replace(sheet_of(LAYOUT), any_pictures=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--sheets", type=Path)
    given = parser.parse_args()
    counts = [Counter[str](), Counter[str](), Counter[str]()]
    drawings = Counter[str]()
    paths = [
        path
        for folder in given.folders
        for path in (sorted(folder.rglob("*.svg")) if folder.is_dir() else [folder])
    ]
    spent, moved = 0.0, 0
    for path in paths:  # contrast, which costs most, is left out
        try:
            data = still_copy(path.read_bytes()).svg
            plain = mended(data, SHEET, notes=NOTES)
            began = time.process_time()
            result = mended(data, SHEET, notes=NOTES, moves=True)
        except SvgError:
            continue
        spent += time.process_time() - began
        found = Counter(check for check in plain.found if check in SHEET.checks - NOTES)
        rows = (found, _checks(plain), _checks(result))
        for count, row in zip(counts, rows, strict=True):
            count.update(row)
        drawings.update(set(found))
        if plain.svg == result.svg:
            continue
        moved += 1
        for line in _lines(path, result) if given.list else ():
            print(line)
        if given.sheets:
            given.sheets.mkdir(parents=True, exist_ok=True)
            _sheet(plain.svg, result.svg, given.sheets / f"{path.parent.name}-{path.stem}"[:200])
    print("| check | drawings | findings | `lint --fix` leaves | `lint --fix --layout` leaves | repaired |")
    print(f"|{'---|' * 6}")
    for check in sorted(counts[0]):
        found, plain_left, left = (count[check] for count in counts)
        share = 100 * (found - left) / found
        print(f"| `{check}` | {drawings[check]} | {found} | {plain_left} | {left} | {share:.0f} % |")
    print(
        f"{len(paths)} drawings, {moved} of them changed by moves; {1e3 * spent / max(1, len(paths)):.0f} ms each"
    )


def _checks(result: Mended) -> Counter[str]:
    return Counter(finding.check for finding in result.left)


def _lines(path: Path, result: Mended) -> list[str]:
    name = f"{path.parent.name}/{path.name}"
    return [f"{name}: {change}" for change in result.changes] + [
        f"{name}: left: {finding.message} [{finding.check}]" for finding in result.left
    ]


def _sheet(before: bytes, after: bytes, stem: Path) -> None:
    """The part of a drawing that changed, before and after."""
    from PIL import Image, ImageChops

    from figmill.compare.pictures import pixels
    from figmill.xml_tree import parsed

    pictures = []
    for svg in (before, after):
        width = float(parsed(svg).get("width", 1))
        pictures.append(Image.fromarray(pixels(svg, "light", scale=min(2.0, 3000 / width))))
    first, second = pictures
    if first.size == second.size:
        left, top, right, bottom = ImageChops.difference(first, second).getbbox() or (0, 0, *first.size)
        right, bottom = min(right + ROUND, first.width), min(bottom + ROUND, first.height)
        box = max(0, left - ROUND), max(0, top - ROUND), right, bottom
        pictures = [picture.crop(box) for picture in pictures]
    for picture in pictures:
        picture.thumbnail((WIDE, TALL))
    sheet = Image.new("RGB", (2 * WIDE + 20, max(picture.height for picture in pictures)), "#dddddd")
    for number, picture in enumerate(pictures):
        sheet.paste(picture, (number * (WIDE + 20), 0))
    sheet.save(f"{stem}.png")


if __name__ == "__main__":
    main()
