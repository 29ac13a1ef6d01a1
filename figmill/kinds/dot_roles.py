"""The palette's roles in DOT: `role=compute` on a node, an edge or a cluster, and `"role:compute"` as a colour.

A role sets the fill and the line of a node or a cluster, and the line of an edge. A colour wins if it is written closer
to the item than the role. As a colour, `role:NAME` means the fill of that role in `fillcolor` and `bgcolor`, and its
line elsewhere; also in HTML-like labels. Works on the graph that Graphviz has parsed, so `node [role=data]` is
inherited like any attribute. It knows nothing of the book: drawings get the built-in colours, which settling replaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from figmill.errors import did_you_mean
from figmill.kind.job import Remark
from figmill.kinds.dot_lexer import Breach, Token, tokens
from figmill.kinds.graphs import items, places
from figmill.kinds.graphs.amended import CHECK
from figmill.palette import ROLES

Tones: TypeAlias = "Mapping[str, Sequence[str]]"  # role -> fill and line

BUILT_IN: Tones = {role.name: (role.fill, role.line) for role in ROLES}
FILLS = ("fillcolor", "bgcolor")
LINES = ("color", "fontcolor", "pencolor", "labelfontcolor")
FILLED = ("filled", "radial", "striped", "wedged", "invis")  # styles that determine how a shape is filled
_NAMED = re.compile(r"role:([^\s\"':;]*)")
_CELL = re.compile(r"\b(bgcolor|color)(\s*=\s*[\"'])role:([\w-]+)", re.IGNORECASE)


def odd(text: str, roles: Tones) -> Iterator[Remark]:
    """A remark on each item whose `role` the palette lacks: it may be an attribute of the author's own."""
    for each in places.assignments(text) if "role" in text else ():
        if each.key.text == "role" and each.value.text and each.value.text not in roles:
            yield Remark(CHECK, _lacks(each.value.text, roles), each.value.line)


def unknown(text: str, roles: Tones) -> Iterator[Breach]:
    """Each colour in DOT text that names a role which the palette lacks, in order."""
    if "role:" not in text.replace("\\\n", ""):  # a backslash continues a string on the next line
        return
    previous: tuple[Token, ...] = ()
    for token in tokens(text):
        is_value = len(previous) == 2 and previous[1].text == "=" and token.kind in ("string", "word", "html")
        if is_value and (token.kind == "html" or previous[0].text in (*FILLS, *LINES)):
            for match in _NAMED.finditer(token.text):
                if token.kind != "html" or _CELL.search(token.text, max(0, match.start() - 20), match.end()):
                    yield from _checked(match[1], token, token.text.count("\n", 0, match.start()), roles)
        previous = (*previous[-1:], token)


def _checked(name: str, token: Token, below: int, roles: Tones) -> Iterator[Breach]:
    if name not in roles:
        yield Breach(token.line + below, token.column, _lacks(name, roles))


def _lacks(name: str, roles: Tones) -> str:
    near = did_you_mean(name, roles) or f"; choose one of {', '.join(roles)}"
    return f"the palette has no role '{name}'{near}"


def give_colours(gv: Any, graph: Any, roles: Tones) -> None:
    """Set the colours of everything in a graph that names a role."""
    _name_colours(gv, graph, graph, roles)
    for cluster in items.all_below(gv, graph):
        _give_shape(gv, graph, cluster, 0, roles)
        _name_colours(gv, graph, cluster, roles)
    for node in items.nodes(gv, graph):
        _give_shape(gv, graph, node, 1, roles)
        _name_colours(gv, graph, node, roles)
        for edge in items.edges_from(gv, graph, node):
            role = items.get(gv, edge, "role")
            if role in roles and not _is_closer(gv, graph, edge, 2, "color"):
                items.put(gv, graph, edge, "color", roles[role][1])
            _name_colours(gv, graph, edge, roles)


def _give_shape(gv: Any, graph: Any, item: Any, sort: int, roles: Tones) -> None:
    role = items.get(gv, item, "role")
    if role not in roles:
        return
    fill, line = roles[role]
    if not _is_closer(gv, graph, item, sort, "fillcolor"):
        items.put(gv, graph, item, "fillcolor", fill)
    if not _is_closer(gv, graph, item, sort, "color"):
        items.put(gv, graph, item, "color", line)
    style = items.get(gv, item, "style")
    if not any(word in style for word in FILLED):
        items.put(gv, graph, item, "style", f"{style},filled" if style else "filled")


def _is_closer(gv: Any, graph: Any, item: Any, sort: int, name: str) -> bool:
    """Whether a colour is written at least as close to an item as its role."""
    colour, common = items.get(gv, item, name), items.default(gv, graph, sort, name)
    if colour != common:
        return True
    return bool(colour) and items.get(gv, item, "role") == items.default(gv, graph, sort, "role")


def _name_colours(gv: Any, graph: Any, item: Any, roles: Tones) -> None:
    for tone, names in enumerate((FILLS, LINES)):
        for name in names:
            colour = items.get(gv, item, name)
            if "role:" in colour:
                items.put(gv, graph, item, name, _NAMED.sub(lambda match: roles[match[1]][tone], colour))  # noqa: B023
    label = items.get(gv, item, "label")
    if _CELL.search(label) and "<" in label:
        named = _CELL.sub(lambda m: f"{m[1]}{m[2]}{roles[m[3]][m[1].casefold() == 'color']}", label)
        items.put(gv, graph, item, "label", f"<{named}>")
