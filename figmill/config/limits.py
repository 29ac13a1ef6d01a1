"""The limits of a book: `[tool.figmill.limits]`. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass, fields

from figmill.checks import ALT, CAPTION, LONGEST
from figmill.config.readers import WrongError, shown_value
from figmill.errors import did_you_mean


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a figure may have. alt, caption: characters, as written and with facts filled in."""

    alt: int = ALT
    caption: int = CAPTION


LIMITS = Limits()  # of a book that sets none
# The most that each limit may be set to.
MOST = {"alt": LONGEST, "caption": LONGEST}


def limits(value: object) -> Limits:
    """The table of a book's settings. Raises WrongError."""
    known = [field.name for field in fields(Limits)]
    if not isinstance(value, dict):
        raise WrongError(f"must be a table, like {{alt = {ALT}}}, not {shown_value(value)}")
    for name, most in value.items():
        if name not in known:
            near = did_you_mean(name, known) or f"; there are {', '.join(known)}"
            raise WrongError(f"is no limit{near}", name)
        if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= MOST[name]:
            raise WrongError(f"must be a number from 1 to {MOST[name]}, not {shown_value(most)}", name)
    return Limits(**value)
