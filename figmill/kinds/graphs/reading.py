"""DOT text as its tokens, with queries about their surroundings. Pure."""

from __future__ import annotations

import re
from functools import cached_property

from figmill.kinds.dot_lexer import Token, length, tokens
from figmill.late_dataclasses import dataclass

_WORD = re.compile(r"[^\s\[\]{};,=\"]+")


@dataclass(frozen=True)
class Reading:
    """A DOT text with its tokens. listed: for each token, whether it is in brackets; starts: the index of each line."""

    text: str
    row: tuple[Token, ...]
    listed: tuple[bool, ...]
    starts: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> Reading:
        row = tuple(token for token in tokens(text) if token.kind != "marker")
        listed, is_listed = [], False
        for token in row:
            if token.kind == "punct" and token.text in "[]{}":
                is_listed = token.text == "["
                listed.append(False)
            else:
                listed.append(is_listed)
        starts = (0, *(match.end() for match in re.finditer("\n", text)))
        return cls(text, row, tuple(listed), starts)

    @cached_property
    def body(self) -> int:
        """The number of the token after the first '{'."""
        return next(
            (at + 1 for at, t in enumerate(self.row) if t.kind == "punct" and t.text == "{"), len(self.row)
        )

    @cached_property
    def head(self) -> str:
        """`graph` or `digraph`; empty if the text begins with neither."""
        begin = [token.text.casefold() for token in self.row[:2]]
        return next((word for word in begin if word in ("graph", "digraph")), "")

    def mark(self, at: int) -> str:
        """The text of a punctuation token; empty for other tokens, and beyond the ends."""
        return self.row[at].text if self.is_a(at, "punct") else ""

    def is_a(self, at: int, *kinds: str) -> bool:
        """Whether the token exists and is of one of these kinds."""
        return 0 <= at < len(self.row) and self.row[at].kind in kinds

    def text_of(self, at: int) -> str:
        """The text of a token; empty beyond the ends."""
        return self.row[at].text if 0 <= at < len(self.row) else ""

    def start(self, at: int) -> int:
        """The index of a token in the text."""
        token = self.row[at]
        return self.starts[token.line - 1] + token.column - 1

    def adjoin(self, at: int) -> bool:
        """Whether a token directly touches the next one."""
        if not 0 <= at < len(self.row) - 1:
            return False
        start = self.start(at)
        return start + length(self.text, start) == self.start(at + 1)

    def arrow(self, at: int) -> str | None:
        """A mistaken arrow such as `=>` that begins at this token; None if there is none."""
        start = self.start(at)
        match = re.compile(r"-->|--?\s>|==?>|<--?>?|<->|(?<=\s)-(?=\s)").match(self.text, start)
        return match[0] if match else None

    def word_around(self, at: int) -> str:
        """Everything that touches a token, up to white space and DOT's punctuation."""
        start = self.start(at)
        return next(
            (m[0] for m in _WORD.finditer(self.text, self.starts[self.row[at].line - 1]) if m.end() > start),
            "",
        )

    def start_of_word(self, at: int) -> int:
        """The column of `word_around`."""
        begin = self.starts[self.row[at].line - 1]
        start = self.start(at)
        return next((m.start() - begin + 1 for m in _WORD.finditer(self.text, begin) if m.end() > start), 1)

    def line_from(self, at: int) -> str:
        """The text from a token to the end of its line."""
        return self.text[self.start(at) :].split("\n", maxsplit=1)[0][:80]

    def rest_of_value(self, at: int) -> str:
        """The text of a value as its author probably meant it: up to the next attribute or bracket."""
        rest = re.split(r"[\],;\n]|\s+\w+\s*=", self.text[self.start(at) :], maxsplit=1)[0]
        return " ".join(rest.replace('"', "").split())[:80]
