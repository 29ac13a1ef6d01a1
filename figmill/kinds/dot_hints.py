"""Attributes that may give a graph a clearer layout: versions of its DOT text. Pure; Graphviz judges nothing here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from figmill.kind.definition import Hint
from figmill.kinds.dot_lexer import Token, tokens

# Attributes of the graph, if it does not state them: the nodes are laid out with more room, or in another direction.
ADDED = (("overlap", "false"), ("nodesep", "0.6"), ("ranksep", "1"), ("rankdir", "LR"))
TURNED = {"LR": "TB", "TB": "LR", "RL": "BT", "BT": "RL"}
_RANKDIR = re.compile(r"(\brankdir\s*=\s*\"?)(LR|TB|RL|BT)\b")
_EDGES = ("->", "--")


def hints(source: str) -> Iterator[Hint]:
    """The versions of DOT text, the smallest change first."""
    ids = {token.text for token in tokens(source) if token.kind == "word"}
    brace = next((token for token in tokens(source) if token.text == "{" and token.kind == "punct"), None)
    if brace is None:
        return
    lines = source.split("\n")
    beside = list(_edge_labels(source))
    for name, value in ADDED:
        if name not in ids:
            line = lines[brace.line - 1]
            changed = f"{line[: brace.column]}\n  {name}={value};{line[brace.column :]}"
            text = "\n".join((*lines[: brace.line - 1], changed, *lines[brace.line :]))
            yield Hint(f"{name}={value}", text)
    if turned := _RANKDIR.search(source):
        text = _RANKDIR.sub(lambda match: match[1] + TURNED[match[2]], source, count=1)
        yield Hint(f"rankdir={TURNED[turned[2]]}", text)
    if beside:
        for token in reversed(beside):
            line = lines[token.line - 1]
            lines[token.line - 1] = f"{line[: token.column - 1]}x{line[token.column - 1 :]}"
        yield Hint("xlabel instead of label for edges", "\n".join(lines))


def _edge_labels(source: str) -> Iterator[Token]:
    """Where the name `label` stands in the attributes of an edge."""
    is_edge = is_list = False
    names = 0  # since the last `->`: with a second one, another statement has begun
    is_port = False
    for token, following in pairwise(tokens(source)):
        text = token.text if token.kind in ("punct", "word") else ""
        if is_list:
            if text == "]":
                is_edge = is_list = False
            elif is_edge and text == "label" and following.text == "=":
                yield token
        elif text == "[":
            is_edge, is_list = is_edge and names == 1, True
        elif text in (";", "{", "}"):
            is_edge = False
        elif text in _EDGES:
            is_edge, names = True, 0
        elif text != ":" and not is_port:
            names += 1
        is_port = text == ":"
