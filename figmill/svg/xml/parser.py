"""The secure parser: bytes to a tree of nodes, within limits, without touching anything outside them.

Unaware of what SVG is beyond its DOCTYPE: names stay in Clark notation, allowlist.py judges them. lxml is given
the root element only. The prolog before it (XML declaration, DOCTYPE) is read by expat and then blanked out,
so that lxml never sees a DTD, an entity of a document's own, or a declared encoding.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import suppress
from typing import cast
from xml.parsers import expat

from lxml import etree

from figmill.svg.document import BreachError, Node
from figmill.svg.spec import SvgError

MAX_BYTES = 5_000_000
MAX_DEPTH = 200
MAX_ELEMENTS = 100_000
MAX_ATTRIBUTES = 500

# Controls other than tab, newline and return; overrides that make text read as what it is not.
REFERENCE = re.compile(rb"&#(x[0-9a-fA-F]+|[0-9]+);")
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")


def read(data: bytes) -> Node:
    """The tree of `data`; SvgError or Breach where it is not one we want to read."""
    if len(data) > MAX_BYTES:
        raise SvgError(f"the file has {len(data):,} bytes; a figure may have {MAX_BYTES:,}")
    data = _utf8(data)
    start, line = _root_start(data)
    parser = etree.XMLParser(
        target=_Builder(),  # type: ignore[arg-type]  # the stub wants handlers for comments, too
        encoding="utf-8",
        resolve_entities=True,  # only the five of XML: the root element comes without a DTD, which alone defines others
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=False,
    )
    try:
        root = cast(Node, etree.fromstring(b"\n" * (line - 1) + data[start:], parser))
    except _InstructionError as found:
        raise SvgError(
            f"processing instruction <?{found}?>; leave it out", *_instruction(data[start:], line)
        ) from None
    except etree.XMLSyntaxError as error:
        at, column = error.position
        raise _malformed(error.msg or "", at, column) from None
    for entry in parser.error_log.filter_from_errors():  # an undeclared prefix is only logged for a target
        raise _malformed(entry.message, entry.line, entry.column)
    if any(FORBIDDEN.match(_character(number)) for number in set(REFERENCE.findall(data))):
        _check_references(root)
    return root


def _malformed(message: str, line: int, column: int) -> SvgError:
    reason = message.strip().split(", line ")[0]
    return SvgError(f"not well-formed XML: {reason}", line, max(column, 1))


def locate(data: bytes, numbers: Collection[int]) -> dict[int, tuple[int, int]]:
    """Line and column of the elements of those numbers; read again with expat, since lxml's lines end at 65535."""
    found: dict[int, tuple[int, int]] = {}
    seen = -1

    def start(_tag: str, _attrib: object) -> None:
        nonlocal seen
        seen += 1
        if seen in numbers:
            found[seen] = (parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)

    parser = _expat()
    parser.StartElementHandler = start
    with suppress(expat.ExpatError):  # a later mistake; the elements themselves may have been seen
        parser.Parse(data.removeprefix(b"\xef\xbb\xbf"), True)
    return found


def _utf8(data: bytes) -> bytes:
    """The bytes without a byte order mark, once they are known to be clean UTF-8."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SvgError("the file is UTF-16; save it as UTF-8", 1, 1)
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SvgError("the file is not UTF-8; save it as UTF-8", line, 1) from None
    if found := FORBIDDEN.search(text):
        before = text[: found.start()]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise SvgError(f"character U+{ord(found[0]):04X} may not stand in a figure", line, column)
    return data


def _character(number: bytes) -> str:
    """What a reference by number stands for; nothing where it is none of Unicode's, as lxml will have told."""
    code = int(number[1:], 16) if number.startswith(b"x") else int(number[:8])
    return chr(code) if code < 0x110000 else ""


def _check_references(root: Node) -> None:
    """Breach where a character that may not stand in a figure was written as a reference by number."""
    for node in root.walk():
        for value in (*node.attrib.values(), *(child for child in node.children if isinstance(child, str))):
            if found := FORBIDDEN.search(value):
                raise BreachError(node, f"character U+{ord(found[0]):04X} may not stand in a figure")


def _expat() -> expat.XMLParserType:
    return expat.ParserCreate("utf-8")


class _InstructionError(Exception):
    """A processing instruction within the root, or after it; holds its target."""


def _instruction(data: bytes, first: int) -> tuple[int, int] | tuple[None, None]:
    """Line and column of the first processing instruction; first: the line that the data begins at."""
    places: list[tuple[int, int]] = []
    parser = _expat()
    parser.ProcessingInstructionHandler = lambda *_: places.append(
        (parser.CurrentLineNumber + first - 1, parser.CurrentColumnNumber + 1)
    )
    with suppress(expat.ExpatError):  # a later mistake
        parser.Parse(data, True)
    return places[0] if places else (None, None)


class _RootFoundError(Exception):
    """Ends the reading of the prolog; holds byte offset and line of the root element."""


def _root_start(data: bytes) -> tuple[int, int]:
    """Byte offset and line of the root element, once the prolog before it is known to be harmless."""
    parser = _expat()

    def refuse(message: str) -> SvgError:
        return SvgError(message, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)

    def declaration(_version: str, encoding: str | None, _standalone: int) -> None:
        if encoding and encoding.casefold() not in ("utf-8", "utf8", "us-ascii", "ascii"):
            raise refuse(f"declared encoding '{encoding}'; a figure is UTF-8")

    def doctype(_name: str, system: str | None, public: str | None, subset: bool) -> None:
        if subset:
            raise refuse("a DOCTYPE with an internal subset; leave the DOCTYPE out")
        if system and not (public and public.startswith("-//W3C//DTD SVG")):
            raise refuse(f"DOCTYPE points to '{system}'; leave the DOCTYPE out")

    def instruction(target: str, _data: str) -> None:
        raise refuse(f"processing instruction <?{target}?>; leave it out")

    def root(_tag: str, _attrib: object) -> None:
        raise _RootFoundError(parser.CurrentByteIndex, parser.CurrentLineNumber)

    parser.XmlDeclHandler = declaration
    parser.StartDoctypeDeclHandler = doctype
    parser.ProcessingInstructionHandler = instruction
    parser.StartElementHandler = root
    try:
        parser.Parse(data, True)
    except _RootFoundError as found:
        offset, line = found.args
        return offset, line
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise SvgError(f"not well-formed XML: {reason}", error.lineno, error.offset + 1) from None
    raise SvgError("there is no element in the file", 1, 1)


class _Builder:
    """Builds nodes from lxml's events; comments have no handler and so are gone."""

    def __init__(self) -> None:
        self.root: Node | None = None
        self.open: list[Node] = []
        self.words: list[str] = []  # since the last tag: a comment parts them, or an entity
        self.count = 0

    def start(self, tag: str, attrib: dict[str, str]) -> None:
        node = Node(tag, dict(attrib), [], self.count)
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

    def pi(self, target: str, _data: str | None = None) -> None:
        raise _InstructionError(target)

    def close(self) -> Node | None:
        return self.root
