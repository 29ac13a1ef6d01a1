"""The lexer of DOT: text to tokens with their lines, and the rules for a book's graphs. Pure.

Graphviz itself parses the graph. This module finds what Graphviz does not report: a second graph, which it would
silently drop; attributes that read files or smuggle in markup; and the line of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

from figmill.kind.source_text import UNFIT, unescaped
from figmill.kinds import dot_images
from figmill.late_dataclasses import dataclass

VALUES = ("string", "html", "word")  # kinds of tokens that can be an attribute's value
KEYWORDS = frozenset({"node", "edge", "graph", "digraph", "subgraph", "strict"})

SECOND = "a second graph begins here; a source holds one graph"
MAX_DEPTH = 200  # depth of braces; Graphviz, and the code that walks its graphs, recurse once per level

# attribute -> the reason why it is refused. Graphviz's names are case-sensitive, except in HTML-like labels.
_READS = "it reads a file while the graph is drawn; a figure may depend only on what it declares"
REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "imagepath": _READS,
        "shapefile": _READS,
        "fontpath": _READS,
        "stylesheet": "a page's style sheet may not be drawn into a figure",
        "_background": "drawing instructions are copied unchecked; use bgcolor",
    }
)
LINKS = frozenset(
    {
        "URL",
        "href",
        "edgeURL",
        "edgehref",
        "headURL",
        "headhref",
        "labelURL",
        "labelhref",
        "tailURL",
        "tailhref",
    }
)
# An address that leads to another program, or to another site without saying how; graphs/links.py sees to the others.
_ELSEWHERE = re.compile(
    r"[\s\x00-\x1f]*(?:(?!https?://|mailto:|figmill:)[A-Za-z][A-Za-z0-9+.\-\s]*:|[/\\]{2})", re.IGNORECASE
)
_LINKS_LEAD = (
    "leads to a page (https:, http:), a place beside this one, a figure (figmill:ID), or a mailbox (mailto:)"
)
_SIZES = frozenset({"fontsize", "labelfontsize"})
# Values that C reads as NaN or infinity. Graphviz remembers such a font, and confuses others with it from then on.
_NO_NUMBER = re.compile(r"\s*[+-]?(?:nan|inf)", re.IGNORECASE)
_FONTS = frozenset({"fontname", "labelfontname", "fontnames"})
_MARKUP = re.compile(r"[<>&\"'\x00-\x1f]")  # Graphviz does not escape the name of a font
# Characters that no figure can show: controls, bidirectional overrides, lone surrogates and noncharacters.
_REFERENCE = re.compile("&#(?:[xX]([0-9a-fA-F]+)|([0-9]+))")

# The classes of <word> list the excluded characters, because Python takes long to compile ranges of that many
# characters: a word begins with a letter, `_` or anything that is not ASCII; digits may follow.
_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\f\v\ufeff]+)
  | (?P<newline>\n)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<string>"(?:\\.|[^"\\])*")
  | (?P<punct>->|--|[{}\[\]=;,:+])
  | (?P<word>-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)|[^\x00-@\[-^`{-\x7f][^\x00-/:-@\[-^`{-\x7f]*)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """kind: string, html, word, punct, marker (a preprocessor line) or other. `text` is unquoted."""

    kind: str
    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Breach:
    """Forbidden content of a graph, and its place."""

    line: int
    column: int
    message: str


@lru_cache(maxsize=2)  # a graph is read by several rules, first as written and then as amended
def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of DOT text, without comments and white space. Never raises."""
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    at, line, start_of_line = 0, 1, 0
    while at < len(text):
        column = at - start_of_line + 1
        if text[at] == "#":  # a comment anywhere, as in Graphviz: what it hides is not a token
            end = _find(text, "\n", at)
            if at == start_of_line and re.match(r"#\s*(line\s*)?\d", text[at:end]):
                yield Token("marker", text[at:end], line, column)
        elif text[at] == "<":
            end = _html_end(text, at)
            yield Token("html", text[at + 1 : end - 1], line, column)
        else:
            match = _TOKEN.match(text, at)
            assert match is not None and match.lastgroup is not None  # `other` takes any character
            end = match.end()
            if match.lastgroup == "string":
                yield Token("string", _unquote(match[0]), line, column)
            elif match.lastgroup in ("word", "punct", "other"):
                yield Token(match.lastgroup, match[0], line, column)
        newlines = text.count("\n", at, end)
        if newlines:
            line += newlines
            start_of_line = text.rindex("\n", at, end) + 1
        at = end


def _find(text: str, mark: str, at: int) -> int:
    index = text.find(mark, at)
    return len(text) if index < 0 else index


def _html_end(text: str, at: int) -> int:
    """The index after the `>` that closes the HTML-like string opened at `at`."""
    depth = 0
    for match in re.compile("[<>]").finditer(text, at):
        depth += 1 if match[0] == "<" else -1
        if depth == 0:
            return match.end()
    return len(text)


def _unquote(raw: str) -> str:
    return raw[1:-1].replace("\\\n", "").replace('\\"', '"')


def length(text: str, at: int) -> int:
    """The length of the token that begins there, with its quotes."""
    if text[at] == "<":
        return _html_end(text, at) - at
    match = _TOKEN.match(text, at)
    return len(match[0]) if match else 1


def _joined(source: Iterable[Token]) -> Iterator[Token]:
    """The tokens, with concatenated strings ("a" + "b", also "a" + <b>) joined: splitting cannot evade a check."""
    held: Token | None = None
    joining = False
    for token in source:
        quoted = token.kind in ("string", "html")
        if held is not None and token.kind == "punct" and token.text == "+":
            joining = True
        elif held is not None and joining and quoted:
            held, joining = Token("string", held.text + token.text, held.line, held.column), False
        else:
            if held is not None:
                yield held
            held, joining = (token, False) if quoted else (None, False)
            if held is None:
                yield token
    if held is not None:
        yield held


def pictures(text: str) -> list[str]:
    """The pictures that DOT text names, without duplicates."""
    names: dict[str, None] = {}
    previous: tuple[Token, ...] = ()
    for token in _joined(tokens(text)):
        if token.kind == "html":
            names.update(dict.fromkeys(dot_images.named_in(token.text)))
        elif token.kind in VALUES and token.text and _is_value(previous) and previous[-2].text == "image":
            names[token.text] = None
        previous = (*previous[-1:], token)
    return list(names)


def without_markers(text: str) -> str:
    """DOT text without a preprocessor's lines, which would make Graphviz's errors name another file."""
    lines = text.split("\n")
    for token in tokens(text):
        if token.kind == "marker":
            lines[token.line - 1] = ""
    return "\n".join(lines)


def with_first(text: str, statement: str) -> str:
    """DOT text with a statement added at the start of its graph; line numbers stay the same."""
    at = next((token for token in tokens(text) if token.text == "{" and token.kind == "punct"), None)
    if not statement or at is None:
        return text
    lines = text.split("\n")
    line = lines[at.line - 1]
    lines[at.line - 1] = f"{line[: at.column]}{statement}{line[at.column :]}"
    return "\n".join(lines)


def breaches(text: str) -> Iterator[Breach]:
    """All forbidden content of DOT text, in order."""
    depth, closed = 0, False
    previous: tuple[Token, ...] = ()
    for token in _joined(tokens(text)):
        if closed:
            yield _breach(token, SECOND)
            return
        if token.kind == "punct" and token.text in "{}":
            depth += 1 if token.text == "{" else -1
            closed = depth == 0
            if depth > MAX_DEPTH:
                yield _breach(
                    token, f"subgraphs are nested more than {MAX_DEPTH} deep; a graph needs few levels"
                )
                return
        if token.kind in VALUES:
            yield from _check_characters(token)
        if token.kind in VALUES and _is_value(previous):
            yield from _check_value(previous[-2], token)
        elif token.kind == "html":
            yield from _check_html(token)
        previous = (*previous[-1:], token)


def _check_characters(token: Token) -> Iterator[Breach]:
    """Characters that a figure cannot show, written directly or as a reference (&#xD800;)."""
    for match in UNFIT.finditer(token.text):
        line = token.line + token.text.count("\n", 0, match.start())
        yield Breach(line, token.column, f"character U+{ord(match[0]):04X} is not allowed in a figure")
    for match in _REFERENCE.finditer(token.text):
        code = int(match[1], 16) if match[1] else int(match[2][:9])
        if code > 0x10FFFF or UNFIT.match(chr(code)):
            line = token.line + token.text.count("\n", 0, match.start())
            yield Breach(line, token.column, f"'{match[0][:20]};' is not a character that a figure can show")
        elif code > 0xFFFF and token.kind != "html":  # Graphviz reads only two bytes of such a code
            line = token.line + token.text.count("\n", 0, match.start())
            yield Breach(
                line, token.column, f"Graphviz cannot read '{match[0]};' here; write {chr(code)} itself"
            )


def _is_value(previous: tuple[Token, ...]) -> bool:
    return len(previous) == 2 and previous[1].kind == "punct" and previous[1].text == "="


def _check_value(name: Token, value: Token) -> Iterator[Breach]:
    key, text = name.text, value.text
    if key in REFUSED and text:
        yield _breach(name, f"attribute '{key}' is refused: {REFUSED[key]}")
    elif key == "image" and text and not dot_images.is_plain(text):
        yield _breach(name, f"attribute 'image' is refused: {dot_images.WHERE}")
    elif key in LINKS and text and _ELSEWHERE.match(unescaped(text)):
        yield _breach(value, f"{key} {_LINKS_LEAD}, not to '{text[:60]}'")
    elif key in _FONTS and _MARKUP.search(text):
        yield _breach(value, f"{key} may not hold any of < > & \" '")
    elif key in _SIZES and _NO_NUMBER.match(text):
        yield _breach(value, f"{key} is a number of points, not '{text[:60]}'")
    elif key in ("class", "id") and _MARKUP.search(text):
        yield _breach(value, f"{key} may not hold any of < > & \" '")
    elif key == "charset" and text.casefold() not in ("utf-8", "utf8"):
        yield _breach(value, f"charset '{text}' is refused: sources are UTF-8")
    if value.kind == "html":
        yield from _check_html(value)


def _check_html(value: Token) -> Iterator[Breach]:
    for source in dot_images.refused_in(value.text):
        line = value.line + value.text.count("\n", 0, source)
        yield Breach(line, value.column, f"<IMG> is refused: {dot_images.WHERE}")
    for match in re.finditer(r"\b(?:href|face)\s*=\s*(\"[^\"]*\"|'[^']*')", value.text, re.I):
        line = value.line + value.text.count("\n", 0, match.start())
        name = match[0][:4].casefold()
        if name == "href" and _ELSEWHERE.match(unescaped(match[1][1:-1])):
            yield Breach(line, value.column, f"HREF {_LINKS_LEAD}, not to {match[1][:60]}")
        elif name == "face" and _MARKUP.search(match[1][1:-1]):
            yield Breach(line, value.column, "FACE may not hold any of < > & \" '")


def _breach(token: Token, message: str) -> Breach:
    return Breach(token.line, token.column, message)
