"""The quantities in a text, each with the interval of values that an author would write so; which numbers are names.

Pure; English.

`0.43` stands for [0.425, 0.435), `43 %` for the same as a fraction, `3/7` and `four` for themselves, `about 40` for
[35, 45). Numbers that name a thing or a place (rank 4, version 2.1, arXiv:2407.12345, GPT-3, 2026-11-28) are left out,
as is code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from figmill.late_dataclasses import dataclass

ANY = math.inf


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number as written.

    - start, end: its characters, with its unit.
    - low, high: the values it may stand for.
    - value: as written, in `unit`: "s", "B", "B/s", "%" for fractions of one, or "" (a count, or a plain number).
    - factor: of its unit, with which an author would also write the corrected number.
    """

    start: int
    end: int
    text: str
    value: float
    low: float
    high: float
    unit: str = ""
    decimals: int | None = None  # None: a word or a fraction
    factor: float = 1.0

    def fits(self, value: float, slack: float = 0.0) -> bool:
        """Whether a value may be written so. Half a unit in the last place may go either way, whatever its sign.

        slack: how far the value itself is rounded.
        """
        if self.decimals == 0 and self.low == self.high and value != round(value):
            slack += 0.5 * _place_of_last_digit(self) if self.value >= 100 else 0.5  # 973 for 972.85
        slack += 1e-9 * (abs(self.value) + abs(value))
        return self.low - slack <= value <= self.high + slack

    @property
    def bounds(self) -> tuple[float, float]:
        """No value below or above these fits."""
        is_count = self.decimals == 0 and self.low == self.high
        slack = max(0.5, abs(self.value) / 2) if is_count else 1e-8 * abs(self.value)
        return self.low - slack, self.high + slack

    @property
    def is_exact(self) -> bool:
        return self.low == self.high


_TEEN_WORDS = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen"""
_UNITS = tuple(_TEEN_WORDS.split())
_TENS = tuple("twenty thirty forty fifty sixty seventy eighty ninety".split())  # noqa: SIM905
_WORDS: dict[str, float] = {word: value for value, word in enumerate(_UNITS)}
for _ten, _tens in enumerate(_TENS, 2):
    _WORDS[_tens] = 10 * _ten
    _WORDS |= {f"{_tens}-{_UNITS[unit]}": 10 * _ten + unit for unit in range(1, 10)}
_WORDS |= {"a dozen": 12, "a hundred": 100, "a thousand": 1000, "hundred": 100, "thousand": 1000}
_PARTS: Mapping[str, float] = MappingProxyType(
    {
        "half": 2,
        "halves": 2,
        "third": 3,
        "thirds": 3,
        "quarter": 4,
        "quarters": 4,
        "fifth": 5,
        "fifths": 5,
        "sixth": 6,
        "sixths": 6,
        "seventh": 7,
        "sevenths": 7,
        "eighth": 8,
        "eighths": 8,
        "tenth": 10,
        "tenths": 10,
    }
)
_LARGE: Mapping[str, float] = MappingProxyType(
    {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
)
# Unit as written -> its factor, and the unit of facts.
UNITS: Mapping[str, tuple[float, str]] = MappingProxyType(
    {
        "%": (0.01, "%"),
        "percent": (0.01, "%"),
        "per cent": (0.01, "%"),
        "ns": (1e-9, "s"),
        "us": (1e-6, "s"),
        "µs": (1e-6, "s"),
        "ms": (1e-3, "s"),
        "s": (1.0, "s"),
        "seconds": (1.0, "s"),
        "second": (1.0, "s"),
        "milliseconds": (1e-3, "s"),
        "microseconds": (1e-6, "s"),
        "min": (60.0, "s"),
        "minutes": (60.0, "s"),
        "minute": (60.0, "s"),
        "h": (3600.0, "s"),
        "hours": (3600.0, "s"),
        "hour": (3600.0, "s"),
        "days": (86400.0, "s"),
        "day": (86400.0, "s"),
        "B": (1.0, "B"),
        "bytes": (1.0, "B"),
        "kB": (1e3, "B"),
        "MB": (1e6, "B"),
        "GB": (1e9, "B"),
        "TB": (1e12, "B"),
        "KiB": (2.0**10, "B"),
        "MiB": (2.0**20, "B"),
        "GiB": (2.0**30, "B"),
        "TiB": (2.0**40, "B"),
        "kB/s": (1e3, "B/s"),
        "MB/s": (1e6, "B/s"),
        "GB/s": (1e9, "B/s"),
        "TB/s": (1e12, "B/s"),
        "FLOP/s": (1.0, "FLOP/s"),
        "GFLOP/s": (1e9, "FLOP/s"),
        "TFLOP/s": (1e12, "FLOP/s"),
        "PFLOP/s": (1e15, "FLOP/s"),
        "FLOP/B": (1.0, "FLOP/B"),
        "FLOP/byte": (1.0, "FLOP/B"),
        "operations a byte": (1.0, "FLOP/B"),
        "operations per byte": (1.0, "FLOP/B"),
    }
)
_RATE = r"[a-z]+(?:[ ](?:a|per)[ ]second|/s)"  # requests a second: so many in a second, of whatever
_UNIT = "|".join((*sorted(map(re.escape, UNITS), key=len, reverse=True), _RATE))
_WORD = "|".join(sorted(map(re.escape, _WORDS), key=len, reverse=True))
_PART = "|".join(_PARTS)


def _starts() -> re.Pattern[str]:
    """Where a number may begin. Its first letter is a set, which Python searches for without trying the pattern."""
    rests: dict[str, set[str]] = {}
    for word in (*_WORDS, "half", "twice", "double", "triple"):
        rests.setdefault(word[0], set()).add(word[1:])
    ones = "|".join(("dozen", "hundred", "thousand", *_PARTS))
    rests["a"] = {f"n?[ -](?:{ones})"}
    letters = "".join(rests)
    alternatives = "|".join(
        f"(?<=[{letter}{letter.upper()}])(?i:{'|'.join(sorted(texts))})" for letter, texts in rests.items()
    )
    return re.compile(rf"[0-9{letters}{letters.upper()}](?<!\w.)(?<![A-Za-z]-.)(?:(?<=[0-9])|{alternatives})")


_START = _starts()
# Not quantities: code, placeholders, TeX, addresses, references, dates, times, versions, names with digits.
_LEFT_OUT = re.compile(
    r"""[`{$(hfav0-9V](?:
        (?<=`)(?:``.*?(?:```|\Z) | [^`\n]*`) | (?<=\{)[^{}\n]*\} | (?<=\$)[^$\n]+\$ | (?<=\]\()[^)\s]*
      | (?<=h)ttps?:\S+ | (?<=f)ile:\S+
      | (?<!\w.)(?:
            (?<=f)igmill:\S+ | (?<=a)rXiv:[\d.v]+
          | (?<=[0-9])(?:\d{3}-\d\d(?:-\d\d)?\b | \d?:\d\d(?::\d\d)?\b | \d*\.\d+\.\d+\S*)
          | (?<=[vV])(?:\d+(?:\.\d+)*\b) | (?<=v)\d+\.\d+\.\d+\S*))""",
    re.VERBOSE | re.DOTALL,
)
_GROUPING = {ord(letter): None for letter in " \u00a0\u202f,"}
_DIGITS = r"(?:\d{1,3}(?:[ \u00a0\u202f,]\d{3})+(?!\d)|\d+)(?:\.\d+)?"
_NUMBER = re.compile(
    rf"""(?<![\w.])(?<![\w)\]]/)(?<![A-Za-z]-)(?:
        (?P<top>\d+)/(?P<bottom>\d+)(?![\w/])
      | (?P<digits>{_DIGITS})(?:[ \u00a0](?P<large>thousand|million|billion|trillion)\b)?
        (?:[ \u00a0\u202f]?(?P<unit>{_UNIT})(?![\w/])|[ \u00a0]?(?P<times>x|×|times)\b(?![ ]?\d))?
      | \b(?i:(?P<tops>{_WORD}|an?)[ -](?P<part>{_PART})|(?P<half>half))\b
      | \b(?i:(?P<twice>twice|double|triple))\b
      | \b(?i:(?P<word>{_WORD}))\b(?:[ ](?P<wordlarge>thousand|million|billion)\b)?
        (?:[ ](?P<wordunit>{_UNIT})(?![\w/])|[ ](?P<wordtimes>times)\b)?
    )(?![\w-]*\w*[A-Za-z]*\d[A-Za-z])""",
    re.VERBOSE,
)
# Things that authors number: after one of these a number is a name.
NUMBERED = frozenset(
    """appendix axis batch bit case chapter chunk chunks column core device devices equation example figure frame
    gpu gpus head item layer layers level line lines link listing message microbatch microbatches node nodes note
    number option page panel panels part phase pool port question rank ranks register replica request requests row
    rows section server slot slots sm stage stages step steps stream table task tick token version wave worker
    workers year""".split()  # noqa: SIM905
)
_MULTIPLE = re.compile(r"[ ]?(?:times|units)\b")
_ALSO = re.compile(r"(\w*)[ ]?(?:,|and|or|to|–|-)[ ]$")
_ABOUT = re.compile(r"\b(?:about|around|approximately|roughly|some|ca\.|circa)[ ]$|[~≈][ ]?$", re.IGNORECASE)
_VAGUE = re.compile(r"\b(?:almost|nearly|close to|just (?:over|under))[ ](?:an?[ ])?$", re.IGNORECASE)
_MOST = re.compile(
    r"\b(?:at most|up to|under|below|fewer than|less than|no more than)[ ](?:an?[ ])?$|[<≤][ ]?$",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"\b(?:at least|over|above|more than|no less than|beyond)[ ](?:an?[ ])?$|[>≥][ ]?$", re.IGNORECASE
)
# The last words of what _ABOUT, _VAGUE, _MOST and _LEAST look for: those search only after one of them.
_QUALIFYING = frozenset(
    """a about above almost an approximately around at below beyond ca circa least most nearly over roughly some than to
    under up""".split()  # noqa: SIM905
)
_SIGNS = ("~", "≈", "<", ">", "≤", "≥")
_TERM_BEFORE = re.compile(r"[ ]?(?:[*×^+]|/(?![a-z])|x[ ]\d|-[ ]|\()|[ ][A-Z]\b(?![a-z])")
_OPERAND = re.compile(r"(?:[*×^+]|(?:\d|[A-Za-z)])[ ][-/x]|[(][A-Za-z0-9 ]*[-+/])[ ]?$")
_ASIDE = re.compile(r"[ ]\((?![\d(])")
_OPERATOR = re.compile(r"[ ]?[-+*/)]")
_ENDS_TERM = frozenset("*×^+-/x=<>≤≥")  # the last characters of what _OPERAND and _EQUALS look for
LONGEST_TERM = 60  # characters before a number that may be in one formula with it
_EQUALS = re.compile(r"(?:^|\W)[A-Za-z][ ]?[=<>≤≥][ ]?$")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")


def may_have_numbers(text: str) -> bool:
    """Whether it is worth looking: fast, and true of some texts without any."""
    return _START.search(text) is not None


def numbers(text: str) -> list[WrittenNumber]:
    """The quantities of a text, in their order."""
    if not may_have_numbers(text):
        return []
    masked = _LEFT_OUT.sub(lambda match: "\0" * len(match[0]), text)
    quantities: list[WrittenNumber] = []
    names: set[int] = set()  # ends of numbers that are names, so that "ranks 2 and 6" are two of them
    for match in _written(masked):
        before = masked[max(0, match.start() - 40) : match.start()]
        word = _word_before(before)
        if _is_name(match, before, word, names):
            names.add(match.end())
            continue
        sign = before.rstrip(" ")[-1:]
        is_qualified = word in _QUALIFYING or sign in _SIGNS or before[-2:-1] == "."
        if _in_formula(masked, match) or (is_qualified and _VAGUE.search(before)) or _is_article(match):
            continue
        number = _number(match)
        quantities.append(_qualified(number, before) if is_qualified else number)
    return quantities


def _word_before(text: str) -> str:
    """The word at the end of a text, before one blank."""
    end = start = len(text) - 1
    if end < 0 or text[end] not in " \u00a0":
        return ""
    while start and text[start - 1].isascii() and text[start - 1].isalpha():
        start -= 1
    return text[start:end].lower()


def _written(text: str) -> Iterator[re.Match[str]]:
    """All numbers as written, names and terms of formulas too."""
    place = 0
    while start := _START.search(text, place):
        match = _NUMBER.match(text, start.start())
        if match is None:
            place = start.start() + 1
        else:
            yield match
            place = match.end()


def _is_name(match: re.Match[str], before: str, word: str, names: set[int]) -> bool:
    """Whether a number names a thing: after the word `rank`, or joined to one that does."""
    if match["unit"] or match["wordunit"] or match["part"] or match["top"] or match["half"] or match["twice"]:
        return False
    if word in NUMBERED and not match["word"]:
        return ("." not in match[0] or word == "version") and not _MULTIPLE.match(match.string, match.end())
    joined = _ALSO.search(before) if names else None
    if joined and match.start() - len(joined[0]) + len(joined[1]) in names:
        return True
    return (
        bool(match["digits"])
        and bool(_YEAR.fullmatch(match[0]))
        and (word in ("in", "since", "of") or before.endswith("et al. "))
    )


def _in_formula(text: str, match: re.Match[str]) -> bool:
    """Whether a number is a term of a formula: beside an operator, a bracket or a letter that stands for a value.

    The result of a formula, after an equals sign, counts.
    """
    if match["digits"] is None and match["top"] is None:
        return False
    start, end = match.span()
    if _TERM_BEFORE.match(text, end) and not _ASIDE.match(text, end):
        return True
    if text[start - 1 : start] in _ENDS_TERM or (
        text[start - 1 : start] == " " and text[start - 2 : start - 1] in _ENDS_TERM
    ):
        before = text[max(0, start - LONGEST_TERM) : start]
        is_operand = _OPERAND.search(before)
        return bool(is_operand or (_EQUALS.search(before) and _OPERATOR.match(text, end)))
    return False


def _is_article(match: re.Match[str]) -> bool:
    """Whether `one` is a pronoun or an article, and not a count."""
    if (match["word"] or "").lower() == "one":
        return True
    return (match["word"] or "").lower() in ("hundred", "thousand")


def _number(match: re.Match[str]) -> WrittenNumber:
    start, end = match.span()
    make = WrittenNumber
    text = match[0]
    if match["top"]:
        bottom = int(match["bottom"])
        value = int(match["top"]) / bottom if bottom else math.nan
        return make(start, end, text, value, value, value, "%")
    if match["half"]:
        return make(start, end, text, 0.5, 0.5, 0.5, "%")
    if match["part"]:
        top = _WORDS.get((match["tops"] or "").lower(), 1.0)
        value = top / _PARTS[match["part"].lower()]
        return make(start, end, text, value, value, value, "%")
    if match["twice"]:
        value = 3.0 if match["twice"].lower() == "triple" else 2.0
        return make(start, end, text, value, value, value, "x")
    if match["word"]:
        value = _WORDS[match["word"].lower()] * _LARGE.get(match["wordlarge"] or "", 1.0)
        factor, unit = _unit(match["wordunit"], match["wordtimes"])
        return make(start, end, text, value * factor, value * factor, value * factor, unit, None, factor)
    digits = match["digits"].translate(_GROUPING)
    decimals = len(digits.partition(".")[2])
    factor, unit = _unit(match["unit"], match["times"])
    factor *= _LARGE.get(match["large"] or "", 1.0)
    value, half = float(digits), 0.5 * 10.0**-decimals
    is_count = not (decimals or (match["unit"] and unit != "/s") or match["large"] or match["times"])
    low, high = (value, value) if is_count else (value - half, value + half)
    return make(start, end, text, value * factor, low * factor, high * factor, unit, decimals, factor)


def _unit(unit: str | None, times: str | None) -> tuple[float, str]:
    if unit is None:
        return 1.0, "x" if times else ""
    return UNITS.get(unit, (1.0, "/s"))


def _qualified(number: WrittenNumber, before: str) -> WrittenNumber:
    """A number with the words before it: about, at most, more than."""
    if _ABOUT.search(before):
        slack = _place_of_last_digit(number) / 2
        return replace(number, low=number.value - slack, high=number.value + slack)
    if _MOST.search(before):
        return replace(number, low=-ANY)
    if _LEAST.search(before):
        return replace(number, high=ANY)
    return number


def _place_of_last_digit(number: WrittenNumber) -> float:
    """10 for 40, 1 for 7, 0.1 for 1.7; in the number's unit."""
    digits = number.value / number.factor
    if number.decimals:
        return 2 * 10.0**-number.decimals * number.factor
    place = 1.0
    while digits and digits % (place * 10) == 0:
        place *= 10
    return place * number.factor


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the sentences of a text; a semicolon and a blank line end one as well."""
    begin = 0
    for match in re.finditer(r"(?:[.!?;](?=\s|$)|\n[ \t]*\n|\|)", text):
        if match.end() > begin:
            yield begin, match.end()
        begin = match.end()
    if begin < len(text):
        yield begin, len(text)
