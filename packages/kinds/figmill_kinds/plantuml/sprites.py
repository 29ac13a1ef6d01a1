"""Sprites as shapes, in colours that settling can change for the dark page: PlantUML draws them as pictures of pixels.

Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from lxml import etree

SVG = "{http://www.w3.org/2000/svg}"
# what document.js writes in place of a picture: `pixels:WIDTH:` and RGBA in hexadecimal digits
PIXELS = "pixels:"


def as_shapes(svg: str) -> str:
    """A drawing with each picture of pixels as a path for each of its colours."""
    if PIXELS not in svg:
        return svg
    drawing = etree.fromstring(
        svg.encode(), etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    )
    for image in list(drawing.iter(f"{SVG}image")):
        if str(image.get("href", "")).startswith(PIXELS):
            _replace(image)
    return str(etree.tostring(drawing, encoding="unicode"))


def _replace(image: etree._Element) -> None:
    _, width, pixels = str(image.get("href")).split(":")
    x, y = image.get("x", "0"), image.get("y", "0")
    tail = image.tail
    image.clear()
    image.tail, image.tag = tail, f"{SVG}g"
    image.set("transform", f"translate({x} {y})")
    image.set("shape-rendering", "crispEdges")
    for colour, path in _paths(bytes.fromhex(pixels), int(width)).items():
        shape = etree.SubElement(image, f"{SVG}path", {"d": path, "fill": f"#{colour[:3].hex()}"})
        if colour[3] < 255:
            shape.set("fill-opacity", f"{colour[3] / 255:.3g}")


def _paths(pixels: bytes, width: int) -> dict[bytes, str]:
    """A path for each colour that is seen, of the runs of pixels that have it."""
    paths: dict[bytes, list[str]] = defaultdict(list)
    for colour, x, y, length in _runs(pixels, width):
        if colour[3]:
            paths[colour].append(f"M{x} {y}h{length}v1h-{length}z")
    return {colour: "".join(parts) for colour, parts in sorted(paths.items())}


def _runs(pixels: bytes, width: int) -> Iterator[tuple[bytes, int, int, int]]:
    """Each run of equal pixels in a row: its colour, where it begins, and its length."""
    for y in range(len(pixels) // (4 * width)):
        row = [pixels[4 * (y * width + x) :][:4] for x in range(width)]
        start = 0
        for x in range(1, width + 1):
            if x == width or row[x] != row[start]:
                yield row[start], start, y, x - start
                start = x
