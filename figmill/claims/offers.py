"""What a figure offers to bind numbers to: its facts, parameters and labels, with their words and units. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from figmill.claims.numbers import UNITS, numbers
from figmill.claims.vocabulary import WORD, meaning, naming
from figmill.late_dataclasses import dataclass
from figmill_timelines import units

if TYPE_CHECKING:
    from figmill.model import Fact, Json

_FRACTIONS = frozenset(
    ("fraction", "share", "utilisation", "usage", "efficiency", "percent", "percentile", "rate", "jitter")
)
_TIMES = frozenset(("time", "wall", "duration", "transfer", "epoch", "makespan", "forward", "step"))
_RATES = frozenset(("per", "mean", "expected", "best", "limit", "time", "length"))
_UNIT_WORDS = frozenset(
    (
        "ns",
        "us",
        "ms",
        "s",
        "h",
        "byte",
        "bytes",
        "bit",
        "bits",
        "flops",
        "flop",
        "min",
        "per",
        "si",
        "mb",
        "gb",
        "kb",
    )
)
# Units as names of facts have them.
_WRITTEN = {
    name.lower(): UNITS[name]
    for name in ("kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "kB/s", "MB/s", "GB/s", "TB/s", "minutes")
}
MANY = 4  # labels of one unit and no further word: the ticks of an axis
MOST_RATIOS = 60  # facts of one unit, above which ratios of two are left out: any number would fit one

_DIGITS = re.compile(r"\d[\d.,]*")
_NOUN = re.compile(r"[ \u00a0]([A-Za-z]{3,}s)\b")
FACT, PARAM, LABEL, DERIVED = "fact", "param", "label", "derived"


@dataclass(frozen=True, slots=True)
class Offer:
    """A value that a figure states.

    - meanings: of the words that name it.
    - unit: as in numbers.py.
    - noun: what a whole number counts; empty: it counts nothing.
    - slack: half a unit in the last place of a drawn number.
    - source: FACT, PARAM, LABEL, or DERIVED: it follows from facts, such as the rest to one, and may explain a number,
      but contradicts none.
    """

    name: str
    value: float
    unit: str
    meanings: frozenset[str]
    noun: str = ""
    source: str = FACT
    slack: float = 0.0
    part: int = 0  # which number of its label, if it is not the first

    @property
    def recorded_as(self) -> str:
        """Its name without the numbers of a label, which change, and without the text that stands for params."""
        if self.source != LABEL:
            return self.name.partition(" in ")[0]
        return _DIGITS.sub("#", self.name) + (f"[{self.part}]" if self.part else "")

    @property
    def is_derived(self) -> bool:
        return self.source == DERIVED


def offers(
    facts: Mapping[str, Fact], params: Mapping[str, Json], labels: Iterable[str] = ()
) -> tuple[Offer, ...]:
    """All that a figure offers. labels: the texts in its picture."""
    stated = [offer for name, value in facts.items() for offer in _of(name, value, FACT)]
    given = [
        offer for name, value in params.items() if name not in facts for offer in _of(name, value, PARAM)
    ]
    return (*stated, *given, *_drawn(labels), *_derived(stated))


def _of(name: str, value: Fact | Json, source: str) -> Iterator[Offer]:
    if isinstance(value, list):
        counted = [float(item) for item in value if _is_number(item)]
        if counted and len(counted) == len(value):
            for at, each in enumerate(counted):
                yield replace(_offer(name, each, source), name=f"{name}[{at}]", noun="")
            for word, most in (("most", max(counted)), ("least", min(counted))):
                offer = _offer(name, most, source)
                yield replace(
                    offer, name=f"{name}: {word}", meanings=offer.meanings | {word}, noun="", source=DERIVED
                )
        offer = _offer(name, len(value), source)
        yield replace(offer, name=f"{name}: count", unit="", source=DERIVED)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _of(f"{name}_{key}", item, source)
    elif _is_number(value):
        yield _offer(name, value, source)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _offer(name: str, value: float, source: str) -> Offer:
    parts = re.findall(r"[^_\W]+", name.lower())
    named = frozenset(filter(None, (naming(part) for part in parts if part not in _UNIT_WORDS)))
    if "percent" in parts:
        return Offer(name, value / 100, "%", named, source=source)
    if not _FRACTIONS.isdisjoint(parts) and 0 <= value <= 1:
        return Offer(name, value, "%", named, source=source)
    unit = units.unit_of(name) or _unit_of(parts)
    if unit is not None:
        factor, symbol = unit
        durations = {"takes"} if symbol == "s" and not _TIMES.isdisjoint(parts) else set[str]()
        return Offer(name, value * factor, symbol, named | durations, source=source)
    return Offer(name, value, "", named, _counted(parts) if float(value).is_integer() else "", source)


def _unit_of(parts: list[str]) -> tuple[float, str] | None:
    """The factor and the unit that a name ends in as texts write it: `size_mb`, `near_bandwidth_gb_per_s`."""
    last, is_rate = (parts[-3:-2], "/s") if parts[-2:] == ["per", "s"] else (parts[-1:], "")
    return next((_WRITTEN[f"{part}{is_rate}"] for part in last if f"{part}{is_rate}" in _WRITTEN), None)


def _counted(parts: list[str]) -> str:
    """What a name says that it counts: its last plural, as in `layer_parameters` and `requests_paged`."""
    if not _RATES.isdisjoint(parts):
        return ""
    if len(parts) == 1 and len(parts[0]) > 3 and parts[0] not in _UNIT_WORDS:
        return meaning(parts[0])
    plurals = [
        part
        for part in parts
        if len(part) > 3
        and part.endswith("s")
        and not part.endswith(("ss", "us", "is"))
        and part not in _UNIT_WORDS
    ]
    return meaning(plurals[-1]) if plurals else ""


def _drawn(labels: Iterable[str]) -> Iterator[Offer]:
    """The numbers in a picture's texts, without those of an axis."""
    alone: Counter[str] = Counter()
    rows = []
    for label in dict.fromkeys(labels):
        for part, number in enumerate(numbers(label)):
            if number.decimals is None and "/" not in number.text:
                continue  # `half-full`, `one of two`
            around = WORD.findall(label[: number.start] + label[number.end :])
            meanings = frozenset(filter(None, map(naming, around)))
            if not meanings:
                if not number.unit:
                    continue
                alone[number.unit] += 1
            half = (number.high - number.low) / 2 if math.isfinite(number.high - number.low) else 0.0
            noun = _NOUN.match(label, number.end)
            counts = meaning(noun[1]) if noun and not number.unit else ""
            rows.append(Offer(f"'{label}'", number.value, number.unit, meanings, counts, LABEL, half, part))
    yield from (offer for offer in rows if offer.meanings or alone[offer.unit] < MANY)


def counted_in(name: str, text: str) -> Iterator[Offer]:
    """What a text counts, as `four devices`: stands for params that are not known. name: of the text."""
    for number in numbers(text):
        noun = _NOUN.match(text, number.end)
        if noun and number.is_exact and not number.unit:
            what = meaning(noun[1])
            yield Offer(f"{noun[1]} in {name}", number.value, "", frozenset((what,)), what, PARAM)


def _derived(stated: Iterable[Offer]) -> Iterator[Offer]:
    """The rest to one of each fraction, and the ratio of two facts of one unit, one of which is a variant of the other.

    `makespan_1f1b` is a variant of `makespan`.
    """
    stated = [offer for offer in stated if not offer.is_derived]
    for offer in stated:
        if offer.unit == "%":
            yield replace(offer, name=f"1 - {offer.name}", value=1 - offer.value, source=DERIVED)
    if len(stated) > MOST_RATIOS:
        return
    alone = [offer for offer in stated if "[" not in offer.name]
    for first in alone:
        for second in alone:
            if first.unit != second.unit or not second.value or not _are_variants(first.name, second.name):
                continue
            ratio, meanings = first.value / second.value, first.meanings | second.meanings
            yield Offer(f"{first.name} / {second.name}", ratio, "x", meanings, source=DERIVED)
            if 0 <= ratio <= 1:
                yield Offer(f"{first.name} / {second.name}", ratio, "%", meanings, source=DERIVED)


def _are_variants(first: str, second: str) -> bool:
    """Whether one name begins as the other, and goes on."""
    if len(first) < len(second):
        return second.startswith(first) and second[len(first)] == "_"
    return len(first) > len(second) and first.startswith(second) and first[len(second)] == "_"
