"""The value types of a question file: each has its check and its JSON Schema.

A type turns a node into a value, or raises an error at the node's line. Unaware of how files are read and of the
rest of the book: whether a named file exists is checked in sources.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from figmill.book import scalars
from figmill.book.names import ID, file_name_problem, file_path_problem, id_problem, unseen_problem
from figmill.book.nodes import ListNode, MapNode, Node, Scalar
from figmill.config.readers import LANGUAGE, WrongError, tongues
from figmill.errors import AuthorError, did_you_mean
from figmill.late_dataclasses import dataclass
from figmill.model import FactSource, Json

THEMES = ("light", "dark")


class Type(Protocol):
    """How to read a value from a node, and its JSON Schema."""

    def read(self, node: Node, name: str) -> Any:
        """The value. Raises AuthorError, or an ExceptionGroup of several."""

    def schema(self) -> dict[str, Json]: ...


@dataclass(frozen=True, slots=True)
class Text:
    """Text for people: at most `most` characters, stripped of surrounding white space."""

    most: int

    def read(self, node: Node, name: str) -> str:
        text = scalars.text(node, name).strip()
        if not text:
            raise AuthorError(node.at, f"{name} is empty")
        if len(text) > self.most:
            raise AuthorError(node.at, f"{name} has {len(text)} characters; at most {self.most} are allowed")
        if problem := unseen_problem(text):
            raise AuthorError(node.at, f"{name} {problem}")
        return text

    def schema(self) -> dict[str, Json]:
        return {"type": "string", "minLength": 1, "maxLength": self.most}


@dataclass(frozen=True, slots=True)
class TextOrNo:
    """Text for people, or `false`."""

    most: int

    def read(self, node: Node, name: str) -> str | bool:
        if isinstance(node, Scalar) and scalars.sort(node) == "boolean":
            if scalars.value(node, name) is False:
                return False
            raise AuthorError(node.at, f"{name} is a text, or false; without the key, the figure has its own")
        return Text(self.most).read(node, name)

    def schema(self) -> dict[str, Json]:
        return {"anyOf": [Text(self.most).schema(), {"const": False}]}


@dataclass(frozen=True, slots=True)
class Title:
    """A key of the book's own: any scalar is read as text, anything else is ignored."""

    def read(self, node: Node, name: str) -> str | None:
        if not isinstance(node, Scalar) or scalars.sort(node) == "null":
            return None
        if problem := unseen_problem(node.text):
            raise AuthorError(node.at, f"{name} {problem}")
        return node.text.strip() or None

    def schema(self) -> dict[str, Json]:
        return {}


@dataclass(frozen=True, slots=True)
class Id:
    def read(self, node: Node, name: str) -> str:
        text = scalars.text(node, name)
        if problem := id_problem(text):
            raise AuthorError(node.at, f"{name} '{scalars.short(text)}' {problem}")
        return text

    def schema(self) -> dict[str, Json]:
        return {"type": "string", "pattern": f"^{ID.pattern}$"}


@dataclass(frozen=True, slots=True)
class FileName:
    """A bare file name that ends in `suffix`."""

    suffix: str = ""

    def read(self, node: Node, name: str) -> str:
        text = scalars.text(node, name)
        if problem := file_name_problem(text):
            raise AuthorError(node.at, f"{name} '{scalars.short(text)}' {problem}")
        if not text.endswith(self.suffix):
            raise AuthorError(node.at, f"{name} '{scalars.short(text)}' must end in {self.suffix}")
        return text

    def schema(self) -> dict[str, Json]:
        return {"type": "string", "pattern": rf"^[^/\\]+{re.escape(self.suffix)}$"}


@dataclass(frozen=True, slots=True)
class FilePath:
    """The path of a file below a sources folder, with '/' between names."""

    may_be_hidden: bool = False

    def read(self, node: Node, name: str) -> str:
        text = scalars.text(node, name)
        if problem := file_path_problem(text, self.may_be_hidden):
            raise AuthorError(node.at, f"{name} '{scalars.short(text)}' {problem}")
        return text

    def schema(self) -> dict[str, Json]:
        return {"type": "string", "pattern": r"^[^/\\]+(?:/[^/\\]+)*$"}


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of some known words."""

    noun: str
    known: tuple[str, ...]
    more: str = ""  # added to the list of known words where others are possible

    def read(self, node: Node, name: str) -> str:
        text = scalars.text(node, name)
        if text not in self.known:
            near = did_you_mean(text, self.known) or f"; choose one of {', '.join(self.known)}{self.more}"
            raise AuthorError(node.at, f"unknown {self.noun} '{scalars.short(text)}'{near}")
        return text

    def schema(self) -> dict[str, Json]:
        return {"type": "string", "enum": list(self.known)}


@dataclass(frozen=True, slots=True)
class Count:
    def read(self, node: Node, name: str) -> int:
        value = scalars.value(node, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise AuthorError(node.at, f"{name} must be a whole number from 0, not {_shown(node)}")
        return value

    def schema(self) -> dict[str, Json]:
        return {"type": "integer", "minimum": 0}


@dataclass(frozen=True, slots=True)
class NumberOrName:
    """One of several: a number from 1, or a name of at most `most` characters. Reads into text."""

    most: int

    def read(self, node: Node, name: str) -> str:
        value = scalars.value(node, name)
        if isinstance(value, str):
            return Text(self.most).read(node, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise AuthorError(node.at, f"{name} must be a number from 1, or a name, not {_shown(node)}")
        return str(value)

    def schema(self) -> dict[str, Json]:
        return {"anyOf": [{"type": "integer", "minimum": 1}, Text(self.most).schema()]}


@dataclass(frozen=True, slots=True)
class Number:
    """A number of at least `least` (if `above`: greater than it) and at most `most`."""

    least: float = 0
    above: bool = False
    most: float | None = None

    def read(self, node: Node, name: str) -> float:
        value = scalars.value(node, name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise AuthorError(node.at, f"{name} must be a number, not {_shown(node)}")
        if value < self.least or (self.above and value == self.least):
            bound = "above" if self.above else "at least"
            raise AuthorError(node.at, f"{name} must be {bound} {self.least:g}, not {value}")
        if self.most is not None and value > self.most:
            raise AuthorError(node.at, f"{name} must be at most {self.most:g}, not {value}")
        try:
            return float(value)
        except OverflowError:
            raise AuthorError(node.at, f"{name}: {_shown(node)} is too large a number") from None

    def schema(self) -> dict[str, Json]:
        most: dict[str, Json] = {} if self.most is None else {"maximum": self.most}
        return {"type": "number", "exclusiveMinimum" if self.above else "minimum": self.least, **most}


@dataclass(frozen=True, slots=True)
class ListOf:
    item: Type
    least: int = 0
    most: int = 256

    def read(self, node: Node, name: str) -> tuple[Any, ...]:
        if not isinstance(node, ListNode):
            raise AuthorError(node.at, f"{name} must be a list, like [a, b], not {scalars.described(node)}")
        if not self.least <= len(node.items) <= self.most:
            message = f"{name} has {len(node.items)} items; {self.least} to {self.most} are allowed"
            raise AuthorError(node.at, message)
        return gather((self.item, item, f"{name}.{number}") for number, item in enumerate(node.items))

    def schema(self) -> dict[str, Json]:
        return {"type": "array", "items": self.item.schema(), "minItems": self.least, "maxItems": self.most}


@dataclass(frozen=True, slots=True)
class Themes:
    def read(self, node: Node, name: str) -> tuple[str, ...]:
        themes = ListOf(OneOf("theme", THEMES), least=1).read(node, name)
        return tuple(theme for theme in THEMES if theme in themes)

    def schema(self) -> dict[str, Json]:
        return {**ListOf(OneOf("theme", THEMES), least=1, most=len(THEMES)).schema(), "uniqueItems": True}


@dataclass(frozen=True, slots=True)
class Languages:
    """Codes of languages, none twice; an empty list: none."""

    def read(self, node: Node, name: str) -> tuple[str, ...]:
        codes: tuple[str, ...] = ListOf(Text(40)).read(node, name)
        try:
            return tongues(list(codes))
        except WrongError as wrong:
            raise AuthorError(node.at, f"{name} {wrong}") from None

    def schema(self) -> dict[str, Json]:
        code: dict[str, Json] = {"type": "string", "pattern": f"^(?:{LANGUAGE.pattern})$"}
        return {"type": "array", "items": code, "maxItems": 256, "uniqueItems": True}


@dataclass(frozen=True, slots=True)
class AnyValue:
    """Any JSON value."""

    def read(self, node: Node, name: str) -> Json:
        return scalars.value(node, name)

    def schema(self) -> dict[str, Json]:
        return {}


@dataclass(frozen=True, slots=True)
class MapOf:
    """A mapping with any keys; `example` shows one in messages."""

    item: Type
    example: str

    def read(self, node: Node, name: str) -> dict[str, Any]:
        if not isinstance(node, MapNode):
            raise AuthorError(
                node.at, f"{name} must be a mapping, like {self.example}, not {scalars.described(node)}"
            )
        rows = [(key.text, item) for key, item in node.rows if isinstance(key, Scalar)]
        values = gather((self.item, item, f"{name}.{key}") for key, item in rows)
        return dict(zip((key for key, _ in rows), values, strict=True))

    def schema(self) -> dict[str, Json]:
        return {"type": "object", "additionalProperties": self.item.schema()}


@dataclass(frozen=True, slots=True)
class FactValue:
    """The value of a fact: a JSON scalar, or a list of at most 256 scalars."""

    def read(self, node: Node, name: str) -> Json:
        items = node.items if isinstance(node, ListNode) else (node,)
        if len(items) > 256:
            raise AuthorError(node.at, f"{name} has {len(items)} items; a fact has at most 256")
        for item in items:
            if not isinstance(item, Scalar):
                message = f"{name} must be a value or a flat list of values, not {scalars.described(item)}"
                raise AuthorError(item.at, message)
        return scalars.value(node, name)

    def schema(self) -> dict[str, Json]:
        plain: list[Json] = ["string", "number", "boolean", "null"]
        return {"type": [*plain, "array"], "items": {"type": plain}, "maxItems": 256}


@dataclass(frozen=True, slots=True)
class FactSources:
    """A mapping from names of facts to `FILE#PLACE`. Reads into a tuple of `FactSource`."""

    most: int = 200

    def read(self, node: Node, name: str) -> tuple[FactSource, ...]:
        places: dict[str, tuple[str, str]] = MapOf(_FilePlace(), "{mean_ms: data.csv#mean}").read(node, name)
        if len(places) > self.most:
            raise AuthorError(node.at, f"{name} has {len(places)} facts; at most {self.most} are allowed")
        for fact in places:
            if re.fullmatch(FACT, fact) is None:
                message = (
                    f"'{scalars.short(fact)}' is not a name of a fact; write letters, digits and underscores"
                )
                raise AuthorError(node.at, message)
        return tuple(FactSource(fact, *place) for fact, place in places.items())

    def schema(self) -> dict[str, Json]:
        rows = MapOf(_FilePlace(), "").schema()
        return {**rows, "propertyNames": {"pattern": f"^{FACT}$"}, "maxProperties": self.most}


FACT = r"[A-Za-z_]\w{0,99}"


@dataclass(frozen=True, slots=True)
class _FilePlace:
    """`FILE#PLACE`. Reads into both parts."""

    def read(self, node: Node, name: str) -> tuple[str, str]:
        text = scalars.text(node, name).strip()
        file, sign, place = text.partition("#")
        if not sign or not place:
            raise AuthorError(
                node.at, f"{name} '{scalars.short(text)}' must be FILE#PLACE, like data.csv#mean"
            )
        if problem := file_path_problem(file) or unseen_problem(place):
            raise AuthorError(node.at, f"{name} '{scalars.short(text)}' {problem}")
        return file, place

    def schema(self) -> dict[str, Json]:
        return {"type": "string", "pattern": r"^[^/\\#]+(?:/[^/\\#]+)*#.+$"}


def gather(reads: Iterable[tuple[Type, Node, str]], errors: Iterable[AuthorError] = ()) -> tuple[Any, ...]:
    """The values read from the nodes by their types. Raises one ExceptionGroup with all errors."""
    values, all_errors = [], list(errors)
    for type_, node, name in reads:
        try:
            values.append(type_.read(node, name))
        except* AuthorError as group:
            all_errors.extend(flat(group))
    if all_errors:
        raise ExceptionGroup("errors in a question file", all_errors)
    return tuple(values)


def flat(group: BaseExceptionGroup[AuthorError]) -> Iterator[AuthorError]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from flat(error)
        else:
            yield error


def _shown(node: Node) -> str:
    return scalars.short(node.text) if isinstance(node, Scalar) else scalars.described(node)
