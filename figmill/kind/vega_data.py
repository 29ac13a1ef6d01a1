"""The data of a chart as its marks show them, after all transforms of Vega, and their numbers as facts. Pure.

Vega gives no one its data. A mark of text for each row, which no picture has, says them in Vega's scene.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import fsum
from typing import Any, NamedTuple, TypeAlias

from figmill.kind.named import Row

SIGN = "\uf8fffigmill"  # before the values of a row
EACH = 20  # rows of a set of data whose values are facts of their own
_PATH = frozenset(".[]\\'\"")  # in a name of a field, these lead into an object
_DISCRETE = ("nominal", "ordinal")

Rows: TypeAlias = Mapping[str, Sequence[Sequence[Any]]]  # by the name of the set of data


class Encoded(NamedTuple):
    """What a chart shows by its marks: fields as Vega names them, and the names for readers."""

    numbers: Mapping[str, str]
    groups: Mapping[str, str]


def encoded(channels: Iterable[Mapping[str, Any]]) -> Encoded:
    """The fields in the channels of a chart: quantities, and those that part them into groups."""
    numbers: dict[str, str] = {}
    groups: dict[str, str] = {}
    for channel in channels:
        field, how, sort = channel.get("field"), channel.get("aggregate"), channel.get("type")
        if how == "count":
            numbers["__count"] = "count"
        elif (
            not isinstance(field, str)
            or not _PATH.isdisjoint(field)
            or channel.get("bin")
            or channel.get("timeUnit")
        ):
            continue
        elif isinstance(how, str):
            numbers[f"{how}_{field}"] = f"{how} {field}"
        elif sort == "quantitative":
            numbers[field] = field
        elif sort in (None, *_DISCRETE) and not how:
            groups[field] = field
    return Encoded(numbers, {field: name for field, name in groups.items() if field not in numbers})


def with_rows(chart: Mapping[str, Any], of: Encoded) -> dict[str, Any]:
    """A chart of Vega whose scene also says the values of each row that a mark shows. Takes one of no Vega-Lite."""
    names = {data.get("name") for data in chart.get("data", ())}
    shown = [name for name in dict.fromkeys(_sources(chart.get("marks", ()))) if name in names]
    values = ", ".join(
        (
            *(f"datum[{json.dumps(field)}]" for field in of.groups),
            *(f"toNumber(datum[{json.dumps(field)}])" for field in of.numbers),  # in a CSV, a number is text
        )
    )
    marks = [
        {
            "type": "text",
            "from": {"data": name},
            "encode": {"update": {"text": {"signal": f"[{json.dumps(SIGN)}, {json.dumps(name)}, {values}]"}}},
        }
        for name in (shown if of.numbers else ())
    ]
    return {**chart, "marks": [*chart.get("marks", ()), *marks]}


def _sources(marks: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The names of the data that marks show, those in groups as well."""
    for mark in marks:
        source = mark.get("from", {})
        name = source.get("data") or source.get("facet", {}).get("data")
        if isinstance(name, str):
            yield name
        yield from _sources(mark.get("marks", ()))


def row_in(text: object) -> tuple[str, list[Any]] | None:
    """The name of the data and the values in a text of a scene; None for a text of the chart."""
    if isinstance(text, list) and text[:1] == [SIGN]:
        return str(text[1]), text[2:]
    return None


def numbers_of(of: Encoded, rows: Rows) -> Iterator[Row]:
    """The numbers of a chart: the values of a few rows that each have groups of their own, and aggregates of all."""
    seen: set[tuple[str, tuple[Any, ...]]] = set()
    for dataset in rows.values():
        for at, (field, name) in enumerate(of.numbers.items(), len(of.groups)):
            pairs = [(row[: len(of.groups)], row[at]) for row in dataset if _is_number(row[at])]
            values = [value for _, value in pairs]
            if not values or (field, tuple(values)) in seen:  # several layers may show the same data
                continue
            seen.add((field, tuple(values)))
            groups = [tuple(str(part) for part in parts if part is not None) for parts, _ in pairs]
            if all(groups) and len(set(groups)) == len(groups) <= EACH:
                noun = next(iter(of.groups.values()))
                yield from (
                    Row((*group, name), value, noun) for group, value in zip(groups, values, strict=True)
                )
            elif len(values) == 1:
                yield Row((name,), values[0], "field")
            if len(values) > 1:
                measures = {"min": min(values), "max": max(values)}
                with suppress(OverflowError):
                    total = fsum(values)
                    measures |= {"mean": total / len(values), "sum": total}
                yield from (Row((name, how), value, "field") for how, value in measures.items())


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
