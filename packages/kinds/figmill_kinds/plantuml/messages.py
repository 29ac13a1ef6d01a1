"""A sequence of PlantUML as steps: its messages in order, inside the frames around them, from its source. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from figmill.kind import FigureTable
from figmill.kind.tables import table
from figmill_kinds.plantuml.text import DiagramText

_ACTOR = re.compile(
    r"\s*(?:create\s+)?(?:participant|actor|boundary|control|entity|database|collections|queue)\s+"
    r"(\"[^\"]+\"|\S+)(?:\s+as\s+(\"[^\"]+\"|\S+))?"
)
_MESSAGE = re.compile(
    r"""\s*(?:&\s*)?(?P<left>"[^"]+"|[\w.@]+|\[|\?)?\s*"""
    r"""(?P<arrow>[ox]?(?:<<?|\\\\?|//?)?-+(?:\[[^\]]*\]-*)?(?:>>?|\\\\?|//?)?[ox]?)\s*"""
    r"""(?P<right>"[^"]+"|[\w.@]+|\]|\?)?\s*(?:as\s+\w+)?\s*(?P<signs>(?:(?:\+\+|--|\*\*|!!)\s*)*)(?:\#\w+)?\s*"""
    r"""(?::\s*(?P<label>.*))?$"""
)
_FRAME = re.compile(
    r"\s*(loop|alt|opt|par2?|critical|break|group|else|also|end)\b\s*(?!note|box|ref|title|legend)(.*)$"
)
_NOTE = re.compile(
    r"\s*/?\s*[hr]?note\s+(?:(over|left|right|across)(?:\s+of)?)?\s*([^:#]*?)\s*(?:\#\w+\s*)?(?::\s*(.*))?$"
)
_ENDS = ["end", "endnote", "endref", "endhnote", "endrnote"]
_REF = re.compile(r"\s*ref\s+over\s+([^:]*?)\s*(?::\s*(.*))?$")
_DIVIDER = re.compile(r"\s*==+\s*(.*?)\s*==+\s*$")
_REPEATS = re.compile(r"\s*!(?:while|foreach|procedure|function|unquoted|define|if)")
FRAMES = {
    "loop": "loop",
    "alt": "if",
    "opt": "optional",
    "par": "in parallel",
    "par2": "in parallel",
    "critical": "critical",
    "break": "break",
    "group": "",
}
PARTS = {"else": "else", "also": "in parallel"}
_TAG, _BREAK = re.compile(r"</?[A-Za-z][^<>]*>"), re.compile(r"\\n|<br\s*/?>")
_MARKS = re.compile(r"(\*\*|//|__|--|~~|\"\")(\S(?:.*?\S)?)\1")
COLUMNS = ("level", "step", "from", "to", "label")

Step = tuple[int, str, str, str, str]


def tables_of(text: DiagramText) -> tuple[FigureTable, ...] | None:
    """The actors, and the steps of a sequence; None where a preprocessor's loop or function writes some of them."""
    if any(_REPEATS.match(line) for line in text.lines):
        return None
    reader = _MessageReader()
    reader.read(text.lines)
    steps = table("Messages", COLUMNS, reader.steps, "steps")
    return (table("Actors", ("node",), [(name,) for name in reader.names.values()], "nodes"), steps)


def plain(label: str) -> str:
    """A label in one line without PlantUML's markup."""
    return _MARKS.sub(r"\2", _TAG.sub("", _BREAK.sub(" ", label))).strip()


class _MessageReader:
    """Reads the lines of a sequence from the first to the last."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}  # of each actor, by the word that the source uses for it
        self.steps: list[Step] = []
        self.level = 0
        self.calls: list[tuple[str, str]] = []  # of active actors: who called whom
        self.last = ("", "")

    def read(self, lines: Sequence[str]) -> None:
        waiting = iter(lines)
        for line in waiting:
            if line.lstrip().startswith(("'", "!", "@", "skinparam", "title", "hide", "autonumber")):
                continue
            if match := _ACTOR.match(line):
                self._actor(match[1], match[2])
            elif match := _FRAME.match(line):
                self._frame(match[1], match[2])
            elif match := _DIVIDER.match(line):
                self._add("section", "", "", match[1])
            elif (note := _NOTE.match(line)) or (match := _REF.match(line)):
                of, note_text = (note[2], note[3]) if note else (match[1], match[2]) if match else ("", "")
                if note_text is None:
                    rows = []
                    while (row := next(waiting, "end note")).split()[:1] not in ([end] for end in _ENDS):
                        rows.append(row.strip())
                    note_text = " ".join(rows)
                self._add(
                    "note", ", ".join(map(self._name, filter(None, re.split(r"\s*,\s*", of)))), "", note_text
                )
            elif line.split()[:1] == ["return"]:
                caller, called = self.calls.pop() if self.calls else self.last
                self._add("message", called, caller, line.split(None, 1)[1] if len(line.split()) > 1 else "")
            elif line.split()[:1] == ["activate"] and len(line.split()) > 1:
                self.calls.append((self.last[0], self._name(line.split()[1])))
            elif line.split()[:1] in (["deactivate"], ["destroy"]) and self.calls:
                self.calls.pop()
            elif (match := _MESSAGE.match(line)) and re.search(r"[<>\\/]", match["arrow"]):
                self._message(match)

    def _actor(self, first: str, second: str | None) -> None:
        is_label_last = bool(second) and str(second).startswith('"') and not first.startswith('"')
        label, key = (str(second), first) if is_label_last else (first, second)
        self.names[(key or first).strip('"')] = plain(label.strip('"'))

    def _frame(self, word: str, label: str) -> None:
        if word == "end":
            self.level = max(0, self.level - 1)
        elif word in PARTS:
            self.level = max(0, self.level - 1)
            self._add(PARTS[word], "", "", label)
            self.level += 1
        else:
            self._add(FRAMES[word], "", "", label)
            self.level += 1

    def _message(self, match: re.Match[str]) -> None:
        left, right = (self._name(match[side] or "") for side in ("left", "right"))
        arrow = re.sub(r"\[[^\]]*\]", "", match["arrow"])
        to_left, to_right = re.match(r"[ox]?[<\\/]", arrow), re.search(r"[>\\/][ox]?$", arrow)
        start, end = (right, left) if to_left and not to_right else (left, right)
        label = ", ".join(filter(None, (match["label"], "both ways" if to_left and to_right else "")))
        self.last = (start, end)
        for sign in match["signs"].split():
            if sign == "++":
                self.calls.append((start, end))
            elif sign == "--" and self.calls:
                self.calls.pop()
        self._add("message", start or "\u2026", end or "\u2026", label)

    def _name(self, word: str) -> str:
        """The label of an actor; empty for the edge of the picture."""
        word = word.strip().strip('"')
        if word in ("", "[", "]", "?"):
            return ""
        return self.names.setdefault(word, plain(word))

    def _add(self, step: str, start: str, end: str, label: str) -> None:
        self.steps.append((self.level, step, start, end, plain(label)))
