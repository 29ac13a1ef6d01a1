"""A generator's parameters with their defaults, as lines of a question. Pure.

Reads the signature of figmill's own generators, and runs nothing.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator

from figmill.book.nodes import Scalar
from figmill.book.scalars import sort
from figmill.kinds.scripts import signature
from figmill.model import Json, Origin


def parameter_lines(script: bytes) -> tuple[str, ...]:
    """`params:` and a line for each parameter of draw() with a literal default; empty if there are none."""
    lines = tuple(_lines(script))
    return ("params:", *lines) if lines else ()


def _lines(script: bytes) -> Iterator[str]:
    tree = signature.parse(script, "generator")
    draw = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "draw"), None)
    parsed = signature.signature(tree)
    if draw is None or parsed is None:
        return
    choices = {parameter.name: parameter.choices for parameter in parsed.parameters}
    for name, default in _defaults(draw.args):
        try:
            value = ast.literal_eval(default)
        except ValueError:
            continue  # computed: the script knows it better
        options = [choice for choice in choices.get(name, ()) if choice is not None]
        among = f"  # {', '.join(map(_shown, options))}" if options else ""
        yield f"  {name}: {_shown(value)}{among}"


def _defaults(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    positional = arguments.posonlyargs + arguments.args
    without = len(positional) - len(arguments.defaults)
    yield from ((a.arg, default) for a, default in zip(positional[without:], arguments.defaults, strict=True))
    for argument, keyword in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if keyword is not None:
            yield argument.arg, keyword


def _shown(value: Json) -> str:
    return plain_text(value) if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def plain_text(text: str) -> str:
    """Text as YAML, in quotes if any parser could read something else."""
    plain = (
        text.isascii()
        and text[0].isalnum()
        and text.replace("-", "").replace(".", "").replace("_", "").isalnum()
    )
    if plain and sort(Scalar(text, True, None, Origin(""))) == "text":
        return text
    return json.dumps(text, ensure_ascii=False)
