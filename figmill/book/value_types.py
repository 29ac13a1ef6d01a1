"""The types of a question file's values: each with its check and its JSON Schema.

A type takes a node and gives a value, or says at the node's line what is wrong. Unaware of how files are
read, and of what else the book holds: whether a named file exists is not asked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from figmill.book import scalars
from figmill.book.names import ID, file_name_problem, id_problem, unseen_problem
from figmill.book.nodes import ListNode, MapNode, Node, Scalar
from figmill.errors import AuthorError, did_you_mean
from figmill.model import Json

THEMES = ("light", "dark")


class Type(Protocol):
    """A sort of value: how it is read from a node, and how an editor's schema says it."""

    def read(self, node: Node, name: str) -> Any:
        """The value. Raises AuthorError, or an ExceptionGroup of them where several things are wrong."""

    def schema(self) -> dict[str, Json]: ...


@dataclass(frozen=True, slots=True)
class Text:
    """Text for people, of at most `most` characters; white space around it does not count."""

    most: int

    def read(self, node: Node, name: str) -> str:
        text = scalars.text(node, name).strip()
        if not text:
            raise AuthorError(node.at, f"{name} is empty")
        if len(text) > self.most:
            raise AuthorError(node.at, f"{name} has {len(text)} characters, at most {self.most} are allowed")
        if problem := unseen_problem(text):
            raise AuthorError(node.at, f"{name} {problem}")
        return text

    def schema(self) -> dict[str, Json]:
        return {"type": "string", "minLength": 1, "maxLength": self.most}


@dataclass(frozen=True, slots=True)
class Title:
    """The book's own key: any scalar is taken as it stands, everything else is ignored."""

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
    """A bare name, ending in `suffix`."""

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
    """A file in a folder of sources or below it, with '/' between names."""

    def read(self, node: Node, name: str) -> str:
        text = scalars.text(node, name)
        for part in text.split("/"):
            if problem := file_name_problem(part):
                raise AuthorError(
                    node.at, f"{name} '{scalars.short(text)}': '{scalars.short(part)}' {problem}"
                )
        return text

    def schema(self) -> dict[str, Json]:
        return {"type": "string", "pattern": r"^[^/\\]+(?:/[^/\\]+)*$"}


@dataclass(frozen=True, slots=True)
class OneOf:
    noun: str
    known: tuple[str, ...]

    def read(self, node: Node, name: str) -> str:
        text = scalars.text(node, name)
        if text not in self.known:
            near = did_you_mean(text, self.known) or f"; there are {', '.join(self.known)}"
            raise AuthorError(node.at, f"unknown {self.noun} '{scalars.short(text)}'{near}")
        return text

    def schema(self) -> dict[str, Json]:
        return {"type": "string", "enum": list(self.known)}


@dataclass(frozen=True, slots=True)
class Count:
    def read(self, node: Node, name: str) -> int:
        found = scalars.value(node, name)
        if isinstance(found, bool) or not isinstance(found, int) or found < 0:
            raise AuthorError(node.at, f"{name} must be a count, not {_shown(node)}")
        return found

    def schema(self) -> dict[str, Json]:
        return {"type": "integer", "minimum": 0}


@dataclass(frozen=True, slots=True)
class Number:
    """A number of at least `least`; `above`: more than it."""

    least: float = 0
    above: bool = False
    most: float | None = None

    def read(self, node: Node, name: str) -> float:
        found = scalars.value(node, name)
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise AuthorError(node.at, f"{name} must be a number, not {_shown(node)}")
        if found < self.least or (self.above and found == self.least):
            bound = "above" if self.above else "at least"
            raise AuthorError(node.at, f"{name} must be {bound} {self.least:g}, not {found}")
        if self.most is not None and found > self.most:
            raise AuthorError(node.at, f"{name} must be at most {self.most:g}, not {found}")
        try:
            return float(found)
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
            raise AuthorError(node.at, f"{name} must be a list, like [a, b], not {scalars.said(node)}")
        if not self.least <= len(node.items) <= self.most:
            message = f"{name} has {len(node.items)} items; {self.least} to {self.most} are allowed"
            raise AuthorError(node.at, message)
        return gather((self.item, item, f"{name}.{number}") for number, item in enumerate(node.items))

    def schema(self) -> dict[str, Json]:
        return {"type": "array", "items": self.item.schema(), "minItems": self.least, "maxItems": self.most}


@dataclass(frozen=True, slots=True)
class Themes:
    def read(self, node: Node, name: str) -> tuple[str, ...]:
        found = ListOf(OneOf("theme", THEMES), least=1).read(node, name)
        return tuple(theme for theme in THEMES if theme in found)

    def schema(self) -> dict[str, Json]:
        return {**ListOf(OneOf("theme", THEMES), least=1, most=len(THEMES)).schema(), "uniqueItems": True}


@dataclass(frozen=True, slots=True)
class Value:
    """Any JSON value."""

    def read(self, node: Node, name: str) -> Json:
        return scalars.value(node, name)

    def schema(self) -> dict[str, Json]:
        return {}


@dataclass(frozen=True, slots=True)
class MapOf:
    """A mapping with keys of the author's choice; `example` shows one."""

    item: Type
    example: str

    def read(self, node: Node, name: str) -> dict[str, Any]:
        if not isinstance(node, MapNode):
            raise AuthorError(
                node.at, f"{name} must be a mapping, like {self.example}, not {scalars.said(node)}"
            )
        rows = [(key.text, item) for key, item in node.rows if isinstance(key, Scalar)]
        found = gather((self.item, item, f"{name}.{key}") for key, item in rows)
        return dict(zip((key for key, _ in rows), found, strict=True))

    def schema(self) -> dict[str, Json]:
        return {"type": "object", "additionalProperties": self.item.schema()}


@dataclass(frozen=True, slots=True)
class FactValue:
    """What a generator can state: a JSON scalar, or a list of at most 256."""

    def read(self, node: Node, name: str) -> Json:
        items = node.items if isinstance(node, ListNode) else (node,)
        if len(items) > 256:
            raise AuthorError(node.at, f"{name} has {len(items)} items; a fact has at most 256")
        for item in items:
            if not isinstance(item, Scalar):
                message = f"{name} must be a value or a flat list of values, not {scalars.said(item)}"
                raise AuthorError(item.at, message)
        return scalars.value(node, name)

    def schema(self) -> dict[str, Json]:
        plain: list[Json] = ["string", "number", "boolean", "null"]
        return {"type": [*plain, "array"], "items": {"type": plain}, "maxItems": 256}


def gather(reads: Iterable[tuple[Type, Node, str]], errors: Iterable[AuthorError] = ()) -> tuple[Any, ...]:
    """What the types read from their nodes. Raises an ExceptionGroup of all that is wrong there."""
    found, wrong = [], list(errors)
    for type_, node, name in reads:
        try:
            found.append(type_.read(node, name))
        except* AuthorError as group:
            wrong.extend(flat(group))
    if wrong:
        raise ExceptionGroup("what is wrong in a question file", wrong)
    return tuple(found)


def flat(group: BaseExceptionGroup[AuthorError]) -> Iterator[AuthorError]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from flat(error)
        else:
            yield error


def _shown(node: Node) -> str:
    return scalars.short(node.text) if isinstance(node, Scalar) else scalars.said(node)
