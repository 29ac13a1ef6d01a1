"""A grammar in words: for each rule a list of what comes in order, one of what, optional or repeated. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from figmill.kind import FigureTable
from figmill.kind.stated import Stated, stated
from figmill.kind.tables import fitting, table
from figmill_kinds.railroad.reading import GrammarRule, Many, Part, Repeated, Word

HOW = {
    "choice": "one of",
    "sequence": "in order",
    "optional": "optional",
    "any": "zero or more times",
    "some": "one or more times",
}
Line = tuple[int, str, str]  # level, how, item


def tables_of(rules: Sequence[GrammarRule]) -> tuple[FigureTable, ...]:
    """The rules as one table, whose rows are the lines of nested lists."""
    lines = [line for rule in rules for line in _rule(rule)]
    return fitting((table("Rules", ("level", "how", "item"), lines, "outline"),))


def stated_of(rules: Sequence[GrammarRule], source: str) -> Stated:
    """The names of rules, and the words in them."""
    texts = [text for rule in rules for text in (rule.name, *_texts(rule.part))]
    return stated(texts, source=source)


def _texts(part: Part) -> Iterator[str]:
    if isinstance(part, Word):
        yield part.text
        return
    if isinstance(part, Repeated):
        yield part.note
    for inner in part.parts if isinstance(part, Many) else (part.part,):
        yield from _texts(inner)


def _rule(rule: GrammarRule) -> Iterator[Line]:
    yield 0, "", rule.name
    parts = rule.part.parts if isinstance(rule.part, Many) and rule.part.kind == "sequence" else (rule.part,)
    for part in parts:
        yield from _lines(part, 1)


def _lines(part: Part, level: int) -> Iterator[Line]:
    """A part in one line if it contains only words; otherwise a line for it, and the lines of its content."""
    if isinstance(part, Word):
        yield level, "", _said(part)
        return
    inside: tuple[Part, ...] = part.parts if isinstance(part, Many) else (part.part,)
    how = HOW.get(part.kind) or (part.note if isinstance(part, Repeated) else part.kind)
    if not inside:
        yield level, "nothing", ""
    elif all(isinstance(inner, Word) for inner in inside):
        yield level, how, ", ".join(_said(inner) for inner in inside if isinstance(inner, Word))
    else:
        yield level, how, ""
        only = inside[0]
        if isinstance(part, Repeated) and isinstance(only, Many) and only.kind == "sequence":
            inside = only.parts  # the lines of a list are in order anyway
        for inner in inside:
            yield from _lines(inner, level + 1)


def _said(word: Word) -> str:
    """A terminal in quotes, or the unchanged name of a rule or text of a comment."""
    return f'"{word.text}"' if word.kind == "terminal" else word.text
