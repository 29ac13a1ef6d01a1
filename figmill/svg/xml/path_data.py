"""Path data (SVG 1.1, 8.3) and points lists: read by one parser, and written in normal form.

Commands become absolute: rounding errors of relative steps would add up along a path. Knows nothing of the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import TypeAlias

from figmill.late_dataclasses import dataclass
from figmill.svg.xml.numbers import LARGEST, NUMBER, significant, within

# The grammar: how many numbers each command takes.
TAKES = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}

Segment: TypeAlias = tuple[str, tuple[float, ...]]


def _arguments(takes: int) -> str:
    """The form of a command's arguments: 0 stands for a number, and a comma may precede each."""
    return f"(?:{',?0' * takes})+" if takes else ""


_FORMS = {letter: f"[{letter}{letter.lower()}]{_arguments(takes)}" for letter, takes in TAKES.items()}
_NUMBERS = re.compile(f"({NUMBER})")
_PATH = re.compile(f"(?:{_FORMS['M']}(?:{'|'.join(_FORMS.values())})*)?")
_POINTS = re.compile("(?:,?0)*")
_RELATIVE = re.compile("[a-z]")
_RUN = re.compile("[A-Za-z]0*")
_ARCS = re.compile(f"[Aa][^{''.join(TAKES)}{''.join(TAKES).lower()}]*")
# A whole number, without backtracking into its digits; the group is repeated after the look-ahead.
_ARC = re.compile(
    "".join(
        rf"\s*,?\s*(?=({part}))\{n}" for n, part in enumerate([NUMBER] * 3 + ["[01]"] * 2 + [NUMBER] * 2, 1)
    )
)
# Writing: the places of a command's numbers, after its letter if the command before it is another.
_REPEATED = re.compile("|".join(f"(?<={letter}){letter}+" for letter in TAKES if letter not in "MZ"))
_PLACES = {letter: f" {letter}{' %s' * takes}" for letter, takes in TAKES.items()}
_PLACES |= {letter.lower(): " %s" * takes for letter, takes in TAKES.items()}
_ZEROS = re.compile(r"\.?0+(?= |$)")
_MINUS = re.compile(r"-0(?= |$)")


@dataclass(frozen=True, slots=True)
class PathData:
    """A path up to its first error: that part is drawn, as SVG requires.

    - commands: one letter per segment.
    - numbers: of all segments, absolute.
    - is_whole: whether there was no error.
    """

    commands: str
    numbers: list[float]
    is_whole: bool = True

    def segments(self) -> Iterator[Segment]:
        """Each command with its numbers."""
        at = 0
        for command in self.commands:
            end = at + TAKES[command.upper()]
            yield command, tuple(self.numbers[at:end])
            at = end


def parse(text: str) -> PathData:
    """The path in absolute coordinates."""
    if "A" in text or "a" in text:
        text = _ARCS.sub(_separated, text)
    form, numbers = _scanned(text)
    valid = _PATH.match(form)[0]  # type: ignore[index]
    is_whole = not form[len(valid) :].strip(",")
    runs = _RUN.findall(valid.replace(",", ""))
    commands_of = {run: _commands(run) for run in set(runs)}
    commands = "".join(map(commands_of.__getitem__, runs)).replace("z", "Z")
    path = PathData(commands, numbers[: valid.count("0")], is_whole)
    return _absolute(path) if _RELATIVE.search(commands) else path


def parse_points(text: str) -> tuple[list[float], bool]:
    """The numbers of a points list up to its first error, and whether there was none."""
    form, numbers = _scanned(text)
    valid = _POINTS.match(form)[0]  # type: ignore[index]
    return numbers[: valid.count("0")], valid == form


def _scanned(text: str) -> tuple[str, list[float]]:
    """The form of a text, in which 0 stands for each number, without white space; and its numbers, within the limit."""
    pieces = text.split()
    distinct = set(pieces)
    if len(distinct) * 8 > len(pieces):
        return _scan(text)
    scans = {word: _scan(word) for word in distinct}  # thousands of boxes share few texts
    forms = {word: form for word, (form, _) in scans.items()}
    numbers = {word: values for word, (_, values) in scans.items()}
    return "".join(map(forms.__getitem__, pieces)), [*chain.from_iterable(map(numbers.__getitem__, pieces))]


def _scan(text: str) -> tuple[str, list[float]]:
    parts = _NUMBERS.split(text)
    numbers = [*map(float, parts[1::2])]
    if numbers and (max(numbers) > LARGEST or min(numbers) < -LARGEST):
        numbers = [*map(within, numbers)]
    return "".join("0".join(parts[::2]).split()), numbers


def _separated(match: re.Match[str]) -> str:
    """A run of arcs with spaces between all numbers: its flags need none. An exclamation mark precedes an error."""
    text, at = match[0], 1
    pieces = [text[0]]
    while arc := _ARC.match(text, at):
        pieces += arc.groups()
        at = arc.end()
    rest = text[at:]
    return " ".join(pieces) + (f"!{rest}" if _NUMBERS.search(rest) else rest)


def _commands(run: str) -> str:
    """The commands that a letter and its numbers stand for: one for as many numbers as it takes."""
    letter = run[0]
    takes = TAKES[letter.upper()]
    repeated = {"M": "L", "m": "l"}.get(letter, letter)  # further pairs are lines
    return letter + repeated * ((len(run) - 1) // takes - 1) if takes else letter


def _absolute(path: PathData) -> PathData:
    """The same path without relative commands."""
    x = y = start_x = start_y = 0.0
    numbers: list[float] = []
    for letter, values in path.segments():
        command = letter.upper()
        if letter != command:
            values = _moved(command, values, x, y)
        if command == "Z":
            x, y = start_x, start_y
        elif command == "H":
            x = values[0]
        elif command == "V":
            y = values[0]
        else:
            x, y = values[-2:]
        if command == "M":
            start_x, start_y = x, y
        numbers += values
    return PathData(path.commands.upper(), [*map(within, numbers)], path.is_whole)


def _moved(command: str, values: tuple[float, ...], x: float, y: float) -> tuple[float, ...]:
    if command == "H":
        return (values[0] + x,)
    if command == "V":
        return (values[0] + y,)
    if command == "A":
        return (*values[:5], values[5] + x, values[6] + y)
    return tuple(value + (y if place % 2 else x) for place, value in enumerate(values))


@lru_cache(maxsize=2048)
def path(text: str, decimals: int) -> tuple[str, bool]:
    """The path data in normal form, and whether they were read to their end."""
    path = parse(text)
    numbers = _rounded(path.numbers, decimals)
    if "A" in path.commands:
        _write_arcs(path, numbers)
    letters = _REPEATED.sub(lambda match: match[0].lower(), path.commands)
    return "".join(map(_PLACES.__getitem__, letters))[1:] % tuple(numbers), path.is_whole


def _rounded(numbers: list[float], decimals: int) -> list[str]:
    """The texts of numbers, one or more, with at most this many decimals. Each is written only once."""
    distinct = tuple(set(numbers))
    text = _ZEROS.sub("", " ".join([f"%.{decimals}f"] * len(distinct)) % distinct)
    texts = dict(zip(distinct, (_MINUS.sub("0", text) if "-0" in text else text).split(), strict=True))
    return [*map(texts.__getitem__, numbers)]


def _write_arcs(path: PathData, numbers: list[str]) -> None:
    """Write the arguments of arcs that are not coordinates: radii and angle to significant digits, flags as 0 or 1."""
    at = 0
    for command in path.commands:
        if command == "A":
            numbers[at : at + 3] = map(significant, path.numbers[at : at + 3])
            numbers[at + 3 : at + 5] = [str(int(flag)) for flag in path.numbers[at + 3 : at + 5]]
        at += TAKES[command]


@lru_cache(maxsize=2048)
def points(text: str, decimals: int) -> tuple[str, bool]:
    """A points list as "x,y x,y", and whether it was read to its end; an odd last number is dropped."""
    numbers, is_whole = parse_points(text)
    rounded = _rounded(numbers, decimals)
    pairs = map(",".join, zip(rounded[::2], rounded[1::2], strict=False))
    return " ".join(pairs), is_whole and len(rounded) % 2 == 0
