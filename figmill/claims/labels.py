"""The texts in a published picture. Pure."""

from __future__ import annotations

from xml.etree import ElementTree

_SVG = "{http://www.w3.org/2000/svg}"


def labels(svg: bytes) -> tuple[str, ...]:
    """The texts of a published SVG that have a letter, each once, in their order. Raises ElementTree.ParseError."""
    root = ElementTree.fromstring(svg)
    texts = (" ".join("".join(node.itertext()).split()) for node in root.iter(f"{_SVG}text"))
    return tuple(dict.fromkeys(text for text in texts if any(letter.isalpha() for letter in text)))
