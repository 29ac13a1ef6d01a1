"""Brackets, braces and quotes without their other half. Pure."""

from __future__ import annotations

import re

from figmill.kinds.dot_lexer import Token, length, tokens

_CLOSES = {"}": "{", "]": "["}
# Code inside a string: the string has run on into the following lines.
_CODE = re.compile(r"\n[^\n]*(->|--|[\[\]{};=])")


def unpaired(text: str) -> Token | None:
    """The quote, comment, HTML-like string, bracket or brace without its other half; `text` is its name in messages."""
    lines = text.split("\n")
    opened: list[Token] = []
    for token in tokens(text):
        if token.kind == "html" and _raw(token, text).startswith("<-"):
            return None  # `<-`, a mistaken arrow, which swallows the rest of the text
        if (name := _unended(token, text)) is not None:
            return _runaway(text) or Token("other", name, token.line, token.column)
        if token.kind != "punct" or token.text not in ("{", "[", "}", "]"):
            continue
        if token.text in _CLOSES:
            if not opened:
                return _called(token)
            if opened[-1].text != _CLOSES[token.text]:
                return _called(opened[-1] if opened[-1].text == "[" else token)
            opened.pop()
        elif opened and opened[-1].text == "[":
            return _called(opened[-1])
        else:
            opened.append(token)
    return _called(_by_indent(opened, text, lines)) if opened else None


def _unended(token: Token, text: str) -> str | None:
    if token.kind == "other" and token.text == '"':
        return "the quote"
    if (
        token.kind == "other"
        and token.text == "/"
        and text.splitlines()[token.line - 1][token.column :][:1] == "*"
    ):
        return "the comment"
    if token.kind == "html" and (raw := _raw(token, text)).count("<") > raw.count(">"):
        return None if text.rstrip().endswith("}") and _is_tag(token.text) else "the HTML-like string"
    return None


def _raw(token: Token, text: str) -> str:
    """A token as written, with its quotes."""
    start = sum(len(line) + 1 for line in text.split("\n")[: token.line - 1]) + token.column - 1
    return text[start : start + length(text, start)]


def _is_tag(inner: str) -> bool:
    """Whether the mistake is a '<' in the text of an HTML-like string, and not its missing end."""
    return re.search(r"<(?![/!?A-Za-z])", inner) is not None


def _runaway(text: str) -> Token | None:
    """The first quote of a string that continues over lines of code: quotes became unpaired there."""
    for token in tokens(text):
        if token.kind == "string" and _CODE.search(token.text):
            follows = text[text.index(raw := _raw(token, text)) + len(raw) :][:1]
            if follows and not follows.isspace() and follows not in "];,":
                return Token("other", "the quote", token.line, token.column)
    return None


def _by_indent(opened: list[Token], text: str, lines: list[str]) -> Token:
    """The unclosed brace, judged by indentation: the first '}' farther left than its '{' closes an outer one."""
    stack: list[Token] = []
    for token in tokens(text):
        if token.kind != "punct" or token.text not in "{}":
            continue
        if token.text == "{":
            stack.append(token)
        elif stack:
            top = stack.pop()
            indent = _indent(lines[token.line - 1])
            is_first = indent == token.column - 1
            if is_first and indent < _indent(lines[top.line - 1]) and top.line != token.line:
                return top
    return opened[-1]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _called(token: Token) -> Token:
    return Token("other", f"'{token.text}'", token.line, token.column)
