"""Tables of Markdown, and what stands in their cells."""

from __future__ import annotations

from collections.abc import Iterable

UNSET = "-"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of Markdown."""
    head = tuple(head)
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def code(text: str) -> str:
    return f"`{text}`"


def sentence(text: str) -> str:
    """With a capital, unless it begins with code, and a full stop; no `<id>` in it is a tag."""
    text = (text[:1].upper() + text[1:]).replace("<", "&lt;")
    return text if text.endswith(".") else f"{text}."


def choice(values: Iterable[str]) -> str:
    """`a`, `b` or `c`."""
    *first, last = map(code, values)
    return f"{', '.join(first)} or {last}" if first else last


def shown(default: str) -> str:
    """What holds without the key: a value as code, words as words."""
    return UNSET if not default else default if " " in default else code(default)
