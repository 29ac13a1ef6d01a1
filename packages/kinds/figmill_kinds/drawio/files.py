"""Finds the pages of a draw.io file: plain or compressed XML, alone or inside a PNG. Pure.

draw.io compresses a page as raw deflate of a percent-encoded text, in base64. A PNG export keeps the same XML in a text
chunk `mxfile` or `mxGraphModel`, percent-encoded.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from lxml import etree

from figmill.kind import AuthorError, Origin

LARGEST = 32 << 20  # bytes of a page
PNG = b"\x89PNG\r\n\x1a\n"
KEYS = (b"mxfile", b"mxGraphModel")
AS_COPY = "export it with a copy of the diagram: `drawio -x -e -f png` and its name"


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its name, and its <mxGraphModel>. is_plain: whether its lines are those of the file."""

    name: str
    model: etree._Element
    is_plain: bool = False


def pages(data: bytes, path: str) -> tuple[Page, ...]:
    """The pages of a file, in their order. Raises AuthorError."""
    is_plain = not data.startswith(PNG)
    if not is_plain:
        data = _inside(data, path)
    root = _parsed(data, path)
    if root.tag == "mxGraphModel":
        return (Page("Page-1", root, is_plain),)
    diagrams = root.findall("diagram") if root.tag == "mxfile" else []
    if root.tag == "mxlibrary":
        raise AuthorError(Origin(path), "this is a library of shapes; draw with it, and save the diagram")
    if not diagrams:
        raise AuthorError(
            Origin(path), f"this is not a draw.io diagram: it begins with <{root.tag}>, not <mxfile>"
        )
    return tuple(_page(diagram, number, path, is_plain) for number, diagram in enumerate(diagrams, 1))


def line_of(node: etree._Element) -> int | None:
    """The line of an element."""
    line = node.sourceline
    return line if isinstance(line, int) else None


def _page(diagram: etree._Element, number: int, path: str, is_plain: bool) -> Page:
    name = diagram.get("name") or f"Page-{number}"
    model = diagram.find("mxGraphModel")
    if model is not None:
        return Page(name, model, is_plain)
    at = Origin(path, line_of(diagram))
    try:
        packed = base64.b64decode("".join((diagram.text or "").split()), validate=True)
        text = unquote_to_bytes(_inflated(packed, at))
    except (binascii.Error, zlib.error, ValueError):
        raise AuthorError(at, f"page '{name}' cannot be read; save the file again in draw.io") from None
    model = _parsed(text, path, at)
    if model.tag != "mxGraphModel":
        raise AuthorError(at, f"page '{name}' holds <{model.tag}>, not <mxGraphModel>")
    return Page(name, model)


def _inflated(packed: bytes, at: Origin, bits: int = -zlib.MAX_WBITS) -> bytes:
    inflater = zlib.decompressobj(bits)
    text = inflater.decompress(packed, LARGEST)
    if inflater.unconsumed_tail:
        raise AuthorError(at, f"a page of more than {LARGEST >> 20} MB; draw a part of it")
    return text


def _parsed(data: bytes, path: str, at: Origin | None = None) -> etree._Element:
    """The root of an XML file. at: the place to report, if it is not the XML's own."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        line, column = error.position
        reason = str(error.msg).partition(", line ")[0]
        raise AuthorError(at or Origin(path, line, column), f"not XML: {reason}") from None
    except ValueError as error:
        raise AuthorError(at or Origin(path), f"not XML: {error}") from None


def _inside(data: bytes, path: str) -> bytes:
    """The XML inside a PNG. Raises AuthorError if there is none."""
    for kind, body in _chunks(data):
        key, _, rest = body.partition(b"\0")
        if key not in KEYS:
            continue
        try:
            if kind == b"zTXt":
                for bits in (zlib.MAX_WBITS, -zlib.MAX_WBITS):  # draw.io has written both
                    try:
                        return unquote_to_bytes(_inflated(rest[1:], Origin(path), bits).replace(b"+", b" "))
                    except zlib.error:
                        continue
                break
            return unquote_to_bytes(rest)
        except ValueError:
            break
    raise AuthorError(Origin(path), f"has no diagram inside; {AS_COPY}; or write `kind: picture`")


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = len(PNG)
    while place + 8 <= len(data):
        size = int.from_bytes(data[place : place + 4], "big")
        kind = data[place + 4 : place + 8]
        if kind in (b"tEXt", b"zTXt"):
            yield kind, data[place + 8 : place + 8 + size]
        place += size + 12
