"""Raised and lowered text: `baseline-shift` becomes `y` and `dy`.

Firefox ignores the property, usvg (for PNG and PDF) ignores it on `<text>`, and the others each shift by a different
amount. Numbers look the same everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from figmill.svg.document import Draft, Element
from figmill.svg.geometry.text_layout import TextStyle, length
from figmill.svg.spec import Sheet
from figmill.svg.xml.numbers import LARGEST, fixed

# Upward, in em of the shifted text: half a line height, as in Chromium.
SHIFTS = {"super": 0.57, "sub": -0.57, "baseline": 0.0}
# Graphviz leaves less room: a third and a fifth of the larger size of the surrounding text.
GRAPHVIZ = {"super": 0.4, "sub": -0.24}
NAME = "baseline-shift"


def settle_baselines(draft: Draft, _sheet: Sheet) -> None:
    """Replace every `baseline-shift` by the resulting position."""
    nodes = draft.root.walk()
    if any(NAME in node.attrib for node in nodes):
        _visit(draft.root, TextStyle(), False)


def _visit(node: Element, type_: TextStyle, by_graphviz: bool) -> None:
    type_ = type_.of(node.attrib)
    by_graphviz = by_graphviz or (node.tag == "g" and "graph" in node.attrib.get("class", "").split())
    if node.tag == "text":
        _settle(node, type_, by_graphviz)
        return
    for child in node.elements():
        _visit(child, type_, by_graphviz)


def _settle(text: Element, type_: TextStyle, by_graphviz: bool) -> None:
    if not any(NAME in node.attrib for node in text.walk()):
        return
    up = _shift(text, type_, by_graphviz)
    if up:
        text.attrib.setdefault("y", "0")
        for node in text.walk():
            if "y" in node.attrib:
                node.attrib["y"] = _moved(node.attrib["y"], type_.size, up)
    now = 0.0
    for run in list(_runs(text, type_, by_graphviz)):
        now = 0.0 if run.is_placed else now
        if run.up != now:
            _lower(run, now - run.up)
        now = run.up
    for node in text.walk():
        node.attrib.pop(NAME, None)


class _ShiftedRun:
    """Text, with the elements around it from the outermost, and how far up these move it.

    - firsts: the enclosing elements that begin with this text.
    - is_placed: one of those sets y.
    """

    def __init__(
        self, around: list[tuple[Element, TextStyle]], at: int, up: float, firsts: list[Element]
    ) -> None:
        self.around, self.at, self.up, self.firsts = around, at, up, firsts
        self.is_placed = any("y" in node.attrib for node in firsts)


def _runs(text: Element, type_: TextStyle, by_graphviz: bool) -> Iterator[_ShiftedRun]:
    begun: set[int] = set()  # elements that already have text

    def below(around: list[tuple[Element, TextStyle]], up: float) -> Iterator[_ShiftedRun]:
        node, its_type = around[-1]
        for at, child in enumerate(list(node.children)):
            if isinstance(child, Element):
                child_type = its_type.of(child.attrib)
                lifted = up + _shift(child, child_type, by_graphviz)
                yield from below([*around, (child, child_type)], lifted)
            elif child:
                firsts = [element for element, _ in around if id(element) not in begun]
                begun.update(id(element) for element, _ in around)
                yield _ShiftedRun(around, at, up, firsts)

    yield from below([(text, type_)], 0.0)


def _lower(run: _ShiftedRun, by: float) -> None:
    """Move text, and everything after it, down."""
    node, type_ = run.around[-1]
    moved = next((first for first in reversed(run.firsts) if "dy" in first.attrib), None)
    if run.firsts and run.firsts[-1] is node:
        first, _, rest = (moved or node).attrib.get("dy", "0").replace(",", " ").strip().partition(" ")
        more = rest if moved is node else ""
        node.attrib["dy"] = f"{_place(length(first, type_.size, 0.0) + by)} {more}".strip()
    else:
        text = node.children[run.at]
        node.children[run.at] = Element("tspan", {"dy": _place(by)}, [text])


def _shift(node: Element, type_: TextStyle, by_graphviz: bool) -> float:
    """How far up an element moves its text, in user units."""
    value = node.attrib.get(NAME, "baseline").strip()
    if value in SHIFTS:
        return {**SHIFTS, **GRAPHVIZ}[value] * type_.size if by_graphviz else SHIFTS[value] * type_.size
    if value.endswith("%"):
        return length(value[:-1], type_.size, 0.0) / 100 * type_.size
    return length(value, type_.size, 0.0)


def _moved(places: str, size: float, up: float) -> str:
    """A list of y positions, each moved up."""
    return " ".join(_place(length(place, size, 0.0) - up) for place in places.replace(",", " ").split())


def _place(value: float) -> str:
    """A number as written, clamped to the largest one allowed."""
    return fixed(max(-LARGEST, min(LARGEST, value)))
