"""The mapping under `explore`: the parameters of draw() that readers change, each with its values.

Pure. Knows only the question file: figmill compares the values with draw() before anything runs, like `params`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod

from figmill.book import scalars
from figmill.book.names import unseen_problem
from figmill.book.nodes import ListNode, Node, Scalar
from figmill.book.value_types import MapOf
from figmill.errors import AuthorError
from figmill.late_dataclasses import dataclass
from figmill.model import Json, Origin

MAX_PARAMETERS = 3
MAX_PICTURES = 256
LONGEST = 64  # characters of a value, which is shown beside a control


@dataclass(frozen=True, slots=True)
class Values:
    """The values of one parameter: at least two, all different, each a text, a number, true, false or null."""

    def read(self, node: Node, name: str) -> tuple[Json, ...]:
        if not isinstance(node, ListNode):
            raise AuthorError(
                node.at, f"{name} must be a list of values, like [4, 8], not {scalars.described(node)}"
            )
        if not 2 <= len(node.items) <= MAX_PICTURES:
            message = f"{name} needs 2 to {MAX_PICTURES} values, not {len(node.items)}"
            raise AuthorError(node.at, message)
        values = [_value(item, f"{name}.{number}") for number, item in enumerate(node.items)]
        if errors := list(_repeated(values, [item.at for item in node.items], name)):
            raise ExceptionGroup("repeated values", errors)
        return tuple(values)

    def schema(self) -> dict[str, Json]:
        item: dict[str, Json] = {"type": ["string", "number", "boolean", "null"]}
        return {"type": "array", "items": item, "minItems": 2, "maxItems": MAX_PICTURES, "uniqueItems": True}


def _value(node: Node, name: str) -> Json:
    if not isinstance(node, Scalar):
        message = f"{name} must be a word or a number, not {scalars.described(node)}"
        raise AuthorError(node.at, message)
    value = scalars.value(node, name)
    if isinstance(value, str) and (problem := unseen_problem(value)):
        raise AuthorError(node.at, f"{name} {problem}")
    if len(shown(value)) > LONGEST or shown(value) == "":
        message = f"{name} has {len(shown(value))} characters; a control has room for 1 to {LONGEST}"
        raise AuthorError(node.at, message)
    return value


def _repeated(values: Iterable[Json], places: Iterable[Origin], name: str) -> Iterator[AuthorError]:
    earlier = set()
    for value, at in zip(values, places, strict=True):
        if alike(value) in earlier:
            yield AuthorError(at, f"{name} has the value {shown(value)} twice; leave one out")
        earlier.add(alike(value))


def alike(value: Json) -> tuple[bool, object]:
    """A key that is equal for values that readers cannot distinguish: 1 and 1.0, but not 1 and true."""
    return isinstance(value, bool), value


def shown(value: Json) -> str:
    """A value as shown beside its control."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    return str(value)


@dataclass(frozen=True, slots=True)
class ExploreMapping:
    """The mapping under `explore`: one to three parameters, at most 256 pictures."""

    def read(self, node: Node, name: str) -> dict[str, tuple[Json, ...]]:
        parameters: dict[str, tuple[Json, ...]] = MapOf(Values(), "{microbatches: [4, 8]}").read(node, name)
        if not 1 <= len(parameters) <= MAX_PARAMETERS:
            message = f"{name} has {len(parameters)} parameters; 1 to {MAX_PARAMETERS} are allowed"
            raise AuthorError(node.at, message)
        count = prod(map(len, parameters.values()))
        if count > MAX_PICTURES:
            product = " x ".join(str(len(values)) for values in parameters.values())
            message = f"{name} asks for {product} = {count} pictures; at most {MAX_PICTURES} are allowed"
            raise AuthorError(node.at, message)
        return parameters

    def schema(self) -> dict[str, Json]:
        return {
            **MapOf(Values(), "").schema(),
            "minProperties": 1,
            "maxProperties": MAX_PARAMETERS,
        }


def problems(
    explore: Mapping[str, tuple[Json, ...]], params: Mapping[str, Json], origins: Mapping[str, Origin]
) -> Iterator[AuthorError]:
    """An error for each explored parameter whose value under `params`, which the page starts with, is not listed."""
    for name, values in explore.items():
        listed = ", ".join(map(shown, values))
        if name not in params:
            at = origins[f"explore.{name}"]
            reason = f"the page needs a first value: write `{name}` under params, one of {listed}"
            yield AuthorError(at, f"explore.{name}: {reason}")
        elif isinstance(params[name], list | dict) or alike(params[name]) not in map(alike, values):
            at = origins.get(f"params.{name}", origins[""])
            first = shown(params[name]) if not isinstance(params[name], list | dict) else "this"
            reason = f"the page begins with {first}, which is not in explore.{name}; choose one of {listed}"
            yield AuthorError(at, f"params.{name}: {reason}")
