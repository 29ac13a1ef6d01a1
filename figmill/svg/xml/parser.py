"""The secure parser: bytes to a tree of nodes, within limits, without access to anything else.

It knows nothing of SVG: names stay in Clark notation, and allowlist.py judges them. lxml gets the root element only.
prolog.py reads everything before it, so that lxml never sees a DTD, a document's own entities or a declared encoding.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import suppress
from typing import cast
from xml.parsers import expat

from lxml import etree

from figmill.svg.document import BreachError, Draft, Element
from figmill.svg.spec import SvgError
from figmill.svg.xml import prolog
from figmill.svg.xml.prolog import FORBIDDEN as FORBIDDEN
from figmill.svg.xml.prolog import MAX_BYTES

MAX_DEPTH = 200
MAX_ELEMENTS = 100_000
MAX_ATTRIBUTES = 500

# Instructions that load rules or run on a server. All others are a program's private notes.
ACTIVE_INSTRUCTIONS = frozenset(("xml-stylesheet", "xsl-stylesheet", "php", "import", "asp", "jsp"))
REFERENCE = re.compile(rb"&#(x[0-9a-fA-F]+|[0-9]+);")


def read(data: bytes) -> Draft:
    """The drawing in `data`. Raises SvgError or BreachError if it is malformed or beyond the limits."""
    if len(data) > MAX_BYTES:
        raise SvgError(f"the file has {len(data):,} bytes; a figure may have {MAX_BYTES:,}")
    data = prolog.decoded(data)
    before = prolog.read(data)
    builder = _Builder()
    parser = etree.XMLParser(
        target=builder,  # type: ignore[arg-type]  # the stub wants handlers for comments, too
        encoding="utf-8",
        resolve_entities=True,  # only XML's five: others are expanded already, and there is no DTD
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=False,
    )
    written = prolog.written_out(data[before.offset :], before)
    try:
        root = cast(Element, etree.fromstring(b"\n" * (before.line - 1) + written, parser))
    except etree.XMLSyntaxError as error:
        at, column = error.position
        raise _malformed(error.msg or "", at, column) from None
    # for a parser target, lxml only logs undeclared prefixes
    for entry in parser.error_log.filter_from_errors():
        raise _malformed(entry.message, entry.line, entry.column)
    if any(FORBIDDEN.match(_character(number)) for number in set(REFERENCE.findall(data))):
        _check_references(root)
    draft = Draft(root)
    after = _instructions(written, before.line) if builder.instructed else ()
    for target, *place in (*before.instructions, *after):
        if target.casefold() in ACTIVE_INSTRUCTIONS:
            draft.placed.append(
                (f"processing instruction <?{target[:40]}?>; leave it out", place[0], place[1])
            )
        else:
            draft.drop(f"<?{target[:40]}?>", None)
    return draft


def _malformed(message: str, line: int, column: int) -> SvgError:
    reason = message.strip().split(", line ")[0]
    return SvgError(f"not well-formed XML: {reason}", line, max(column, 1))


def locate(data: bytes, numbers: Collection[int]) -> dict[int, tuple[int, int]]:
    """Line and column of the elements with these numbers, from expat, because lxml's lines end at 65535."""
    places: dict[int, tuple[int, int]] = {}
    seen = -1

    def start(_tag: str, _attrib: object) -> None:
        nonlocal seen
        seen += 1
        if seen in numbers:
            places[seen] = (parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)

    parser = _expat()
    parser.StartElementHandler = start
    with suppress(expat.ExpatError):  # an error further on; the wanted elements may come before it
        parser.Parse(prolog.decoded(data), True)
    return places


def _character(number: bytes) -> str:
    """The character of a numeric reference; empty if it is not Unicode, which lxml reports."""
    code = int(number[1:], 16) if number.startswith(b"x") else int(number[:8])
    return chr(code) if code < 0x110000 else ""


def _check_references(root: Element) -> None:
    """Raise BreachError for a forbidden character written as a numeric reference."""
    for node in root.walk():
        for value in (*node.attrib.values(), *(child for child in node.children if isinstance(child, str))):
            if match := FORBIDDEN.search(value):
                raise BreachError(node, f"character U+{ord(match[0]):04X} is not allowed in a figure")


def _expat() -> expat.XMLParserType:
    return expat.ParserCreate("utf-8")


def _instructions(data: bytes, first: int) -> list[tuple[str, int, int]]:
    """The instructions inside and after the root, with line and column. first: the line number of the data's start."""
    instructions: list[tuple[str, int, int]] = []
    parser = _expat()
    parser.ProcessingInstructionHandler = lambda target, _: instructions.append(
        (target, parser.CurrentLineNumber + first - 1, parser.CurrentColumnNumber + 1)
    )
    parser.Parse(data, True)  # cannot fail: lxml has parsed it
    return instructions


class _Builder:
    """Builds nodes from lxml's events; comments have no handler and are dropped."""

    def __init__(self) -> None:
        self.root: Element | None = None
        self.open: list[Element] = []
        self.words: list[str] = []  # since the last tag; comments and entities split them
        self.count = 0
        self.instructed = False

    def start(self, tag: str, attrib: dict[str, str]) -> None:
        node = Element(tag, dict(attrib), [], self.count)
        self.count += 1
        self._flush()
        if self.open:
            self.open[-1].children.append(node)
        else:
            self.root = node
        self.open.append(node)
        if len(self.open) > MAX_DEPTH:
            raise BreachError(node, f"elements are nested more than {MAX_DEPTH} deep")
        if self.count > MAX_ELEMENTS:
            raise BreachError(node, f"the figure has more than {MAX_ELEMENTS:,} elements")
        if len(attrib) > MAX_ATTRIBUTES:
            raise BreachError(node, f"<{tag.rpartition('}')[2]}> has more than {MAX_ATTRIBUTES} attributes")

    def end(self, _tag: str) -> None:
        self._flush()
        self.open.pop()

    def data(self, text: str) -> None:
        self.words.append(text)

    def _flush(self) -> None:
        if self.words:
            self.open[-1].children.append("".join(self.words))
            self.words.clear()

    def pi(self, _target: str, _data: str | None = None) -> None:
        self.instructed = True

    def close(self) -> Element | None:
        return self.root
