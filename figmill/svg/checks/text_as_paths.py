"""Finds text that a drawing tool wrote as shapes.

Recognised by the traces that tools leave: matplotlib and TeX converters draw each letter by `use` of a path named after
a font and a character; cairo and related tools use a symbol named `glyph...`; Inkscape writes the text in `aria-label`.
Shapes without such a trace are an ordinary drawing.
"""

from __future__ import annotations

import re
from collections import Counter

from figmill.svg.document import Draft, Element
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary

# DejaVuSans-41, STIXGeneral-Italic-1d465; g0-65 (dvisvgm); glyph0-1, glyph-0-1 (cairo), font_0_12 (MuPDF)
GLYPH = re.compile(
    r"(?:[A-Z][A-Za-z]{2,}\w*(?:-[A-Z]\w*)*-[0-9a-f]{2,5}|g\d+-\d+|glyph-?\d+-\d+|font_\d+_\d+)"
)
FEWEST = 3  # letters: fewer may be any shape that is reused


def find_glyphs(draft: Draft, sheet: Sheet) -> None:
    """Warn of text drawn as shapes: once for letters by `use`, once for each `aria-label`."""
    if "text-as-paths" not in sheet.checks:
        return
    nodes = draft.root.walk()
    shapes = {n.attrib["id"]: n for n in nodes if GLYPH.fullmatch(n.attrib.get("id", "")) and _is_outline(n)}
    uses = [n for n in nodes if n.tag == "use" and n.attrib.get("href", "")[1:] in shapes]
    count = Counter(node.attrib["href"] for node in uses)
    if sum(count.values()) >= FEWEST:
        letters = f"{sum(count.values())} letters are drawn as shapes"
        draft.warn("text-as-paths", uses[0], f"{letters}, which nobody can select, search or hear; {ADVICE}")
    for node in nodes:
        text = " ".join(node.attrib.get("aria-label", "").split())
        if text and node is not draft.root and _is_outline(node):
            message = f"the text '{text[:30]}' is drawn as shapes, which nobody can select, search or hear; {ADVICE}"
            draft.warn("text-as-paths", node, message)


ADVICE = "let the tool write text as text"


def _is_outline(node: Element) -> bool:
    """Whether a node is a path, or a group or symbol that contains only paths."""
    if node.tag == "path":
        return True
    inside = [child for child in node.walk()[1:] if child.tag not in vocabulary.WORDS_ONLY]
    return (
        node.tag in ("g", "symbol")
        and bool(inside)
        and all(child.tag in ("g", "path", "use") for child in inside)
    )
