"""An activity diagram of PlantUML as steps: its actions in order, inside the branches and loops around them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from figmill.kind import FigureTable
from figmill.kind.tables import table
from figmill_kinds.plantuml.messages import plain

_ACTION = re.compile(r"\s*(?:#[^:]*)?:(.*)$")
_END = re.compile(r"(?:;|\||<|>|/|\\|\]|\})\s*(?:<<[^>]*>>)?\s*$")
_IN_BRACKETS = r"\s*(?:\(([^)]*)\))?"
# A line -> its step, whether it goes back one level before it, and whether the lines below it are inside it.
_LINES: Sequence[tuple[re.Pattern[str], str, bool, bool]] = tuple(
    (re.compile(rf"\s*{pattern}"), step, goes_back, opens)
    for pattern, step, goes_back, opens in (
        (rf"if{_IN_BRACKETS}\s*(?:then|is|equals)?{_IN_BRACKETS}.*$", "if", False, True),
        (
            rf"(?:{_IN_BRACKETS}\s*)?elseif{_IN_BRACKETS}\s*(?:then|is)?{_IN_BRACKETS}.*$",
            "else if",
            True,
            True,
        ),
        (rf"else{_IN_BRACKETS}\s*$", "else", True, True),
        (r"end\s?if\b.*$", "", True, False),
        (rf"while{_IN_BRACKETS}\s*(?:is)?{_IN_BRACKETS}.*$", "loop", False, True),
        (r"end\s?while\b.*$", "", True, False),
        (r"repeat\s*$", "loop", False, True),
        (rf"repeat\s?while{_IN_BRACKETS}.*$", "while", True, False),
        (r"(?:fork|split)\s*$", "in parallel", False, True),
        (r"(?:fork|split) again\s*$", "in parallel", True, True),
        (r"end\s?(?:fork|split|merge)\b.*$", "", True, False),
        (rf"switch{_IN_BRACKETS}.*$", "one of", False, True),
        (rf"case{_IN_BRACKETS}.*$", "if", True, True),
        (r"endswitch\b.*$", "", True, False),
        (
            r"(?:partition|group|package|rectangle|card)\s*(?:#\S+\s+)?\"?([^\"{]*?)\"?\s*\{\s*$",
            "section",
            False,
            True,
        ),
        (r"\}\s*$", "", True, False),
        (r"(?:start)\s*$", "start", False, False),
        (r"(?:stop|end|kill|detach)\s*$", "end", False, False),
        (r"break\s*$", "break", False, False),
        (r"\|(?:#[^|]*\|)?([^|]*)\|\s*$", "lane", False, False),
    )
)
_NOTHING = re.compile(r"\s*(?:'.*|!.*|skinparam.*|title.*|@.*|->.*|-\[.*|\(\w+\)|floating note.*|hide.*|)$")
_NOTE = re.compile(r"\s*(?:floating\s+)?note\s*(?:left|right)?\s*(?::\s*(.*))?$")


def tables_of(lines: Sequence[str]) -> tuple[FigureTable, ...] | None:
    """The steps of an activity diagram; None if it has an unknown line, or is another diagram."""
    rows: list[tuple[int, str, str]] = []
    level = 0
    waiting = iter(lines)
    for line in waiting:
        if (action := _ACTION.match(line)) is not None:
            label = action[1]
            while not _END.search(label) and (following := next(waiting, None)) is not None:
                label += f" {following}"
            rows.append((level, "", plain(_END.sub("", label))))
        elif (note := _NOTE.match(line)) is not None:
            label = note[1] or ""
            while note[1] is None and (row := next(waiting, "end note")).strip() not in (
                "end note",
                "endnote",
            ):
                label += f" {row.strip()}"
            rows.append((level, "note", plain(label)))
        elif (
            matched := next(((m, *row[1:]) for row in _LINES if (m := row[0].match(line))), None)
        ) is not None:
            match, step, goes_back, opens = matched
            is_first_case = line.split()[:1] == ["case"] or line.lstrip().startswith("case(")
            if is_first_case and rows and rows[-1][1] == "one of":
                goes_back = False
            if line.lstrip().startswith("endswitch"):
                level -= 1
            level = max(0, level - goes_back)
            if step:
                rows.append((level, step, plain(": ".join(part for part in match.groups() if part))))
            level += opens
        elif not _NOTHING.match(line):
            return None
    actions = sum(not step for _, step, _ in rows)
    return (table("Steps", ("level", "step", "label"), rows, "steps"),) if actions else None
