"""Values as YAML text, and YAML as comparable values. Pure."""

from __future__ import annotations

import math
import re
from typing import Any, TypeAlias

import yaml
from yaml.nodes import MappingNode, ScalarNode, SequenceNode

from figmill.book import scalars
from figmill.book.nodes import Scalar
from figmill.model import Origin

Value: TypeAlias = str | int | float | bool | None

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_./+-]*(?: [A-Za-z0-9_./+-]+)*")  # needs no quotes anywhere
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def tree(node: Any) -> Any:
    """A node as comparable values, with mutable mappings and lists."""
    if isinstance(node, MappingNode):
        return node.tag, {_key(key): tree(value) for key, value in node.value}
    if isinstance(node, SequenceNode):
        return node.tag, [tree(item) for item in node.value]
    return node.tag, node.value


def _key(node: Any) -> Any:
    return (node.tag, node.value) if isinstance(node, ScalarNode) else repr(tree(node))


def leaf(value: Value) -> Any:
    """The result of tree() for a value."""
    node: Any = yaml.compose(written(value), Loader=yaml.SafeLoader)
    return node.tag, node.value


def written(value: Value, style: str | None = None) -> str:
    """A value as YAML that every parser reads in the same way. style: the quotes of the replaced text."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("a parameter is a finite number")
        digits, _, power = repr(value).partition("e")
        if not power:
            return digits
        # without a point, PyYAML reads it as text
        return f"{digits if '.' in digits else f'{digits}.0'}e{power}"
    is_text = scalars.sort(Scalar(value, True, None, Origin(""))) == "text"
    if style is None and is_text and _BARE.fullmatch(value):
        return value
    if style == '"' or not value.isprintable():
        return (
            '"'
            + "".join(_ESCAPED.get(c) or (c if c.isprintable() else f"\\U{ord(c):08x}") for c in value)
            + '"'
        )
    return "'" + value.replace("'", "''") + "'"
