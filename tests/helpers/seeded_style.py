"""Drawings that break one rule of a house style each, in the manner of five tools, and those that keep them all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from helpers.seeded_drawings import (
    MANNERS,
    Box,
    Item,
    Line,
    Sketch,
    Words,
    close,
    good,
    slanted,
)
from lxml import etree

# Each rule with a value that the drawings without a defect keep.
KEPT: dict[str, object] = {
    "grid": 2,
    "padding": {"beside": 20, "above": 12},
    "gaps": 80,
    "box_sizes": "equal",
    "smallest_box": {"width": 104, "height": 42},
    "routes": "orthogonal",
    "arrow_ends": 5,
    "clearance": 4,
    "radius": [0, 4],
    "line_width": [1, 1.5, 2],
    "arrowheads": ["filled", "open"],
    "label_size": 14,
    "title_size": 18,
    "text_sizes": 2,
    "least_text": 12,
    "colours": ["compute", "#dae8fc", "#6c8ebf", "#ececff", "#9370db", "#a5d8ff"],
    "most_colours": 2,
}


def titled(n: int) -> Sketch:
    """A title above boxes on the grid, with lines along the axes."""
    items, right, bottom = good(n % 3)
    return [Words("Requests", right / 2, 18, 18.0), *items], right, bottom


def _changed(n: int, change: Callable[[Item], Item], of: type[Item], at: int) -> Sketch:
    """The same with one of its items changed: the `at`-th of a type."""
    items, right, bottom = titled(n)
    number = [place for place, item in enumerate(items) if isinstance(item, of)][at]
    return [*items[:number], change(items[number]), *items[number + 1 :]], right, bottom


def _box(n: int, **sizes: float) -> Sketch:
    return _changed(
        n, lambda box: replace(box, **{name: getattr(box, name) + by for name, by in sizes.items()}), Box, 2
    )


def _words(n: int, at: int, **values: object) -> Sketch:
    return _changed(n, lambda words: replace(words, **values), Words, at)  # type: ignore[arg-type]


def _padding(n: int) -> Sketch:
    """A text near a side of its box, below its middle, too long for it, and too large."""
    items, *_ = titled(n)
    name = [item for item in items if isinstance(item, Words)][2]
    changes: tuple[dict[str, object], ...] = (
        {"x": name.x + 9},
        {"y": name.y + 10},
        {"text": "two schedulers"},
        {"text": "scheduled", "size": 21.0},
    )
    return _words(n, 2, **changes[n])


def _ends(n: int) -> Sketch:
    """An arrow that ends before its box, or in it."""
    by = (-12.0, 14.0, -14.0, 16.0)[n]

    def moved(line: Item) -> Item:
        assert isinstance(line, Line)
        *before, (x0, y0), (x, y) = line.points
        along = (x > x0) - (x < x0), (y > y0) - (y < y0)
        return replace(line, points=(*before, (x0, y0), (x + by * along[0], y + by * along[1])))

    return _changed(n, moved, Line, 1)


def _small(n: int) -> Sketch:
    return _box(
        n, **({"width": -8.0}, {"height": -4.0}, {"width": -20.0}, {"width": -9.0, "height": -6.0})[n]
    )


def _off_grid(n: int) -> Sketch:
    return _box(n, **({"x": 1.0}, {"y": 1.0}, {"x": -0.6}, {"x": 3.0, "y": 1.0})[n])


def _apart(n: int) -> Sketch:
    """A box that is moved along its row or its column."""
    return _box(n, **({"x": 12.0}, {"y": -9.0}, {"y": 5.0}, {"x": -3.0})[n])


# A rule -> the sketch that breaks it.
SKETCHES: dict[str, Callable[[int], Sketch]] = {
    "grid": _off_grid,
    "padding": _padding,
    "gaps": _apart,
    "box_sizes": lambda n: _box(n, **({"width": 9.0}, {"height": -6.0}, {"width": -8.0}, {"height": 3.0})[n]),
    "smallest_box": _small,
    "routes": slanted,
    "arrow_ends": _ends,
    "clearance": lambda n: close(n % 2),
    "label_size": lambda n: _words(n, 1 + n, size=(13.0, 15.0, 12.0, 16.0)[n]),
    "title_size": lambda n: _words(n, 0, size=(16.0, 17.0, 20.0, 24.0)[n]),
    "text_sizes": lambda n: _words(n, 1 + n, size=(13.0, 15.0, 12.0, 16.0)[n]),
    "least_text": lambda n: _words(n, 1 + n, size=(11.0, 11.5, 10.0, 8.0)[n]),
}


def _in_markup(change: Callable[[etree._Element, int, str], None]) -> Callable[[str, int], str]:
    def broken(manner: str, n: int) -> str:
        root = etree.fromstring(MANNERS[manner](titled(n)).encode())
        change(root, n, manner)
        return etree.tostring(root, encoding="unicode")

    return broken


BOXES = {"hand": "rect", "draw.io": "rect", "Mermaid": "rect", "Excalidraw": "path", "Graphviz": "polygon"}


def _outlines(root: etree._Element, manner: str) -> list[etree._Element]:
    """The shapes that paint the boxes."""
    whole = root.get("width")
    shapes = [node for node in root.iter("{*}" + BOXES[manner]) if node.get("width") != whole]
    if manner == "Excalidraw":
        shapes = [node for node in shapes if node.get("fill") == "#a5d8ff"]
    if manner == "Graphviz":
        shapes = [
            node for node in shapes if len(node.get("points").split()) == 5 and node.get("fill") == "none"
        ]
    return shapes


def _lines(root: etree._Element, manner: str) -> list[etree._Element]:
    if manner == "hand":
        return list(root.iter("{*}polyline"))
    if manner == "Mermaid":
        return [node for node in root.iter("{*}path") if "flowchart-link" in node.get("class", "")]
    if manner == "Excalidraw":
        paths = [node for node in root.iter("{*}path") if node.get("stroke-width") == "1.5"]
        return [node for node in paths if node.getparent().getprevious() is None]
    paths = [node for node in root.iter("{*}path") if node.get("fill") == "none"]
    return [node for node in paths if node.getparent().getparent() is not None]


def _wider(root: etree._Element, n: int, manner: str) -> None:
    """A line, or the outline of a box, in another width."""
    shapes = _outlines(root, manner) if n % 2 and manner != "Excalidraw" else _lines(root, manner)
    shapes[n % len(shapes)].set("style", f"stroke-width:{(3, 2.5, 0.5, 4)[n]}px")


def _rounder(root: etree._Element, n: int, manner: str) -> None:
    """A box with round corners, or with rounder ones."""
    node = _outlines(root, manner)[n]
    radius = (8, 10, 6, 12)[n]
    if BOXES[manner] == "rect":
        node.set("rx", str(radius))
        node.set("ry", str(radius))
        return
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", node.get("points") or node.get("d"))]
    left, right = min(numbers[::2]), max(numbers[::2])
    top, bottom = min(numbers[1::2]), max(numbers[1::2])
    across, down = right - left - 2 * radius, bottom - top - 2 * radius
    arc = f"a{radius} {radius} 0 0 1"
    d = (
        f"M{left + radius} {top}h{across}{arc} {radius} {radius}v{down}{arc} {-radius} {radius}"
        f"h{-across}{arc} {-radius} {-radius}v{-down}{arc} {radius} {-radius}z"
    )
    node.tag = "{http://www.w3.org/2000/svg}path"
    node.attrib.pop("points", None)
    node.set("d", d)


def _hollow(root: etree._Element, n: int, manner: str) -> None:
    """A head that is white inside."""
    if manner in ("hand", "Mermaid"):
        marker = next(root.iter("{*}marker"))
        white = etree.fromstring(etree.tostring(marker))
        white.set("id", "white")
        for part in white:
            part.set("style", "fill:#fff;stroke:#333")
        marker.addnext(white)
        _lines(root, manner)[n % 3].set("style", "marker-end:url(#white)")
    elif manner == "Excalidraw":
        paths = [node for node in root.iter("{*}path") if node.get("stroke-width") == "1.5"]
        legs = [node.getparent() for node in paths if node.getparent().getprevious() is not None]
        left, right = legs[2 * (n % 3)], legs[2 * (n % 3) + 1]
        far, tip, other = (
            [float(number) for number in re.findall(r"-?[\d.]+", leg[0].get("d"))]
            for leg in (left, left, right)
        )
        left[0].set("d", f"M{far[0]} {far[1]}L{tip[-2]} {tip[-1]}L{other[0]} {other[1]}Z")
        left[0].set("style", "fill:#fff")
        right.getparent().remove(right)
    else:
        heads = [
            node
            for node in root.iter("{*}path", "{*}polygon")
            if node.get("fill") in ("black", "rgb(0, 0, 0)")
        ]
        heads[n % len(heads)].set("style", "fill:#fff")


def _strange(root: etree._Element, n: int, manner: str) -> None:
    """A box, a line or a text in another colour."""
    colour = ("#e0218a", "#1f9d55", "#b35900", "#7a00cc")[n]
    if n == 3:
        text = next(
            iter(
                [
                    *root.iter("{*}text"),
                    *root.iter("{*}span"),
                    *root.iter("{http://www.w3.org/1999/xhtml}div"),
                ]
            )
        )
        inner = [node for node in root.iter() if node.text and "gateway" in node.text]
        for node in inner or [text]:
            node.set("style", f"{node.get('style', '')};fill:{colour};color:{colour}")
        return
    if n == 1:
        _lines(root, manner)[0].set("style", f"stroke:{colour}")
    else:
        _outlines(root, manner)[n].set("style", f"fill:{colour}")


def _motley(root: etree._Element, n: int, manner: str) -> None:
    """Boxes in three more colours."""
    colours = ("#e0218a", "#1f9d55", "#b35900", "#7a00cc")
    for number, node in enumerate(_outlines(root, manner)[1:]):
        node.set("style", f"fill:{colours[(n + number) % 4]}")


MARKUP: dict[str, Callable[[str, int], str]] = {
    "radius": _in_markup(_rounder),
    "line_width": _in_markup(_wider),
    "arrowheads": _in_markup(_hollow),
    "colours": _in_markup(_strange),
    "most_colours": _in_markup(_motley),
}


def breaches(rule: str) -> Iterator[tuple[str, bytes]]:
    """Twenty drawings that break a rule, each with its name: four in each manner."""
    for manner, write in MANNERS.items():
        for n in range(4):
            svg = MARKUP[rule](manner, n) if rule in MARKUP else write(SKETCHES[rule](n))
            yield f"{rule}-{manner}-{n}.svg", svg.encode()


def keeping() -> Iterator[tuple[str, bytes]]:
    """Drawings that keep every rule."""
    for manner, write in MANNERS.items():
        for n in range(3):
            yield f"keeping-{manner}-{n}.svg", write(titled(n)).encode()
