"""Mermaid's errors in an author's terms, at the line and column of the source. Pure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

from figmill.kind import AuthorError, Origin, did_you_mean
from figmill.kind.javascript import ScriptError
from figmill_kinds.mermaid import mistakes
from figmill_kinds.mermaid.text import body_of

# The types of diagram by their first words, to find typing errors in them.
TYPES = (
    "flowchart",
    "graph",
    "sequenceDiagram",
    "classDiagram",
    "stateDiagram-v2",
    "erDiagram",
    "gantt",
    "pie",
    "journey",
    "gitGraph",
    "mindmap",
    "timeline",
    "quadrantChart",
    "xychart-beta",
    "sankey-beta",
    "block-beta",
    "packet-beta",
    "architecture-beta",
    "kanban",
    "requirementDiagram",
    "C4Context",
    "radar-beta",
    "treemap-beta",
)
_PLACE = re.compile(r"Parse error on line (\d+), column (\d+): (.*)", re.DOTALL)
_WANTED = re.compile(r"Expecting (?:token of type )?'?(.+?)'? but found `(.*?)`", re.DOTALL)
# Mermaid's names of grammar tokens, and what an author writes for them.
TOKENS: Mapping[str, str] = {
    "NEWLINE": "a new line",
    "NL": "a new line",
    "EOF": "the end of the file",
    "SPACE": "a space",
    "COLON": "':'",
    "COMMA": "','",
    "SEMI": "';'",
    "PIPE": "'|'",
    "AMP": "'&'",
    "SQE": "']'",
    "PE": "')'",
    "DIAMOND_STOP": "'}'",
    "STR": "a text in quotes",
    "STRING": "a text in quotes",
    "NUM": "a number",
    "NUMBER": "a number",
    "NUMBER_WITH_DECIMAL": "a number",
    "NODE_STRING": "the name of a node",
    "ID": "a name",
    "ALPHA": "a name",
    "ALPHANUM": "a name",
    "ACTOR": "the name of an actor",
    "TXT": "':' and a text",
    "taskData": "':' and what the task is, like `: 2026-01-01, 3d`",
    "LINE": "'--'",
    "DOTTED_LINE": "'..'",
    "-->": "'-->'",
    "SOLID_ARROW": "an arrow like '->>'",
    "ONLY_ONE": "'||'",
    "ZERO_OR_ONE": "'o|'",
    "ZERO_OR_MORE": "'o{'",
    "ONE_OR_MORE": "'|{'",
    "ARROW_DIRECTION": "a side: L, R, T or B",
    "end": "`end`",
    "STRUCT_STOP": "'}'",
    "BLOCK_STOP": "'}'",
    "ARROW_CLOSE": "an arrow",
    "LINK": "an arrow",
}
MISSING = "; is an `end` missing?"
_LEXICAL = re.compile(r"Lexical error on line (\d+)\. Unrecognized text\.\n(.*)\n(-*)\^")
_CHARACTER = re.compile(r"Lexer error on line (\d+), column (\d+): unexpected character: ->(.)<-", re.DOTALL)
_AT = re.compile(r" at line (\d+), column (\d+) \[")
_UNPLACED = re.compile(r"Parse error on line \?, column \?: (.*)", re.DOTALL)
# Mermaid's errors without a line, in an author's terms.
UNPLACED: Mapping[str, str] = {
    "Diagrams beginning with ---": "settings begin and end with `---` at the start of a line, and are YAML",
    "Image is not defined": "a node cannot show a picture (`img:`); leave it out, or draw this in draw.io or SVG",
}
_YAML = re.compile(r"(.*?) \((\d+):(\d+)\)")
_INACTIVE = re.compile(r"Trying to inactivate an inactive participant \((.*)\)")
_OF_NAMES = re.compile(r"[^\s\[\](){}|<>=~&;:,\"-]")
# Characters that look like those of the language.
LOOKALIKES: Mapping[str, str] = {
    "\u201c": "'\"'",
    "\u201d": "'\"'",
    "\u201e": "'\"'",
    "\u2018": "a straight quote",
    "\u2019": "a straight quote",
    "\u2192": "'-->'",
    "\u2190": "'<--'",
    "\u2013": "'--'",
    "\u2014": "'--'",
    "\u00a0": "a space",
    "\u3000": "a space",
    "\uff1a": "':'",
    "\uff1b": "';'",
    "\uff0c": "','",
}
ARROWS, WITH_ARROWS = (
    "\u2192\u2190\u2013\u2014",
    ("flowchart", "graph", "classDiagram", "stateDiagram", "block"),
)
_QUOTED = re.compile(r'"[^"]*"|`[^`]*`')
MOST = 4  # tokens that a message names


def author_error(error: ScriptError, text: str, path: str) -> AuthorError:
    """Mermaid's error at the line and column of the source, with what would be right there."""
    rows = list(body_of(text)) or [(1, "")]
    own = error.data or {}
    message = str(own.get("message", error.text)).strip()
    if own.get("name") == "UnknownDiagramError":
        line, first = next(((n, row.split()[0]) for n, row in rows if row.split()), (1, ""))
        near = did_you_mean(first, TYPES) or f"; choose one of {', '.join(TYPES)}"
        return AuthorError(Origin(path, line, 1), f"Mermaid has no diagram '{first}'{near}")
    lines = text.split("\n")
    begin = next((number for number, line in enumerate(lines, 1) if line.strip()), 1)
    if lines[begin - 1].strip() == "---" and "---" not in (line.strip() for line in lines[begin:]):
        return AuthorError(
            Origin(path, begin, 1), "this front matter has no end; write `---` below its last line"
        )
    if not _is_odd(message) and (mistake := mistakes.found(message, rows)) is not None:
        line, column, explanation = mistake
        return AuthorError(Origin(path, line, column), explanation)
    if (match := _LEXICAL.search(message)) is not None:
        number, column, explanation = _foreign(int(match[1]), match[2], len(match[3]), rows)
        return AuthorError(Origin(path, number, column), explanation)
    if own.get("name") == "YAMLException" and (match := _YAML.match(message)) is not None:
        origin = Origin(path, begin + int(match[2]), int(match[3]))
        return AuthorError(origin, f"these settings are not YAML: {match[1]}")
    if (match := _CHARACTER.search(message)) is not None:
        number, row = rows[min(int(match[1]), len(rows)) - 1]
        if (odd := _odd_near(row, int(match[2]), rows[0][1])) is not None:
            return AuthorError(Origin(path, number, odd[0]), odd[1])
        return AuthorError(Origin(path, number, int(match[2])), f"'{match[3]}' is not expected here")
    if (match := _AT.search(message)) is not None:
        number, row = rows[min(int(match[1]), len(rows)) - 1]
        odd = _odd_near(row, int(match[2]), rows[0][1])
        explanation = "this is not expected here, or not complete"
        return AuthorError(
            Origin(path, number, odd[0] if odd else int(match[2])), odd[1] if odd else explanation
        )
    if (match := _INACTIVE.search(message)) is not None:
        explanation = f"'{match[1]}' is not active; leave out this `deactivate`, or the '-' after this arrow"
        return AuthorError(Origin(path, _inactive(match[1], rows)), explanation)
    for sign, explanation in UNPLACED.items():
        if sign in message:
            place = next((number for number, row in rows if "img:" in row), begin)
            return AuthorError(Origin(path, begin if sign.endswith("---") else place), explanation)
    last = max((number for number, row in rows if row.strip()), default=1)
    if (match := _UNPLACED.search(message)) is not None:
        wanted = _WANTED.search(match[1])
        return AuthorError(
            Origin(path, last), f"the file ends too early{_expectation([wanted[1]] if wanted else [])}"
        )
    if (match := _PLACE.search(message)) is not None:
        line, column = int(match[1]), int(match[2])
        wanted = _WANTED.search(match[3])
        seen, expected = (wanted[2], [wanted[1]]) if wanted else ("", [])
    elif isinstance(own.get("line"), int):
        line, seen, expected = own["line"] + 1, str(own["text"]).strip(), own["expected"]
        line -= 0 if seen else str(own["text"]).count("\n")  # a line has the sign that ends it
        begin = own["column"] if own["last_line"] == line else 0
        column = rows[min(line, len(rows)) - 1][1].find(seen, max(0, begin - len(seen))) + 1 or begin + 1
    else:
        return AuthorError(Origin(path), f"Mermaid cannot draw this: {message.split(chr(10))[0]}")
    number, row = rows[min(line, len(rows)) - 1]
    if (odd := _odd_near(row, column, rows[0][1])) is not None:
        return AuthorError(Origin(path, number, odd[0]), odd[1])
    if not seen.strip() and number >= last and own.get("token") in ("EOF", "1", "", "NEWLINE", "NL", None):
        return AuthorError(Origin(path, last), f"the file ends too early{_expectation(expected) or MISSING}")
    here = f"'{seen}' is not expected here" if seen.strip() else "the line ends too early"
    return AuthorError(Origin(path, number, column), f"{here}{_expectation(expected)}")


def _is_odd(message: str) -> bool:
    """Whether Mermaid complains of a character beyond ASCII, or of an `@`."""
    match = _LEXICAL.search(message)
    sign = "" if match is None else match[2][len(match[3]) :][:1]
    return sign > "\x7e" or sign == "@"


def _inactive(name: str, rows: Sequence[tuple[int, str]]) -> int | None:
    """The first line that deactivates a participant more often than it was activated."""
    actor, active = re.escape(name), 0
    begins = re.compile(rf"^\s*activate\s+{actor}\s*$|[->x)]\s*\+\s*{actor}\s*:")
    ends = re.compile(rf"^\s*deactivate\s+{actor}\s*$|^\s*{actor}\s*<?<?--?[->x)]+\s*-\s*\w")
    for number, row in rows:
        active += bool(begins.search(row)) - bool(ends.search(row))
        if active < 0:
            return number
    return None


def _common(text: str, other: str) -> int:
    """The number of characters at the end that two texts have in common."""
    pairs = zip(reversed(text), reversed(other), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _foreign(line: int, shown: str, at: int, rows: Sequence[tuple[int, str]]) -> tuple[int, int, str]:
    """The line and column of a character that the grammar does not take, and what would be right.

    shown: what Mermaid shows of the source, lines joined; at: the place of the character in it.
    """
    sign = shown[at : at + 1]
    before = shown[:at].removeprefix("...")
    places = [
        (
            _common(row[:column], before),
            -abs(index + 1 - line),
            number,
            column,
        )
        for index, (number, row) in enumerate(rows)
        for column, letter in enumerate(row)
        if letter == sign
    ]
    if not places:
        number, row = rows[min(line, len(rows)) - 1]
        return number, len(row) + 1, "Mermaid cannot read this line to its end"
    _, _, number, column = max(places, key=lambda place: (place[0], place[1]))
    row = next(text for own, text in rows if own == number)
    if sign <= "\x7e" and sign != "@":
        return number, column + 1, f"'{sign}' is not expected here"
    return number, column + 1, _odd(row, column, rows[0][1])


def _name_at(row: str, column: int) -> str:
    """The word of a row around a column, with odd characters and without those of the language."""
    begin, end = column, column + 1
    while begin and _OF_NAMES.match(row[begin - 1]):
        begin -= 1
    while end < len(row) and _OF_NAMES.match(row[end]):
        end += 1
    return row[begin:end]


# What the grammar of a type offers for a name with any characters, by the type's first word; `{}` is the name.
OFFERS: Mapping[str, str] = {
    "flowchart": 'write a short name with the text in quotes, like `n1["{}"]`',
    "graph": 'write a short name with the text in quotes, like `n1["{}"]`',
    "radar": 'write a short name with the text in quotes, like `n1["{}"]`',
    "kanban": 'write a short name with the text in quotes, like `n1["{}"]`',
    "sequenceDiagram": "write a short name, and above `participant n1 as {}`",
    "classDiagram": "write the name in backticks: `{}`",
    "architecture": 'write a short name with the text in brackets, like `service n1(server)["{}"]`',
    "usecase": 'write a short name with the text in brackets, like `n1("{}")`',
    "eventmodeling": "write letters and digits of ASCII, `_` and `.`",
    "railroad": "write letters and digits of ASCII",
}
QUOTED = 'write the text in quotes: "{}"'


def _odd(row: str, column: int, first: str) -> str:
    """What is wrong with the character at a column, and what the type of diagram offers. first: the type's row."""
    sign, name = row[column], _name_at(row, column)
    if sign in LOOKALIKES and (sign not in ARROWS or first.lstrip().startswith(WITH_ARROWS)):
        return f"'{sign}' is not a sign of Mermaid; write {LOOKALIKES[sign]}"
    right = next((offer for kind, offer in OFFERS.items() if first.lstrip().startswith(kind)), QUOTED)
    if first.lstrip().startswith("erDiagram") and not re.search(r"--|\.\.|\{", row):
        right = OFFERS["classDiagram"]  # the name of an attribute
    return f"'{sign}' cannot stand in a name; {right.format(name)}"


def _odd_near(row: str, column: int, first: str) -> tuple[int, str] | None:
    """The column and the fault of a character beyond ASCII, or an `@`, in the word at a column, or the next of its row.

    Nothing where the author's quotes hold the character.
    """
    bare = _QUOTED.sub(lambda match: "_" * len(match[0]), row)
    begin = min(column - 1, len(bare))
    while begin > 0 and not bare[begin - 1].isspace():
        begin -= 1
    odd = next((at for at in range(max(begin, 0), len(bare)) if bare[at] > "\x7e" or bare[at] == "@"), None)
    return None if odd is None else (odd + 1, _odd(row, odd, first))


def _expectation(tokens: Sequence[str]) -> str:
    """What a grammar expects, in an author's terms; empty if that is too long to list, or unknown."""
    terms = dict.fromkeys(TOKENS.get(name.strip("'"), "") for name in tokens)
    if not terms or len(terms) > MOST or "" in terms:
        literal = [f"'{name.strip(chr(39))}'" for name in tokens if not re.fullmatch(r"'?\w+'?", name)]
        return f"; write {' or '.join(literal)}" if 0 < len(literal) <= MOST and len(tokens) <= MOST else ""
    return f"; Mermaid expects {' or '.join(terms)}"
