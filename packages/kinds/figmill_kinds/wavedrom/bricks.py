"""Joins the pieces of waves: WaveDrom draws a wave from pieces as wide as half a tick, with `use`. Pure.

After that, a state is one shape with its whole label in it, and a wave is one line instead of a piece per half tick.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lxml import etree

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
FILLS = tuple(f"s{number}" for number in range(5, 16))  # the skin's classes of areas; the others are lines
WIDE = 20.0  # px of a piece
_TOKEN = re.compile(r"[A-Za-z]|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_MOVED = re.compile(r"translate\((-?[\d.]+)(?:[ ,]+-?[\d.]+)?\)")


def join(root: etree._Element) -> None:
    """Replace the pieces in each group of a lane with paths. Unknown pieces stay."""
    pieces = {
        str(piece.get("id")): [(str(path.get("d")), str(path.get("class"))) for path in piece]
        for defs in root.iter(f"{SVG}defs")
        for piece in defs
        if piece.tag == f"{SVG}g" and all(path.tag == f"{SVG}path" for path in piece)
    }
    for group in root.iter(f"{SVG}g"):
        uses = [child for child in group if child.tag == f"{SVG}use"]
        names = [str(use.get(f"{XLINK}href"))[1:] for use in uses]
        places = [_MOVED.fullmatch(str(use.get("transform", "translate(0)"))) for use in uses]
        if len(uses) < 2 or any(name not in pieces for name in names) or None in places:
            continue
        wave = [(float(place[1]), pieces[name]) for place, name in zip(places, names, strict=True) if place]
        for use in uses:
            group.remove(use)
        for number, (word, d) in enumerate(paths(wave)):
            path = etree.Element(f"{SVG}path", {"class": word, "d": d})
            group.insert(number, path)


def paths(wave: Sequence[tuple[float, Sequence[tuple[str, str]]]]) -> Iterator[tuple[str, str]]:
    """The areas of a wave, one for each state, then its lines, one for each class: (class, d).

    wave: for each piece its place in px, and its paths as (d, class).
    """
    areas: list[list[str]] = []  # class, then the parts of d
    lines: dict[str, list[str]] = {}
    is_open: dict[str, list[str]] = {}  # for each class, the areas that reach the end of the piece before
    for at, parts in wave:
        reaching: dict[str, list[str]] = {}
        for d, word in sorted(parts, key=lambda part: span(part[0])[0]):
            moved = shifted(d, at)
            if word not in FILLS:
                lines.setdefault(word, []).append(moved)
                continue
            left, right = span(d)
            area = is_open.get(word) if left <= 0 else None
            if area is None:
                area = [word]
                areas.append(area)
            area.append(moved)
            if right >= WIDE:
                reaching[word] = area
        is_open = reaching
    for word, *ds in areas:
        yield word, " ".join(ds)
    for word, parts_of in lines.items():
        yield word, " ".join(parts_of)


def _commands(d: str) -> Iterator[tuple[str, list[float]]]:
    """Each command with its numbers; the first is always absolute, in either case."""
    tokens = _TOKEN.findall(d)
    index = 0
    while index < len(tokens):
        letter = tokens[index]
        end = index + 1
        while end < len(tokens) and not tokens[end].isalpha():
            end += 1
        yield letter, [float(word) for word in tokens[index + 1 : end]]
        index = end


def shifted(d: str, x: float) -> str:
    """The same path, moved to the right. Its commands may be m, l, c and z, as the skin's are."""
    rows = []
    for number, (letter, values) in enumerate(_commands(d)):
        if number == 0 and letter == "m":
            values = [values[0] + x, *values[1:]]
            rows.append("M" + _pair(values[:2]) + ("l" + _pair(values[2:]) if values[2:] else ""))
            continue
        if letter.isupper():
            values = [value + x * (place % 2 == 0) for place, value in enumerate(values)]
        rows.append(letter + _pair(values))
    return "".join(rows)


def _pair(values: Sequence[float]) -> str:
    return " ".join(f"{value:g}" for value in values)


def span(d: str) -> tuple[float, float]:
    """The least and the greatest x of a path's points."""
    x = y = 0.0
    seen: list[float] = []
    for number, (letter, values) in enumerate(_commands(d)):
        step = 6 if letter in "cC" else 2
        for at in range(0, len(values) - step + 1, step):
            ends = values[at + step - 2 : at + step]
            is_first = number == 0 and at == 0
            x, y = (ends[0], ends[1]) if letter.isupper() or is_first else (x + ends[0], y + ends[1])
            seen.append(x)
    return (min(seen), max(seen)) if seen else (0.0, 0.0)
