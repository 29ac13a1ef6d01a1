"""The tree as bytes: one attribute order, LF, two-space indentation outside text, one trailing newline.

Knows nothing of meaning. The result parses the same as XML and as SVG inside HTML.
"""

from __future__ import annotations

from functools import lru_cache

from figmill.svg.document import SVG, Element
from figmill.svg.xml import vocabulary

INLINE = frozenset(("text", "title", "desc"))  # white space inside is part of the text


def serialise(root: Element) -> bytes:
    """The whole file, without an XML declaration: XML defaults to UTF-8, and HTML has no declarations."""
    lines: list[str] = []
    _lines(Element(root.tag, {"xmlns": SVG, **root.attrib}, root.children), "", lines)
    return ("\n".join(lines) + "\n").encode()


def _lines(node: Element, indent: str, lines: list[str]) -> None:
    if not node.children:
        lines.append(f"{indent}<{node.tag}{_attributes(node)}/>")
    elif node.tag in INLINE:
        lines.append(indent + _inline(node))
    else:
        lines.append(f"{indent}<{node.tag}{_attributes(node)}>")
        for child in node.elements():
            _lines(child, indent + "  ", lines)
        lines.append(f"{indent}</{node.tag}>")


def _inline(node: Element) -> str:
    inside = "".join(_text(c) if isinstance(c, str) else _inline(c) for c in node.children)
    if not inside:
        return f"<{node.tag}{_attributes(node)}/>"
    return f"<{node.tag}{_attributes(node)}>{inside}</{node.tag}>"


def _attributes(node: Element) -> str:
    attrib = node.attrib
    order = _in_order(tuple(attrib))
    text = "".join([f' {name}="{attrib[name]}"' for name in order])
    if "&" in text or "<" in text or ">" in text or text.count('"') > 2 * len(order):
        text = "".join([f' {name}="{_value(attrib[name])}"' for name in order])
    return text


@lru_cache(maxsize=4096)
def _in_order(names: tuple[str, ...]) -> list[str]:
    return sorted(names, key=lambda name: (vocabulary.ORDER.get(name, len(vocabulary.ORDER)), name))


def _text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _value(text: str) -> str:
    return _text(text).replace('"', "&quot;")
