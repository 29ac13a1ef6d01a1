"""Numbers as figures print them: 3 significant digits, the prefix that fits, no exponents."""

from __future__ import annotations

import math
import re

import pytest
from helpers.cases import cases
from hypothesis import given
from hypothesis import strategies as st

from figmill_timelines.quantities import (
    count,
    decimals,
    duration,
    grouped,
    number,
    percent,
    plural,
    quantity,
    scale,
    significant,
    tenths,
    tick,
    time,
)


@cases(
    ("shown", "expected"),
    [
        (number(0.04343), "0.0434"),
        (number(76.97), "77"),
        (number(1234.5), "1230"),
        (number(0), "0"),
        (number(999.6), "1000"),
        (number(-0.5), "-0.5"),
        (number(9.996), "10"),
        (number(math.inf), "∞"),
        (quantity(0.04343, "s"), "43.4 ms"),
        (quantity(1.5e-9, "s"), "1.5 ns"),
        (quantity(40e-6, "s"), "40 µs"),
        (quantity(0.9996, "s"), "1 s"),
        (quantity(999.6, "B"), "1 kB"),
        (quantity(0.5, "B"), "0.5 B"),
        (quantity(80e9, "B"), "80 GB"),
        (quantity(3.35e12, "B/s"), "3.35 TB/s"),
        (quantity(0, "s"), "0 s"),
        (quantity(1e30, "B"), "1\u202f000\u202f000\u202f000\u202f000 EB"),
        (quantity(-2e-3, "s"), "-2 ms"),
        (duration(99.9), "99.9 s"),
        (duration(4554), "75.9 min"),
        (duration(7200), "2 h"),
        (duration(1e6), "11.6 days"),
        (tick(1e9), "10⁹"),
        (tick(2e-6), "2·10⁻⁶"),
        (tick(1000), "1000"),
        (tick(0), "0"),
        (percent(0.7697), "77%"),
        (percent(0.00012), "0.012%"),
        (plural(1, "device"), "1 device"),
        (plural(2048, "token"), "2048 tokens"),
        (plural(16_384, "GPU"), "16\u202f384 GPUs"),
        (plural(2, "entry", "entries"), "2 entries"),
        (grouped("9999"), "9999"),
        (grouped("10000"), "10\u202f000"),
        (grouped("-12345678.25"), "-12\u202f345\u202f678.25"),
        (grouped("0.123456"), "0.123456"),
        (number(65_536, 5), "65\u202f536"),
        (significant(123_456), "123\u202f000"),
        (count(65_536), "65\u202f536"),
        (tick(20_000), "20\u202f000"),
        # In the middle between two numbers: one more digit.
        (number(936.5), "936.5"),
        (significant(11.25), "11.25"),
        (time(936.5, "ms"), "936.5 ms"),
        (number(1725), "1725"),
        (quantity(936.5e-3, "s"), "936.5 ms"),
        (percent(0.1125), "11.25%"),
        (duration(90.25 * 60), "90.25 min"),
        (tenths(0.0625), "6.25%"),
        (tenths(0.0626), "6.3%"),
        (decimals(0.0625, 3), "0.0625"),
        (decimals(0.063, 3), "0.063"),
        (number(936.51), "937"),
        (number(936.49), "936"),
    ],
)
def test_as_a_reader_expects_it(shown: str, expected: str) -> None:
    assert shown == expected


@given(st.floats(1e-12, 1e20), st.sampled_from(["s", "B", "B/s", "FLOP/s"]))
def test_what_is_printed_is_within_half_a_percent(value: float, unit: str) -> None:
    text = quantity(value, unit)
    figure, _, named = text.partition(" ")
    assert re.fullmatch(r"\d+(\.\d+)?", figure), text
    factor = next(f for f, n in (scale(10.0**p, unit) for p in range(-15, 19)) if n == named)
    assert float(figure) * factor == pytest.approx(value, rel=0.00501)
