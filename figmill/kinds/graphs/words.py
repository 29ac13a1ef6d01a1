"""The text of a parsed graph in another language: labels are replaced before the layout, so that the layout fits them.

Graphviz breaks labels into lines at `\\n`, `\\l` and `\\r`; records have fields; HTML-like labels have words between
tags.
In a right-to-left language, a layout from left to right runs from right to left.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape
from typing import Any

from figmill.kind.source_text import unescaped
from figmill.kinds.graphs import items
from figmill.wording import Words

LABELS = ("label", "xlabel", "headlabel", "taillabel")
_BREAK = re.compile(r"(\\[nlr]|\n)")
_FIELD = re.compile(r"(\\.|[{}|]|<[^<>|{}]*>)")
_TAG = re.compile(r"(<[^>]*>)")
_ESCAPED = re.compile(r"\\[GNETHL]")
_TURNED = {"LR": "RL", "RL": "LR"}


def translate(gv: Any, graph: Any, wording: Words) -> None:
    """Replace every label of a graph, and reverse the direction of its layout if the language requires it."""
    every = [graph, *items.all_below(gv, graph)]
    for each in every:
        _translate(gv, graph, each, ("label",), "", wording, is_record=False)
    for node in items.nodes(gv, graph):
        is_record = "record" in (shape := items.get(gv, node, "shape").casefold())
        if shape != "point" and "invis" not in items.get(gv, node, "style"):
            _translate(gv, graph, node, LABELS[:2], items.name(gv, node), wording, is_record)
        for edge in items.edges_from(gv, graph, node):
            _translate(gv, graph, edge, LABELS, "", wording, is_record=False)
    if wording.is_rtl and (turned := _TURNED.get(items.get(gv, graph, "rankdir").upper())):
        items.put(gv, graph, graph, "rankdir", turned)


def _translate(
    gv: Any, graph: Any, item: Any, names: tuple[str, ...], own: str, wording: Words, is_record: bool
) -> None:
    for name in names:
        label = items.get(gv, item, name)
        if name == "label" and own and label == r"\N":
            label = own
        if not label:
            continue
        if gv.is_html(item, name.encode()):
            translated = f"<{_html(label, wording)}>"
            if translated == f"<{label}>":
                continue
        else:
            translated = _record(label, wording) if is_record else _plain(label, wording)
            if translated == label:
                continue
        items.put(gv, graph, item, name, translated)


def _plain(label: str, wording: Words) -> str:
    """A label: as a whole if it has a translation, otherwise line by line."""
    if _ESCAPED.search(label):
        return label
    parts = _BREAK.split(label)
    whole = " ".join(part.strip() for part in parts[::2] if part.strip())
    if not whole:
        return label
    if len(parts) > 1 and (translation := wording.messages.get(whole)):
        wording.asked[whole] = None
        return _balanced(translation, len([part for part in parts[::2] if part.strip()]))
    if len(parts) > 1:
        return _lines(whole, parts, wording)
    return _kept(label, wording)


def _lines(whole: str, parts: list[str], wording: Words) -> str:
    """A label of several lines: its lines if one of them is translated, otherwise the whole label is one message."""
    if any(wording.messages.get(part.strip()) for part in parts[::2] if part.strip()):
        return "".join(part if number % 2 else _kept(part, wording) for number, part in enumerate(parts))
    translated = wording(whole)
    return "".join(parts) if translated == whole else _balanced(translated, len(parts[::2]))


def _balanced(text: str, lines: int) -> str:
    """A text in this many lines of about equal length, broken between words; it may contain line breaks."""
    if "\n" in text or lines < 2:
        return text.replace("\n", r"\n")
    rows: list[str] = []
    room = max(len(text) / lines, max(map(len, text.split())))
    for word in text.split():
        if rows and (len(rows[-1]) + len(word) / 2 < room or len(rows) == lines):
            rows[-1] += f" {word}"
        else:
            rows.append(word)
    return r"\n".join(rows)


def _record(label: str, wording: Words) -> str:
    """The label of a record: the text of each field."""
    return "".join(
        part if number % 2 and not part.startswith(("\\n", "\\l", "\\r")) else _kept(part, wording)
        for number, part in enumerate(_FIELD.split(label))
    )


def _html(label: str, wording: Words) -> str:
    return "".join(
        part if number % 2 else _kept(part, wording, unescaped, lambda text: escape(text, quote=False))
        for number, part in enumerate(_TAG.split(label))
    )


def _kept(
    part: str, wording: Words, read: Callable[[str], str] = str, write: Callable[[str], str] = str
) -> str:
    """The text of a part in its language, between the surrounding blanks."""
    text = part.strip()
    if not text:
        return part
    plain = read(text)
    translated = wording(plain)
    return part if translated == plain else part.replace(text, write(translated))
