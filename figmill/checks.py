"""What a figure is checked for, beside what it must obey: one table, with what each check says and how loudly.

Standard library only. A check that is `always` done is part of every build; the others, which need a second look
or are a matter of taste, are done by `lint`. A book sets levels in `[tool.figmill.lint]`; a figure makes an
exception, with its reason, under `visual.lint`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

OFF, WARN, ERROR = LEVELS = ("off", "warn", "error")


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of finding. level: where a book says nothing; always: in every build, not only in `lint`."""

    about: str
    level: str = WARN
    always: bool = False


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "contrast": Check("words under 4.5:1, lines under 3:1 against what lies behind them", always=True),
        "text-outside": Check("words that run out of the picture", always=True),
        "text-overflow": Check("a label that runs out of its shape", always=True),
        "text-overlap": Check("words over other words", always=True),
        "text-squeezed": Check("words that have no room where the reader's font is wider", always=True),
        "missing-character": Check("a character that no configured font has", always=True),
        "dead-reference": Check("a paint, clip or label that refers to an id that is not there", always=True),
        "unreadable-value": Check("a path or a transform that cannot be read to its end", always=True),
    }
)


def levels(chosen: Iterable[tuple[str, str]], about: Iterable[str] = CHECKS) -> dict[str, str]:
    """The level of each check in a book with these settings."""
    settings = dict(chosen)
    return {name: settings.get(name, CHECKS[name].level) for name in about}


def active(chosen: Iterable[tuple[str, str]], every: bool = False) -> frozenset[str]:
    """The checks that a build has to do; `every`: those of `lint` as well."""
    return frozenset(
        name for name, level in levels(chosen).items() if level != OFF and (every or CHECKS[name].always)
    )
