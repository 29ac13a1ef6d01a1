"""The tree of a drawing while passes work on it: plain, and much faster to walk than lxml's.

Knows nothing of XML syntax or of the rules. Nodes are mutable, unlike the types elsewhere: passes rewrite a private
tree in place, and no code outside this package sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import Any, TypeAlias, TypeVar

from figmill.late_dataclasses import dataclass

SVG = "http://www.w3.org/2000/svg"
Child: TypeAlias = "Element | str"
T = TypeVar("T")
MOST_BREACHES = 100  # the most different breaches reported per drawing


@dataclass(slots=True, eq=False)
class Element:
    """One element: mixed content in order, and its number in the source (root = 0), which leads to its line."""

    tag: str
    attrib: dict[str, str] = field(default_factory=dict)
    children: list[Child] = field(default_factory=list)
    number: int | None = None  # None: made here, not read

    def elements(self) -> list[Element]:
        return [child for child in self.children if isinstance(child, Element)]

    def walk(self) -> list[Element]:
        """This element and all below it, in document order."""
        elements: list[Element] = []
        _gather(self, elements)
        return elements

    def text(self) -> str:
        """All character data below this element."""
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)


def joined(children: Iterable[Child]) -> list[Child]:
    """Children with adjacent texts as one, as a parser would read them again."""
    merged: list[Child] = []
    for child in children:
        if isinstance(child, str) and merged and isinstance(last := merged[-1], str):
            merged[-1] = last + child
        else:
            merged.append(child)
    return merged


def _gather(node: Element, elements: list[Element]) -> None:
    elements.append(node)
    for child in node.children:
        if child.__class__ is Element:
            if child.children:
                _gather(child, elements)
            else:
                elements.append(child)  # inlined: most nodes are leaves, and a figure needs some twenty walks


def _copy(node: Element) -> Element:
    children: list[Child] = [_copy(child) if child.__class__ is Element else child for child in node.children]
    return Element(node.tag, node.attrib.copy(), children, node.number)


class BreachError(Exception):
    """A node breaks a rule; pipeline.py turns the node's number into a line and a column."""

    def __init__(self, node: Element, message: str) -> None:
        super().__init__(message)
        self.node = node
        self.message = message


@dataclass(slots=True)
class Draft:
    """A drawing between passes, and the notes that passes leave for each other."""

    root: Element
    # each with the name of its check
    warnings: list[tuple[Element | None, str, str]] = field(default_factory=list)
    measured: dict[Callable[[Draft], Any], Any] = field(default_factory=dict)  # results of `once`
    is_dark: bool = False  # which of the author's colours to read: those for a dark page or for a light one
    language: str = "en"  # of the readers
    # attributes whose colours the author chose for a dark page
    own: dict[Element, set[str]] = field(default_factory=dict)
    # what was left out, by description
    dropped: dict[str, list[Element | None]] = field(default_factory=dict)
    # what was rewritten, by description
    resolved: dict[str, list[Element | None]] = field(default_factory=dict)
    # elements about whose text a check has warned, so that later checks do not repeat the warning
    reported: set[Element] = field(default_factory=set)
    # breaches before the root, with line and column
    placed: list[tuple[str, int, int]] = field(default_factory=list)
    breaches: dict[str, list[Element]] = field(default_factory=dict)  # elements that break a rule, by message

    def copy(self) -> Draft:
        """An independent copy of a draft without breaches."""
        root = _copy(self.root)
        own: dict[Element, set[str]] = {}
        if self.own:
            pairs = zip(self.root.walk(), root.walk(), strict=True)
            own = {copy: self.own[node] for node, copy in pairs if node in self.own}
        return Draft(root, list(self.warnings), is_dark=self.is_dark, own=own)

    def drop(self, what: str, node: Element | None) -> None:
        """Record that something which a still picture cannot show was left out."""
        self.dropped.setdefault(what, []).append(node)

    def resolve(self, what: str, node: Element | None) -> None:
        """Record that something was rewritten into a form that all viewers understand."""
        self.resolved.setdefault(what, []).append(node)

    def claim(self, node: Element, name: str) -> None:
        """Record that an attribute has the colour that its author chose for the current theme."""
        self.resolve("light-dark() or prefers-color-scheme", node)
        self.own.setdefault(node, set()).add(name)

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Continue after a breach, so that one run reports everything that is wrong with a drawing."""
        try:
            yield
        except BreachError as breach:
            self.refuse(breach.node, breach.message)

    def refuse(self, node: Element, message: str) -> None:
        """Record a breach; the drawing is refused once all of it has been checked."""
        if message in self.breaches or len(self.breaches) < MOST_BREACHES:
            self.breaches.setdefault(message, []).append(node)

    def once(self, measure: Callable[[Draft], T]) -> T:
        """The result of `measure` for the current drawing, computed once for several passes."""
        if measure not in self.measured:
            self.measured[measure] = measure(self)
        result: T = self.measured[measure]
        return result

    def forget(self, *measures: Callable[[Draft], Any]) -> None:
        """Discard these results, or all of them, because the drawing has changed."""
        for measure in measures or tuple(self.measured):
            self.measured.pop(measure, None)

    def warn(self, check: str, node: Element | None, message: str) -> None:
        self.warnings.append((node, message, check))
