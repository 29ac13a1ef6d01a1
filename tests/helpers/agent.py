"""A program that repairs a drawing as SKILL.md says: from the receipt and the words of the findings alone.

It knows no check by its name, and no geometry but that of the receipt: a finding names an element by its line, and
says where something should be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from lxml import etree

NUMBER = r"-?\d+(?:\.\d+)?"
NEAR = 1.0  # px
WAYS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
ROUNDS = 12

Receipt = Mapping[str, Any]
Node = etree._Element


class Drawing:
    """An SVG of rectangles, texts and polylines, one a line."""

    def __init__(self, svg: bytes, receipt: Receipt) -> None:
        self.root = etree.fromstring(svg)
        self.receipt = receipt

    def at(self, line: int | None) -> Node:
        return next(
            node for node in self.root.iter("{*}rect", "{*}text", "{*}polyline") if node.sourceline == line
        )

    def rect(self, box: Mapping[str, Any]) -> Node:
        wanted = [box["bounds"][name] for name in ("x", "y", "width", "height")]
        return next(
            node
            for node in self.root.iter("{*}rect")
            if all(
                abs(float(node.get(name, "0")) - number) <= NEAR
                for name, number in zip(("x", "y", "width", "height"), wanted, strict=True)
            )
        )

    def box_of(self, node: Node) -> Mapping[str, Any]:
        return next(box for box in self.receipt["boxes"] if self.rect(box) is node)

    def named(self, name: str) -> Mapping[str, Any]:
        return next(box for box in self.receipt["boxes"] if name in box["words"])

    def text(self, label: Mapping[str, Any]) -> Node:
        return next(
            node
            for node in self.root.iter("{*}text")
            if node.text == label["words"]
            and label["bounds"]["x"] - NEAR
            <= float(node.get("x"))
            <= label["bounds"]["x"] + label["bounds"]["width"] + NEAR
        )

    def texts(self, box: Mapping[str, Any]) -> list[Node]:
        return [self.text(label) for label in self.receipt["labels"] if label["box"] == box["number"]]

    def move_box(self, box: Mapping[str, Any], dx: float, dy: float) -> None:
        """With its texts, and the ends of its lines."""
        for node in (self.rect(box), *self.texts(box)):
            move(node, dx, dy)
        for line in self.receipt["lines"]:
            for end, number in ((0, line["from"]), (-1, line["to"])):
                (x0, y0), (x1, y1) = line["route"][0][0], line["route"][-1][-1]
                if number == box["number"]:  # a level line stays level
                    self.move_end(line, end, 0.0 if x0 == x1 else dx, 0.0 if y0 == y1 else dy)

    def move_end(self, line: Mapping[str, Any], end: int, dx: float, dy: float) -> None:
        first, last = line["route"][0][0], line["route"][-1][-1]
        for node in self.root.iter("{*}polyline"):
            points = points_of(node)
            if all(
                abs(a - b) <= NEAR
                for point, place in ((points[0], first), (points[-1], last))
                for a, b in zip(point, place, strict=True)
            ):
                points[end] = points[end][0] + dx, points[end][1] + dy
                set_points(node, points)
                return

    def join_again(self, box: Mapping[str, Any]) -> None:
        """The lines of a moved box, straight from border to border where the boxes face each other."""
        bounds = {other["number"]: other["bounds"] for other in self.receipt["boxes"]}
        for line in self.receipt["lines"]:
            if box["number"] in (line["from"], line["to"]) and line["from"] and line["to"]:
                way = straight(bounds[line["from"]], bounds[line["to"]])
                first, last = line["route"][0][0], line["route"][-1][-1]
                for node in self.root.iter("{*}polyline"):
                    points = points_of(node)
                    ends = (points[0], first), (points[-1], last)
                    kept = [math.dist(point, place) <= NEAR for point, place in ends]
                    if way and len(points) == 2 and any(kept):
                        set_points(node, way)
                        break

    def enlarge(self, way: str, size: float) -> None:
        name, place = ("width", 2) if way == "wide" else ("height", 3)
        box = self.root.get("viewBox").split()
        self.root.set(name, f"{float(self.root.get(name)) * size / float(box[place]):g}")
        box[place] = f"{size:g}"
        self.root.set("viewBox", " ".join(box))

    def resize(self, box: Mapping[str, Any], name: str, number: float) -> None:
        """The box keeps its first side; its texts stay in the middle, and lines at the other side follow it."""
        by = number - box["bounds"][name]
        axis, start = (0, "x") if name == "width" else (1, "y")
        self.rect(box).set(name, f"{number:g}")
        for node in self.texts(box):
            move(node, *((by / 2, 0.0) if axis == 0 else (0.0, by / 2)))
        for line in self.receipt["lines"]:
            for end, at in ((0, line["from"]), (-1, line["to"])):
                route = line["route"][0][0] if end == 0 else line["route"][-1][-1]
                share = (route[axis] - box["bounds"][start]) / box["bounds"][name]
                if at == box["number"] and share > 0.1:
                    shift = by if share > 0.9 else by / 2
                    self.move_end(line, end, *((shift, 0.0) if axis == 0 else (0.0, shift)))


def straight(start: Mapping[str, float], end: Mapping[str, float]) -> list[tuple[float, float]]:
    """The way between two boxes that face each other; empty if they do not."""
    for at, size, along, length in (("x", "width", "y", "height"), ("y", "height", "x", "width")):
        low, high = max(start[at], end[at]), min(start[at] + start[size], end[at] + end[size])
        if low < high:
            middle = (low + high) / 2
            is_after = end[along] > start[along]
            first = start[along] + (start[length] if is_after else 0)
            last = end[along] + (0 if is_after else end[length])
            return [(middle, first), (middle, last)] if at == "x" else [(first, middle), (last, middle)]
    return []


def move(node: Node, dx: float, dy: float) -> None:
    node.set("x", f"{float(node.get('x', '0')) + dx:g}")
    node.set("y", f"{float(node.get('y', '0')) + dy:g}")


def points_of(node: Node) -> list[tuple[float, float]]:
    numbers = [float(number) for number in re.findall(NUMBER, node.get("points"))]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def set_points(node: Node, points: list[tuple[float, float]]) -> None:
    node.set("points", " ".join(f"{x:g},{y:g}" for x, y in points))


def _place(drawing: Drawing, node: Node, match: re.Match[str]) -> None:
    """`x = 20, y = 120` of the element of a finding."""
    box = drawing.box_of(node)
    wanted = {
        name: float(number) for name, number in re.findall(rf"\b(x|y|width|height) = ({NUMBER})", match[0])
    }
    for name in ("width", "height"):
        if name in wanted:
            start = "x" if name == "width" else "y"
            if start in wanted:  # both sides move: the middle stays
                by = wanted.pop(start) - box["bounds"][start]
                drawing.move_box(box, *((by, 0.0) if start == "x" else (0.0, by)))
                box["bounds"][start] += by
                for label in drawing.receipt["labels"]:
                    if label["box"] == box["number"]:
                        label["bounds"][start] += by
            drawing.resize(box, name, wanted.pop(name))
    by = [wanted.get(name, box["bounds"][name]) - box["bounds"][name] for name in ("x", "y")]
    if any(by):
        drawing.move_box(box, *by)


def _move_named(drawing: Drawing, _: Node, match: re.Match[str]) -> None:
    """`move 'Store' to x = 300`."""
    box = drawing.named(match[1])
    by = float(match[3]) - box["bounds"][match[2]]
    drawing.move_box(box, *((by, 0.0) if match[2] == "x" else (0.0, by)))
    box["bounds"][match[2]] += by
    drawing.join_again(box)
    if match[5]:
        drawing.enlarge(match[5], float(match[4]))


def _move_text(_: Drawing, node: Node, match: re.Match[str]) -> None:
    """`move it 12 px up`."""
    by, (dx, dy) = float(match[1]), WAYS[match[2]]
    move(node, by * dx, by * dy)


def _move_named_text(drawing: Drawing, _: Node, match: re.Match[str]) -> None:
    """`move 'reads' 2 px down`."""
    by, (dx, dy) = float(match[2]), WAYS[match[3]]
    label = next(label for label in drawing.receipt["labels"] if label["words"] == match[1])
    move(drawing.text(label), by * dx, by * dy)


def _move_texts(drawing: Drawing, node: Node, match: re.Match[str]) -> None:
    """`move the text 6 px up`: that of the box."""
    by, (dx, dy) = float(match[1]), WAYS[match[2]]
    for text in drawing.texts(drawing.box_of(node)):
        move(text, by * dx, by * dy)


def _end(_: Drawing, node: Node, match: re.Match[str]) -> None:
    """`end it at 70, 150`: the nearer end of the line."""
    x, y = float(match[1]), float(match[2])
    points = points_of(node)
    end = min((0, -1), key=lambda end: abs(points[end][0] - x) + abs(points[end][1] - y))
    points[end] = x, y
    set_points(node, points)


def _lead(_: Drawing, node: Node, match: re.Match[str]) -> None:
    """`M70 20L70 4L470 4`: a way for the line."""
    numbers = [float(number) for number in re.findall(NUMBER, match[0])]
    set_points(node, list(zip(numbers[::2], numbers[1::2], strict=True)))


def _middle(_: Drawing, node: Node, match: re.Match[str]) -> None:
    """`its middle would be at 95, 62`."""
    node.set("x", match[1])
    node.set("y", f"{float(match[2]) + 0.35 * float(node.get('font-size')):g}")


def _later(drawing: Drawing, node: Node, _: re.Match[str]) -> None:
    drawing.root.append(node)


def _apart(drawing: Drawing, node: Node, match: re.Match[str]) -> None:
    """`the text 'a' lies over 'b' by 7 px`: away from it, up or down."""
    labels = {label["words"]: label["bounds"]["y"] for label in drawing.receipt["labels"]}
    by = float(match[3]) + 3
    move(node, 0, by if labels[match[1]] >= labels[match[2]] else -by)


def _attribute(_: Drawing, node: Node, match: re.Match[str]) -> None:
    node.set("style", re.sub(rf"{match[1]}:[^;]*;?", "", node.get("style", "")))
    node.set(match[1], match[2])


def _size(_: Drawing, node: Node, match: re.Match[str]) -> None:
    node.set("font-size", match[1])


def _colour(_: Drawing, node: Node, match: re.Match[str]) -> None:
    for name in ("fill", "stroke", "style"):
        node.set(name, node.get(name, "").replace(match[1], match[2]))


# What a finding says -> what to do with its element.
SAID: Mapping[str, Callable[[Drawing, Node, re.Match[str]], None]] = {
    rf"move '([^']+)' to ([xy]) = ({NUMBER})(?:, and make the drawing ({NUMBER}) (wide|high))?": _move_named,
    rf"move it ({NUMBER}) px (left|right|up|down)": _move_text,
    rf"move the text ({NUMBER}) px (left|right|up|down)": _move_texts,
    rf"move '([^']+)' ({NUMBER}) px (left|right|up|down)": _move_named_text,
    rf"end it at ({NUMBER}), ({NUMBER})": _end,
    rf"M{NUMBER} {NUMBER}(?:L{NUMBER} {NUMBER})+": _lead,
    rf"middle would be at ({NUMBER}), ({NUMBER})": _middle,
    r"draw the text after it": _later,
    rf"the text '([^']+)' lies over '([^']+)' by ({NUMBER}) px": _apart,
    rf"\b(stroke-width|rx) = ({NUMBER})": _attribute,
    rf"\b(?:x|y|width|height) = {NUMBER}(?:, (?:x|y|width|height) = {NUMBER})*": _place,
    rf"(?:px: |, in )({NUMBER}) px": _size,
    r"the colour (#\w+) is not in the style; .* (#\w+)": _colour,
}


def repaired(svg: bytes, receipt_of: Callable[[bytes], Receipt]) -> tuple[bytes, list[str]]:
    """The drawing after so many rounds of: receipt, first finding with a cure, edit. Returns what is still found."""
    for _ in range(ROUNDS):
        receipt = receipt_of(svg)
        cures = [
            (cure, match, row)
            for row in receipt["findings"]
            for said, cure in SAID.items()
            if (match := re.search(said, row["message"]))
        ]
        if not cures:
            break
        cure, match, row = cures[0]
        drawing = Drawing(svg, receipt)
        cure(drawing, drawing.at(row["line"]), match)
        svg = etree.tostring(drawing.root)
    return svg, [f"{row['check']}: {row['message']}" for row in receipt_of(svg)["findings"]]
