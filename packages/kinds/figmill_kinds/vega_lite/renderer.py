"""The kind vega-lite: Vega draws charts in JSON, `.vl.json`, one after the other in a process (kind/vega.py).

Data that the chart names by a relative path are read from the book and put into the chart, because Vega opens no files.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from lxml import etree

from figmill.kind import (
    AuthorError,
    Fact,
    FigureTable,
    Job,
    Origin,
    Raw,
    Remark,
    current,
    did_you_mean,
    inside,
    looking_for,
    source_text,
    vega_data,
    vega_words,
)
from figmill.kind.drawn_text import tree
from figmill.kind.named import named
from figmill.kind.source_text import json_value, place
from figmill.kind.tables import COLUMNS, fitting, table
from figmill.kind.vega import VegaError, drawn_with_scene, hold
from figmill_kinds.vega_lite import house
from figmill_kinds.vega_lite.source_labels import LABELS

SVG = "{http://www.w3.org/2000/svg}"
DATA = 20_000_000  # bytes of a file with data
MARKS = (
    "arc",
    "area",
    "bar",
    "boxplot",
    "circle",
    "errorband",
    "errorbar",
    "geoshape",
    "image",
    "line",
    "point",
    "rect",
    "rule",
    "square",
    "text",
    "tick",
    "trail",
)
TYPES = ("quantitative", "ordinal", "nominal", "temporal", "geojson")
KEYS = (
    "data",
    "mark",
    "encoding",
    "transform",
    "layer",
    "facet",
    "hconcat",
    "vconcat",
    "concat",
    "repeat",
    "spec",
    "title",
    "width",
    "height",
    "config",
    "params",
    "projection",
    "resolve",
    "datasets",
)
FIELD_KEYS = (
    "field",
    "type",
    "aggregate",
    "bin",
    "timeUnit",
    "stack",
    "sort",
    "scale",
    "axis",
    "legend",
    "title",
    "value",
    "datum",
    "condition",
    "format",
    "bandPosition",
    "impute",
)
TABLES = ("csv", "tsv", "dsv", "json", "topojson")


def warm(fonts: Sequence[str]) -> None:
    """Do nothing: V8, which runs Vega, does not survive a fork."""


def render(job: Job, root: Path) -> Raw:
    """The SVG of one chart, in the palette, with its facts. Raises AuthorError at the line of a mistake."""
    text = source_text.text(job, root, LABELS)
    chart = json_value(text, job.source, constants=True)
    if not isinstance(chart, dict):
        raise AuthorError(Origin(job.source), 'a chart of Vega-Lite is an object, like {"mark": "bar"}')
    looked: dict[str, None] = {}
    with looking_for(looked):
        for data in _named(chart):
            _take_in(data, job, root, text, looked)
        return _drawn(chart, job, text, tuple(looked))


def _drawn(chart: dict[str, Any], job: Job, text: str, files: tuple[str, ...]) -> Raw:
    """The SVG of a chart with its data. files: those that it read, of the book."""
    chart["config"] = merged({**house.config(chart), **_locale()}, chart.get("config"))
    spec = json.dumps(house.with_headroom(chart, _own_rows(chart))).encode()
    shown = vega_data.encoded(_channels(chart))
    hold(job.memory)
    try:
        svg, texts, rows = drawn_with_scene(spec, shown)
        svg = _OF_MARKS.sub(b"", svg)
        svg = svg if _EXAMPLES in text else svg.replace(_EXAMPLES.encode(), b"")
    except VegaError as error:
        for mistake in _mistakes(chart, text, job.source):
            raise mistake from None
        message, quoted = str(error), re.findall(r"[\"'`]([^\"'`]+)[\"'`]", str(error))
        at = next((where for word in quoted if (where := _at(f'"{word}"', text, job.source)).line), None)
        raise AuthorError(at or _place_of(message, text, job.source), message) from None
    drawing = tree(svg)
    house.outlined(drawing, text)
    counts, tables = facts(chart, drawing), tables_of(chart)
    fields = [field for field in _values_of("field", chart) if isinstance(field, str)]
    empty = vega_words.remarks(counts["marks"], fields, tables, _at('"mark"', text, job.source).line)
    stated = vega_words.stated_of(texts, text)
    remarks = (*_ignored(chart, text, job.source), *empty)
    stated_facts = named(vega_data.numbers_of(shown, rows), counts)
    data = etree.tostring(drawing)
    return Raw(data, stated_facts, traced=files, remarks=remarks, tables=tables, stated=stated)


# What vl-convert writes before the relative path of a picture.
_EXAMPLES = "https://vega.github.io/vega-datasets/"
# What Vega says of single marks, which nobody hears inside a picture.
_OF_MARKS = re.compile(
    rb'(?: aria-label="[^"]*")?(?: role="graphics-(?:symbol|object)")? aria-roledescription="[^"]*"'
)


DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


def _locale() -> dict[str, Any]:
    """Numbers and dates in the figure's language, as Vega's `config.locale`."""
    words = current()
    if words is None:
        return {}
    names = words.names
    long, short = ([names.get(day[:length], day[:length]) for day in DAYS] for length in (9, 3))
    months, brief = ([names.get(month[:length], month[:length]) for month in MONTHS] for length in (9, 3))
    number = {"decimal": words.decimal, "thousands": words.group, "grouping": [3], "currency": ["", ""]}
    dates = {
        "dateTime": "%x %X",
        "date": "%Y-%m-%d",
        "time": "%H:%M:%S",
        "periods": ["AM", "PM"],
        "days": long,
        "shortDays": short,
        "months": months,
        "shortMonths": brief,
    }
    return {"locale": {"number": number, "time": dates}}


def merged(under: dict[str, Any], over: Any) -> dict[str, Any]:
    """Two settings of Vega-Lite merged, mapping by mapping; `over` takes precedence. Pure."""
    if not isinstance(over, dict):
        return under
    both = {
        key: merged(under[key], over[key])
        for key in under.keys() & over.keys()
        if isinstance(under[key], dict)
    }
    return {**under, **over, **both}


def facts(chart: Mapping[str, Any], drawing: etree._Element) -> dict[str, Fact]:
    """marks: the bars, points, lines and words that show data; the chart's title and description if it has them."""
    groups = (node for node in drawing.iter("{*}g") if "role-mark" in str(node.get("class", "")).split())
    title = chart.get("title")
    texts = {
        "title": _in_a_line(title.get("text") if isinstance(title, dict) else title),
        "description": _in_a_line(chart.get("description")),
    }
    named: dict[str, Fact] = {name: text for name, text in texts.items() if text}
    shown = sum(len([child for child in group if child.tag != f"{SVG}g"]) for group in groups)
    return {"marks": shown, **named}


def tables_of(chart: Mapping[str, Any]) -> tuple[FigureTable, ...]:
    """The data of a chart, each set as a table of the fields that the chart uses, before Vega transforms them."""
    fields = {field for field in _values_of("field", chart) if isinstance(field, str)}
    every = [
        data["values"] for data in _values_of("data", chart) if isinstance(data, dict) and "values" in data
    ]
    named = chart.get("datasets")
    every += [value for value in named.values() if isinstance(value, list)] if isinstance(named, dict) else []
    tables: list[FigureTable] = []
    for number, values in enumerate(every, 1):
        rows = _rows(values)
        names = list(dict.fromkeys(name for row in rows for name in row))
        names = [name for name in names if name in fields] or names
        if names and len(names) <= COLUMNS:
            title = "Data" if len(every) == 1 else f"Data {number}"
            tables.append(table(title, names, [[row.get(name) for name in names] for row in rows]))
    return fitting(tables)


def _own_rows(chart: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of a chart's data, if they are in the chart."""
    data = chart.get("data")
    return _rows(data.get("values")) if isinstance(data, dict) else []


def _mistakes(chart: Mapping[str, Any], text: str, path: str) -> Iterator[AuthorError]:
    """Marks, types of fields and rows that Vega-Lite does not have: why it could not draw a chart."""
    marks = (mark.get("type") if isinstance(mark, dict) else mark for mark in _values_of("mark", chart))
    types = (channel.get("type") for channel in _channels(chart))
    for noun, names, allowed in (("mark", marks, MARKS), ("type", types, TYPES)):
        for name in names:
            if isinstance(name, str) and name not in allowed:
                near = did_you_mean(name, allowed) or f"; there are {', '.join(allowed)}"
                yield AuthorError(_at(f'"{name}"', text, path), f"Vega-Lite has no {noun} '{name}'{near}")
    for data in _values_of("data", chart):
        values = data.get("values") if isinstance(data, dict) else None
        if isinstance(values, list) and None in values:
            message = f"row {values.index(None) + 1} of the data is null; a row is an object or a value"
            yield AuthorError(_at('"values"', text, path), message)


def _ignored(chart: Mapping[str, Any], text: str, path: str) -> Iterator[Remark]:
    """Keys that Vega-Lite does not know and ignores, and that look like keys that it knows."""
    for holder, keys in ((chart, KEYS), *((channel, FIELD_KEYS) for channel in _channels(chart))):
        for key in holder:
            if key not in keys and (near := did_you_mean(key, keys)) and _is_typo(key, near):
                line = _at(f'"{key}"', text, path).line
                yield Remark("dropped", f"Vega-Lite ignores '{key}', which it does not have{near}", line)


def _channels(chart: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for encoding in _values_of("encoding", chart):
        for channel in encoding.values() if isinstance(encoding, dict) else ():
            if isinstance(channel, dict):
                yield channel


def _is_typo(key: str, near: str) -> bool:
    """Whether a key is so similar to another that it must be a mistake, like `axes`."""
    other = near.rpartition("'")[0].rpartition("'")[2]
    return abs(len(key) - len(other)) <= 1 and sorted(key)[:1] == sorted(other)[:1] and key[0] == other[0]


def _rows(values: Any) -> list[dict[str, Any]]:
    """The rows of a data set that are records. A text is JSON, or a table with a header and commas or tabs."""
    if isinstance(values, str):
        header = values.partition("\n")[0]
        try:
            is_json = header.lstrip()[:1] in ("[", "{")
            sign = "\t" if "\t" in header else ","
            values = (
                json.loads(values) if is_json else list(csv.DictReader(io.StringIO(values), delimiter=sign))
            )
        except (ValueError, csv.Error, RecursionError):  # Vega reads it in a way of its own
            return []
    if not isinstance(values, list):
        return []
    return [{str(name): value for name, value in row.items()} for row in values if isinstance(row, dict)]


def _values_of(key: str, value: Any) -> Iterator[Any]:
    """The values of a key at any depth of a chart, except in its data."""
    waiting = [value]
    while waiting:
        item = waiting.pop(0)
        if isinstance(item, dict):
            if key in item:
                yield item[key]
            waiting += [child for name, child in item.items() if name not in ("data", "datasets", "values")]
        elif isinstance(item, list):
            waiting += item


def _in_a_line(text: object) -> str:
    """A text of a chart, which may be a list of lines; empty if it is computed."""
    lines = text if isinstance(text, list) else [text]
    texts = [line for line in lines if isinstance(line, str)]
    return " ".join(texts) if len(texts) == len(lines) else ""


def _at(word: str, text: str, path: str) -> Origin:
    """The first place of a word in the source; the file alone if it has no such word."""
    index = text.find(word)
    return Origin(path) if index < 0 else place(text, index, path)


def _place_of(message: str, text: str, path: str) -> Origin:
    """The place of the character that a message names, as such or as `\\u0000`; the file alone if it names none."""
    named = re.search(r"U\+([0-9A-F]{4})", message)
    match = named and re.search(rf"\\u{named[1]}|{chr(int(named[1], 16))}", text, re.IGNORECASE)
    return _at(match[0], text, path) if match else Origin(path)


def _named(value: Any) -> Iterator[dict[str, Any]]:
    """Every `data` with a `url`, at any depth."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            data = item.get("data")
            if isinstance(data, dict) and isinstance(data.get("url"), str):
                yield data
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item


def _take_in(data: dict[str, Any], job: Job, root: Path, chart: str, looked: dict[str, None]) -> None:
    """Replace the path of a table by its content. looked: gets the file. Raises AuthorError."""
    name = data.pop("url")
    at = _at(name, chart, job.source)
    if "://" in name or name.startswith(("/", "\\")) or ".." in Path(name).parts:
        rule = f"data are read only from the book, by a relative path without '..', not from '{name}'"
        raise AuthorError(at, f"{rule}; save them beside the chart")
    stated = data.get("format")
    form = dict(stated) if isinstance(stated, dict) else {}
    suffix = Path(name).suffix[1:].lower()
    form.setdefault("type", suffix if suffix in TABLES else "json")  # Vega's own rule
    file = PurePosixPath(job.source).parent.joinpath(name).as_posix()
    looked[file] = None
    try:
        text = source_text.decoded(job.data(file, root, DATA), file)
        data["values"] = json_value(text, file, constants=True) if "json" in str(form["type"]) else text
    except inside.RefusedError as error:
        raise AuthorError(at, f"data '{name}' {error.phrase}") from None
    except OSError as error:
        raise AuthorError(at, f"data '{name}' cannot be read: {error.strerror}") from None
    except AuthorError:
        if suffix in TABLES or "type" in (stated or {}):
            raise
        rule = f"data '{name}' must end in one of {', '.join(TABLES)}, or state its `format`"
        raise AuthorError(at, rule) from None
    data["format"] = form
