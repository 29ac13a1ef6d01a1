"""The long description of a figure in a page: its own text, or its tables, in a disclosure below the figure.

Reads the figure's CSV files. A long table is shown in part, with a link to the whole.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from xml.etree.ElementTree import Element, SubElement

from figmill import page_words
from figmill.integrations import figures
from figmill.integrations.figures import DataTable, Figure
from figmill.late_dataclasses import dataclass

ROWS, ITEMS, LINES = 100, 100, 200  # of a table, of a list and of nested lists in a page; the file has all
ARROW = "\N{RIGHTWARDS ARROW}"
LARGEST = 4 << 20  # bytes of a file that is read


@dataclass(frozen=True, slots=True)
class ReadTable:
    """A table as a page shows it, with the cells of its file."""

    about: DataTable
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(figure: Figure, folder: Path) -> tuple[ReadTable, ...]:
    """The tables of a figure. folder: of the manifest. A file that cannot be read is left out."""
    readable = []
    for about in figure.description.tables if figure.description else ():
        try:
            stat = (folder / about.path).stat()
            rows = _rows(folder, about.path, (stat.st_mtime_ns, stat.st_size))
        except (OSError, ValueError, csv.Error):
            continue
        if rows:
            readable.append(ReadTable(about, rows[0], rows[1:]))
    return tuple(readable)


@lru_cache(maxsize=128)
def _rows(folder: Path, path: str, _version: tuple[int, int]) -> tuple[tuple[str, ...], ...]:
    text = figures.read(folder, path, LARGEST).decode()
    rows = (
        tuple(cell.removeprefix("'") if cell[:2] in _KEPT else cell for cell in row)
        for row in csv.reader(io.StringIO(text))
    )
    return tuple(rows)


_KEPT = frozenset(f"'{sign}" for sign in "=+-@\t\r")  # texts that are not formulas


def details(
    figure: Figure, folder: Path, url: Callable[[DataTable], str | None], id_: str | None = None
) -> Element | None:
    """The disclosure below a figure; None if it has none. url: of a file, if the page can link to it."""
    described = figure.description
    if described is None or not described.shown:
        return None
    read = tables(figure, folder)
    if not (described.text or read):
        return None
    # Material's search would find every table of numbers before the page about it.
    attributes = {"class": "figmill-data", "data-search-exclude": "", **({"id": id_} if id_ else {})}
    outer = Element("details", attributes)
    name = figure.title or figure.caption or figure.label
    label = figure.translated(page_words.SUMMARY_OF).format(name)
    SubElement(outer, "summary", {"aria-label": label}).text = figure.translated(page_words.SUMMARY)
    if described.text:
        for paragraph in re.split(r"\n\s*\n", described.text):
            SubElement(outer, "p").text = " ".join(paragraph.split())
    else:
        for table in read:
            outer.extend(SHOWN[table.about.form if table.about.form in SHOWN else "table"](table, figure))
    links = [(table, address) for table in read if (address := url(table.about)) is not None]
    if links:
        line = SubElement(outer, "p", {"class": "figmill-files"})
        begin = SubElement(line, "span")
        begin.text, begin.tail = figure.translated(page_words.DATA), " "
        for table, address in links:
            link = SubElement(line, "a", {"href": address, "download": table.about.path.rpartition("/")[2]})
            link.text = f"{_title(table, figure)} (CSV)"
            link.tail = ", " if table is not links[-1][0] else ""
    return outer


def id_of(label: str) -> str:
    """The id of the first disclosure of a figure in a page, to which its pictures point."""
    return f"data-{label}"


def point(element: Element, id_: str) -> None:
    """Make the pictures of a figure point to its description, so that screen readers announce it."""
    for image in element.iter("img"):
        image.set("aria-details", id_)


def _title(table: ReadTable, figure: Figure) -> str:
    """The title of a table, in the page's language if it is figmill's own."""
    return figure.translated(table.about.title) if table.about.form != "table" else table.about.title


def _heading(table: ReadTable, shown: int, figure: Figure) -> str:
    every, title = max(table.about.total, len(table.rows)), _title(table, figure)
    if shown >= every:
        return title
    total = f"{every:,}" if figure.group == "," else f"{every}"
    return figure.translated(page_words.PART).format(title=title, shown=shown, total=total)


def _table(table: ReadTable, figure: Figure) -> list[Element]:
    """A table with a header for each column, and for each row its first cell; it scrolls where it does not fit."""
    rows = _evenly(table.rows, ROWS)
    heading = _heading(table, len(rows), figure)
    box = Element(
        "div",
        {"class": "figmill-table", "role": "group", "tabindex": "0", "aria-label": _title(table, figure)},
    )
    # without a class, Material puts a box around it
    grid = SubElement(box, "table", {"class": "figmill-rows"})
    SubElement(grid, "caption").text = heading
    head = SubElement(SubElement(grid, "thead"), "tr")
    for name in table.columns:
        SubElement(head, "th", {"scope": "col"}).text = name
    body = SubElement(grid, "tbody")
    for row in rows:
        line = SubElement(body, "tr")
        for number, cell in enumerate(row):
            attributes = {} if number else {"scope": "row"}
            SubElement(line, "td" if number else "th", attributes).text = (
                shown_number(cell).replace(".", figure.decimal) if is_number(cell) else cell
            )
    return [box]


def _list(table: ReadTable, figure: Figure, item: Callable[[Mapping[str, str]], str]) -> list[Element]:
    rows = table.rows[:ITEMS]
    heading = Element("p")
    SubElement(heading, "strong").text = (
        _heading(table, len(rows), figure)
        if len(rows) < table.about.total
        else _count(table, len(rows), figure)
    )
    points = Element("ul")
    for row in rows:
        SubElement(points, "li").text = item(dict(zip(table.columns, row, strict=False)))
    return [heading, points]


def _count(table: ReadTable, count: int, figure: Figure) -> str:
    """5 nodes, 1 edge; in other languages the title and the number, which need no plural."""
    title = _title(table, figure)
    if title != table.about.title:
        return figure.translated(page_words.COUNT).format(title=title, count=count)
    plural = title.lower()
    return f"{count} {plural if count != 1 else page_words.SINGULARS.get(plural, plural.removesuffix('s'))}"


def _nodes(table: ReadTable, figure: Figure) -> list[Element]:
    def item(row: Mapping[str, str]) -> str:
        return _with(row.get("node", ""), row.get("group", ""), _own(row.get("kind", ""), figure))

    return _list(table, figure, item)


def _edges(table: ReadTable, figure: Figure, sign: str = ARROW) -> list[Element]:
    return _list(table, figure, lambda row: _edge(row, figure, sign))


def _edge(row: Mapping[str, str], figure: Figure, sign: str = ARROW) -> str:
    """`A → B: label (kind, one to many)`."""
    way = f"{row.get('from', '')} {sign} {row.get('to', '')}"
    ends = [_own(row.get(f"how many {end}", ""), figure) for end in ("from", "to")]
    many = figure.translated(page_words.ONE_TO_MANY).format(*ends) if all(ends) else "".join(ends)
    label = f"{way}: {_label(row['label'], figure)}" if row.get("label") else way
    return _with(label, _own(row.get("kind", ""), figure), many)


def _with(text: str, *more: str) -> str:
    """A text, with additions in brackets."""
    notes = ", ".join(filter(None, more))
    return f"{text} ({notes})" if notes else text


def _own(text: str, figure: Figure) -> str:
    """figmill's own words, separated by commas, in the page's language; other words unchanged."""
    return ", ".join(figure.translated(part) for part in text.split(", ")) if text else ""


def _label(text: str, figure: Figure) -> str:
    """The label of an edge; figmill's own words at its end are in the page's language."""
    for phrase in (page_words.BOTH, page_words.NO_ARROW):
        if text == phrase or text.endswith(f", {phrase}"):
            return text.removesuffix(phrase) + figure.translated(phrase)
    return text


def _links(table: ReadTable, figure: Figure) -> list[Element]:
    return _edges(table, figure, "\N{EN DASH}")


def _nested(table: ReadTable, figure: Figure, tag: str = "ul") -> list[Element]:
    """Rows as lists in lists, by their level."""
    rows = table.rows[:LINES]
    heading = Element("p")
    SubElement(heading, "strong").text = _heading(table, len(rows), figure)
    lists = [Element(tag)]
    for row in (dict(zip(table.columns, cells, strict=False)) for cells in rows):
        level = int(row["level"]) if row.get("level", "").isdecimal() else 0
        del lists[level + 1 :]
        if level >= len(lists) and len(lists[-1]):
            lists.append(SubElement(lists[-1][-1], tag))
        SubElement(lists[-1], "li").text = _line(row, figure)
    return [heading, lists[0]]


def _line(row: Mapping[str, str], figure: Figure) -> str:
    """`A → B: label` for a message; else its kind and its text, such as `loop: every minute`."""
    if row.get("from") and row.get("to"):
        return _edge(row, figure)
    what = _own(row.get("step") or row.get("how") or "", figure)
    label = row.get("label") or row.get("item") or ""
    what = _with(what, row.get("from", "")) if what else ""
    return f"{what}: {label}" if what and label else what or label


def _steps(table: ReadTable, figure: Figure) -> list[Element]:
    return _nested(table, figure, "ol")


def _rows_in_own_words(table: ReadTable, figure: Figure) -> list[Element]:
    """A table whose title and columns are figmill's, and in some columns the cells."""
    rows = tuple(
        tuple(
            _own(cell, figure) if name in page_words.OWN_CELLS else cell
            for name, cell in zip(table.columns, row, strict=False)
        )
        for row in table.rows
    )
    columns = tuple(figure.translated(name) for name in table.columns)
    return _table(replace(table, columns=columns, rows=rows), figure)


SHOWN: Mapping[str, Callable[[ReadTable, Figure], list[Element]]] = MappingProxyType(
    {
        "table": _table,
        "rows": _rows_in_own_words,
        "nodes": _nodes,
        "edges": _edges,
        "links": _links,
        "steps": _steps,
        "outline": _nested,
    }
)


def shown_number(cell: str) -> str:
    """A number with many digits, rounded to four; anything else as it is."""
    return f"{float(cell):.4g}" if is_number(cell) else cell


def is_number(cell: str) -> bool:
    """Whether a cell is a number with a decimal point or an exponent."""
    return re.fullmatch(r"-?[0-9]+\.[0-9]+(?:e-?[0-9]+)?|-?[0-9]e-?[0-9]+", cell) is not None


def _evenly(rows: Sequence[tuple[str, ...]], most: int) -> Sequence[tuple[str, ...]]:
    """At most this many rows: evenly spaced ones of a table that was cut, else the first ones, which read in order."""
    return rows if len(rows) <= most else rows[:most]
