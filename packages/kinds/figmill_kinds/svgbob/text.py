"""Words beyond ASCII in drawings for Svgbob, which counts bytes where it should count cells. Pure.

Svgbob takes a run of words to be as wide as its bytes in UTF-8, and gives each accent or joiner that follows its
letter a cell of its own: letters move onto others, and borders out of line. So Svgbob draws a stand-in for each such
character, and the words are put back afterwards, from the cells of the source.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from unicodedata import category, east_asian_width

from figmill.kind.source_text import unescaped

CELL, ROW = 8, 16  # px of one character
LEFT, BASE = 2, 12  # px of a word's beginning and baseline in its cell
STAND_IN = "w"  # in no shape of Svgbob's
JOINER = "\u200d"
# Where Svgbob has shapes: dashes and an apostrophe, signs, boxes, arrows.
_SHAPES = (
    ("\u2013", "\u2014"),
    ("\u2019", "\u2019"),
    ("\u2220", "\u2220"),
    ("\u2260", "\u2260"),
    ("\u2295", "\u2295"),
    ("\u22c0", "\u22c0"),
    ("\u2308", "\u230b"),
    ("\u2500", "\u259f"),
    ("\u25a1", "\u25ff"),
    ("\u2900", "\u29ff"),
    ("\uffee", "\uffee"),
)
CLASS = re.compile(r"\{[^{}\n]*\}")
_TEXT = re.compile(r'<text x="([\d.]+)" y="([\d.]+)"([^>]*)>([^<]*)</text>')

LineCells = list[str]  # the characters of each cell of one line; "" is the second cell of a wide character


def cells(line: str) -> LineCells:
    """The cells of a line. Accents and joined characters are in the cell of their letter."""
    names = {place for match in CLASS.finditer(line) for place in range(match.start(), match.end())}
    cells_of_line: list[str] = []
    last = -1  # the cell that an accent belongs to
    for place, letter in enumerate(line):
        if place in names:
            cells_of_line.append(letter)
            last = -1
        elif last >= 0 and (_is_mark(letter) or cells_of_line[last].endswith(JOINER)):
            # a space at the end of a run would be lost, together with its accent
            cells_of_line[last] = cells_of_line[last].replace(" ", "\u00a0") + letter
        else:
            last = len(cells_of_line)
            cells_of_line.extend((letter, "") if east_asian_width(letter) in "WF" else (letter,))
    return cells_of_line


def stand_ins(line: LineCells) -> str:
    """The line for Svgbob: a one-byte character in place of each cell for which Svgbob has no shape."""
    return "".join(
        STAND_IN if _is_word(cell) or _is_apostrophe(line, place) else cell for place, cell in enumerate(line)
    )


def put_back(svg: str, rows: Sequence[LineCells]) -> str:
    """Svgbob's SVG with the words of the source in place of their stand-ins."""
    drawn = [stand_ins(row) for row in rows]

    def words(match: re.Match[str]) -> str:
        x, y, more, text = float(match[1]), float(match[2]), match[3], unescaped(match[4])
        row, column = round((y - BASE) / ROW), round((x - LEFT) / CELL)
        # words in quotes begin in the cell of their quote
        for start in (column, column + 1):
            end = start + len(text)
            if 0 <= row < len(rows) and drawn[row][start:end] == text:
                return "".join(
                    f'<text x="{x + CELL * at:g}" y="{y:g}"{more}>{html.escape(part, quote=False)}</text>'
                    for at, part in _parts(rows[row][start:end])
                )
        return match[0]

    return _TEXT.sub(words, svg)


def _parts(line: LineCells) -> Iterator[tuple[int, str]]:
    """Runs of words with their first cell; a wide character is a run of its own, as its font may not fill two cells."""
    begin, run = 0, ""
    for place, cell in enumerate(line):
        is_wide = line[place + 1 : place + 2] == [""]
        if run and (is_wide or not cell):
            yield begin, run
            run = ""
        begin = begin if run else place
        run += cell
    if run:
        yield begin, run


def _is_mark(letter: str) -> bool:
    return category(letter) in ("Mn", "Me", "Cf") or "\U0001f3fb" <= letter <= "\U0001f3ff"


def _is_word(cell: str) -> bool:
    """Whether a cell has more than one byte and no shape in Svgbob, or is the second half of such a cell."""
    if len(cell) != 1:
        return True
    is_shape = any(first <= cell <= last for first, last in _SHAPES)
    return cell > "\x7f" and not is_shape and not cell.isspace()


def _is_apostrophe(line: LineCells, place: int) -> bool:
    around = line[max(0, place - 1) : place] + line[place + 1 : place + 2]
    return line[place] == "\u2019" and len(around) == 2 and all(cell[:1].isalpha() for cell in around)
