"""Values of annotated types as rows of JSON, and back. Pure.

A row has the values of a type's fields in their order; their annotations say what each may hold. A value of another
type raises ValueError or TypeError: a record may have been changed, and a process may send anything.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

from figmill.errors import AuthorError
from figmill.model import Origin
from figmill.store import checked

Convert: TypeAlias = Callable[[Any], Any]


class Codec(NamedTuple):
    """How the values of a type are written and read.

    - pack: a value into JSON.
    - read: JSON into a value, or ValueError or TypeError.
    """

    pack: Convert
    read: Convert


def flag(value: object) -> bool:
    if type(value) is not bool:
        raise ValueError("neither true nor false")
    return value


# What the annotations of plain types allow. A number is not negative: it is a size, a line or a tolerance.
PLAIN: Mapping[Any, Convert] = MappingProxyType(
    {str: checked.text, int: checked.count, float: checked.number, bool: flag}
)
# A type that is neither a dataclass nor a named tuple, with what a row keeps of it.
OTHERS: Mapping[Any, Mapping[str, Any]] = MappingProxyType(
    {AuthorError: MappingProxyType({"origin": Origin, "message": str, "detail": str})}
)


class Codecs:
    """The codecs of dataclasses and named tuples, by type; each is made once.

    - stricter: readers for fields whose annotation says too little, such as a path; their values are plain JSON.
    - plain: other readers of plain types.
    """

    def __init__(
        self,
        stricter: Mapping[type, Mapping[str, Convert]],
        plain: Mapping[Any, Convert] = MappingProxyType({}),
    ) -> None:
        self._stricter, self._plain = stricter, {**PLAIN, **plain}
        self._made: dict[Any, Codec] = {}

    def __getitem__(self, annotation: Any) -> Codec:
        """Raises TypeError for an annotation that no codec understands."""
        codec = self._made.get(annotation)
        if codec is None:
            codec = self._made[annotation] = self._codec(annotation)
        return codec

    def fields(self, kind: Any, without: Collection[str] = ()) -> dict[str, Codec]:
        """The codecs of a type's fields by name, in their order. without: fields to leave out."""
        stricter = self._stricter.get(kind, {})
        return {
            name: Codec(_same, stricter[name]) if name in stricter else self[annotation]
            for name, annotation in _annotations(kind).items()
            if name not in without
        }

    def _codec(self, annotation: Any) -> Codec:
        if annotation in self._plain:
            return Codec(_same, self._plain[annotation])
        outer, inner = get_origin(annotation), get_args(annotation)
        if type(None) in inner and len(inner) == 2:
            return _optional(self[inner[0] if inner[1] is type(None) else inner[1]])
        if outer is tuple and inner[1:] == (...,):
            return _many(self[inner[0]])
        if outer is Mapping and inner[0] is str:
            return _mapping(self[inner[1]])
        if annotation in OTHERS or is_dataclass(annotation) or hasattr(annotation, "_fields"):
            return _row(annotation, self.fields(annotation))
        raise TypeError(f"there is no codec for {annotation}")


def _same(value: Any) -> Any:
    return value


def _annotations(kind: Any) -> Mapping[str, Any]:
    """The annotations of the fields of a type by name, in their order."""
    if kind in OTHERS:
        return OTHERS[kind]
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else kind._fields
    hints = get_type_hints(kind)
    return {name: hints[name] for name in names}


def _optional(codec: Codec) -> Codec:
    pack, read = codec
    return Codec(
        pack if pack is _same else lambda value: None if value is None else pack(value),
        lambda value: None if value is None else read(value),
    )


def _many(codec: Codec) -> Codec:
    pack, read = codec
    return Codec(
        pack if pack is _same else lambda values: [pack(value) for value in values],
        lambda value: tuple([read(item) for item in checked.items(value)]),
    )


def _mapping(codec: Codec) -> Codec:
    pack, read = codec
    return Codec(
        lambda values: {name: pack(value) for name, value in values.items()},
        lambda value: {name: read(item) for name, item in checked.mapping(value).items()},
    )


def _row(kind: Callable[..., Any], codecs: Mapping[str, Codec]) -> Codec:
    packs, reads = [(name, codec.pack) for name, codec in codecs.items()], [c.read for c in codecs.values()]

    def pack(value: Any) -> list[Any]:
        return [getattr(value, name) if pack is _same else pack(getattr(value, name)) for name, pack in packs]

    def read(value: Any) -> Any:
        return kind(*[read(item) for read, item in zip(reads, checked.items(value), strict=True)])

    return Codec(pack, read)
