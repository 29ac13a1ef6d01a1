"""Checks references between elements: none may dangle, form a cycle, or multiply elements without limit.

Knows nothing of what is painted. Works on a tree that allowlist.py has admitted.
"""

from __future__ import annotations

from bisect import bisect_left

from figmill.svg.document import BreachError, Draft, Element, joined
from figmill.svg.xml import vocabulary
from figmill.svg.xml.references import URL, references, urls

SERVERS = vocabulary.words("linearGradient radialGradient pattern")
MAX_EXPANDED = 20_000
MAX_CHAIN = 200


def check_references(draft: Draft) -> None:
    """Breach for a cycle or an expansion bomb; dangling and ambiguous references are warned of and resolved."""
    for _ in range(MAX_CHAIN):
        gone = _mend_round(draft)
        if not gone or draft.breaches:
            return
        for node in draft.root.walk():  # references to removed elements now dangle: another round
            kept = (child for child in node.children if isinstance(child, str) or child not in gone)
            node.children = joined(kept)
    raise BreachError(
        next(iter(gone)), f"a chain of references over more than {MAX_CHAIN} elements leads nowhere"
    )


def _mend_round(draft: Draft) -> set[Element]:
    """Mend every reference and return the elements that draw nothing; if there are none, check the expansion."""
    nodes = draft.root.walk()
    linked = {node: targets for node in nodes if (targets := references(node))}
    ids = _ids(draft, nodes, {target for targets in linked.values() for target in targets})
    gone: set[Element] = set()
    for node, targets in linked.items():
        if not all(target in ids for target in targets):
            with draft.collected():
                _mend(draft, node, ids, gone)
        _mend_paints(draft, node, ids)
    if not gone and not draft.breaches:
        _check_expansion(nodes, {node: _drawn(node, ids) for node in linked})
    return gone


def _ids(draft: Draft, nodes: list[Element], wanted: set[str]) -> dict[str, Element]:
    """The referenced elements by id. If several share an id, viewers take the first, and the others lose it."""
    ids: dict[str, Element] = {}
    reported: set[str] = set()
    for node in nodes:
        name = node.attrib.get("id")
        if name is None or name not in wanted:
            continue  # an id to which nothing refers is removed anyway
        first = ids.setdefault(name, node)
        if first is node:
            continue
        if name not in reported and not _are_same(first, node):
            reported.add(name)
            message = f"id '{name}' is used twice, and references to it lead to the first element"
            draft.warn("dead-reference", node, message)
        del node.attrib["id"]
    return ids


def _are_same(first: Element, second: Element) -> bool:
    """Whether two elements draw the same, wherever they are referred to."""
    return (first.tag, first.attrib, len(first.children)) == (
        second.tag,
        second.attrib,
        len(second.children),
    ) and all(
        _are_same(a, b) if isinstance(a, Element) and isinstance(b, Element) else a == b
        for a, b in zip(first.children, second.children, strict=True)
    )


def _mend(draft: Draft, node: Element, ids: dict[str, Element], gone: set[Element]) -> None:
    """Write out how viewers treat a dangling reference: a url() gets its fallback, a <use> draws nothing.

    gone: collects the elements that draw nothing.
    """
    for name, value in list(node.attrib.items()):
        if name == "href" and node.tag == "a":
            continue  # to a part of the page, which its host knows
        if name == "href" and value.startswith("#") and value[1:] not in ids:
            what = f"<{node.tag}> refers to '{value}', which is not in the figure"
            draft.warn("dead-reference", node, what)
            del node.attrib[name]
            if node.tag in ("use", "textPath"):
                gone.add(node)
            continue
        if name in vocabulary.IDREFS and node is not draft.root and not set(value.split()) <= ids.keys():
            draft.warn("dead-reference", node, f"{name} refers to an id that is not in the figure")
            del node.attrib[name]  # the root's is rewritten in any case
            continue
        missing = [target for target in urls(name, value) if target not in ids]
        if not missing:
            continue
        draft.warn("dead-reference", node, f"{name} refers to '#{missing[0]}', which is not in the figure")
        if name == "style":
            kept = [part for part in value.split("; ") if not set(urls(name, part)) & set(missing)]
            node.attrib[name] = "; ".join(kept)
            if not kept:
                del node.attrib[name]
            continue
        if name == "filter":  # browsers ignore it, and apply the others in the list (Filter Effects 1, 5)
            del node.attrib[name]
            if rest := "" if _is_nested(value) else _without(missing, value):
                node.attrib[name] = rest
            continue
        node.attrib[name] = _fallback(value) if name in ("fill", "stroke") else "none"


def _without(missing: list[str], value: str) -> str:
    for target in missing:
        value = value.replace(f"url(#{target})", "")
    return " ".join(value.split())


def _is_nested(value: str) -> bool:
    """Whether a url() stands within another function, for which browsers ignore the whole value."""
    starts = [match.start() for match in URL.finditer(value)]
    return any(value.count("(", 0, start) > value.count(")", 0, start) for start in starts)


def _mend_paints(draft: Draft, node: Element, ids: dict[str, Element]) -> None:
    """Write the fallback of paints that refer to an element other than a gradient or pattern."""
    for name in ("fill", "stroke"):
        value = node.attrib.get(name, "")
        for target in urls(name, value) if "url(" in value else ():
            if target in ids and ids[target].tag not in SERVERS:
                message = (
                    f"{name} refers to '#{target}', which is <{ids[target].tag}>, not a gradient or a pattern"
                )
                draft.warn("dead-reference", node, message)
                node.attrib[name] = _fallback(value)
                break


def _fallback(value: str) -> str:
    """The fallback of a paint: the colour after the url(), or none."""
    rest = value[value.index(")") + 1 :].strip()
    return "none" if "url(" in rest else rest or "none"


def _drawn(node: Element, ids: dict[str, Element]) -> list[Element]:
    """The elements that a reference draws again; the targets of links and text paths do not count."""
    targets = [target for name, value in node.attrib.items() for target in urls(name, value)]
    if node.tag not in ("a", "textPath") and node.attrib.get("href", "").startswith("#"):
        targets.append(node.attrib["href"][1:])
    return [ids[target] for target in targets]


def _check_expansion(nodes: list[Element], drawn: dict[Element, list[Element]]) -> None:
    """Count the elements that references would create. BreachError beyond the limit or for a cycle.

    A <use> creates a copy of its target. A paint, clip or mask is one resource, however many elements share it: only
    the elements created by its own references count, once per element it is applied to.
    """
    size: dict[Element, int] = {}
    for node in reversed(nodes):
        size[node] = 1 + sum(size[child] for child in node.elements())
    place = {node: at for at, node in enumerate(nodes)}
    linked = sorted(place[node] for node in drawn)
    totals: dict[Element, int] = {}
    under_way: list[Element] = []

    def count(target: Element, asked_by: Element) -> int:
        """The number of elements of `target`, with all its references followed."""
        if target in totals:
            return totals[target]
        if target in under_way:
            raise BreachError(asked_by, f"<{asked_by.tag}> refers to itself in a circle")
        if len(under_way) == MAX_CHAIN:
            raise BreachError(asked_by, f"a chain of references has more than {MAX_CHAIN} elements")
        under_way.append(target)
        first, total = place[target], size[target]
        for at in linked[bisect_left(linked, first) : bisect_left(linked, first + size[target])]:
            total += sum(count(further, nodes[at]) for further in drawn[nodes[at]])
        under_way.pop()
        totals[target] = total
        return total

    total = 0
    for node, targets in drawn.items():
        for target in targets:
            total += count(target, node) - (0 if node.tag == "use" else size[target])
        if total > MAX_EXPANDED:
            raise BreachError(node, f"references make more than {MAX_EXPANDED:,} elements")
