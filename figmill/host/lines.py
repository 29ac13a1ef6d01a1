"""Text made safe to show: one line, valid Unicode, no control sequences for a terminal or CI service. Pure.

Shown text comes from anywhere: file names, labels, a script's prints. Nothing in it may act on the reader's terminal
or CI. In a file name that is not UTF-8, lone surrogates stand for bytes (PEP 383); they are shown as `\\xff`.
"""

from __future__ import annotations

import json
import re
from typing import Any

_ACTING = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
# Compiled on first use: it takes long, and most processes print nothing.
_UNSEEN = f"[\x00-\x1f{_ACTING}]"
_UNSEEN_IN_DETAIL = f"[\x00-\x08\x0b-\x1f{_ACTING}]"
_UNSEEN_IN_JSON = f"[{_ACTING}]"
_UNSEEN_IN_DOCUMENT = "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]"
# Commands of CI services: at the start of a line, even after blanks (`::error::`), or anywhere in it (`##[error]`,
# `##vso[...]`, `##teamcity[...]`).
# Three colons, which begin a block of MyST, are not a command.
_BEGIN = "^([\\s\u180e\u200b\ufeff]*)::(?!:)"
_ANNOTATION = "::(?:error|warning) file="
_ANYWHERE = r"##(?=[\w.-]*\[)"


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return match[0].encode("unicode_escape").decode()


def one_line(text: str) -> str:
    """The text with line breaks and control characters escaped."""
    return re.sub(_UNSEEN, _escaped, text)


LONGEST = 1000  # characters of a message; a file may hold a name of a million


def message(text: str) -> str:
    """As `one_line`, without the middle of a text that is too long to read."""
    text = one_line(text)
    return text if len(text) <= LONGEST else f"{text[: LONGEST * 2 // 3]}...{text[-LONGEST // 3 :]}"


def own_lines(text: str) -> str:
    """As `one_line`, for text of several lines: line breaks and tabs stay."""
    return re.sub(_UNSEEN_IN_DETAIL, _escaped, text)


def document(text: str) -> str:
    """A text of many lines for a program or a page. What only affects display, such as a direction mark, stays."""
    return "\n".join([printable(line) for line in re.sub(_UNSEEN_IN_DOCUMENT, _escaped, text).split("\n")])


def annotation(line: str) -> str:
    """As `shown_source`, but a command that reports an error or a warning stays one."""
    command = re.match(_ANNOTATION, line)
    begin = command[0] if command else ""
    return begin + re.sub(_ANYWHERE, r"#\\#", one_line(line[len(begin) :])) if begin else shown_source(line)


def printable(line: str) -> str:
    """A line of output that no CI service reads as a command: a backslash breaks up command markers."""
    return re.sub(_ANYWHERE, r"#\\#", re.sub(_BEGIN, r"\1\\::", line))


def shown(text: str) -> str:
    """Text from anywhere as one line of output."""
    return printable(one_line(text))


def shown_source(line: str) -> str:
    """As `shown`, for a line of a file: tabs stay."""
    return printable(re.sub(_UNSEEN, _kept_tab, line))


def _kept_tab(match: re.Match[str]) -> str:
    return "\t" if match[0] == "\t" else _escaped(match)


def as_json(value: Any, indent: int = 1) -> str:
    """JSON that is safe in a log. It parses to the same value, except for names that are not UTF-8."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    text = re.sub(_UNSEEN_IN_JSON, _escaped_in_json, text)
    return re.sub(_ANYWHERE, r"#\\u0023", text)


def _escaped_in_json(match: re.Match[str]) -> str:
    code = ord(match[0])
    return "\\" + _escaped(match) if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"


def in_ascii(text: str) -> str:
    """JSON for a stream that cannot write all of Unicode."""
    return re.sub(r"[^\x00-\x7f]", lambda match: json.dumps(match[0])[1:-1], text)
