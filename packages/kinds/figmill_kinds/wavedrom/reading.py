"""A WaveDrom source as a value: its mistakes with their places, and its counts. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from figmill.kind import AuthorError, Fact, Origin, Remark, did_you_mean, source_text

SORTS = ("signal", "reg", "assign")
STATES = "pnPNhlHL01=23456789duzx"
_MARKS = ".|<>"  # continue, a gap, a subcycle
_PLACE = re.compile(r"<anonymous>:(\d+): (\w*Error): (.*)\n(.*)\n([ \t]*)\^")
_MARKUP = re.compile("</?(?:o|ins|s|sub|sup|b|i|tt)>")
ARC = re.compile(r"\s*([a-zA-Z0-9])\s*([<>~\-|/+]+)\s*([a-zA-Z0-9])(?=\s|$)")


def fault(message: str, text: str, before: int, path: str) -> AuthorError:
    """V8's complaint about a source, at its line and column. before: characters put before the first line."""
    place = _PLACE.search(message)
    if place is None:
        return AuthorError(Origin(path), f"WaveDrom cannot read this: {message.splitlines()[0]}")
    line, sort, complaint = int(place[1]), place[2], place[3]
    column = len(place[5]) + 1 - (before if line == 1 else 0)
    lines = text.rstrip().split("\n")
    ends = "the file ends too early; is a '}' or a ']' missing?"
    if line > len(lines) or "end of input" in complaint:
        return AuthorError(Origin(path, len(lines)), ends)
    at = Origin(path, line, max(1, column))
    if sort != "SyntaxError":
        return AuthorError(at, f"this source cannot be evaluated: {complaint}")
    if (seen := re.match(r"Unexpected (token|identifier|string|number)(?: '(.*)')?", complaint)) is not None:
        what = seen[2] or place[4][len(place[5]) :].split(",")[0].strip() or "this"
        lack = "a comma" if seen[1] != "token" else "a value, a comma or a bracket"
        return AuthorError(at, f"'{what}' is not expected here; is {lack} missing before it?")
    if complaint.startswith(("Invalid or unexpected", "Unterminated")):
        return AuthorError(at, "a text begins here and is not closed; write a quote after it")
    return AuthorError(at, f"WaveDrom cannot read this: {complaint}")


def diagram(value: Any, text: str, path: str) -> dict[str, Any]:
    """The value of a source, checked. Raises AuthorError if WaveDrom could not draw any of it."""
    usual = "write `{signal: [...]}` for waves, `{reg: [...]}` for a register, `{assign: [...]}` for logic"
    if source_text.is_deep(value):
        raise AuthorError(Origin(path), f"groups lie more than {source_text.DEEPEST} deep in each other")
    if not isinstance(value, dict):
        raise AuthorError(Origin(path, 1), f"this is not a diagram; {usual}")
    sorts = [name for name in SORTS if value.get(name)]
    if len(sorts) > 1:
        raise AuthorError(
            _at(text, path, sorts[1]), f"one diagram has either {sorts[0]} or {sorts[1]}; make two figures"
        )
    if not sorts:
        key = next((key for key in value if did_you_mean(key, SORTS)), None)
        near = did_you_mean(key, SORTS) if key else ""
        where = _at(text, path, key) if key else Origin(path, 1)
        raise AuthorError(
            where, f"WaveDrom has no '{key}'{near}" if key else f"this is not a diagram; {usual}"
        )
    rows = value[sorts[0]]
    if not isinstance(rows, list):
        raise AuthorError(_at(text, path, sorts[0]), f"{sorts[0]} must be a list, like [...]")
    if sorts == ["signal"]:
        for lane in lanes(rows):
            wave = lane.get("wave")
            if wave is not None and not isinstance(wave, str | list):
                message = f"wave must be a text, like '01.', not {wave!r}"
                raise AuthorError(_at(text, path, str(wave)), message)
    if sorts == ["reg"]:
        for row in rows:
            if not isinstance(row, dict) or not isinstance(row.get("bits"), int) or row["bits"] < 1:
                name = row.get("name") if isinstance(row, dict) else None
                raise AuthorError(
                    _at(text, path, str(name or "reg")),
                    "each field needs its number of `bits`, like {bits: 8}",
                )
    return value


def _at(text: str, path: str, word: str) -> Origin:
    """Where a word occurs in the source; only the file if the word is computed."""
    match = re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text)
    if match is None:
        return Origin(path)
    line = text.count("\n", 0, match.start()) + 1
    return Origin(path, line, match.start() - text.rfind("\n", 0, match.start()))


def lanes(rows: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """Every lane in any group, except the empty lanes that only make room."""
    for row in rows:
        if isinstance(row, list):
            yield from lanes(row)
        elif isinstance(row, dict) and row:
            yield row


def arcs(value: Mapping[str, Any]) -> list[Any]:
    """The edges of a source; none if they are not a list."""
    edges = value.get("edge")
    return edges if isinstance(edges, list) else []


def remarks(value: Mapping[str, Any], text: str) -> Iterator[Remark]:
    """A remark on everything that WaveDrom silently draws differently from the source."""
    if not value.get("signal"):
        return
    nodes = {
        letter for lane in lanes(value["signal"]) for letter in str(lane.get("node") or "") if letter != "."
    }
    for lane in lanes(value["signal"]):
        wave = lane.get("wave")
        unknown = (
            [letter for letter in wave if letter not in STATES + _MARKS] if isinstance(wave, str) else []
        )
        if unknown:
            message = (
                f"wave '{wave}' has the state '{unknown[0]}', which WaveDrom draws as x; there are {STATES}"
            )
            yield Remark("dropped", message, _at(text, "", str(wave)).line)
    for arc in arcs(value):
        match = ARC.match(arc) if isinstance(arc, str) else None
        lost = [name for name in (match[1], match[3]) if name not in nodes] if match else []
        if lost:
            message = f"the edge '{arc}' is left out, because no lane has the node {lost[0]}"
            yield Remark("dropped", message, _at(text, "", str(arc)).line)


def facts(value: Mapping[str, Any]) -> dict[str, Fact]:
    """Counts, and the title if there is one."""
    head = value.get("head")
    title = words(head.get("text")) if isinstance(head, dict) else ""
    named: dict[str, Fact] = {"title": title} if title else {}
    if value.get("signal"):
        rows = [lane for lane in lanes(value["signal"]) if lane.get("wave") or lane.get("name")]
        return {"signals": len(rows), "ticks": max((_ticks(lane) for lane in rows), default=0), **named}
    if value.get("reg"):
        rows = value["reg"]
        return {
            "fields": sum(row.get("name") is not None for row in rows),
            "bits": sum(row["bits"] for row in rows),
        }
    return {"gates": _gates(value["assign"]), **named}


def _ticks(lane: Mapping[str, Any]) -> int:
    """The length of a lane, in steps of its wave by its period."""
    wave, period = lane.get("wave"), lane.get("period")
    length = len(re.sub(r"[<>]", "", wave)) if isinstance(wave, str) else 0
    ticks = length * period if isinstance(period, int | float) else length
    return round(ticks) if math.isfinite(ticks) else length


def _gates(tree: Any) -> int:
    """The number of lists that begin with a gate's word, not a signal's: `["out", ["&", "a", "b"]]` has one."""
    if not isinstance(tree, list):
        return 0
    inner = sum(_gates(item) for item in tree)
    return inner + sum(
        isinstance(item, list) and len(item) > 1 and isinstance(item[0], str) for item in tree[1:]
    )


def words(text: Any) -> str:
    """A text with WaveDrom's markup, or the text in its nested lists, as plain text."""
    if isinstance(text, list):
        return "".join(words(item) for item in text[1:] if not isinstance(item, dict))
    return _MARKUP.sub("", str(text)) if isinstance(text, str | int | float) else ""
