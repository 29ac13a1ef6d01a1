"""The language of a drawing: replaces its text with the translation, in the same places, and states the language."""

from __future__ import annotations

import unicodedata

from figmill.svg.document import Draft, Element
from figmill.svg.passes.text import WORDY
from figmill.svg.spec import Sheet

_OTHER_END = {"start": "end", "end": "start", "middle": "middle"}
_PLACES = ("x", "y", "dx", "dy", "rotate")


def translate(draft: Draft, sheet: Sheet) -> None:
    """Replace each run of text with the sheet's translation. Positions and lengths of single letters are removed."""
    if sheet.words is None:
        return
    for text in [node for node in draft.root.walk() if node.tag == "text"]:
        for node in [each for each in text.walk() if each.tag in WORDY or each is text]:
            for number, child in enumerate(node.children):
                if not isinstance(child, str) or not (stripped := child.strip()):
                    continue
                translated = sheet.words(stripped)
                if translated != stripped:
                    node.children[number] = child.replace(stripped, translated)
                    _let_flow(text)
                    _let_flow(node)


def _let_flow(node: Element) -> None:
    for name in _PLACES:
        value = node.attrib.get(name, "").replace(",", " ").split()
        if len(value) > 1:
            node.attrib[name] = value[0]
    for name in ("textLength", "lengthAdjust"):
        node.attrib.pop(name, None)


def state_language(draft: Draft, sheet: Sheet) -> None:
    """State the language, and let right-to-left text begin at its right end, in the same place."""
    if sheet.language:
        draft.root.attrib["lang"] = sheet.language
    if sheet.is_rtl:
        _turn(draft.root, "start")


def _turn(node: Element, anchor: str) -> None:
    anchor = node.attrib.get("text-anchor", anchor)
    if node.tag == "text" and "direction" not in node.attrib and is_rtl(node.text()):
        for each in node.walk():
            if each is node or "text-anchor" in each.attrib:
                own = each.attrib.get("text-anchor", anchor)
                each.attrib["text-anchor"] = _OTHER_END.get(own, own)
        node.attrib["direction"] = "rtl"
        return
    for child in node.elements():
        _turn(child, anchor)


def is_rtl(text: str) -> bool:
    """Whether a text has letters of a script that is read from right to left."""
    return any(unicodedata.bidirectional(character) in ("R", "AL") for character in text)
