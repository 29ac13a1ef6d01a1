"""Markdown tables and their cells."""

from __future__ import annotations

from collections.abc import Iterable

UNSET = "-"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    head = tuple(head)
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def code(text: str) -> str:
    return f"`{text}`"


def sentence(text: str) -> str:
    """The text with a capital, unless it starts with code, and a full stop; `<id>` is not a tag."""
    text = (text[:1].upper() + text[1:]).replace("<", "&lt;")
    return text if text.endswith(".") else f"{text}."


def choice(values: Iterable[str]) -> str:
    """`a`, `b` or `c`."""
    *first, last = map(code, values)
    return f"{', '.join(first)} or {last}" if first else last


def shown(default: str) -> str:
    """The default of a key: a value as code, a description as text."""
    return UNSET if not default else default if " " in default else code(default)
