"""Facts named after a figure's own labels, and numbers with a unit in its text. Pure.

A name is made of the words of a label, in small letters with `_` between them, and ends in the unit if the number has
one: `cache_gb`, `ring_to_host_ms`.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from figmill.model import Fact, FigureTable
from figmill.wording import current

MOST = 200  # facts of a figure that are named after labels
LEFT_OUT = "facts_left_out"  # how many more there would be
TEXTS = frozenset(("title", "description", "type"))  # names of facts that are texts of the figure itself
DIGITS = 99  # of a whole number that stays one
PART, LONGEST = 32, 90  # characters of a name: of each of its words, and of all without its number

# Signs of units that are not letters, as words of a name.
_SIGNS = (("%", " percent "), ("/", " per "), ("°", " deg "))
_NUMBER = (
    r"[-+\u2212]?(?:[0-9]{1,3}(?:[,\u202f][0-9]{3})+|[0-9]+)?(?:\.[0-9]+|(?<=[0-9]))(?:[eE][-+]?[0-9]{1,3})?"
)
_QUANTITY = re.compile(
    rf"({_NUMBER})(?:[ \u00a0\u202f]*(%)|[ \u00a0\u202f]+([^\s\d]\S{{0,11}})|([µμA-Za-z]{{1,4}}))?"
)
# Units that may stand beside a number without a space.
_CLOSE = re.compile(r"[nuµμm]?s|min|h|d|[kKMGT]?B|[KMGT]iB|[kM]?W|[kMG]?Hz")
# Other words for the units that names have.
_WORDS = {
    "µs": "us",
    "μs": "us",
    "seconds": "s",
    "min": "minutes",  # `_min` is a minimum
    "hours": "h",
    "d": "days",
    "day": "days",
    "B": "bytes",
    "B/s": "bytes per s",
}
_PRINTED = re.compile(r"fact ([A-Za-z_]\w*) = (.+)")


class Row(NamedTuple):
    """A number beside the words that name it. noun: what the words are, if they begin with no letter of ASCII."""

    words: tuple[str, ...]
    value: Fact
    noun: str = "value"


class Quantity(NamedTuple):
    """A number with its unit as words of a name: `ms`, `gb_per_s`, `percent`; empty: it has none."""

    value: int | float
    unit: str


def named(rows: Iterable[Row], stated: Mapping[str, Fact]) -> dict[str, Fact]:
    """`stated`, and the first MOST of these numbers under names of their own: a second `ring` is `ring_2`.

    Of more, the fact LEFT_OUT is the number of those left out. The names are those of the book's own language.
    """
    facts, before = dict(stated), len(stated)
    last: dict[str, int] = {}
    left_out = 0
    for row in rows:
        if len(facts) - before >= MOST:
            left_out += 1
            continue
        name = name_of(map(_written, row.words), row.noun)
        name = first = name_of((row.noun, name)) if name in TEXTS else name
        while name in facts:
            last[first] = last.get(first, 1) + 1
            name = f"{first}_{last[first]}"
        facts[name] = row.value
    return {**facts, LEFT_OUT: left_out} if left_out else facts


def name_of(words: Iterable[str], noun: str = "value") -> str:
    """The words as a name: `Idle share` and `GPU 0` are `idle_share_gpu_0`. noun: see `Row`; it may be a label, too."""
    name = "_".join(filter(None, map(_word, words)))
    if noun and not re.match("[a-z]", name):
        first = _word(noun)
        name = f"{first if re.match('[a-z]', first) else 'value'}_{name}"
    return name[:LONGEST].rstrip("_")


def _word(text: str) -> str:
    """A label as a part of a name, without the words that are too many."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    marked = unicodedata.normalize("NFC", "".join(c for c in plain if not unicodedata.combining(c)))
    name = re.sub(r"[\W_]+", "_", marked).strip("_")
    name = "".join(c for c in name if f"a{c}".isidentifier())
    if len(name) <= PART:
        return name
    whole, _, _ = name[: PART + 1].rpartition("_")
    return whole or name[:PART]


def quantity(text: str) -> Quantity | None:
    """The number that is a whole text, with its unit: `1.5 GB/s`, `43 %`, `30ms`; None for any other text."""
    match = _QUANTITY.fullmatch(text.strip())
    if match is None or (match[4] and not _CLOSE.fullmatch(match[4])):
        return None
    digits = re.sub("[,\u202f]", "", match[1]).replace("\u2212", "-")
    value = int(digits) if digits.lstrip("+-").isdigit() and len(digits) <= DIGITS else float(digits)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    unit = match[2] or match[3] or match[4] or ""
    unit = _WORDS.get(unit, unit)
    for sign, name in _SIGNS:
        unit = unit.replace(sign, name)
    return Quantity(value, name_of((unit,), "") if re.search(r"[^\W\d_]", unit) else "")


def row_of(words: tuple[str, ...], text: str, noun: str = "value") -> Iterator[Row]:
    """The row of a text that is a quantity; nothing for any other text. The unit is added as the last word, once."""
    amount = quantity(_written(text))
    if amount is not None:
        ends = name_of(words, noun).split("_")[-len(amount.unit.split("_")) :] if amount.unit else []
        more = (amount.unit,) if amount.unit and "_".join(ends) != amount.unit else ()
        yield Row((*words, *more), amount.value, noun)


def of_edges(tables: Iterable[FigureTable]) -> Iterator[Row]:
    """The labels of edges that are quantities, named after both ends: `client_to_cache_ms`."""
    for table in tables:
        if table.form in ("edges", "links"):
            for start, end, label, *_ in table.rows:
                yield from row_of((str(start), "to", str(end)), str(label or ""), "edge")


def printed(text: str) -> dict[str, Fact]:
    """The facts in what a script printed: lines `fact NAME = VALUE` with a unit, if any, which ends the name.

    The last of equal names counts. Raises ValueError for a line without a value, whose text says what is wrong.
    """
    facts: dict[str, Fact] = {}
    for line in text.splitlines():
        match = _PRINTED.fullmatch(line.strip())
        if match is None:
            continue
        row = next(row_of((match[1],), match[2]), None)
        if row is None:
            facts[match[1]] = scalar(match[1], match[2])
        else:
            name = match[1] if len(row.words) == 1 else f"{match[1]}_{row.words[1]}"
            facts[name] = row.value
    return facts


def _written(text: str) -> str:
    """A label, or several with a comma between them, as its source has it, before it was translated."""
    words = current()
    if words is None:
        return text
    whole = words.written(text)
    return ", ".join(map(words.written, text.split(", "))) if whole == text else whole


def scalar(name: str, text: str) -> Fact:
    """A value of JSON that is no list: true, null, `"text"`. Raises ValueError."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = {}
    if isinstance(value, dict | list):
        raise ValueError(
            f"fact '{name}' is '{text[:60]}'; write a number, with a unit or without, true, or \"text\""
        )
    fact: Fact = value
    return fact
