"""Moves every <style> that browsers apply to a place where the passes look for it, and into SVG's namespace.

Browsers apply a <style> in HTML's namespace like one in SVG's, and apply both anywhere, even in a label or an unknown
element. Mermaid's drawings have HTML's when they are saved from a web page. This module knows nothing of what the rules
say.
"""

from __future__ import annotations

from figmill.svg.document import SVG, Draft, Element
from figmill.svg.xml import vocabulary
from figmill.svg.xml.names import XHTML, split

STYLE = f"{{{SVG}}}style"
STYLES = (STYLE, f"{{{XHTML}}}style")


def gather_sheets(draft: Draft) -> None:
    """Give each <style> SVG's namespace, and move it out of HTML and unknown elements, in document order."""
    if not any(node.tag in STYLES for node in draft.root.walk()):
        return
    children: list[Element | str] = []
    for child in draft.root.children:
        children.append(child)
        if isinstance(child, Element):
            children += _brought_out(child, _is_plain(child))
    draft.root.children = children


def _brought_out(node: Element, is_plain: bool) -> list[Element]:
    """Take the <style> elements out of descendants that will be left out."""
    if node.tag in STYLES:
        node.tag = STYLE
        return []
    sheets: list[Element] = []
    kept: list[Element | str] = []
    for child in node.children:
        if isinstance(child, Element) and child.tag in STYLES and not is_plain:
            child.tag = STYLE
            sheets.append(child)
            continue
        kept.append(child)
        if isinstance(child, Element):
            sheets += _brought_out(child, is_plain and _is_plain(child))
    node.children = kept
    return sheets


def _is_plain(node: Element) -> bool:
    """Whether an element, and any <style> in it, stays in the drawing."""
    space, local = split(node.tag)
    return space == SVG and local in vocabulary.ELEMENTS - {"metadata", "switch", "title", "desc"}
