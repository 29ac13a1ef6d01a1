"""The alt text of a code block or an image in a page whose author has written none. Pure.

It is the description in the diagram's own source, such as accDescr of Mermaid, else the text in the drawing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from figmill import checks, xml_tree
from figmill.kind.job import Raw
from figmill.model import Fact

DESCRIBING = ("description", "title")  # facts in which a diagram describes itself


def of(raw: Raw) -> str:
    """The alt text of a drawing."""
    if text := described(raw.facts):
        return text
    text = "; ".join(dict.fromkeys(labels(raw.svg)))
    kind = str(raw.facts.get("type") or "diagram").partition("-")[0].capitalize()
    return short(f"{kind}: {text}" if text else kind, checks.LONG_ALT)


def of_image(raw: Raw, path: str) -> str:
    """The alt text of an image in a page: as `of`, or for one without any text the words in its name."""
    if described(raw.facts) or any(labels(raw.svg)):
        return of(raw)
    return " ".join(re.split(r"[^\w]+|_", PurePosixPath(path).name.partition(".")[0])).strip() or of(raw)


def described(facts: Mapping[str, Fact]) -> str:
    """How a diagram describes itself; empty if it does not."""
    texts = (" ".join(str(facts.get(name) or "").split()) for name in DESCRIBING)
    return short(next(filter(None, texts), ""), checks.ALT)


def short(text: str, most: int = 60) -> str:
    """A text cut at a word."""
    return text if len(text) <= most else f"{text[: most - 1].rpartition(' ')[0]}…"


def labels(svg: bytes) -> Iterator[str]:
    """The texts of a well-formed drawing, each on one line, in their order."""
    from lxml import etree  # figmill.svg loads it in any case

    try:
        root = xml_tree.parsed(svg)
    except etree.XMLSyntaxError:
        return  # settling reports it
    for node in root.iter("{*}text"):
        parts = (str(part).strip() for part in node.itertext())
        if text := " ".join(part for part in parts if part):
            yield text
