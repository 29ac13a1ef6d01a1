"""What a YAML file holds: values with their places, before anybody says what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from figmill.model import Origin

MAX_BYTES = 1_000_000
MAX_DEPTH = 64
MAX_ALIASES = 100


@dataclass(frozen=True, slots=True)
class Scalar:
    text: str
    plain: bool  # written without quotes, so that YAML gives it a meaning
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
