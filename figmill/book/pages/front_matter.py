"""The list of languages in the front matter of a page. Pure."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from figmill.book import scalars, yaml_parser
from figmill.book.nodes import ListNode, MapNode, Node, Scalar
from figmill.errors import AuthorError, did_you_mean


def languages(path: str, lines: list[str], kinds: Container[str]) -> tuple[str, ...] | None:
    """What `figmill: {fences: [...]}` lists; None if the page states nothing. lines: of the page, from its second.

    Raises AuthorError.
    """
    rows = yaml_parser.read(path, "\n".join(("", *lines)).encode(), frozenset(("figmill",)))
    for _, node in rows:
        for key, value in node.rows if isinstance(node, MapNode) else ():
            if isinstance(key, Scalar) and key.text == "fences":
                return _names(value, kinds)
    return None


def _names(node: Node, kinds: Container[str]) -> tuple[str, ...]:
    if isinstance(node, Scalar) and scalars.sort(node) == "boolean" and node.text.lower() == "false":
        return ()
    items = node.items if isinstance(node, ListNode) else (node,)
    names = tuple(item.text if isinstance(item, Scalar) else "" for item in items)
    for name, item in zip(names, items, strict=True):
        if name not in kinds:
            raise AuthorError(item.at, unknown(name, kinds))
    return names


def unknown(name: str, kinds: Any) -> str:
    """The message for a language that no kind draws."""
    near = did_you_mean(name, kinds) or f"; choose one of {', '.join(kinds)}"
    return f"fences: figmill draws no code blocks called '{scalars.short(name)}'{near}"
