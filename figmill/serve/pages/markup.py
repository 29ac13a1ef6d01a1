"""HTML from small functions: text is escaped unless a function of this module has made it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import TypeAlias

VOID = frozenset(("img", "input", "meta", "link", "br", "hr"))


class Safe(str):
    """Text that is HTML already."""

    __slots__ = ()


Attributes: TypeAlias = Mapping[str, "str | int | float | bool | None"]


def el(tag: str, attributes: Attributes | None = None, *children: str) -> Safe:
    """An element. An attribute that is None or False is left out; True stands for its name alone."""
    written = "".join(
        f" {name}" if value is True else f' {name}="{escape(str(value))}"'
        for name, value in (attributes or {}).items()
        if value is not None and value is not False
    )
    return Safe(f"<{tag}{written}>" if tag in VOID else f"<{tag}{written}>{joined(children)}</{tag}>")


def joined(children: Iterable[str]) -> Safe:
    """Children side by side."""
    return Safe(
        "".join(child if isinstance(child, Safe) else escape(child, quote=False) for child in children)
    )


NOTHING = Safe("")
