"""Embeds every <image>: a picture is decoded and encoded again, a drawing becomes part of the figure.

Writes out the size of each, because viewers would take it from the file, which may have been scaled down. Reads files
only through the function that it is given.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator

from figmill.late_dataclasses import dataclass
from figmill.svg.document import BreachError, Draft, Element
from figmill.svg.pictures import hrefs, raster
from figmill.svg.pictures.drawing import DrawingParser, drawn_in
from figmill.svg.pictures.image_size import set_size
from figmill.svg.pictures.raster import EncodedPicture, RasterSource
from figmill.svg.spec import PictureError, PictureReader, Sheet
from figmill.svg.xml.parser import MAX_DEPTH

DEEP = 3  # levels of drawings within drawings
MOST_DECODED = 200_000_000  # source pixels of all pictures together
MOST_PICTURES = 500
SMALLER = 0.9  # extra factor per attempt, so that few attempts are enough
TRIES = 6


@dataclass(slots=True)
class Item:
    """One raster picture, and the elements that show it."""

    source: RasterSource
    nodes: list[Element]
    name: str


def no_pictures(path: str) -> bytes:
    """The picture reader of a drawing that stands alone."""
    raise PictureError("cannot be read, because this drawing is in no book")


def embed(draft: Draft, sheet: Sheet, pictures: PictureReader, reader: DrawingParser, depth: int = 0) -> None:
    """Embed every picture in the drawing. reader: parses drawings used as pictures. Raises BreachError."""
    items: dict[bytes, Item] = {}
    for parent, node, level in list(_pictures(draft.root, 1)):
        if not node.attrib.get("href", ""):
            parent.children = [child for child in parent.children if child is not node]
            draft.warn("picture", node, "<image> without href shows nothing, and is left out")
            continue
        name, media, data = _read(node, pictures, sheet.any_pictures)
        if media == "image/svg+xml" or (not media and _looks_drawn(data)):
            inner = _inlined(draft, sheet, node, data, name, reader, depth)
            if level + _height(inner) > MAX_DEPTH:  # passes recurse once per level
                message = f"with the picture {name}, elements are nested more than {MAX_DEPTH} deep"
                raise BreachError(node, message)
            parent.children = [inner if child is node else child for child in parent.children]
            continue
        if data not in items:
            try:
                items[data] = Item(raster.look(data), [], name)
            except PictureError as error:
                raise BreachError(node, f"the picture {name} {error}") from None
            if items[data].source.frames > 1:
                draft.warn("picture", node, f"the picture {name} is animated; its first frame is shown")
        items[data].nodes.append(node)
        set_size(node, items[data].source.width, items[data].source.height)
    if len(items) > MOST_PICTURES:
        raise BreachError(
            draft.root, f"there are {len(items):,} pictures; a figure has at most {MOST_PICTURES}"
        )
    if items:
        _fit(draft, sheet, list(items.values()))


def _pictures(node: Element, level: int) -> Iterator[tuple[Element, Element, int]]:
    """Each picture with its parent element, and the number of its ancestors."""
    for child in node.elements():
        if child.tag == "image":
            yield node, child, level
        yield from _pictures(child, level + 1)


def _height(node: Element) -> int:
    """The number of levels of elements, from this one down."""
    count, row = 0, [node]
    while row:
        count, row = count + 1, [child for parent in row for child in parent.elements()]
    return count


def _read(node: Element, pictures: PictureReader, any_address: bool) -> tuple[str, str, bytes]:
    """The name of a picture in messages, its media type if stated, and its bytes."""
    href = node.attrib["href"]
    try:
        if hrefs.is_data(href):
            media, data = hrefs.data_of(href)
            return "in 'data:'", media, data
        path = href if any_address else hrefs.path_of(href)
    except hrefs.HrefError as error:
        raise BreachError(node, str(error)) from None
    try:
        return f"'{path}'", "", pictures(path)
    except PictureError as error:
        raise BreachError(node, f"the picture '{path}' {error}") from None


def _looks_drawn(data: bytes) -> bool:
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith(b"<") and (b"<svg" in data[:4096] or b":svg" in data[:4096])


def _inlined(
    draft: Draft, sheet: Sheet, node: Element, data: bytes, name: str, reader: DrawingParser, depth: int
) -> Element:
    """The element that replaces a picture which is a drawing. Its notes are added to the draft's."""
    if depth == DEEP:
        raise BreachError(node, f"the picture {name} is nested in {DEEP} drawings; use it in an outer one")
    try:
        inner = drawn_in(data, node, draft.is_dark, reader)
        embed(inner, sheet, no_pictures, reader, depth + 1)
    except BreachError as error:
        raise BreachError(node, f"in the picture {name}: {error.message}") from None
    draft.warnings += inner.warnings
    draft.own |= inner.own
    for notes, more in ((draft.dropped, inner.dropped), (draft.resolved, inner.resolved)):
        for what, nodes in more.items():
            notes.setdefault(what, []).extend([node] * len(nodes))
    return inner.root


def _fit(draft: Draft, sheet: Sheet, items: list[Item]) -> None:
    """Encode all pictures within the limits together; if they are too large, scale all by the same factor."""
    pixels = sum(item.source.width * item.source.height * len(item.nodes) for item in items)
    if sum(item.source.width * item.source.height for item in items) > MOST_DECODED:
        message = f"the pictures have {pixels / 1e6:,.0f} megapixels together; save them smaller"
        raise BreachError(items[0].nodes[0], message)
    share, small = min(1.0, math.sqrt(sheet.pixels / pixels)), False
    for _ in range(TRIES):
        written = [_written(item, share, small) for item in items]
        size = sum(len(picture.data) * len(item.nodes) for picture, item in zip(written, items, strict=True))
        if size <= sheet.picture_bytes:
            break
        if small:
            share *= SMALLER * math.sqrt(sheet.picture_bytes / size)
        small = True
    else:
        message = (
            f"the pictures take {size / 1e6:,.1f} MB; a figure's may take {sheet.picture_bytes / 1e6:g} MB"
        )
        raise BreachError(items[0].nodes[0], f"{message}: save them smaller")
    for item, picture in zip(items, written, strict=True):
        href = f"data:{picture.mime};base64,{base64.b64encode(picture.data).decode('ascii')}"
        for node in item.nodes:
            node.attrib["href"] = href
        if share < 1:
            was, now = (
                f"{width} x {height}"
                for width, height in (
                    (item.source.width, item.source.height),
                    (picture.width, picture.height),
                )
            )
            message = f"the picture {item.name} of {was} pixels is published with {now}"
            draft.warn(
                "picture",
                item.nodes[0],
                f"{message}; `limits` in the settings allow more, up to 50 megapixels",
            )


def _written(item: Item, share: float, small: bool) -> EncodedPicture:
    try:
        return raster.write(item.source, share, small)
    except PictureError as error:
        raise BreachError(item.nodes[0], f"the picture {item.name} {error}") from None
