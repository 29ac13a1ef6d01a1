"""The text of a source, and the JSON in it: each fault at its line and column.

JSON is read as JavaScript reads it, because Excalidraw and Vega-Lite are written in JavaScript: a long integer is a
float. What JavaScript can read and a figure cannot hold is the author's error: half of a surrogate pair, a number
beyond the largest float, nesting without an end.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figmill.errors import AuthorError
from figmill.kind.job import Job, source
from figmill.kind.source_words import Labels
from figmill.model import Origin

DEEPEST = 100  # lists and objects inside each other
LONGEST_INTEGER = 18  # digits; what has more may not fit in 64 bits
UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_LONE = re.compile("[\ud800-\udfff]")
# Signs of a number or of a text that _faults has to look at.
_SUSPECT = re.compile(r"\\u[dD][89a-fA-F]|\d{19}|[eE]\+?\d{3}|NaN|Infinity")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]|NaN|-?Infinity|-?\d[\d.eE+-]*')


def text(job: Job, root: Path, labels: Labels | None = None) -> str:
    """The source of a job as text, its labels in the current language. Raises AuthorError."""
    return decoded(source(job, root, labels), job.source)


def decoded(data: bytes, path: str) -> str:
    """A file as text, CRLF as LF, without a byte order mark. Raises AuthorError at the line of a bad byte."""
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise AuthorError(Origin(path, line), "not UTF-8; save the file as UTF-8") from None


def place(text: str, index: int, path: str) -> Origin:
    """The line and column of a character of a file, by its index from 0."""
    return Origin(path, text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index))


# A character's number with zeros before it, and one that is too large: Python reads neither of 5,000 digits.
_ZEROS = re.compile(r"(&#[xX]?)0+(?=[0-9a-fA-F])")
_TOO_LARGE = re.compile(r"&#(?:[0-9]{9,}|[xX][0-9a-fA-F]{9,});?")


def unescaped(text: str) -> str:
    """A text with the characters that `&amp;` and `&#9829;` stand for; U+FFFD for a number beyond Unicode."""
    return html.unescape(_TOO_LARGE.sub("\N{REPLACEMENT CHARACTER}", _ZEROS.sub(r"\1", text)))


def json_value(
    text: str, path: str, what: str = "JSON", *, strict: bool = True, constants: bool = False
) -> Any:
    """The value of JSON. Raises AuthorError.

    what: what the file should be, for messages. strict: whether every number must be finite and every text whole.
    constants: whether it may have NaN and Infinity, which Python writes.
    """
    try:
        value = json.loads(text, parse_int=_integer if _SUSPECT.search(text) else None)
    except json.JSONDecodeError as error:
        raise AuthorError(Origin(path, error.lineno, error.colno), f"not {what}: {_cause(error)}") from None
    except RecursionError:
        value = None
    if is_deep(value) or value is None or (strict and _SUSPECT.search(text)):
        for index, message in _faults(text, strict=strict, constants=constants):
            raise AuthorError(place(text, index, path), message)
    return value


def is_deep(value: Any, most: int = DEEPEST) -> bool:
    """Whether lists and mappings are nested more than `most` deep."""
    level = [value]
    for _ in range(most + 1):
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= LONGEST_INTEGER else float(digits)


def _faults(text: str, *, strict: bool, constants: bool) -> Iterator[tuple[int, str]]:
    """The faults of well-formed JSON: the index of each, and its message."""
    depth = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in "[{":
            depth += 1
            if depth > DEEPEST:
                yield match.start(), f"lists and objects lie more than {DEEPEST} deep in each other"
        elif token in "]}":
            depth -= 1
        elif not strict:
            continue
        elif token.startswith('"'):
            if half := _LONE.search(json.loads(token)):
                yield (
                    match.start(),
                    f"this text has half of a character, \\u{ord(half[0]):04x}; write the whole",
                )
        elif token in ("NaN", "Infinity", "-Infinity"):
            if not constants:
                yield match.start(), f"not JSON: {token} is not a number; write null"
        elif not math.isfinite(float(token)):
            yield match.start(), "this number is too large; the largest has 309 digits"


def _cause(error: json.JSONDecodeError) -> str:
    """The syntax error, and what would be right."""
    before, here = error.doc[: error.pos].rstrip(), error.doc[error.pos :].lstrip()[:1]
    if before.endswith(",") and here in ("}", "]", ""):
        return f"the last ',' before '{here or 'the end'}' is too many"
    if here == "'":
        return 'texts have double quotes, like "mark"'
    if not here:
        return "the file ends too early; is a '}' or a ']' missing?"
    if "delimiter" in error.msg:
        sign = "," if "','" in error.msg else ":"
        return f"a '{sign}' is missing before '{error.doc[error.pos :].split()[0][:20]}'"
    return error.msg
