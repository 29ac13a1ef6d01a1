"""Path data (SVG 1.1, 8.3) and points lists, rewritten.

Commands become absolute: rounding errors of relative steps would add up along a path. Unaware of the tree; strings
in, strings out.
"""

from __future__ import annotations

import re
from functools import lru_cache

from figmill.svg.xml.numbers import BARE, LARGEST, NUMBER, fixed, number, significant, within

PLAIN = re.compile(r"([MLCQSTZz])([0-9\s,.+-]*)")
ZEROS = re.compile(r"\.?0+(?= |$)")
MINUS = re.compile(r"-0(?= |$)")
FLAG = re.compile(r"\s*(?:,\s*)?([01])")
NEXT = re.compile(rf"\s*(?:,\s*)?({NUMBER})")
ODD_COMMA = re.compile(r",\s*(?:[,A-Za-z]|$)|[A-Za-z]\s*,")
# Rings of lines alone; n: a number. No possessive groups: before Python 3.11.5 they match wrongly.
STRAIGHT = re.compile("(?:Mnn(?:L(?:nn)+)*Z?)+")
TAKES = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}


@lru_cache(maxsize=2048)
def path(text: str, decimals: int) -> tuple[str, bool]:
    """The path data in absolute commands, and whether it was read to its end.

    As SVG requires, a path is drawn up to its first error; that part is returned.
    """
    plain = _straight(text, decimals) or _plain(text, decimals)
    if plain is not None:
        return plain, True
    segments, complete = parse(text)
    out: list[str] = []
    last = ""
    for command, values in segments:
        if command == "A":
            words = [significant(value) for value in values[:3]]
            words += [str(int(values[3])), str(int(values[4]))]
            words += [fixed(within(value), decimals) for value in values[5:]]
        else:
            words = [fixed(within(value), decimals) for value in values]
        if command != last or command in "MZ":
            out.append(command)
            last = command
        out.extend(words)
        if command == "M":
            last = "M"
    return " ".join(out), complete


def _straight(text: str, decimals: int) -> str | None:
    """The same for lines alone, with blanks around every word: thousands of boxes in one path have few words.

    Each word is read and written once, however often it stands there. None: it is anything else.
    """
    words = text.split()
    forms: dict[str, str] = {}
    kinds: dict[str, str] = {}
    for word in set(words):
        if word in ("M", "L", "Z", "z"):
            forms[word] = kinds[word] = word.upper()
        elif BARE.fullmatch(word) and -LARGEST <= (value := float(word)) <= LARGEST:
            forms[word], kinds[word] = fixed(value, decimals), "n"
        else:
            return None
    if not STRAIGHT.fullmatch("".join(map(kinds.__getitem__, words))):
        return None
    rings = " ".join(map(forms.__getitem__, words)).split("M ")
    found = [""]
    for ring in rings[1:]:
        first, line, others = ring.partition("L ")
        found += first, line, others.replace("L ", "")
        found.append("M ")
    return "M " + "".join(found[1:-1])


def _plain(text: str, decimals: int) -> str | None:
    """A fast version for renderers' output: absolute commands, separated numbers. None if the data need `parse`."""
    found = () if ODD_COMMA.search(text) else PLAIN.findall(text)
    if (
        not found
        or found[0][0] != "M"
        or sum(map(len, (part for pair in found for part in pair))) != len(text)
    ):
        return None
    template: list[str] = []
    values: list[float] = []
    last = ""
    try:
        for letter, rest in found:
            words = rest.replace(",", " ").split()
            letter = letter.upper()  # z is the only lower-case letter here
            takes = TAKES[letter]
            if len(words) != takes and (takes == 0 or letter == "M" or not words or len(words) % takes):
                return None
            if letter != last or letter in "MZ":
                template.append(letter)
                last = letter
            template += [f"%.{decimals}f"] * len(words)
            values += map(float, words)
    except ValueError:
        return None
    if max(values) > LARGEST or min(values) < -LARGEST:
        return None
    text = ZEROS.sub("", " ".join(template) % tuple(values))
    return MINUS.sub("0", text) if "-0" in text else text


Segment = tuple[str, tuple[float, ...]]


def parse(text: str) -> tuple[list[Segment], bool]:
    """The segments in absolute coordinates up to the first error, and whether there was none."""
    segments: list[Segment] = []
    x = y = start_x = start_y = 0.0
    end = 0
    letter = ""
    while True:
        found = _command(text, end, letter, bool(segments))
        if found is None:
            return segments, not text[end:].strip(" \t\r\n\f,") or _is_blank(text, end)
        letter, values, end = found
        command = letter.upper()
        if letter.islower() and command != "Z":
            values = _absolute(command, values, x, y)
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
        segments.append((command, values))
        if command == "M":
            letter = "l" if letter == "m" else "L"  # further pairs are lines


def _is_blank(text: str, end: int) -> bool:
    return not text[end:].strip()


def _command(text: str, at: int, letter: str, begun: bool) -> tuple[str, tuple[float, ...], int] | None:
    """The next segment: its letter (repeated if left out in the text), its values, and the end index."""
    while at < len(text) and text[at] in " \t\r\n\f":
        at += 1
    if at < len(text) and text[at].upper() in TAKES:
        letter = text[at]
        at += 1
        if not begun and letter not in "Mm":
            return None
    elif not letter or letter in "Zz":
        return None
    values: list[float] = []
    for place in range(TAKES[letter.upper()]):
        match = (FLAG if letter in "Aa" and place in (3, 4) else NEXT).match(text, at)
        if match is None:
            return None
        values.append(number(match[1]))
        at = match.end()
    return letter, tuple(values), at


def _absolute(command: str, values: tuple[float, ...], x: float, y: float) -> tuple[float, ...]:
    if command == "H":
        return (values[0] + x,)
    if command == "V":
        return (values[0] + y,)
    if command == "A":
        return (*values[:5], values[5] + x, values[6] + y)
    return tuple(value + (y if place % 2 else x) for place, value in enumerate(values))


@lru_cache(maxsize=2048)
def points(text: str, decimals: int) -> tuple[str, bool]:
    """A points list as "x,y x,y", and whether it was read to its end; an odd last number is dropped."""
    values = []
    end = 0
    while match := NEXT.match(text, end):
        values.append(fixed(number(match[1]), decimals))
        end = match.end()
    pairs = [f"{x},{y}" for x, y in zip(values[::2], values[1::2], strict=False)]
    return " ".join(pairs), not text[end:].strip() and len(values) % 2 == 0
