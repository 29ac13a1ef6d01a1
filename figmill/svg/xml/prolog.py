"""Everything before the root element: the XML declaration, the DOCTYPE with its entities, instructions.

expat reads it, and resolves nothing external. lxml gets the rest with all the document's own entities expanded, so
that it never sees a DTD.
"""

from __future__ import annotations

import re
import zlib
from xml.parsers import expat

from figmill.late_dataclasses import dataclass
from figmill.svg.spec import SvgError

MAX_BYTES = 5_000_000
PACKED = b"\x1f\x8b"  # gzip
# Controls other than tab, newline and return; bidi overrides, which make text read differently; noncharacters.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
PUBLIC = "-//W3C//DTD SVG"
# Western encodings before UTF-8, with Python's names for them.
OLD_ENCODINGS = {
    "iso-8859-1": "cp1252",  # as browsers do
    "iso8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "windows-1252": "cp1252",
    "cp1252": "cp1252",
    "iso-8859-15": "iso8859-15",
}
DECLARED = re.compile(rb"""\s*<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z0-9._\-]+)["']""")
BUILT_IN = frozenset(("lt", "gt", "amp", "quot", "apos"))
# Entity references, and constructs in which `&name;` is not a reference.
REFERENCES = re.compile(
    rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|&([A-Za-z_:][A-Za-z0-9._:\-]*);", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Prolog:
    """Byte offset and line of the root element, the document's own entities, and the instructions before the root."""

    offset: int
    line: int
    entities: dict[bytes, bytes]
    instructions: tuple[tuple[str, int, int], ...]  # with line and column


def unpacked(data: bytes) -> bytes:
    """The drawing in an .svgz, which is an SVG compressed by gzip; any other file unchanged. Raises SvgError."""
    if not data.startswith(PACKED):
        return data
    try:
        unpacked_ = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, MAX_BYTES + 1)
    except zlib.error:
        raise SvgError("the file is compressed and damaged; save it as .svg") from None
    if len(unpacked_) > MAX_BYTES:
        raise SvgError(
            f"the file has more than {MAX_BYTES:,} bytes when unpacked, and a figure may have at most that many"
        )
    return unpacked_


def decoded(data: bytes) -> bytes:
    """The file as UTF-8 without a byte order mark. Raises SvgError if it is not clean text."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SvgError("the file is UTF-16; save it as UTF-8", 1, 1)
    data = data.removeprefix(b"\xef\xbb\xbf")
    declared = DECLARED.match(data)
    old = OLD_ENCODINGS.get(declared[1].decode().casefold()) if declared else None
    try:
        text = data.decode(old or "utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SvgError(
            f"the file is not {'in its declared encoding' if old else 'UTF-8'}; save it as UTF-8", line, 1
        ) from None
    if match := FORBIDDEN.search(text):
        before = text[: match.start()]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise SvgError(f"character U+{ord(match[0]):04X} is not allowed in a figure", line, column)
    if old and declared:
        data = text.encode()
        return data[: declared.start(1)] + b"utf-8" + data[declared.end(1) :]
    return data


def read(data: bytes) -> Prolog:
    """The prolog. Raises SvgError for anything more than a public DOCTYPE and plain entities."""
    parser = expat.ParserCreate("utf-8")
    entities: dict[bytes, bytes] = {}
    instructions: list[tuple[str, int, int]] = []

    def refuse(message: str) -> SvgError:
        return SvgError(message, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)

    def declaration(_version: str, encoding: str | None, _standalone: int) -> None:
        if encoding and encoding.casefold() not in ("utf-8", "utf8", "us-ascii", "ascii"):
            raise refuse(f"the declared encoding is '{encoding}'; save the file as UTF-8")

    def doctype(_name: str, system: str | None, public: str | None, _subset: bool) -> None:
        if system and not (public and public.startswith(PUBLIC)):
            raise refuse(f"DOCTYPE points to '{system}'; remove the DOCTYPE")

    def entity(
        name: str,
        is_parameter: bool,
        value: str | None,
        _b: object,
        system: str | None,
        _p: object,
        _n: object,
    ) -> None:
        what = f"entity '{name[:40]}' in the DOCTYPE's internal subset"
        if is_parameter:
            raise refuse(f"{what} is a parameter entity; write its text where it is used")
        if system is not None or value is None:
            raise refuse(f"{what} is external; write its text where it is used")
        if "&" in value or "<" in value:
            raise refuse(f"{what} contains markup or another entity; write its text where it is used")
        if match := FORBIDDEN.search(value):
            raise refuse(f"character U+{ord(match[0]):04X} is not allowed in a figure")
        if name not in BUILT_IN:
            entities.setdefault(name.encode(), _literal(value))

    def attribute(_element: str, name: str, _type: str, default: str | None, _required: bool) -> None:
        if default is not None:
            message = f"the DOCTYPE's internal subset gives attribute '{name[:40]}' a value; write it at the element"
            raise refuse(message)

    def instruction(target: str, _data: str) -> None:
        instructions.append((target, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1))

    def root(_tag: str, _attrib: object) -> None:
        raise _RootFoundError(parser.CurrentByteIndex, parser.CurrentLineNumber)

    parser.XmlDeclHandler = declaration
    parser.StartDoctypeDeclHandler = doctype
    parser.EntityDeclHandler = entity
    parser.AttlistDeclHandler = attribute
    parser.ProcessingInstructionHandler = instruction
    parser.StartElementHandler = root
    try:
        parser.Parse(data, True)
    except _RootFoundError as root_found:
        offset, line = root_found.args
        return Prolog(offset, line, entities, tuple(instructions))
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise SvgError(f"not well-formed XML: {reason}", error.lineno, error.offset + 1) from None
    raise SvgError("the file contains no element", 1, 1)


class _RootFoundError(Exception):
    """Ends parsing of the prolog; holds byte offset and line of the root element."""


def _literal(value: str) -> bytes:
    """An entity's text, escaped for content and for any attribute."""
    text = re.sub(r"[\t\r\n]", " ", value)
    return text.replace(">", "&gt;").replace('"', "&quot;").replace("'", "&apos;").encode()


def written_out(data: bytes, prolog: Prolog) -> bytes:
    """The data with the document's own entities expanded. Raises SvgError if that makes the file too large.

    Undeclared ones stay, and the parser reports them.
    """
    if not prolog.entities:
        return data
    length = len(data)

    def text(match: re.Match[bytes]) -> bytes:
        nonlocal length
        if match[1] is None or match[1] not in prolog.entities:
            return match[0]
        length += len(prolog.entities[match[1]])
        if length > MAX_BYTES:
            raise SvgError(
                f"the file has more than {MAX_BYTES:,} bytes with its entities expanded", prolog.line, 1
            )
        return prolog.entities[match[1]]

    return REFERENCES.sub(text, data)
