"""References between elements: that they lead somewhere, never in a circle, and do not multiply.

Unaware of what is painted with them. Works on a tree that allowlist.py has admitted.
"""

from __future__ import annotations

from bisect import bisect_left

from figmill.svg.document import BreachError, Draft, Node
from figmill.svg.xml import vocabulary
from figmill.svg.xml.references import references, urls

SERVERS = vocabulary.words("linearGradient radialGradient pattern")
MAX_EXPANDED = 20_000
MAX_CHAIN = 200


def check_references(draft: Draft) -> None:
    """A circle, a bomb or an id that is there twice is a breach; what leads nowhere is told and resolved."""
    for _ in range(MAX_CHAIN):
        gone = _mend_round(draft)
        if not gone or draft.breaches:
            return
        for node in draft.root.walk():  # what refers to one of these leads nowhere, too: another round
            node.children = [child for child in node.children if isinstance(child, str) or child not in gone]
    raise BreachError(next(iter(gone)), f"references lead on over more than {MAX_CHAIN} elements, to nowhere")


def _mend_round(draft: Draft) -> set[Node]:
    """Mend every reference, and return the elements of which nothing is drawn; count only if there are none."""
    nodes = draft.root.walk()
    linked = {node: found for node in nodes if (found := references(node))}
    ids = _ids(draft, nodes, {target for found in linked.values() for target in found})
    gone: set[Node] = set()
    for node, found in linked.items():
        if not all(target in ids for target in found):
            with draft.collected():
                _mend(draft, node, ids, gone)
        _mend_paints(draft, node, ids)
    draft.forget(_in_texts)
    if not gone and not draft.breaches:
        _check_expansion(nodes, {node: _drawn(node, ids) for node in linked})
    return gone


def _ids(draft: Draft, nodes: list[Node], wanted: set[str]) -> dict[str, Node]:
    """The elements by id. An id that nothing refers to may come twice: it goes anyway."""
    found: dict[str, Node] = {}
    for node in nodes:
        name = node.attrib.get("id")
        if name is not None and name in wanted:
            if name in found:
                draft.refuse(node, f"id '{name}' is there twice, and something refers to it")
            found[name] = node
    return found


def _mend(draft: Draft, node: Node, ids: dict[str, Node], gone: set[Node]) -> None:
    """Write down what readers make of what leads nowhere: of a url() its fallback, of <use> nothing.

    gone: takes the elements of which nothing is drawn.
    """
    for name, value in list(node.attrib.items()):
        if name == "href" and value.startswith("#") and value[1:] not in ids:
            what = f"<{node.tag}> refers to '{value}', which is not in the figure"
            draft.warn("dead-reference", node, what)
            del node.attrib[name]
            if node.tag in ("use", "textPath"):
                gone.add(node)
            elif node.tag == "a":
                _unlink(draft, node)
            continue
        if name in vocabulary.IDREFS and node is not draft.root and not set(value.split()) <= ids.keys():
            draft.warn("dead-reference", node, f"{name} refers to an id that is not in the figure")
            del node.attrib[name]  # the root's is written anew in any case
            continue
        missing = [target for target in urls(name, value) if target not in ids]
        if not missing:
            continue
        if name == "filter":  # some readers then leave out the filter, others the whole element
            raise BreachError(node, f"filter '#{missing[0]}' is not in the figure")
        draft.warn("dead-reference", node, f"{name} refers to '#{missing[0]}', which is not in the figure")
        if name == "style":
            kept = [part for part in value.split("; ") if not set(urls(name, part)) & set(missing)]
            node.attrib[name] = "; ".join(kept)
            if not kept:
                del node.attrib[name]
            continue
        node.attrib[name] = _fallback(value) if name in ("fill", "stroke") else "none"


def _in_texts(draft: Draft) -> set[Node]:
    """All elements below a <text>."""
    return {node for text in draft.root.walk() if text.tag == "text" for node in text.walk()}


def _unlink(draft: Draft, node: Node) -> None:
    """A link that leads nowhere is a group of what it holds."""
    node.tag = "tspan" if node in draft.once(_in_texts) else "g"
    for name in ("target", "rel"):
        node.attrib.pop(name, None)


def _mend_paints(draft: Draft, node: Node, ids: dict[str, Node]) -> None:
    """Write down what readers make of a paint that is a shape, say: the same as of one that leads nowhere."""
    for name in ("fill", "stroke"):
        value = node.attrib.get(name, "")
        for target in urls(name, value) if "url(" in value else ():
            if target in ids and ids[target].tag not in SERVERS:
                told = (
                    f"{name} refers to '#{target}', which is <{ids[target].tag}>, and no gradient or pattern"
                )
                draft.warn("dead-reference", node, told)
                node.attrib[name] = _fallback(value)
                break


def _fallback(value: str) -> str:
    """What is painted where a paint leads nowhere: the colour behind the url(), or nothing."""
    rest = value[value.index(")") + 1 :].strip()
    return "none" if "url(" in rest else rest or "none"


def _drawn(node: Node, ids: dict[str, Node]) -> list[Node]:
    """What is drawn again on behalf of this element: not the target of a link, a label, or the line of a text."""
    found = [target for name, value in node.attrib.items() for target in urls(name, value)]
    if node.tag not in ("a", "textPath") and node.attrib.get("href", "").startswith("#"):
        found.append(node.attrib["href"][1:])
    return [ids[target] for target in found]


def _check_expansion(nodes: list[Node], drawn: dict[Node, list[Node]]) -> None:
    """Count the elements that references make, without making them; Breach beyond the limit or in a circle.

    A <use> makes its target whole. A paint, clip or mask is one resource, however many elements share it:
    only what its own references make counts, again for each element that it is applied to.
    """
    size: dict[Node, int] = {}
    for node in reversed(nodes):
        size[node] = 1 + sum(size[child] for child in node.elements())
    place = {node: at for at, node in enumerate(nodes)}
    linked = sorted(place[node] for node in drawn)
    made: dict[Node, int] = {}
    under_way: list[Node] = []

    def count(target: Node, asked_by: Node) -> int:
        """The elements of `target` with all its references followed."""
        if target in made:
            return made[target]
        if target in under_way:
            raise BreachError(asked_by, f"<{asked_by.tag}> refers to itself in a circle")
        if len(under_way) == MAX_CHAIN:
            raise BreachError(asked_by, f"references lead on over more than {MAX_CHAIN} elements")
        under_way.append(target)
        first, total = place[target], size[target]
        for at in linked[bisect_left(linked, first) : bisect_left(linked, first + size[target])]:
            total += sum(count(further, nodes[at]) for further in drawn[nodes[at]])
        under_way.pop()
        made[target] = total
        return total

    total = 0
    for node, targets in drawn.items():
        for target in targets:
            total += count(target, node) - (0 if node.tag == "use" else size[target])
        if total > MAX_EXPANDED:
            raise BreachError(node, f"references make more than {MAX_EXPANDED:,} elements")
