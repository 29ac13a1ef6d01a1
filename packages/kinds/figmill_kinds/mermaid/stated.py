"""The labels and relations of a source: the words that the driver reads from Mermaid, as a reader sees them. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from figmill.kind.source_text import unescaped
from figmill.kind.stated import Stated, stated
from figmill_kinds.mermaid.labels import with_signs

_BREAK, _TAG = re.compile(r"(?i)<br\b[^>]*>|\\n"), re.compile(r"</?[A-Za-z][^<>]*>")
_EMPHASIS = re.compile(
    r"(?<!\w)(?P<low>__?)(?=\S)(.+?)(?<=\S)(?P=low)(?!\w)|(?P<star>\*\*|\*)(?=\S)(.+?)(?<=\S)(?P=star)",
    re.DOTALL,
)
MIDDLE = "-cyclic-special-mid"
_ID = re.compile(r'\bid="([^"]*)"')
_FORMULA = re.compile(r"\$\$.*?\$\$", re.DOTALL)
_ESCAPED = re.compile(r"^\\(?=[-+#~*])")  # before the sign of a member
_OPENING, _CLOSING = re.compile(r"(?<=[\w)])~(?=[\w(])"), re.compile(r"(?<=[\w>)\]])~+")


def of(statements: Mapping[str, Sequence[Sequence[Any]]], source: str, svg: bytes) -> Stated:
    """What a source states. statements: `labels`, each with whether it is Markdown; `relations`. svg: the drawing."""
    ids = set(_ID.findall(svg.decode()))
    relations = [
        (_name(start), _name(end), plain(text), _mark(mark, "".join(more), ids))
        for start, end, text, mark, *more in statements["relations"]
    ]
    return stated(_labels(statements["labels"]), relations, source)


def _labels(labels: Sequence[Sequence[Any]]) -> Iterator[str]:
    for text, is_markdown in labels:
        if not _FORMULA.search(text):
            yield _without_emphasis(plain(text)) if is_markdown else plain(text)


def _mark(mark: str, node: str, ids: Collection[str]) -> str:
    """The id of a line. Mermaid draws a line from a node to itself in three parts with ids of their own."""
    if not node or mark in ids:
        return mark
    middles = (id_ for id_ in sorted(ids) if id_.endswith(MIDDLE))
    others = (id_ for id_ in middles if id_.startswith(mark) or id_ == f"figure-{node}{MIDDLE}")
    return next(others, mark)


def _name(text: str) -> str:
    return " ".join(_without_emphasis(plain(text)).split())


def _without_emphasis(words: str) -> str:
    while (inner := _EMPHASIS.sub(lambda match: match[2] or match[4], words)) != words:
        words = inner
    return words


def plain(text: str) -> str:
    """The words of a label, line by line, without tags, entities, escapes; `List~int~` is `List<int>`."""
    lines = _TAG.sub("", _BREAK.sub("\n", with_signs(text))).split("\n")
    words = "\n".join(" ".join(line.split()) for line in lines).strip()
    return _generic(_ESCAPED.sub("", unescaped(words)))


def _generic(text: str) -> str:
    """A type's parameters in angle brackets, as Mermaid writes them for `~`; empty if they are not in pairs."""
    opened, count = _OPENING.subn("<", text)
    if not count:
        return text
    closed = _CLOSING.sub(lambda match: ">" * len(match[0]), opened)
    return closed if closed.count("<") == closed.count(">") else ""
