"""The nodes of a YAML file: values with their places, before they have a meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from figmill.late_dataclasses import dataclass

if TYPE_CHECKING:
    from figmill.model import Origin

MAX_BYTES = 1_000_000
MAX_DEPTH = 64
MAX_ALIASES = 100


@dataclass(frozen=True, slots=True)
class Scalar:
    text: str
    plain: bool  # written without quotes: YAML may read it as a number, a date ...
    tag: str | None
    at: Origin


@dataclass(frozen=True, slots=True)
class ListNode:
    items: tuple[Node, ...]
    tag: str | None
    at: Origin


@dataclass(frozen=True, slots=True)
class MapNode:
    rows: tuple[tuple[Node, Node], ...]
    tag: str | None
    at: Origin


Node: TypeAlias = Scalar | ListNode | MapNode
