"""Substitutes for what PlantUML for JavaScript silently omits: words in place of formulas and picture files, and
remarks on rectangles for hexagons, curves for right angles, and balls and sockets missing in the middle of a line.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from figmill.kind import Remark
from figmill_kinds.plantuml import links
from figmill_kinds.plantuml.text import DiagramText

_FORMULA = re.compile(r"<(math|latex)>(.*?)</\1>")
_PICTURE = re.compile(r"<img[\s:]+(?:src\s*=\s*)?[\"']?([^>{}\"']+)[\"']?\s*(?:\{[^}]*\})?\s*/?>")
_COMMENT = re.compile(r"^\s*'.*|/'.*?'/")
# What PlantUML reads as more than a letter: of its markup, of a label's end, of a new line.
_MARKUP = re.compile(r"[\x00-\x08\x0e-\x1b\x7f\"#$%&'()*/:<>@\[\\\]_`{|}~-]")
_NAME = r"(?:\"[^\"]*\"|[\w.]+)"
_HEXAGON = re.compile(
    rf"^(\s*)hexagon(\s+{_NAME}(?:\s+as\s+{_NAME})?(?:\s*(?:<<[^>]*>>|#\S+|\$\w+))*\s*[{{\[]?\s*)$"
)

_ANGLES = re.compile(r"\blinetype\s+(ortho|polyline)\b", re.IGNORECASE)
_LINK = re.compile(r'<g class="link"[^>]*>.*?</g>', re.DOTALL)
_CURVE = re.compile(r'<path d="(M[^"]*C[^"]*)"')
# In the middle of a line; at its ends, PlantUML for JavaScript draws them.
_BALL = re.compile(r"[-.](?:\[[^\]]*\])?(?:left|right|up|down|[lrud])?(\(0\)|\(0|0\)|0)(?:\[[^\]]*\])?[-.]")
_OF_DARK_PAGES = ("black-knight", "cyborg", "cyborg-outline", "hacker", "superhero", "superhero-outline")
_THEME = re.compile(r"\s*!theme\s+(\S+)")
_PAGE = re.compile(r"\bbackgroundColor\b", re.IGNORECASE)

_QUOTED = re.compile(r'"[^"]*"')


def shown(text: DiagramText) -> DiagramText:
    """The text with what PlantUML draws in place of formulas and pictures: a formula's source, a picture's name."""
    return _worded(text, lambda phrase: _MARKUP.sub(lambda sign: f"<U+{ord(sign[0]):04X}>", phrase))


def visible(text: DiagramText) -> DiagramText:
    """The same, as a reader sees it."""
    text = _worded(text, str)
    return replace(text, lines=tuple(map(links.words_of, text.lines)))


def remarks(text: DiagramText, svg: str) -> Iterator[Remark]:
    """A remark on each substitute in the figure, and on the diagrams of the source that the figure lacks."""
    if text.of > 1:
        yield Remark("dropped", f"the first of {text.of} diagrams is drawn; `figure: 2` draws the second")
    rows = list(_uncommented(text))
    yield from _lines(text, rows, svg)
    formulas = [(number, match) for number, row in rows for match in _FORMULA.finditer(row)]
    pictures = [(number, match) for number, row in rows for match in _PICTURE.finditer(row)]
    if formulas:
        line, where = _place(text, formulas[0][0])
        what = "its source stands" if len(formulas) == 1 else "their sources stand"
        count = "a formula" if len(formulas) == 1 else f"{len(formulas)} formulas"
        yield Remark("dropped", f"{where}PlantUML for JavaScript does not set {count}; {what} there", line)
    if hexagons := [number for number, row in rows if _HEXAGON.match(row)]:
        line, where = _place(text, hexagons[0])
        yield Remark(
            "dropped", f"{where}PlantUML for JavaScript draws no hexagon; a rectangle stands there", line
        )
    if pictures:
        line, where = _place(text, pictures[0][0])
        names = ", ".join(dict.fromkeys(f"'{_name(match)}'" for _, match in pictures))[:300]
        what = "its name stands" if len(pictures) == 1 else "their names stand"
        yield Remark("dropped", f"{where}PlantUML for JavaScript does not show {names}; {what} there", line)


def _lines(text: DiagramText, rows: list[tuple[int, str]], svg: str) -> Iterator[Remark]:
    """A remark on each link that is drawn differently from its source."""
    for number, row in rows:
        line, where = _place(text, number)
        if (match := _ANGLES.search(row)) and _is_bent(svg):
            message = (
                f"PlantUML for JavaScript draws curves and slanted lines in place of `linetype {match[1]}`"
            )
            yield Remark("dropped", f"{where}{message}; leave it out, or draw the graph with kind dot", line)
        elif 'class="link"' in svg and (match := _BALL.search(_QUOTED.sub("", row).partition(":")[0])):
            message = f"PlantUML for JavaScript does not draw '{match[1]}' in the middle of a line"
            yield Remark("not-drawn", f"{where}{message}; write it at an end, like `--(` or `--0`", line)


def page(text: DiagramText) -> tuple[str, ...]:
    """The line that gives a theme with white letters the dark page that it lacks; none if the source has a page."""
    rows = [row for _, row in _uncommented(text)]
    themes = {match[1] for row in rows if (match := _THEME.match(row))}
    is_bare = themes.intersection(_OF_DARK_PAGES) and not any(_PAGE.search(row) for row in rows)
    return ("skinparam backgroundColor #222222",) if is_bare else ()


def _is_bent(svg: str) -> bool:
    """Whether a link is neither level nor upright."""
    for link in _LINK.findall(svg):
        for path in _CURVE.findall(link):
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", path)]
            if all(max(side) - min(side) > 2 for side in (numbers[::2], numbers[1::2])):
                return True
    return False


def _worded(text: DiagramText, spelled: Callable[[str], str]) -> DiagramText:
    def formula(match: re.Match[str]) -> str:
        source = match[2].strip()
        return spelled(source.replace(r"\\", "\\") if text.kind == "json" else source)

    rows = (_FORMULA.sub(formula, row) for row in text.lines)
    rows = (_PICTURE.sub(lambda match: spelled(_name(match)), row) for row in rows)
    return replace(text, lines=tuple(_HEXAGON.sub(r"\1rectangle\2", row) for row in rows))


def _name(picture: re.Match[str]) -> str:
    return re.split(r"[/\\]", picture[1].strip())[-1]


def _place(text: DiagramText, number: int) -> tuple[int | None, str]:
    """The line of the source; for a line of an included file, none, and words that name it."""
    at = text.at(number)
    return (at.line, "") if at.path == text.source else (None, f"{at.path}, line {at.line}: ")


def _uncommented(text: DiagramText) -> Iterator[tuple[int, str]]:
    """The numbered lines, from 1, without their comments."""
    inside = False
    for number, row in enumerate(text.lines, 1):
        if inside:
            _, closed, row = row.partition("'/")
            if not closed:
                continue
        row, opened, _ = _COMMENT.sub("", row).partition("/'")
        inside = bool(opened)
        yield number, row
