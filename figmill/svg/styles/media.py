"""Conditions around rules: what is true of a still picture on a screen, in the theme that is made.

`@media` (Media Queries 4) and `@supports` (CSS Conditional Rules 3). A condition that depends on the reader's window
or device is taken as not met, as its rules are for another reader than the one that a picture is drawn for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import tinycss2

from figmill.svg.xml.css import CssError, knows, value

SCREENS = frozenset(("all", "screen"))
Answer = bool | None  # None: nobody can tell, and nor can its opposite be told


def media(prelude: Iterable[Any], is_dark: bool) -> bool:
    """Whether a list of media queries is met."""
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
    """Whether a figure knows what `@supports` asks for."""
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
        tokens = tokens[2:]  # and what stands behind `and`
    if tokens:
        answer = _and(answer, _condition(tokens, lambda block: _feature(block, is_dark)))
    return answer is not None and answer != negated


def _condition(tokens: list[Any], asked: Callable[[list[Any]], Answer]) -> Answer:
    """`not`, `and` and `or` between blocks in parentheses."""
    if tokens and tokens[0].type == "ident" and tokens[0].lower_value == "not":
        found = _condition(tokens[1:], asked)
        return None if found is None else not found
    answer: Answer = None
    joined = ""
    for token in tokens:
        if token.type == "ident":
            joined = token.lower_value
            continue
        if token.type != "() block":
            found = None  # selector(), general enclosed
        else:
            inside = [part for part in token.content if part.type not in ("whitespace", "comment")]
            nested = inside and (
                inside[0].type == "() block" or getattr(inside[0], "lower_value", "") == "not"
            )
            found = _condition(inside, asked) if nested else asked(inside)
        answer = found if not joined else _and(answer, found) if joined == "and" else _or(answer, found)
    return answer


def _and(one: Answer, other: Answer) -> Answer:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _or(one: Answer, other: Answer) -> Answer:
    if one or other:
        return True
    return None if one is None or other is None else False


def _feature(tokens: list[Any], is_dark: bool) -> Answer:
    """What is known of the reader of a still picture: the theme, and that nothing moves for them."""
    words = [token.lower_value for token in tokens if token.type == "ident"]
    if words[:1] == ["prefers-color-scheme"]:
        return len(words) == 1 or words[1] == ("dark" if is_dark else "light")
    if words[:1] == ["prefers-reduced-motion"]:
        return len(words) == 1 or words[1] == "reduce"
    return None


def _declared(tokens: list[Any]) -> Answer:
    """Whether a declaration in parentheses says something to a figure."""
    if len(tokens) < 3 or tokens[0].type != "ident" or tokens[1] != ":":
        return None
    try:
        value(tinycss2.serialize(tokens[2:]))
    except CssError:
        return False
    return knows(tokens[0].lower_value)
