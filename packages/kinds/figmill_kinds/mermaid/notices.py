"""Findings about a diagram that Mermaid has drawn: the parts of its source that the picture does not show. Pure.

The facts are those of Mermaid's own model, from notices.js; the source is searched only for the line of a fact. Nothing
here is an error: what Mermaid draws, figmill draws.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from figmill.kind import Remark, did_you_mean
from figmill.kind.links import address
from figmill_kinds.mermaid import layouts
from figmill_kinds.mermaid.labels import plain

Row = tuple[int, str]  # a line with its number
CHECK = "dropped"


def remarks(notices: Mapping[str, Any], text: str, rows: Sequence[Row]) -> Iterator[Remark]:
    """The findings about a drawing.

    notices: the facts of notices.js by their name; text: the source; rows: its lines without settings and comments.
    """
    every = list(enumerate(text.split("\n"), 1))
    for name, fact in notices.items():
        if fact:
            for line, message in REMARKS[name](fact, every if name in SETTINGS else rows):
                yield Remark("not-drawn" if name == "wordless" else CHECK, message, line)


def line_of(rows: Sequence[Row], *names: str) -> int | None:
    """The first line that has all of the names, each as a whole; None if no line has them."""
    searches = [re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])") for name in names]
    return next((number for number, line in rows if all(search.search(line) for search in searches)), None)


_CLICK = re.compile(r"^\s*(?:click|link)\s+\S+\s+(?:href\s+)?\"([^\"]+)\"")
MAY_NOT = "links lead to a page, a part of one, a figure (figmill:ID) or a mailbox"


def lost_links(svg: bytes, rows: Sequence[Row]) -> Iterator[Remark]:
    """A finding for each link that the drawing does not have: Mermaid draws none in some types, such as Gantt."""
    for number, line in rows:
        if (match := _CLICK.match(line)) is None:
            continue
        is_refused = not address(match[1])
        if is_refused or b"<a " not in svg:
            why = MAY_NOT if is_refused else "Mermaid draws no links in diagrams of this type"
            yield Remark(CHECK, f"the link to '{match[1][:60]}' is left out: {why}", number)


THEMES = (
    "default",
    "base",
    "dark",
    "forest",
    "neutral",
    "neo",
    "neo-dark",
    "redux",
    "redux-dark",
    "redux-color",
)


def _layout(name: str, rows: Sequence[Row]) -> Iterator[tuple[int | None, str]]:
    near = (
        did_you_mean(name, layouts.ALL) or f"; write {', '.join(layouts.NAMES[:-1])} or {layouts.NAMES[-1]}"
    )
    yield line_of(rows, name), f"there is no layout '{name}'{near}"


def _theme(name: str, rows: Sequence[Row]) -> Iterator[tuple[int | None, str]]:
    near = did_you_mean(name, THEMES) or f"; Mermaid's are {', '.join(THEMES)}"
    yield line_of(rows, "theme", name), f"there is no theme '{name}'{near}"


def _sheet(parts: Sequence[str], rows: Sequence[Row]) -> Iterator[tuple[int | None, str]]:
    line = line_of(rows, "themeCSS")
    if parts[0] == "{":
        yield line, "`themeCSS` is left out: its braces are not in pairs"
    else:
        part = " ".join(parts[0].split())[:60]
        yield line, f"`{part}` in `themeCSS` is left out: a figure fetches nothing"


def _classes(names: Sequence[str | None], rows: Sequence[Row]) -> Iterator[tuple[int | None, str]]:
    """names: classes without a definition, None, classes with one."""
    at = names.index(None)
    defined = sorted(str(name) for name in names[at + 1 :])
    for name in map(str, names[:at]):
        uses = [
            number
            for number, line in rows
            if re.search(
                rf":::[\s\w,-]*(?<![\w-]){re.escape(name)}(?![\w-])|^\s*(?:class|cssClass)\s.*\s{re.escape(name)}\s*;?\s*$",
                line,
            )
        ]
        if uses and name != "default":  # else the class is one of Mermaid's own
            near = did_you_mean(name, defined) or f"; write `classDef {name} fill:...`, or a role"
            yield uses[0], f"there is no class '{name}'{near}"


def _tasks(pairs: Sequence[tuple[str, str]], rows: Sequence[Row]) -> Iterator[tuple[int | None, str]]:
    for task, name in pairs:
        place = line_of(rows, task, name) or line_of(rows, name)
        yield place, f"there is no task '{name}'; Mermaid begins or ends this one at another time"


def _scores(tasks: Sequence[str], rows: Sequence[Row]) -> Iterator[tuple[int | None, str]]:
    for task in tasks:
        yield (
            line_of(rows, task),
            f"this task has no score; write a number from 1 to 5 first, like `{task}: 3: Me`",
        )


def _flows(pairs: Sequence[tuple[str, str]], rows: Sequence[Row]) -> Iterator[tuple[int | None, str]]:
    for begin, end in pairs:
        yield (
            line_of(rows, begin, end),
            "the size of this flow is not a number from 0; write one, like `a,b,3`",
        )


def _curves(
    curves: Sequence[tuple[str, int, Sequence[str]]], rows: Sequence[Row]
) -> Iterator[tuple[int | None, str]]:
    for name, count, axes in curves:
        values = f"{count} value{'s' * (count != 1)}"
        right = f"write one for each of {', '.join(axes)}"
        yield line_of(rows, name), f"curve '{name}' has {values} for {len(axes)} axes; {right}"


def _menus(
    menus: Sequence[tuple[str, Sequence[str]]], rows: Sequence[Row]
) -> Iterator[tuple[int | None, str]]:
    for actor, links in menus:
        titles = ", ".join(f"'{title}'" for title in links)
        place = next(
            (number for number, line in rows if re.match(r"\s*links?\s", line) and actor in line), None
        )
        yield place, f"the menu of '{actor}' ({titles}) is left out: a picture has no menus"


def _leaving(
    edges: Sequence[tuple[str, str, str, str]], rows: Sequence[Row]
) -> Iterator[tuple[int | None, str]]:
    for begin, end, name, title in edges:
        place = line_of(rows, begin, end) or line_of(rows, name)
        yield place, f"the `direction` of '{title}' has no effect, because this edge leaves it"


def _wordless(nodes: Sequence[tuple[str, str]], rows: Sequence[Row]) -> Iterator[tuple[int | None, str]]:
    for shape, label in nodes:
        yield (
            line_of(rows, label),
            f"the label '{plain(label)[:60]}' is not in the picture: Mermaid draws the shape '{shape}' without words",
        )


Words = Callable[[Any, Sequence[Row]], Iterator[tuple[int | None, str]]]
REMARKS: Mapping[str, Words] = {
    "layout": _layout,
    "theme": _theme,
    "sheet": _sheet,
    "classes": _classes,
    "tasks": _tasks,
    "scores": _scores,
    "flows": _flows,
    "curves": _curves,
    "menus": _menus,
    "leaving": _leaving,
    "wordless": _wordless,
}
SETTINGS = ("layout", "theme", "sheet")  # stand in the settings above a diagram
