"""What can come of a step, and what is known of a drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from figmill.engine.plan import Step
from figmill.errors import AuthorError
from figmill.kinds.job import Raw
from figmill.model import Inputs
from figmill.publish.finalise import Settled


@dataclass(frozen=True, slots=True)
class Fresh:
    """Nothing that the figure depends on has changed."""

    step: Step


@dataclass(frozen=True, slots=True)
class Built:
    """A figure was settled anew. traced: what was read to draw it, or any of its pictures; said: what its script
    printed."""

    step: Step
    settled: Settled
    traced: Inputs
    seconds: float
    said: str = ""
    variants: tuple[
        Built, ...
    ] = ()  # the other pictures of a figure that readers turn, in the order of its step


@dataclass(frozen=True, slots=True)
class Failed:
    """What keeps a figure from being built. It is kept in the ledger where the same inputs must bring it again."""

    step: Step
    errors: tuple[AuthorError, ...]
    seconds: float = 0.0
    traced: Inputs | None = None  # what was read before; None: another try may go otherwise


@dataclass(frozen=True, slots=True)
class Refused:
    """A figure that is not drawn, since its question or the signature of its script is wrong."""

    errors: tuple[AuthorError, ...]
    is_lasting: bool = True


Outcome: TypeAlias = Fresh | Built | Failed


@dataclass(frozen=True, slots=True)
class Known:
    """A drawing that is there, and what was read to make it."""

    raw: Raw
    traced: Inputs
    seconds: float = 0.0
    is_steady: bool = False  # drawn here and now, by a renderer, from files that nobody changed meanwhile
