"""The places of things in DOT text: attributes with their owners, and names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from figmill.kinds.dot_lexer import Token, tokens
from figmill.late_dataclasses import dataclass

ARROWS = ("->", "--")
IDS = ("word", "string", "html")


@dataclass(frozen=True, slots=True)
class Assigned:
    """`key = value`. subject: the nodes of a node or edge statement; empty for the graph's own attributes.

    group: the number of the enclosing braces.
    """

    subject: tuple[str, ...]
    key: Token
    value: Token
    group: int


def assignments(text: str) -> Iterator[Assigned]:
    """Each attribute in DOT text, in order. Never raises, for any text."""
    row = list(tokens(text))
    chain: list[str] = []  # the names of the statement so far
    groups, last_group, is_listed = [0], 0, False
    for at, token in enumerate(row):
        before = row[at - 1].text if at and row[at - 1].kind == "punct" else ""
        if token.kind == "punct":
            if token.text == "[":
                is_listed = True
            elif token.text == "]":
                is_listed = False
            elif token.text == "{":
                last_group += 1
                groups.append(last_group)
            elif token.text == "}" and len(groups) > 1:
                groups.pop()
            if token.text in "{};":
                chain = []
        elif token.kind in IDS:
            has_value = at + 2 < len(row) and row[at + 1].text == "=" and row[at + 1].kind == "punct"
            if has_value and row[at + 2].kind in IDS and before != "=":
                yield Assigned(tuple(chain) if is_listed else (), token, row[at + 2], groups[-1])
            elif not is_listed and before not in ("=", ":"):
                chain = [*chain, token.text] if before in ARROWS else [token.text]


def of_attribute(text: str, key: str, subject: Sequence[str] = (), value: str = "") -> Token | None:
    """The value of an attribute named in a message. subject: the node, or the two ends of the edge.

    A node's own attribute comes before that of `node [...]`. value: a prefix of the value; empty matches any.
    """
    matches = [
        assigned
        for assigned in assignments(text)
        if assigned.key.text == key and assigned.value.text.casefold().startswith(value)
    ]
    for wanted in (tuple(subject), ("edge",) if len(subject) > 1 else ("node",)):
        for assigned in matches:
            if subject and _has(assigned.subject, wanted):
                return assigned.value
    return None if subject or not matches else matches[0].value


def _has(chain: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether a statement's names contain these ends in sequence, or are this single node."""
    if len(wanted) == 1:
        return list(chain) == list(wanted)
    return any(list(chain[at : at + len(wanted)]) == list(wanted) for at in range(len(chain)))


def of_name(text: str, name: str) -> int | None:
    """The first line that contains a name, also as a part of a colour list; None if there is none."""
    lines = {
        t.line
        for t in tokens(text)
        if t.kind in ("word", "string") and (t.text == name or name in re.split("[:;]", t.text))
    }
    lines |= {
        t.line + t.text[: match.start()].count("\n")
        for t in tokens(text)
        if t.kind == "html"
        for match in re.finditer(rf"""["':;]{re.escape(name)}["':;]""", t.text)
    }
    return min(lines, default=None)


def of_rank(text: str, name: str) -> int | None:
    """The line of `rank` in the braces that contain this node; else of the first `rank`."""
    ranks = [assigned for assigned in assignments(text) if assigned.key.text == "rank"]
    inside = {number for number, node in _in_groups(text) if node == name}
    return next((a.key.line for a in ranks if a.group in inside), ranks[0].key.line if ranks else None)


def _in_groups(text: str) -> Iterator[tuple[int, str]]:
    """Each name in DOT text, with the number of the enclosing braces, as in `assignments`."""
    groups, last_group = [0], 0
    for token in tokens(text):
        if token.kind == "punct" and token.text == "{":
            last_group += 1
            groups.append(last_group)
        elif token.kind == "punct" and token.text == "}" and len(groups) > 1:
            groups.pop()
        elif token.kind in IDS:
            yield groups[-1], token.text
