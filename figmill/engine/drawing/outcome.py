"""The possible outcomes of a step."""

from __future__ import annotations

from typing import TypeAlias

from figmill.engine.plan import Step
from figmill.errors import AuthorError, as_errors
from figmill.kind.job import Raw
from figmill.late_dataclasses import dataclass
from figmill.model import Inputs
from figmill.publish.finalise import Settled

STRICT = "a warning, with --strict"


@dataclass(frozen=True, slots=True)
class Skipped:
    """The figure is fresh, so nothing was drawn."""

    step: Step


@dataclass(frozen=True, slots=True)
class Built:
    """A figure was drawn or settled.

    traced: the files that the drawings of all its pictures read; printed: what its script printed.
    """

    step: Step
    settled: Settled
    traced: Inputs
    seconds: float
    printed: str = ""
    variants: tuple[Built, ...] = ()  # the other pictures of an interactive figure, in the order of its step


@dataclass(frozen=True, slots=True)
class Failed:
    """The errors that prevent a figure. They are saved in the ledger if the same inputs must cause them again."""

    step: Step
    errors: tuple[AuthorError, ...]
    seconds: float = 0.0
    traced: Inputs | None = None  # the files that were read; None: another try may succeed


@dataclass(frozen=True, slots=True)
class Refused:
    """A figure that is not drawn because its question or the signature of its script is wrong."""

    errors: tuple[AuthorError, ...]
    is_lasting: bool = True


Outcome: TypeAlias = Skipped | Built | Failed


def strictly(outcome: Outcome) -> Outcome:
    """The outcome with --strict: a figure with a warning, old or new, fails."""
    if isinstance(outcome, Built):
        warnings, seconds = outcome.settled.warnings, outcome.seconds
    elif isinstance(outcome, Skipped) and outcome.step.entry is not None:
        warnings, seconds = outcome.step.entry.warnings, 0.0
    else:
        return outcome
    return Failed(outcome.step, as_errors(warnings, STRICT), seconds) if warnings else outcome


@dataclass(frozen=True, slots=True)
class TracedDrawing:
    """A drawing, and the files that were read to make it."""

    raw: Raw
    traced: Inputs
    seconds: float = 0.0
    # to be saved: drawn in this build from files that did not change, or from a store
    is_steady: bool = False
