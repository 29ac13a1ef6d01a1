"""YAML text becomes nodes, each with its line and column, within limits.

Works on the parser's events, one at a time, so that the limits on depth, aliases and size apply before anything is
built. Tags never construct objects, and only the wanted keys are kept. Unaware of what a value means.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from figmill.book.nodes import MAX_ALIASES, MAX_BYTES, MAX_DEPTH, ListNode, MapNode, Node, Scalar
from figmill.errors import AuthorError
from figmill.model import Origin

# libyaml parses about ten times faster; PyYAML without it yields the same events.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read(path: str, data: bytes, wanted: frozenset[str] | None) -> tuple[tuple[Scalar, Node], ...]:
    """The rows of the top-level mapping whose keys are wanted (and merge keys), in file order. wanted: None for all.

    Raises AuthorError if the file is not YAML, or breaks a limit.
    """
    events = _events(path, _text(path, data))
    anchors: dict[str, Node] = {}
    rows: list[tuple[Scalar, Node]] = []
    next(events)  # the start of the stream
    if isinstance(next(events), StreamEndEvent):
        raise AuthorError(Origin(path, 1, 1), "the file is empty; a question needs at least an id")
    root = next(events)
    if not isinstance(root, MappingStartEvent):
        raise AuthorError(_origin(path, root), "a question is a mapping of `key: value` lines")
    while not isinstance(event := next(events), MappingEndEvent):
        if isinstance(event, ScalarEvent) and (
            wanted is None or event.value in wanted or event.value == "<<"
        ):
            key = _compose(path, event, events, anchors)
            assert isinstance(key, Scalar)
            rows.append((key, _compose(path, next(events), events, anchors)))
        else:
            _skip(path, event, events, anchors)
            _skip(path, next(events), events, anchors)
    for event in events:
        if isinstance(event, DocumentStartEvent):
            message = "a second document begins here; a question file contains one"
            raise AuthorError(_origin(path, event), message)
    return tuple(rows)


def _text(path: str, data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise AuthorError(Origin(path), f"{len(data):,} bytes; a question file has at most {MAX_BYTES:,}")
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        where = Origin(path, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
        raise AuthorError(where, "this is not UTF-8; save the file as UTF-8") from None


def _events(path: str, text: str) -> Iterator[Event]:
    """The parser's events. Raises AuthorError for a syntax error or a broken limit."""
    depth = aliases = 0
    parser = None
    try:
        parser = _LOADER(text)
        while (event := parser.get_event()) is not None:  # `yaml.parse` asks twice for each event
            kind = type(event)
            if kind is ScalarEvent:  # nearly always
                pass
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                depth += 1
                if depth > MAX_DEPTH:
                    raise AuthorError(_origin(path, event), f"nested more than {MAX_DEPTH} deep")
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                depth -= 1
            elif kind is AliasEvent:
                aliases += 1
                if aliases > MAX_ALIASES:
                    raise AuthorError(_origin(path, event), f"more than {MAX_ALIASES} aliases")
            yield event
    except yaml.MarkedYAMLError as error:
        raise _syntax_error(path, error, text) from None
    except yaml.reader.ReaderError:
        raise _character_error(path, text) from None
    finally:
        if parser is not None:
            parser.dispose()


def _compose(path: str, event: Event, events: Iterator[Event], anchors: dict[str, Node]) -> Node:
    node: Node
    if isinstance(event, ScalarEvent):  # nearly always
        node = Scalar(event.value, not event.style, event.tag, _origin(path, event))
    elif isinstance(event, AliasEvent):
        return _target(path, event, anchors)
    elif isinstance(event, SequenceStartEvent):
        items = []
        while not isinstance(item := next(events), SequenceEndEvent):
            items.append(_compose(path, item, events, anchors))
        node = ListNode(tuple(items), event.tag, _origin(path, event))
    else:
        assert isinstance(event, MappingStartEvent)
        rows = []
        while not isinstance(key := next(events), MappingEndEvent):
            row = _compose(path, key, events, anchors), _compose(path, next(events), events, anchors)
            rows.append(row)
        node = MapNode(tuple(rows), event.tag, _origin(path, event))
    if event.anchor is not None:
        anchors[event.anchor] = node
    return node


def _skip(path: str, event: Event, events: Iterator[Event], anchors: dict[str, Node]) -> None:
    """Skip a value, but keep nodes with an anchor, because a wanted value may refer to them."""
    depth = 0
    while True:
        kind = type(event)
        if kind is MappingEndEvent or kind is SequenceEndEvent:
            depth -= 1
        elif isinstance(event, AliasEvent):
            _target(path, event, anchors)
        elif isinstance(event, NodeEvent) and event.anchor is not None:
            _compose(path, event, events, anchors)
        elif kind is not ScalarEvent:
            depth += 1
        if depth == 0:
            return
        event = next(events)


def _target(path: str, event: AliasEvent, anchors: dict[str, Node]) -> Node:
    node = anchors.get(event.anchor or "")
    if node is None:
        raise AuthorError(_origin(path, event), f"*{event.anchor} refers to no complete value before it")
    return node


def _origin(path: str, event: Event) -> Origin:
    mark = event.start_mark
    return Origin(path, mark.line + 1, mark.column + 1) if mark else Origin(path)


# The parser's message -> its usual meaning. The first match counts; {line}: where the unfinished part began.
_SYNTAX = (
    (
        "mapping values are not allowed",
        "a colon inside a value, or a key that is not indented like the others; put such a value in quotes",
    ),
    (
        "cannot start any token",
        "no value begins with this character; put it in quotes",
    ),
    ("found a tab character", "YAML is indented with spaces, never with tabs"),
    (
        "could not find expected ':'",
        "a line that is neither `key: value` nor part of the text above; is its indentation right?",
    ),
    ("found unexpected end of stream", "the quote that opens in line {line} is never closed"),
    ("did not find expected ',' or ']'", "the [ of line {line} is never closed, or a comma is missing"),
    ("did not find expected ',' or '}'", "the {{ of line {line} is never closed, or a comma is missing"),
    (
        "did not find expected key",
        "does not fit the mapping that begins in line {line}; are quotes and indentation right?",
    ),
    (
        "did not find expected '-' indicator",
        "does not fit the list that begins in line {line}; is its indentation right?",
    ),
    (
        "unknown escape character",
        "a backslash in double quotes begins an escape; double it, or use single quotes",
    ),
)


def _syntax_error(path: str, error: yaml.MarkedYAMLError, text: str) -> AuthorError:
    problem = error.problem or "cannot be read"
    mark, start = error.problem_mark or error.context_mark, error.context_mark or error.problem_mark
    if mark is None or start is None:
        return AuthorError(Origin(path), f"YAML: {problem}")
    if "end of stream" in problem:
        mark = start  # the place of the opening quote, not of the end of the file
    where = Origin(path, mark.line + 1, mark.column + 1)
    if text[mark.index : mark.index + 1] == "\t":
        problem = "found a tab character"
    for phrase, advice in _SYNTAX:
        if phrase in problem:
            return AuthorError(where, advice.format(line=start.line + 1), f"YAML: {problem}")
    return AuthorError(where, f"YAML: {problem}")


# Compiled only for a message: Python takes 4 ms for ranges of so many characters.
_UNPRINTABLE = r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def _character_error(path: str, text: str) -> AuthorError:
    match = re.search(_UNPRINTABLE, text)
    if match is None:
        return AuthorError(Origin(path), "the file contains a character that YAML does not allow")
    line = text.count("\n", 0, match.start()) + 1
    column = match.start() - text.rfind("\n", 0, match.start())
    return AuthorError(
        Origin(path, line, column),
        f"the character U+{ord(match[0]):04X} is not allowed; write it as an escape in double quotes",
    )
