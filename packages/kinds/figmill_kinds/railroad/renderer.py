"""The kind railroad: a grammar in EBNF becomes a railroad diagram for each rule, in the book's font and palette.

The package railroad-diagrams lays out the tracks; figmill reads the grammar and measures the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from figmill.kind import (
    MUTED,
    TEXT,
    AuthorError,
    Job,
    Origin,
    Raw,
    ToolError,
    drawn_text,
    font_metrics,
    role,
    source_text,
)
from figmill_kinds.railroad import as_tables, reading

SIZE, SMALL, HEAD = 13, 11, 14  # px of text on a track, of comments, of a rule's name
GAP = 14  # px between rules
WIDEST = 600  # px of a row, if it has more than one part
EMPTY = 'the file is empty; begin with a rule, like `digit = "0" | "1" ;`'


def warm(fonts: Sequence[str]) -> None:
    """Load the package for the layout. Raises ToolError if it is missing."""
    _library()


def render(job: Job, root: Path) -> Raw:
    """The diagrams of all rules, one below another. Raises AuthorError at the line of a mistake."""
    text = source_text.text(job, root)
    try:
        rules = reading.rules(text)
    except reading.GrammarError as error:
        raise AuthorError(Origin(job.source, error.line, error.column), str(error)) from None
    if not rules:
        raise AuthorError(Origin(job.source, 1), EMPTY)
    symbols = [word for rule in rules for word in reading.names(rule.part)]
    terminals = {word.text for word in symbols if word.kind == "terminal"}
    named = {word.text for word in symbols if word.kind == "name"}
    facts = {"rules": len(rules), "terminals": len(terminals), "nonterminals": len(named)}
    svg, tables = drawn_text.encoded(svg_of(rules)), as_tables.tables_of(rules)
    return Raw(svg, facts, tables=tables, stated=as_tables.stated_of(rules, text))


def svg_of(rules: Sequence[reading.GrammarRule]) -> str:
    """The diagrams of rules, each below its name."""
    parts, top, width = [], 0.0, 0.0
    for rule in rules:
        diagram = _library().Diagram(_item(rule.part)).format(4, 4, 4, 4)
        written: list[str] = []
        diagram.writeSvg(written.append)
        inside = re.sub(r"^<svg[^>]*>|</svg>$", "", "".join(written).strip())
        head = f'<text class="rule" x="4" y="{top + HEAD:g}">{escape(rule.name)}</text>'
        parts.append(f'{head}<g transform="translate(0 {top + HEAD + 8:g})">{inside}</g>')
        width = max(
            width, float(diagram.attrs["width"]), 8 + font_metrics.measure(rule.name, HEAD, bold=True)
        )
        top += HEAD + 8 + float(diagram.attrs["height"]) + GAP
    size = f'width="{width:g}" height="{top - GAP:g}" viewBox="0 0 {width:g} {top - GAP:g}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{_style()}</style>{"".join(parts)}</svg>'


def _style() -> str:
    terminal, name = role("compute"), role("data")
    family = "font-family: Helvetica, Arial, sans-serif"
    return (
        f"path {{ fill: none; stroke: {MUTED[0]}; stroke-width: 1.5 }} "
        f"rect {{ fill: {name.fill}; stroke: {name.line}; stroke-width: 1.2 }} "
        f".terminal rect {{ fill: {terminal.fill}; stroke: {terminal.line} }} "
        f"rect.group-box {{ fill: none; stroke: {MUTED[0]}; stroke-dasharray: 4 3 }} "
        f"text {{ {family}; font-size: {SIZE}px; text-anchor: middle; fill: {TEXT[0]} }} "
        f"text.comment {{ font-size: {SMALL}px; fill: {MUTED[0]} }} "
        f"text.rule {{ font-size: {HEAD}px; font-weight: bold; text-anchor: start }}"
    )


def _item(part: reading.Part) -> Any:
    """A part of a rule in the classes of railroad-diagrams."""
    library = _library()
    if isinstance(part, reading.Word):
        return _word(part)
    if isinstance(part, reading.Repeated):
        inner = _item(part.part)
        if part.kind == "optional":
            return _roomy(library.Optional(inner))
        if part.kind == "any":
            return _roomy(library.ZeroOrMore(inner))
        if part.kind == "some":
            return library.OneOrMore(inner)
        return library.Group(inner, _word(reading.Word("comment", part.note)))
    items = [_item(child) for child in part.parts]
    if not items:
        return library.Skip()
    return _row(items) if part.kind == "sequence" else _roomy(library.Choice(0, *items))


def _roomy(choice: Any) -> Any:
    """A choice with enough room below it.

    railroad-diagrams 3.0.1 omits the height of the last item, which matters if that item has several rows.
    """
    choice.down += choice.items[-1].height
    return choice


def _row(items: Sequence[Any]) -> Any:
    """Items one after another, in several rows if one row would be too wide."""
    library = _library()
    rows: list[list[Any]] = [[]]
    for item in items:
        if rows[-1] and library.Sequence(*rows[-1], item).width > WIDEST:
            rows.append([])
        rows[-1].append(item)
    sequences = [library.Sequence(*row) for row in rows]
    return sequences[0] if len(sequences) == 1 else library.Stack(*sequences)


def _word(word: reading.Word) -> Any:
    library = _library()
    classes = {"terminal": library.Terminal, "name": library.NonTerminal, "comment": library.Comment}
    text = word.text or "\u00a0"
    item = classes[word.kind](text)
    size, room = (SMALL, 10) if word.kind == "comment" else (SIZE, 20)
    item.width = font_metrics.measure(text, size) + room
    return item


@cache
def _library() -> Any:
    """The module railroad. Raises ToolError if the package is missing."""
    if find_spec("railroad") is None:
        raise ToolError("railroad diagrams need one more package: pip install 'figmill[railroad]'")
    return import_module("railroad")
