"""Custom properties: `var()` is replaced by the value of `--x` at each element (CSS Variables 1).

Text in, text out. css.py parses the result again, so that a variable cannot bypass the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tinycss2

from figmill.svg.xml.css import CssError

MAX_LENGTH = 10_000  # characters of one value with its variables resolved
MAX_DEPTH = 20  # levels of variables in variables

Environment = Mapping[str, str]  # custom properties by name, as written


def has_variables(text: str) -> bool:
    return "var(" in text.lower()


def resolve(text: str, environment: Environment) -> str | None:
    """The text with each var() replaced; None if one is undefined, which makes the declaration void."""
    value = _resolve(tinycss2.parse_component_value_list(text), environment, 0)
    if value is not None and len(value) > MAX_LENGTH:
        raise CssError(f"var() makes a value of more than {MAX_LENGTH:,} characters")
    return value


def _resolve(tokens: list[Any], environment: Environment, depth: int) -> str | None:
    if depth > MAX_DEPTH:
        return None  # a cycle is void as well
    parts: list[str] = []
    length = 0
    for token in tokens:
        part = _part(token, environment, depth)
        if part is None:
            return None
        parts.append(part)
        length += len(part)
        if length > MAX_LENGTH:
            raise CssError(f"var() makes a value of more than {MAX_LENGTH:,} characters")
    return "".join(parts)


def _part(token: Any, environment: Environment, depth: int) -> str | None:
    if token.type == "function" and token.lower_name == "var":
        return _variable(token.arguments, environment, depth)
    inside = token.arguments if token.type == "function" else getattr(token, "content", None)
    if isinstance(inside, list):
        value = _resolve(inside, environment, depth)
        if value is None:
            return None
        if token.type == "function":
            return f"{token.name}({value})"
        return f"({value})" if token.type == "() block" else str(token.serialize())
    return str(token.serialize())


def _variable(arguments: list[Any], environment: Environment, depth: int) -> str | None:
    """var(--name) or var(--name, fallback)."""
    comma = next((at for at, token in enumerate(arguments) if token == ","), len(arguments))
    name = tinycss2.serialize(arguments[:comma]).strip()
    if name in environment:
        value = _resolve(tinycss2.parse_component_value_list(environment[name]), environment, depth + 1)
        if value is not None:
            return value
    return _resolve(arguments[comma + 1 :], environment, depth + 1) if comma < len(arguments) else None
