"""Conditions around rules, evaluated for a still picture on a screen, in the current theme.

`@media` (Media Queries 4) and `@supports` (CSS Conditional Rules 3). A condition on the reader's window or device
counts as false, because a picture has neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import tinycss2

from figmill.svg.xml.css import CssError, knows, value

SCREENS = frozenset(("all", "screen"))
Answer = bool | None  # None: undecidable, and so is its negation


def media(prelude: Iterable[Any], is_dark: bool) -> bool:
    """Whether a list of media queries is true."""
    queries: list[list[Any]] = [[]]
    for token in prelude:
        if token == ",":
            queries.append([])
        elif token.type not in ("whitespace", "comment"):
            queries[-1].append(token)
    return any(_query(query, is_dark) for query in queries)


def names_scheme(prelude: Iterable[Any]) -> bool:
    """Whether a condition asks for a light or a dark page."""
    return "prefers-color-scheme" in tinycss2.serialize(list(prelude)).lower()


def supports(prelude: Iterable[Any]) -> bool:
    """Whether figures support the condition of an `@supports` rule."""
    tokens = [token for token in prelude if token.type not in ("whitespace", "comment")]
    return _condition(tokens, _declared) is True


def _query(tokens: list[Any], is_dark: bool) -> bool:
    """One media query: [not | only]? type [and condition]*, or a condition."""
    if not tokens:
        return True
    negated = False
    kinds = [token.type for token in tokens[:2]]
    if kinds == ["ident", "ident"] and tokens[0].lower_value in ("not", "only"):
        negated = tokens[0].lower_value == "not"
        tokens = tokens[1:]
    answer: Answer = True
    if tokens[0].type == "ident":
        answer = tokens[0].lower_value in SCREENS
        tokens = tokens[2:]  # skips `and`
    if tokens:
        answer = _and(answer, _condition(tokens, lambda block: _feature(block, is_dark)))
    return answer is not None and answer != negated


def _condition(tokens: list[Any], ask: Callable[[list[Any]], Answer]) -> Answer:
    """`not`, `and` and `or` between blocks in parentheses."""
    if tokens and tokens[0].type == "ident" and tokens[0].lower_value == "not":
        result = _condition(tokens[1:], ask)
        return None if result is None else not result
    answer: Answer = None
    joined = ""
    for token in tokens:
        if token.type == "ident":
            joined = token.lower_value
            continue
        if token.type != "() block":
            result = None  # selector(), general enclosed
        else:
            inside = [part for part in token.content if part.type not in ("whitespace", "comment")]
            nested = inside and (
                inside[0].type == "() block" or getattr(inside[0], "lower_value", "") == "not"
            )
            result = _condition(inside, ask) if nested else ask(inside)
        answer = result if not joined else _and(answer, result) if joined == "and" else _or(answer, result)
    return answer


def _and(first: Answer, second: Answer) -> Answer:
    if first is False or second is False:
        return False
    return None if first is None or second is None else True


def _or(first: Answer, second: Answer) -> Answer:
    if first or second:
        return True
    return None if first is None or second is None else False


def _feature(tokens: list[Any], is_dark: bool) -> Answer:
    """The value of a media feature that is known for a still picture: the theme, and reduced motion. Otherwise None."""
    idents = [token.lower_value for token in tokens if token.type == "ident"]
    if idents[:1] == ["prefers-color-scheme"]:
        return len(idents) == 1 or idents[1] == ("dark" if is_dark else "light")
    if idents[:1] == ["prefers-reduced-motion"]:
        return len(idents) == 1 or idents[1] == "reduce"
    return None


def _declared(tokens: list[Any]) -> Answer:
    """Whether figures support a declaration in parentheses."""
    if len(tokens) < 3 or tokens[0].type != "ident" or tokens[1] != ":":
        return None
    try:
        value(tinycss2.serialize(tokens[2:]))
    except CssError:
        return False
    return knows(tokens[0].lower_value)
