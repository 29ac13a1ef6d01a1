"""Parameters and facts in words, with the unit that the end of a name states. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

# The end of a name -> the unit that it names. The longest first.
UNITS: Mapping[str, str] = {
    "_per_s": "/s",
    "_per_ms": "/ms",
    "_per_h": "/h",
    "_gb_s": "GB/s",
    "_mb_s": "MB/s",
    "_tb_s": "TB/s",
    "_tflops": "TFLOP/s",
    "_ms": "ms",
    "_us": "µs",
    "_ns": "ns",
    "_gb": "GB",
    "_mb": "MB",
    "_kb": "kB",
    "_px": "px",
    "_hours": "h",
    "_h": "h",
    "_s": "s",
}
FACTS = 4  # shown at most
_INNER = re.compile(r"_(?:ms|us|ns|gb|mb|kb)(?=_)")  # a unit before more words, as in epoch_ms_asynchronous
_SHARE = re.compile(r"(?:^|_)(?:fraction|share)$")  # in percent, if each is a number from 0 to 1
_TIMES = ("ns", "µs", "ms", "s")  # each a thousand of the one before
NO_BREAK = "\N{NO-BREAK SPACE}"
_SEPARATOR = " \N{MIDDLE DOT} "
Translate: TypeAlias = Callable[[str], str]


def name_and_unit(name: str) -> tuple[str, str]:
    """A name in words, and the unit that it names: `latency_ms` is ("latency", "ms")."""
    for end, unit in UNITS.items():
        if name.endswith(end):
            return _spaced(name.removesuffix(end)), unit
    inner = _INNER.search(name)
    return (_spaced(_INNER.sub("", name, count=1)), UNITS[inner[0]]) if inner else (_spaced(name), "")


def label(name: str) -> str:
    """A parameter's name in words, without its unit. A single letter is a symbol, and stays as it is."""
    text, _ = name_and_unit(name)
    return text[:1].upper() + text[1:] if len(text) > 1 else text


def in_words(name: str, value: Any, say: Translate) -> str:
    """A parameter's value with its unit. say: translates `none` and the decimal sign."""
    if not is_number(value):
        return say("none") if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return _with_unit(_digits(value, say), name_and_unit(name)[1])


def lines(pictures: Sequence[Mapping[str, Any]], say: Translate) -> list[str]:
    """A line for each picture: the first few facts that differ between pictures. pictures: the facts of each."""
    names = [name for name in pictures[0] if _varies([facts.get(name) for facts in pictures])][:FACTS]
    shares = {
        name for name in names if _SHARE.search(name) and all(_is_part(facts.get(name)) for facts in pictures)
    }
    return [
        _SEPARATOR.join(_phrase(name, facts.get(name), name in shares, say) for name in names)
        for facts in pictures
    ]


def is_number(value: Any) -> bool:
    """Whether a value of JSON is a number; `true` is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _varies(values: Sequence[Any]) -> bool:
    if any(isinstance(value, list | dict) for value in values):
        return False
    return len({(isinstance(value, bool), value) for value in values}) > 1


def _is_part(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 1


def _phrase(name: str, value: Any, is_share: bool, say: Translate) -> str:
    """A fact in words: `latency_ms` of 1200 is "latency 1.2 s"."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return f"{_spaced(name)} {in_words(name, value, say)}"
    text, unit = name_and_unit(name)
    if is_share:
        return f"{text} {_digits(round(100 * value, 1), say)}%"
    for larger in _TIMES[_TIMES.index(unit) + 1 :] if unit in _TIMES else ():
        if abs(value) < 1000:
            break
        value, unit = value / 1000, larger
    return f"{text} {_with_unit(_digits(value if value == int(value) else float(f'{value:.4g}'), say), unit)}"


def _digits(value: Any, say: Translate) -> str:
    return f"{value:.15g}".replace(".", say("."))


def _with_unit(text: str, unit: str) -> str:
    return f"{text}{'' if unit.startswith('/') else NO_BREAK}{unit}" if unit else text


def _spaced(name: str) -> str:
    return name.replace("_", " ")
