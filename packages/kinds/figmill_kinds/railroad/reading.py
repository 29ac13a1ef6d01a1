"""Reads grammars in EBNF, in the notation of ISO 14977, of the W3C, or of Python's and Go's references, told apart
by signs.

A grammar is rules, each `name = expression`, with `::=`, `:=`, `:` or `=`; a rule ends with `;` or `.`, or where the
next one begins. This module does not know how a grammar is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

DEEPEST = 60  # depth of brackets in brackets
MOST = 20_000  # words of a grammar


class GrammarError(Exception):
    """What is wrong with a grammar, at a line and a column from 1."""

    def __init__(self, text: str, line: int, column: int) -> None:
        super().__init__(text)
        self.line, self.column = line, column


@dataclass(frozen=True, slots=True)
class Word:
    """A terminal in quotes or as a range of characters, the name of a rule, or a comment.

    - kind: which of these.
    """

    kind: str  # "terminal", "name", "comment"
    text: str


@dataclass(frozen=True, slots=True)
class Many:
    """Parts one after another, or one of several.

    - kind: "sequence", "choice".
    """

    kind: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """A part that may be left out or that repeats.

    - kind: "optional", "any", "some"; "times": a number, as text.
    """

    kind: str
    part: Part
    note: str = ""


Part: TypeAlias = "Word | Many | Repeated"


@dataclass(frozen=True, slots=True)
class GrammarRule:
    name: str
    part: Part
    line: int


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    line: int
    column: int


_TOKENS = re.compile(
    r"""(?P<space>\s+|(?P<note>\(\*)|/\*.*?\*/|//[^\n]*|\#(?!x[0-9A-Fa-f])[^\n]*
        |\[\s*(?:wfc|vc|WFC|VC)\s*:[^\]]*\])
    |(?P<number>\[\d+[a-z]?\](?=\s*[\w<-]+>?\s*::=))
    |(?P<string>"[^"\n]*"|'[^'\n]*'|`[^`\n]*`|“[^”\n]*”)
    |(?P<code>\#x[0-9A-Fa-f]+)
    |(?P<set>\[[^\]\s"']*(?:a-z|A-Z|0-9|a-f|A-F|1-9|0-7)[^\]\s]*\]|\[(?:\s*'[^'\n]'\s*-\s*'[^'\n]'\s*\|?)+\]|\[\^?(?:[^\]\s"'](?:-[^\]\s"'])|\#x[0-9A-Fa-f]+(?:-\#x[0-9A-Fa-f]+)?|\^)[^\]\n]*\])
    |(?P<special>\?[^?\n]+\?(?!\s*[?*+])|\?(?=\s*\n)[^?]+\?)
    |(?P<is>::=|:=|=|:(?![:)])|→|<-)
    |(?P<dots>\.\.\.?|…)
    |(?P<sign>\(/(?!/)|/\)|\(:|:\)|[|/;.,()\[\]{}*+?!&-])
    |(?P<count>\d+(?=\s*\*))
    |(?P<name><[^<>\n]+>|[A-Za-z_@$~][\w-]*|\d+)
    """,
    re.VERBOSE | re.DOTALL,
)


def rules(text: str) -> tuple[GrammarRule, ...]:
    """The rules of a grammar in their order. Raises GrammarError."""
    return _GrammarReader(tuple(_tokens(text)), text).rules()


def _tokens(text: str) -> Iterator[_Token]:
    place, line, begin, count = 0, 1, 0, 0
    is_after_part = False  # then `?` marks a part that may be left out
    while place < len(text):
        match = _TOKENS.match(text, place)
        column = place - begin + 1
        if match is None:
            what = (
                "this text in quotes does not end"
                if text[place] in "\"'`“"
                else f"'{text[place]}' has no meaning here"
            )
            raise GrammarError(f"{what}; put literal text in quotes on one line", line, column)
        kind, word = "space" if match["space"] else str(match.lastgroup), match[0]
        if match["note"]:
            word = text[place : _end_of_note(text, place, line, column)]
        if kind == "special" and is_after_part:
            kind, word = "sign", "?"
        if kind not in ("space", "number"):
            count += 1
            if count > MOST:
                raise GrammarError(
                    f"the grammar has more than {MOST:,} words; draw a part of it", line, column
                )
            yield _Token(kind, word.strip(), line, column)
            is_after_part = kind in ("string", "code", "set", "special", "name") or word in (")", "]", "}")
        if lines := word.count("\n"):
            line, begin = line + lines, place + word.rindex("\n") + 1
        place += len(word)


def _end_of_note(text: str, place: int, line: int, column: int) -> int:
    """Where a comment `(* *)` ends; ISO's contain others. Raises GrammarError."""
    depth = 0
    for sign in re.compile(r"\(\*|\*\)").finditer(text, place):
        depth += 1 if sign[0] == "(*" else -1
        if depth == 0:
            return sign.end()
    end = text.find("*)", place)  # a stray `(*` in a comment of another notation
    if end < 0:
        raise GrammarError("the comment does not end; write `*)` after it", line, column)
    return end + 2


def _with_spaces(tokens: tuple[_Token, ...]) -> Iterator[_Token]:
    """Join names side by side on a line into one: ISO's notation has commas between parts."""
    last: _Token | None = None
    for token in tokens:
        if last and last.kind == token.kind == "name" and last.line == token.line:
            last = replace(last, text=f"{last.text} {token.text}")
            continue
        if last:
            yield last
        last = token
    if last:
        yield last


class _GrammarReader:
    """Reads tokens from the left. Only its position changes."""

    def __init__(self, tokens: tuple[_Token, ...], text: str) -> None:
        is_iso = any(token.text == "," for token in tokens)
        self.tokens = tuple(_with_spaces(tokens)) if is_iso else tokens
        self.ors = ("|", "/", "!") if is_iso else ("|", "/")  # PEG has `!` for `not`, and no commas
        self.place, self.depth = 0, 0
        lines = text.splitlines() or [""]
        self.end = _Token("end", "the end of the file", len(lines), len(lines[-1]) + 1)

    def at(self, ahead: int = 0) -> _Token:
        return self.tokens[self.place + ahead] if self.place + ahead < len(self.tokens) else self.end

    def take(self) -> _Token:
        token = self.at()
        self.place += 1
        return token

    def fault(self, text: str, token: _Token | None = None) -> GrammarError:
        token = token or self.at()
        return GrammarError(text, token.line, token.column)

    def begins_rule(self) -> bool:
        return self.at().kind == "name" and self.at(1).kind == "is"

    def rules(self) -> tuple[GrammarRule, ...]:
        rules: list[GrammarRule] = []
        while self.at().kind != "end":
            if not self.begins_rule():
                raise self.fault(f"a rule must begin here, like `name = \"text\" ;`, not '{self.at().text}'")
            name = self.take()
            self.take()
            part = self.choice()
            if self.at().text in (";", "."):
                self.take()
            elif self.at().kind != "end" and not self.begins_rule():
                seen = self.at().text
                advice = _ADVICE.get(seen, "")
                raise self.fault(f"'{seen}' is not expected here, in the rule '{_plain(name.text)}'{advice}")
            rules.append(GrammarRule(_plain(name.text), part, name.line))
        return tuple(rules)

    def choice(self) -> Part:
        if self.at().text in self.ors:
            self.take()  # before the first of several lines
        parts = [self.sequence()]
        while self.at().text in self.ors:
            self.take()
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else Many("choice", tuple(parts))

    def sequence(self) -> Part:
        parts: list[Part] = []
        while True:
            token = self.at()
            if token.text == "," and parts:
                self.take()
                if self.at().text in ("|", ";", ",", ")", "]", "}"):
                    raise self.fault("after ',' another part must follow")
                continue
            is_part = token.kind in ("string", "code", "set", "special", "count", "name") or token.text in (
                "(",
                "[",
                "{",
                "(/",
                "(:",
                *(sign for sign in ("!", "&") if sign not in self.ors),
            )
            if token.kind in ("end", "is") or self.begins_rule() or not is_part:
                break
            parts.append(self.repeated())
        return parts[0] if len(parts) == 1 else Many("sequence", tuple(parts))

    def repeated(self) -> Part:
        note = ""
        if self.at().kind == "sign" and self.at().text in ("!", "&"):
            note = "not" if self.take().text == "!" else "before"
        if self.at().kind == "count" and self.at(1).text == "*":
            note = f"{self.take().text} times"
            self.take()
        part = self.single()
        while self.at().text in ("*", "+", "?", "-") or self.at().kind == "dots":
            sign = self.take()
            if sign.kind == "dots":
                part = Word("terminal", f"{_words(part)} … {_words(self.single())}")
            elif sign.text == "-":
                part = Repeated("times", part, f"without {_words(self.single())}")
            else:
                part = Repeated({"*": "any", "+": "some", "?": "optional"}[sign.text], part)
        return Repeated("times", part, note) if note else part

    def single(self) -> Part:
        token = self.take()
        if token.text in _ENDS and token.kind == "sign":
            return self.bracket(token)
        if token.kind == "string":
            return Word("terminal", token.text[1:-1])
        if token.kind in ("code", "set"):
            return Word("terminal", token.text)
        if token.kind == "special":
            return Word("comment", token.text.strip("? "))
        if token.kind == "name":
            return Word("name", _plain(token.text))
        raise self.fault(f"a part of the rule must follow, not {token.text!r}", token)

    def bracket(self, begin: _Token) -> Part:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fault(f"more than {DEEPEST} brackets in brackets", begin)
        part = self.choice()
        if self.at().text != _ENDS[begin.text]:
            raise self.fault(f"'{begin.text}' is not closed; '{_ENDS[begin.text]}' is missing", begin)
        self.take()
        self.depth -= 1
        bracket = {"(/": "[", "(:": "{"}.get(begin.text, begin.text)
        return {"(": part, "[": Repeated("optional", part), "{": Repeated("any", part)}[bracket]


_AFTER = "; it belongs after the part that it repeats, like `digit*`"
_ADVICE = {
    **dict.fromkeys("*+?", _AFTER),
    "=": '; write one sign, like `name = "text"`',
    **{
        sign: f"; it closes nothing: a '{begin}' is missing, or remove this one"
        for sign, begin in ((")", "("), ("]", "["), ("}", "{"))
    },
}
_ENDS = {"(": ")", "[": "]", "{": "}", "(/": "/)", "(:": ":)"}


def _plain(name: str) -> str:
    return name[1:-1] if name.startswith("<") else name


def _words(part: Part) -> str:
    """A part as a short text, where a diagram has no shape for it."""
    if isinstance(part, Word):
        return part.text
    if isinstance(part, Repeated):
        return _words(part.part) + {"any": "*", "some": "+", "optional": "?"}.get(part.kind, f" {part.note}")
    if part.kind == "choice":
        return " | ".join(map(_words, part.parts))
    return " ".join(
        f"({_words(inner)})" if isinstance(inner, Many) and inner.kind == "choice" else _words(inner)
        for inner in part.parts
    )


def names(part: Part) -> Iterator[Word]:
    """All words of a part."""
    if isinstance(part, Word):
        yield part
    elif isinstance(part, Repeated):
        yield from names(part.part)
    else:
        for inner in part.parts:
            yield from names(inner)
