"""Finds the pages of a draw.io file: plain or compressed XML. Pure.

draw.io compresses a page as raw deflate of a percent-encoded text, in base64.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from lxml import etree

from figmill.kind import AuthorError, Origin

LARGEST = 32 << 20  # bytes of a page


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its name, and its <mxGraphModel>."""

    name: str
    model: etree._Element


def pages(data: bytes, path: str) -> tuple[Page, ...]:
    """The pages of a file, in their order. Raises AuthorError."""
    root = _parsed(data, path)
    if root.tag == "mxGraphModel":
        return (Page("Page-1", root),)
    diagrams = root.findall("diagram") if root.tag == "mxfile" else []
    if root.tag == "mxlibrary":
        raise AuthorError(Origin(path), "this is a library of shapes; draw with it, and save the diagram")
    if not diagrams:
        raise AuthorError(
            Origin(path), f"this is not a draw.io diagram: it begins with <{root.tag}>, not <mxfile>"
        )
    return tuple(_page(diagram, number, path) for number, diagram in enumerate(diagrams, 1))


def line_of(node: etree._Element) -> int | None:
    """The line of an element."""
    line = node.sourceline
    return line if isinstance(line, int) else None


def _page(diagram: etree._Element, number: int, path: str) -> Page:
    name = diagram.get("name") or f"Page-{number}"
    model = diagram.find("mxGraphModel")
    if model is not None:
        return Page(name, model)
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


def _inflated(packed: bytes, at: Origin) -> bytes:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
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
