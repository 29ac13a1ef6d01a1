"""Works around a crash of Graphviz on labels that begin with an empty line, as in UML.

The first line of such a label, or of such a field of a record, gets a blank. Every line of the text keeps its line
number. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from figmill.kinds.dot_lexer import Token, length, tokens

LABELS = frozenset({"label", "xlabel", "headlabel", "taillabel"})
_EMPTY_LINE = r"(?=\\[nlr]|\n)"
_LABEL = re.compile(rf'(?<=\A"){_EMPTY_LINE}')
# What begins a field of a record: its place, perhaps with the name of a port.
_FIELD = re.compile(rf'(?:\A"|(?<!\\)[|{{]) *(?:<[^<>|{{}}]*> *)?(?:\{{ *)*{_EMPTY_LINE}')


def filled(text: str) -> str:
    """DOT text without labels that begin with an empty line."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    parts, done = [], 0
    for token in _labels(text):
        at = starts[token.line - 1] + token.column - 1
        end = at + length(text, at)
        parts += [text[done:at], _with_blanks(text[at:end], "record" in text)]
        done = end
    return "".join([*parts, text[done:]])


def _labels(text: str) -> Iterator[Token]:
    key, sign = "", ""
    for token in tokens(text):
        if token.kind == "string" and sign == "=" and key in LABELS:
            yield token
        key, sign = sign, token.text


def _with_blanks(label: str, is_of_record: bool) -> str:
    """A label in its quotes. A record drops other kinds of blanks at the end of a line."""
    return _FIELD.sub(lambda match: f"{match[0]}&nbsp;", label) if is_of_record else _LABEL.sub(" ", label)
