"""A long description in mystmd's nodes: from the HTML that other hosts show below a figure. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from xml.etree.ElementTree import Element

# HTML -> mystmd's node of the same meaning, with its keys; an element that is not listed is replaced by its content.
_NODES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "details": {"type": "details", "class": "figmill-data"},
        "summary": {"type": "summary"},
        "p": {"type": "paragraph"},
        "strong": {"type": "strong"},
        "ul": {"type": "list", "ordered": False, "spread": False},
        "ol": {"type": "list", "ordered": True, "spread": False},
        "li": {"type": "listItem", "spread": False},
        "table": {"type": "table"},
        "tr": {"type": "tableRow"},
        "th": {"type": "tableCell", "header": True},
        "td": {"type": "tableCell"},
    }
)


def nodes(element: Element) -> list[dict[str, Any]]:
    """The nodes of an element. A table's caption comes before it, as mystmd would number a captioned table."""
    if element.tag == "table":
        caption = element.findtext("caption") or ""
        heading = {"type": "paragraph", "children": [{"type": "strong", "children": _text(caption)}]}
        rows = [node for part in element if part.tag != "caption" for node in nodes(part)]
        return [*([heading] if caption else []), {**_NODES["table"], "children": rows}]
    below = _text(element.text)
    for child in element:
        below += [*nodes(child), *_text(child.tail)]
    if element.tag == "a":
        return [{"type": "link", "url": element.get("href", ""), "static": True, "children": below}]
    form = _NODES.get(element.tag)
    return below if form is None else [{**form, "children": below}]


def _text(text: str | None) -> list[dict[str, Any]]:
    return [{"type": "text", "value": text}] if text else []
