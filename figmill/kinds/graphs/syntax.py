"""Why DOT text is not a graph: the true cause, where Graphviz names only the word at which it stopped. Pure.

Each function of CAUSES finds one kind of mistake. The first one in the text, up to where Graphviz stopped, is
reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from figmill.errors import did_you_mean
from figmill.kind.job import Remark
from figmill.kinds.dot_lexer import KEYWORDS, Token
from figmill.kinds.graphs import pairs
from figmill.kinds.graphs.amended import CHECK
from figmill.kinds.graphs.complaints import SYNTAX, Fault
from figmill.kinds.graphs.places import ARROWS, IDS
from figmill.kinds.graphs.reading import Reading

HEADS = ("graph", "digraph")
DEFAULTS = ("graph", "node", "edge")  # the keywords before `[...]`
EMPTY = "empty-graph"
ARROW_SIGNS = ("→", "⟶", "⇒")


def fault(message: str, text: str, in_file: bool = True) -> Fault:
    """The cause of a syntax error that Graphviz reports. in_file: whether the author's file contains the text."""
    stopped = SYNTAX.search(message)
    line = int(stopped[1]) if stopped else None
    near = stopped["near"] if stopped else None
    mistake = cause(text, line) or Fault(f"syntax error near '{near}'" if near else "syntax error", line)
    if in_file or mistake.line is None:
        return mistake
    place = f"line {mistake.line} of the DOT text that draw() made"
    return replace(mistake, message=f"{mistake.message} ({place})")


def cause(text: str, stopped: int | None = None) -> Fault | None:
    """The first known mistake in the text. stopped: the line where Graphviz gave up."""
    reading = Reading.of(text)
    # it hides brackets, which would then seem to be missing
    if (hidden := next(_hidden(reading), None)) is not None:
        return hidden
    faults = [
        wrong
        for of in CAUSES
        for wrong in of(reading)
        if wrong.line is not None and (stopped is None or wrong.line <= stopped)
    ]
    return min(faults, key=lambda wrong: (wrong.line or 0, wrong.column or 0), default=None)


def unpaired(text: str) -> Fault | None:
    """The bracket, brace or quote without its other half."""
    if (token := pairs.unpaired(text)) is None:
        return None
    closes = token.text in ("'}'", "']'")
    return _fault(token, f"{token.text} closes nothing" if closes else f"{token.text} is never closed")


# ---------------------------------------------------------------- valid DOT, but probably not what the author means


def odd(text: str, nodes: int) -> Iterator[Remark]:
    """Remarks on valid DOT whose drawing would surprise its author. nodes: the graph's count."""
    if not nodes:
        yield Remark(EMPTY, "this graph has no node, so there is nothing to see", 1)
    reading = Reading.of(text)
    for at, token in enumerate(reading.row):
        if token.kind != "word" or reading.listed[at]:
            continue
        following = reading.text_of(at + 1)
        if token.text in ARROW_SIGNS:
            yield Remark(CHECK, f"'{token.text}' is read as a node; the arrow of DOT is ->", token.line)
        elif following.startswith("-") and reading.is_a(at + 1, "word") and reading.adjoin(at):
            hint = (
                f"this makes two nodes, '{token.text}' and '{following}'; write \"{token.text}{following}\""
            )
            yield Remark(CHECK, hint, token.line)
        elif token.text == "label" and _splits(reading, at):
            first, second = reading.text_of(at + 2), reading.text_of(at + 3)
            hint = f"the label is '{first}', and '{second}' is a node; put both in quotes: label=\"{first} {second}\""
            yield Remark(CHECK, hint, token.line)


def _splits(reading: Reading, at: int) -> bool:
    """Whether `label = x y` is in one line, and y begins neither a statement nor an attribute."""
    if reading.mark(at + 1) != "=" or not (reading.is_a(at + 2, "word") and reading.is_a(at + 3, "word")):
        return False
    second = reading.row[at + 3]
    begins = reading.mark(at + 4) in ("=", "[", *ARROWS) or second.text.casefold() in KEYWORDS
    return not begins and second.line == reading.row[at].line


# ---------------------------------------------------------------- one function for each kind of mistake


def _hidden(reading: Reading) -> Iterator[Fault]:
    """A value that DOT reads as a comment, such as the colour in `color=#ff0000`."""
    for at, token in enumerate(reading.row):
        value = (
            re.compile(r"=\s*(#\w*)").match(reading.text, reading.start(at))
            if reading.mark(at) == "="
            else None
        )
        if value:
            message = f"'#' begins a comment; write {reading.text_of(at - 1)}=\"{value[1]}\""
            yield replace(_fault(token, message), column=token.column + value.start(1) - value.start())


def _unclosed(reading: Reading) -> Iterator[Fault]:
    if (wrong := unpaired(reading.text)) is not None:
        yield wrong


def _head(reading: Reading) -> Iterator[Fault]:
    at = 1 if reading.text_of(0).casefold() == "strict" else 0
    if at >= len(reading.row):
        return
    first = reading.row[at]
    if first.kind != "word" or first.text.casefold() not in HEADS:
        near = did_you_mean(first.text, HEADS) if first.kind == "word" else ""
        begun = first.text if len(first.text) <= 40 else f"{first.text[:40]}…"
        yield _fault(first, f"a source begins with 'graph {{' or 'digraph {{', not with '{begun}'{near}")
        return
    before = at + 1 if reading.is_a(at + 1, *IDS) else at
    if before + 1 < len(reading.row) and reading.mark(before + 1) != "{":
        message = f"'{{' is missing after '{reading.text_of(before)}'"
        several = "; a name of several words needs quotes" if before > at else ""
        yield _fault(reading.row[before + 1], message + several)


def _arrows(reading: Reading) -> Iterator[Fault]:
    """The arrow of the other sort of graph, an invalid arrow, and an arrow without a node at one end."""
    for at, token in enumerate(reading.row):
        if reading.listed[at]:
            continue
        if (spelled := reading.arrow(at)) is not None:
            way = "; an arrow backwards is written with dir=back" if spelled.startswith("<") else ""
            right = "--" if reading.head == "graph" else "->"
            yield _fault(token, f"'{spelled}' is not an arrow; write '{right}'{way}")
        elif (arrow := reading.mark(at)) in ARROWS:
            if arrow == "->" and reading.head == "graph":
                message = (
                    "joins nodes of a digraph, and this is a graph; begin it with 'digraph', or write '--'"
                )
                yield _fault(token, f"'->' {message}")
            elif arrow == "--" and reading.head == "digraph":
                message = (
                    "joins nodes of a graph, and this is a digraph; write '->', or begin it with 'graph'"
                )
                yield _fault(token, f"'--' {message}")
            if at + 1 == len(reading.row) or reading.mark(at + 1) in (";", "}", "]", "[", ",", "=", *ARROWS):
                yield _fault(token, f"'{arrow}' has no node to its right")
            if reading.mark(at - 1) == "]":
                message = f"attributes come after all nodes of an edge, as in a {arrow} b [color=gray]"
                yield _fault(token, message)


def _signs(reading: Reading) -> Iterator[Fault]:
    """Characters that are not allowed in a name without quotes."""
    for at, token in enumerate(reading.row):
        if token.kind != "other" or token.text == '"' or (not reading.listed[at] and reading.arrow(at)):
            continue
        is_value, word = reading.mark(at - 1) == "=", reading.word_around(at)
        only = f"'{token.text}' is allowed only in quotes"
        if token.text == "'":
            yield _fault(token, "DOT quotes with \", not with '")
        elif word != token.text or is_value:
            is_edge = token.text == "-" and reading.head == "graph"
            edge = f", or for an edge {' -- '.join(word.split('-'))}" if is_edge else ""
            yield replace(_fault(token, f'{only}; write "{word}"{edge}'), column=reading.start_of_word(at))
        else:
            yield _fault(token, only)


def _keywords(reading: Reading) -> Iterator[Fault]:
    """A keyword used as a name."""
    for at, token in enumerate(reading.row):
        word = token.text.casefold()
        if token.kind != "word" or word not in KEYWORDS or reading.listed[at] or at < reading.body:
            continue
        following = reading.mark(at + 1)
        if word in DEFAULTS and following in ("=", ":") and reading.mark(at + 2) == "[":
            yield _fault(token, f"defaults are written without '{following}': {word} [...]")
            continue
        is_default = word in DEFAULTS and following == "[" and reading.mark(at - 1) not in ARROWS
        is_subgraph = word == "subgraph" and (following == "{" or reading.is_a(at + 1, *IDS))
        if not is_default and not is_subgraph:
            yield _fault(
                token, f"'{token.text}' is a keyword of DOT in any case; write it as \"{token.text}\""
            )


def _attributes(reading: Reading) -> Iterator[Fault]:
    """In brackets: values with several words, without quotes, or missing."""
    for at, token in enumerate(reading.row):
        if not reading.listed[at] or token.kind not in IDS:
            continue
        following = reading.mark(at + 1)
        if reading.mark(at - 1) == "=":
            yield from _after_value(reading, at)
        elif reading.mark(at - 1) not in ("[", ",", ";"):
            continue
        elif following in (",", ";", "]"):
            yield _fault(token, f"'{token.text[:40]}' has no value; an attribute is written as name=value")
        elif following == "=" and reading.mark(at + 2) in (",", ";", "]"):
            yield _fault(token, f"'{token.text}' has no value; an empty one is {token.text}=\"\"")
        elif reading.is_a(at + 1, *IDS) and reading.mark(at + 2) != "=":
            yield _fault(token, f"'=' is missing after '{token.text[:40]}'")


def _after_value(reading: Reading, at: int) -> Iterator[Fault]:
    """After a value in brackets: if neither the end nor an attribute follows, it was meant as one value."""
    value, key, following = reading.row[at], reading.text_of(at - 2), reading.mark(at + 1)
    if at + 1 == len(reading.row) or reading.mark(at + 2) == "=" or following in ("]", ",", ";", "+"):
        return
    if value.kind == "html" and reading.is_a(at + 1, "word"):
        whole = reading.line_from(at).split("]")[0].strip()
        yield _fault(value, f"an HTML-like value needs < and > around it; write {key}=<{whole}>")
    elif value.kind == "string" and reading.adjoin(at) and not following:
        yield _fault(reading.row[at + 1], f"a quote within the value of '{key}' is written as \\\"")
    elif reading.is_a(at + 1, "word") or following in (*ARROWS, ":"):
        yield _fault(value, f"the value of '{key}' needs quotes; write {key}=\"{reading.rest_of_value(at)}\"")


CAUSES: tuple[Callable[[Reading], Iterator[Fault]], ...] = (
    _unclosed,
    _head,
    _arrows,
    _signs,
    _keywords,
    _attributes,
)


def _fault(token: Token, message: str) -> Fault:
    return Fault(message, token.line, token.column)
