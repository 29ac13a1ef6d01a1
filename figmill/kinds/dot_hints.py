"""Attributes that may give a graph a clearer layout: versions of its DOT text. Pure; Graphviz judges nothing here."""

from __future__ import annotations

import re
from collections.abc import Iterator

from figmill.kind.definition import Hint
from figmill.kinds.dot_lexer import tokens

# Attributes of the graph, if it does not state them: the nodes are laid out with more room, or in another direction.
ADDED = (("overlap", "false"), ("nodesep", "0.6"), ("ranksep", "1"), ("rankdir", "LR"))
TURNED = {"LR": "TB", "TB": "LR", "RL": "BT", "BT": "RL"}
_RANKDIR = re.compile(r"(\brankdir\s*=\s*\"?)(LR|TB|RL|BT)\b")
_EDGE_LABEL = re.compile(r"(?m)^(?=[^\n]*-[->])([^\n\[]*\[[^\n]*?)\blabel(\s*=)")


def hints(source: str) -> Iterator[Hint]:
    """The versions of DOT text, the smallest change first."""
    words = {token.text for token in tokens(source) if token.kind == "word"}
    brace = next((token for token in tokens(source) if token.text == "{" and token.kind == "punct"), None)
    if brace is None:
        return
    lines = source.split("\n")
    for name, value in ADDED:
        if name not in words:
            line = lines[brace.line - 1]
            changed = f"{line[: brace.column]}\n  {name}={value};{line[brace.column :]}"
            text = "\n".join((*lines[: brace.line - 1], changed, *lines[brace.line :]))
            yield Hint(f"{name}={value}", text)
    if turned := _RANKDIR.search(source):
        text = _RANKDIR.sub(lambda match: match[1] + TURNED[match[2]], source, count=1)
        yield Hint(f"rankdir={TURNED[turned[2]]}", text)
    beside = _EDGE_LABEL.sub(r"\1xlabel\2", source)
    if beside != source:
        yield Hint("xlabel instead of label for edges", beside)
