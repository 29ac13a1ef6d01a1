"""The kind vega-lite: Vega draws a chart in JSON, `.vl.json`, in a process beside this one (plots/vega.py).

Data that the chart names by a relative path are read from the book and put into the chart, because Vega opens no files.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lxml import etree

from figmill.errors import AuthorError, did_you_mean
from figmill.host import files
from figmill.kinds.job import Job, Raw, source
from figmill.kinds.plots import vega_words
from figmill.kinds.plots.vega import VegaError, svg_of, texts_of
from figmill.kinds.tables import COLUMNS, fitting, table
from figmill.model import Fact, FigureTable, Origin
from figmill.palette import GRID, MUTED, TEXT, role
from figmill.wording import current

SVG = "{http://www.w3.org/2000/svg}"
DATA = 20_000_000  # bytes of a file with data
MARKS = ("arc", "area", "bar", "boxplot", "circle", "errorband", "errorbar", "geoshape", "image", "line", "point",
         "rect", "rule", "square", "text", "tick", "trail")  # fmt: skip
TYPES = ("quantitative", "ordinal", "nominal", "temporal", "geojson")
KEYS = ("data", "mark", "encoding", "transform", "layer", "facet", "hconcat", "vconcat", "concat", "repeat", "spec",
        "title", "width", "height", "config", "params", "projection", "resolve", "datasets")  # fmt: skip
FIELD_KEYS = ("field", "type", "aggregate", "bin", "timeUnit", "stack", "sort", "scale", "axis", "legend", "title",
              "value", "datum", "condition", "format", "bandPosition", "impute")  # fmt: skip
TABLES = ("csv", "tsv", "dsv", "json", "topojson")


def warm(fonts: Sequence[str]) -> None:
    """Do nothing: Vega is loaded by the process that draws."""


def render(job: Job, root: Path) -> Raw:
    """The SVG of one chart, in the palette, with its facts. Raises AuthorError at the line of a mistake."""
    try:
        text = source(job, root).decode("utf-8-sig")
        chart = json.loads(text)
    except UnicodeDecodeError:
        raise AuthorError(Origin(job.source), "not UTF-8; save the file as UTF-8") from None
    except json.JSONDecodeError as error:
        raise AuthorError(Origin(job.source, error.lineno, error.colno), _not_json(error)) from None
    except RecursionError:
        raise AuthorError(Origin(job.source), "nested deeper than Python can read") from None
    if not isinstance(chart, dict):
        raise AuthorError(Origin(job.source), 'a chart of Vega-Lite is an object, like {"mark": "bar"}')
    _check(chart, text, job.source)
    for data in _named(chart):
        _take_in(data, job, root, text)
    chart["config"] = merged({**colours(), **_locale()}, chart.get("config"))
    try:
        svg = _OF_MARKS.sub(b"", svg_of(json.dumps(chart).encode()))
        svg = svg if _EXAMPLES in text else svg.replace(_EXAMPLES.encode(), b"")
    except VegaError as error:
        message, words = str(error), re.findall(r"[\"'`]([^\"'`]+)[\"'`]", str(error))
        at = next((where for word in words if (where := _at(f'"{word}"', text, job.source)).line), None)
        raise AuthorError(at or Origin(job.source), message) from None
    counts, tables = facts(chart, svg), tables_of(chart)
    fields = [field for field in _values_of("field", chart) if isinstance(field, str)]
    empty = vega_words.remarks(counts["marks"], fields, tables, _at('"mark"', text, job.source).line)
    stated = vega_words.stated_of(texts_of(json.dumps(chart).encode()), text)
    return Raw(svg, counts, remarks=tuple(empty), tables=tables, stated=stated)


_EXAMPLES = (
    "https://vega.github.io/vega-datasets/"  # what vl-convert writes before the relative path of a picture
)
# What Vega says of single marks, which nobody hears inside a picture.
_OF_MARKS = re.compile(
    rb'(?: aria-label="[^"]*")?(?: role="graphics-(?:symbol|object)")? aria-roledescription="[^"]*"'
)


def colours() -> dict[str, Any]:
    """The palette as Vega-Lite's `config`. A chart's own goes before."""
    ink, lines = TEXT[0], role("neutral").line
    words = {"labelColor": ink, "titleColor": ink}
    marks = [role(name).line for name in ("compute", "routing", "data", "error", "accent", "neutral")]
    return {
        "mark": {"color": marks[0]},
        "text": {"color": ink},
        "rule": {"color": lines},
        "axis": {**words, "domainColor": lines, "tickColor": lines, "gridColor": GRID[0]},
        "legend": words,
        "header": words,
        "title": {"color": ink, "subtitleColor": MUTED[0]},
        "view": {"stroke": GRID[0]},
        "range": {"category": marks},
    }


DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
MONTHS = [
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
]  # fmt: skip


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
        "dateTime": "%x %X", "date": "%Y-%m-%d", "time": "%H:%M:%S", "periods": ["AM", "PM"],
        "days": long, "shortDays": short, "months": months, "shortMonths": brief,
    }  # fmt: skip
    return {"locale": {"number": number, "time": dates}}


def merged(under: dict[str, Any], over: Any) -> dict[str, Any]:
    """Two settings of Vega-Lite in one, mapping by mapping; `over` goes before. Pure."""
    if not isinstance(over, dict):
        return under
    both = {
        key: merged(under[key], over[key])
        for key in under.keys() & over.keys()
        if isinstance(under[key], dict)
    }
    return {**under, **over, **both}


def facts(chart: Mapping[str, Any], svg: bytes) -> dict[str, Fact]:
    """marks: the bars, points, lines and words that show data; the chart's title and description if it has them."""
    drawing = etree.fromstring(svg)
    groups = (node for node in drawing.iter("{*}g") if "role-mark" in str(node.get("class", "")).split())
    title = chart.get("title")
    words = {
        "title": _in_a_line(title.get("text") if isinstance(title, dict) else title),
        "description": _in_a_line(chart.get("description")),
    }
    named: dict[str, Fact] = {name: text for name, text in words.items() if text}
    shown = sum(len([child for child in group if child.tag != f"{SVG}g"]) for group in groups)
    return {"marks": shown, **named}


def tables_of(chart: Mapping[str, Any]) -> tuple[FigureTable, ...]:
    """The data of a chart, each set as a table of the fields that the chart uses, before Vega transforms them."""
    fields = {field for field in _values_of("field", chart) if isinstance(field, str)}
    every = [
        data["values"] for data in _values_of("data", chart) if isinstance(data, dict) and "values" in data
    ]
    every += [value for value in (chart.get("datasets") or {}).values() if isinstance(value, list)]
    found: list[FigureTable] = []
    for number, values in enumerate(every, 1):
        rows = _rows(values)
        names = list(dict.fromkeys(name for row in rows for name in row))
        names = [name for name in names if name in fields] or names
        if rows and len(names) <= COLUMNS:
            title = "Data" if len(every) == 1 else f"Data {number}"
            found.append(table(title, names, [[row.get(name) for name in names] for row in rows]))
    return fitting(found)


def _not_json(error: json.JSONDecodeError) -> str:
    """What is wrong with JSON, and what would be right."""
    before, here = error.doc[: error.pos].rstrip(), error.doc[error.pos :].lstrip()[:1]
    if before.endswith(",") and here in ("}", "]", ""):
        return f"not JSON: the last ',' before '{here or 'the end'}' is too many"
    if here == "'":
        return 'not JSON: texts have double quotes, like "mark"'
    if not here:
        return "not JSON: the file ends too early; is a '}' or a ']' missing?"
    if "delimiter" in error.msg:
        sign = "," if "','" in error.msg else ":"
        return f"not JSON: a '{sign}' is missing before '{error.doc[error.pos :].split()[0][:20]}'"
    return f"not JSON: {error.msg}"


def _check(chart: Mapping[str, Any], text: str, path: str) -> None:
    """Raise AuthorError for a mark, a type of a field or a key that Vega-Lite lacks and that looks like one it has."""
    for mark in _values_of("mark", chart):
        name = mark.get("type") if isinstance(mark, dict) else mark
        if isinstance(name, str) and name not in MARKS:
            near = did_you_mean(name, MARKS) or f"; there are {', '.join(MARKS)}"
            raise AuthorError(_at(f'"{name}"', text, path), f"Vega-Lite has no mark '{name}'{near}")
    known: list[tuple[Any, Sequence[str]]] = [(chart, KEYS)]
    for encoding in _values_of("encoding", chart):
        for channel in encoding.values() if isinstance(encoding, dict) else ():
            known.append((channel, FIELD_KEYS))
            name = channel.get("type") if isinstance(channel, dict) else None
            if isinstance(name, str) and name not in TYPES:
                near = did_you_mean(name, TYPES) or f"; there are {', '.join(TYPES)}"
                raise AuthorError(_at(f'"{name}"', text, path), f"Vega-Lite has no type '{name}'{near}")
    for holder, keys in known:
        for key in holder if isinstance(holder, dict) else ():
            if key not in keys and (near := did_you_mean(key, keys)) and _is_typo(key, near):
                raise AuthorError(_at(f'"{key}"', text, path), f"Vega-Lite has no '{key}' here{near}")


def _is_typo(key: str, near: str) -> bool:
    """Whether a key is so near to another one that it can be no key of its own, like `axes`."""
    other = near.rpartition("'")[0].rpartition("'")[2]
    return abs(len(key) - len(other)) <= 1 and sorted(key)[:1] == sorted(other)[:1] and key[0] == other[0]


def _rows(values: Any) -> list[dict[str, Any]]:
    """The rows of a data set that are records; a text is a table with a header, separated by commas or tabs."""
    if isinstance(values, str):
        header = values.partition("\n")[0]
        values = list(csv.DictReader(io.StringIO(values), delimiter="\t" if "\t" in header else ","))
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
            waiting += [one for name, one in item.items() if name not in ("data", "datasets", "values")]
        elif isinstance(item, list):
            waiting += item


def _in_a_line(text: object) -> str:
    """Words of a chart, which may be a list of lines; empty if they are computed."""
    lines = text if isinstance(text, list) else [text]
    words = [line for line in lines if isinstance(line, str)]
    return " ".join(words) if len(words) == len(lines) else ""


def _at(word: str, text: str, path: str) -> Origin:
    """Where a word first stands; the file alone if it does not."""
    place = text.find(word)
    if place < 0:
        return Origin(path)
    return Origin(path, text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place))


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


def _take_in(data: dict[str, Any], job: Job, root: Path, chart: str) -> None:
    """Replace the path of a table by its content. Raises AuthorError."""
    name = data.pop("url")
    at = _at(name, chart, job.source)
    if "://" in name or name.startswith(("/", "\\")) or ".." in Path(name).parts:
        rule = f"data are read only from the book, by a relative path without '..', not from '{name}'"
        raise AuthorError(at, f"{rule}; save them beside the chart")
    stated = data.get("format")
    form = dict(stated) if isinstance(stated, dict) else {}
    form.setdefault("type", Path(name).suffix[1:].lower() or "json")
    if form["type"] not in TABLES:
        raise AuthorError(at, f"data '{name}' must end in one of {', '.join(TABLES)}, or state its `format`")
    try:
        text = files.read((root / job.source).parent / name, DATA).decode("utf-8-sig")
        data["values"] = json.loads(text) if "json" in form["type"] else text
    except (OSError, files.UnfitError) as error:
        raise AuthorError(at, f"data '{name}' cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise AuthorError(at, f"data '{name}' cannot be read: {error}") from None
    data["format"] = form
