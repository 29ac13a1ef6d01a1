"""Collapses the white space of texts, and lists the readable strings.

`xml:space` and `white-space` differ between SVG 1.1, SVG 2 and viewers. So white space is collapsed here;
preserved white space becomes no-break spaces.
"""

from __future__ import annotations

import re

from figmill.svg.document import Draft, Element
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary

BLANK = re.compile(r"[ \t\r\n]+")
SPACE = "xml:space"
NO_BREAK = "\u00a0"
WORDY = vocabulary.SPANS | {"a"}  # elements that hold text inside a <text>


def settle_spaces(draft: Draft, _sheet: Sheet) -> None:
    """Collapse the white space of every text, and remove `xml:space`."""
    _settle(draft.root, False)


def _settle(node: Element, preserve: bool) -> None:
    preserve = _preserves(node, preserve)
    if node.tag == "text":
        runs: list[tuple[Element, int, bool]] = []
        _runs(node, preserve, runs)
        _rewrite(runs)
        return
    for child in node.children:
        if isinstance(child, Element):
            _settle(child, preserve)
    if node.tag not in vocabulary.WORDS:  # no viewer shows text anywhere else
        node.children = list(node.elements())
    else:
        node.children = [" ".join(node.text().split())]


def _preserves(node: Element, preserve: bool) -> bool:
    value = node.attrib.pop(SPACE, None)
    return preserve if value is None else value == "preserve"


def _runs(node: Element, preserve: bool, runs: list[tuple[Element, int, bool]]) -> None:
    """The strings below a text in order: the element, the index among its children, and whether to preserve white
    space.
    """
    for place, child in enumerate(node.children):
        if isinstance(child, str):
            runs.append((node, place, preserve))
        elif child.tag in WORDY:
            _runs(child, _preserves(child, preserve), runs)
        else:
            _settle(child, preserve)


def _rewrite(runs: list[tuple[Element, int, bool]]) -> None:
    after_space = True  # white space at the start of a text is not drawn
    last: tuple[Element, int, bool] | None = None
    for node, place, preserve in runs:
        text = str(node.children[place])
        if preserve:
            text = re.sub(r"[\t\r\n]", " ", text)
            text = re.sub("^ | $|(?<= ) | (?= )", NO_BREAK, text)
        else:
            text = BLANK.sub(" ", text)
            if after_space:
                text = text.removeprefix(" ")
        if text:
            after_space = text.endswith(" ")
            last = (node, place, preserve)
        node.children[place] = text
    if last is not None and after_space:
        node, place, _ = last
        node.children[place] = str(node.children[place]).removesuffix(" ")
    for node in {id(node): node for node, _, _ in runs}.values():
        node.children = [child for child in node.children if child != ""]


def readable(root: Element) -> tuple[str, ...]:
    """The readable strings of a figure: one per <text>, white space collapsed, empty ones left out."""
    texts = (" ".join(_words(node).split()) for node in root.walk() if node.tag == "text")
    return tuple(text for text in texts if text)


def _words(node: Element) -> str:
    return "".join(
        child if isinstance(child, str) else "" if child.tag in ("title", "desc") else _words(child)
        for child in node.children
    )
