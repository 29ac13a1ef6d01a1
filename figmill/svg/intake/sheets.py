"""Every <style> that browsers apply, where the passes look for it: in SVG's namespace, in a plain place.

Browsers apply a <style> of HTML as one of SVG, and both wherever they stand: in a label, in an element that nobody
knows. Mermaid writes the first, when its drawing is saved from a page. Unaware of what the rules say.
"""

from __future__ import annotations

from figmill.svg.document import SVG, Draft, Node
from figmill.svg.xml import vocabulary
from figmill.svg.xml.names import XHTML, split

STYLE = f"{{{SVG}}}style"
STYLES = (STYLE, f"{{{XHTML}}}style")


def gather_sheets(draft: Draft) -> None:
    """Give each <style> SVG's name, and bring those in HTML and in unknown elements out, in document order."""
    if not any(node.tag in STYLES for node in draft.root.walk()):
        return
    children: list[Node | str] = []
    for child in draft.root.children:
        children.append(child)
        if isinstance(child, Node):
            children += _brought_out(child, _is_plain(child))
    draft.root.children = children


def _brought_out(node: Node, is_plain: bool) -> list[Node]:
    """Take the sheets out of what is left out below this element."""
    if node.tag in STYLES:
        node.tag = STYLE
        return []
    found: list[Node] = []
    kept: list[Node | str] = []
    for child in node.children:
        if isinstance(child, Node) and child.tag in STYLES and not is_plain:
            child.tag = STYLE
            found.append(child)
            continue
        kept.append(child)
        if isinstance(child, Node):
            found += _brought_out(child, is_plain and _is_plain(child))
    node.children = kept
    return found


def _is_plain(node: Node) -> bool:
    """Whether an element stays in the drawing, and its sheets with it."""
    space, local = split(node.tag)
    return space == SVG and local in vocabulary.ELEMENTS - {"metadata", "switch", "title", "desc"}
