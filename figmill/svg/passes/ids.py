"""Removes unpainted content; makes referenced ids the figure's own; removes other ids.

Any number of figures can then share one page.
"""

from __future__ import annotations

from figmill.svg.document import Draft, Element, joined
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary
from figmill.svg.xml.references import references, rename

HIDDEN = vocabulary.RESOURCES | {"defs"}
BARREN = vocabulary.SHAPES | {"image", "use"}  # elements whose children are not painted


def sweep(draft: Draft, _sheet: Sheet) -> None:
    """Remove resources and definitions that no painted element uses, even indirectly; then unused ids."""
    nodes = draft.root.walk()
    if any(node.tag in HIDDEN or (node.children and node.tag in BARREN) for node in nodes):
        _prune(draft.root, _living(nodes), False)
        nodes = draft.root.walk()
    wanted = {target for node in nodes for target in references(node)}
    for node in nodes:
        if "id" in node.attrib and node.attrib["id"] not in wanted:
            del node.attrib["id"]


def _living(nodes: list[Element]) -> set[Element]:
    """All painted nodes, reached from the root and along references but not into mere definitions."""
    ids = {node.attrib["id"]: node for node in reversed(nodes) if "id" in node.attrib}
    hidden = (part for node in nodes if node.tag in HIDDEN for part in node.walk())
    parents = {child: part for part in hidden for child in part.elements()}
    living: set[Element] = set()
    pending = [nodes[0]]
    while pending:
        node = pending.pop()
        if node in living:
            continue
        living.add(node)
        if node.children:
            shown = vocabulary.WORDS if node.tag in BARREN else None
            pending += [
                c for c in node.elements() if c.tag not in HIDDEN and (shown is None or c.tag in shown)
            ]
        for target in references(node):
            if target not in ids:
                continue
            pending.append(ids[target])
            above = parents.get(ids[target])
            while above is not None and above not in living:  # a definition inherits from its ancestors
                pending += [ids[name] for name in references(above) if name in ids]
                above = parents.get(above)
    return living


def _prune(node: Element, living: set[Element], defining: bool) -> bool:
    """Remove dead children; True if `node` must stay. defining: nothing here is painted, so only living nodes stay."""
    defining = (defining or node.tag in HIDDEN) and node not in living
    below = defining or node.tag in BARREN
    kept = [c for c in node.children if isinstance(c, str) or _prune(c, living, below)]
    inside = any(isinstance(child, Element) for child in kept)
    node.children = kept if len(kept) == len(node.children) else joined(kept)
    return not defining or inside


def is_settled(root: Element, sheet: Sheet) -> bool:
    """Whether a drawing is an earlier product for a dark sheet, judged by its ids. Its colours are then final.

    Valid until `label`, which renames the root.
    """
    first = root.attrib.get("aria-labelledby", "").partition(" ")[0]
    number = 2 if "id" in root.attrib else 1  # ids are numbered from the root
    return sheet.theme == "dark" and first == f"{sheet.figure}-{sheet.theme}-{number}"


def name_ids(draft: Draft, sheet: Sheet) -> None:
    """Rename ids, all referenced by now, to <figure>-<theme>-<n> in document order, and drop classes."""
    nodes = draft.root.walk()
    new: dict[str, str] = {}
    for node in nodes:
        node.attrib.pop("class", None)
        old = node.attrib.pop("id", None)
        if old is not None:
            new[old] = node.attrib["id"] = f"{sheet.figure}-{sheet.theme}-{len(new) + 1}"
    for node in nodes:
        rename(node, new)
