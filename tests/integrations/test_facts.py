"""A fact in a format: one text, wherever it stands."""

from __future__ import annotations

import random
from decimal import ROUND_HALF_EVEN, Context, Decimal

import pytest
from helpers.book import Space
from helpers.cases import cases
from helpers.hosts import HOSTS, figures, prose

from figmill.integrations.facts import shown
from figmill.model import Fact, Origin
from figmill.publish.placeholders import fill

NO_FORMAT = "is not a format; use .2f, .1%, ,d, or si for a number with its unit"

# fact, format, text; the fact's name is `fact`
PLAIN: list[tuple[Fact, str, str]] = [
    (0.42857142857142855, "", "0.428571"),
    (0.42857142857142855, ".1%", "42.9%"),
    (0.42857142857142855, ".3f", "0.429"),
    (2.0, "", "2"),
    (2.0, ".2f", "2.00"),
    (7, "", "7"),
    (7, "d", "7"),
    (7, "+d", "+7"),
    (-7, "+d", "-7"),
    (0, "+.1f", "+0.0"),
    (1234567, ",", "1,234,567"),
    (1234567, ",d", "1,234,567"),
    (-1234567.891, ",.1f", "-1,234,567.9"),
    (999, ",d", "999"),
    (123456.7, "g", "123457"),
    (0.00001234, "", "1.234e-05"),
    (1.5e300, ".3g", "1.5e+300"),
    (12345.678, ".2e", "1.23e+04"),
    (0.5, ".0f", "0"),  # an exact half goes to the even digit
    (1.5, ".0f", "2"),
    (2.5, ".0f", "2"),
    (0.125, ".2f", "0.12"),
    (0.375, ".2f", "0.38"),
    (2.675, ".2f", "2.67"),  # a little less than it looks
    (1.005, ".2f", "1.00"),
    (0.285, ".0%", "28%"),
    (100000.0, ".3g", "1e+05"),
    (0.0, "", "0"),
    (0.0001, ".2g", "0.0001"),
    (True, "", "true"),
    ("gpipe", "", "gpipe"),
    ([1, 2.5], "", "1, 2.5"),
    ([1, 2.5], ".1f", "1.0, 2.5"),
]
WRONG: list[tuple[Fact, str, str]] = [
    (0.5, ".1q", f"'.1q' {NO_FORMAT}"),
    (0.5, ".f", f"'.f' {NO_FORMAT}"),
    (0.5, "8.1f", f"'8.1f' {NO_FORMAT}"),
    (0.5, ".999f", f"'.999f' {NO_FORMAT}"),
    (0.5, "d", "'d' is for whole numbers, and this is 0.5"),
    ("gpipe", ".1f", "'.1f' is a format for numbers, and this is not a number"),
    (0.5, "si", "the name 'fact' states no unit; write it: si ms"),
    (0.5, ".4si", "the name 'fact' states no unit; write it: .4si ms"),
    ("gpipe", "si", "only a number has a unit"),
    (True, "si s", "only a number has a unit"),
    (0.5, ".0si", f"'.0si' {NO_FORMAT}"),
    (0.5, "+si", f"'+si' {NO_FORMAT}"),
    (0.5, "si  ms", f"'si  ms' {NO_FORMAT}"),
]
# name, fact, format, text
UNITS: list[tuple[str, Fact, str, str]] = [
    ("time_us", 18060, "si", "18.1 ms"),
    ("time_us_ring", 18060, "si", "18.1 ms"),
    ("epoch_ms", 7600.0, "si", "7.6 s"),
    ("step_ns", 0.5, "si", "500 ps"),
    ("wall_s_1", 59770.4, "si", "16.6 h"),
    ("mtbf_s", 5400, "si", "90 min"),
    ("mtbf_s", 99.94, "si", "99.9 s"),
    ("mtbf_s", 100, "si", "1.67 min"),
    ("mtbf_s", 5759.9, "si", "96 min"),
    ("mtbf_s", 5760, "si", "1.6 h"),
    ("mtbf_s", 138240, "si", "1.6 days"),
    ("mtbf_s", 5400, ".4si", "5.4 ks"),
    ("total_bytes_0", 81_920, "si", "81.9 kB"),
    ("total_bytes", 0.25, "si", "0.25 B"),
    ("bottleneck_bytes_per_s", 7e9, "si", "7 GB/s"),
    ("goodput_per_gpu_per_s", 2.786, "si", "2.79 /s"),
    ("s", 2, "si", "2 s"),
    ("per_s", 2, "si", "2 /s"),
    ("peak_flops", 9.895e14, ".4si", "989.5 TFLOP/s"),
    ("time_us", 18060, ".4si", "18.06 ms"),
    ("time_us", 0, "si", "0 s"),
    ("time_us", -40, "si", "-40 µs"),
    ("time_us", 999.96, "si", "1 ms"),
    ("mtbf_s", 1.125, "si", "1.125 s"),  # an exact half keeps its digit
    ("mtbf_s", 1.375, ".3si", "1.38 s"),
    ("fact", 0.0919, "si s", "91.9 ms"),
    ("fact_min_none", 0.0919, "si s", "91.9 ms"),  # `min` is no unit in a name
    ("fact", 2, "si min", "2 min"),
    ("fact", 40, "si µs", "40 µs"),
    ("fact", 3.2e-3, "si J", "3.2 mJ"),
    ("fact", 80, "si °C", "80 °C"),
    ("fact", 1.5e22, "si W", "15\u202f000 EW"),
    ("fact", 1e-18, "si W", "0.001 fW"),
    ("steps_ms", [1500, 0.5], "si", "1.5 s, 500 µs"),
]
TABLE = [("fact", *row) for row in PLAIN] + UNITS
ALL = TABLE + [("fact", *row) for row in WRONG]


def rounded(value: float, digits: int) -> Decimal:
    return Context(prec=digits, rounding=ROUND_HALF_EVEN).create_decimal(Decimal(value))


def in_watts(value: float, digits: int) -> str:
    """A second computation of `si`: with decimal numbers."""
    near = rounded(value, digits)
    power = min(18, max(-15, near.adjusted() // 3 * 3))
    text = format(near.scaleb(-power).normalize(), "f")
    return f"{in_threes(text)} {'fpnµm_kMGTPE'[power // 3 + 5]}W".replace(" _", " ")


def in_threes(text: str) -> str:
    """From five digits on, in groups."""
    whole, point, rest = text.partition(".")
    is_long = len(whole.strip("-")) > 4
    return (f"{int(whole):_}".replace("_", "\u202f") if is_long else whole) + point + rest


def in_time(seconds: float) -> str:
    """The same for a time, which goes on in minutes, hours and days."""
    for length, least, unit in ((86400, 138240, "days"), (3600, 5760, "h"), (60, 100, "min")):
        if abs(seconds) >= least:
            near = rounded(seconds / length, digits_of(seconds / length))
            return f"{in_threes(format(near.normalize(), 'f'))} {unit}"
    return in_watts(seconds, digits_of(seconds)).replace("W", "s")


def digits_of(value: float) -> int:
    """Three, or four for a number that lies in the middle between two of three."""
    figures = repr(value).partition("e")[0].replace(".", "").strip("-0")
    return 4 if len(figures) == 4 and figures[-1] == "5" else 3


def drawn_at_random() -> list[tuple[str, Fact, str, str]]:
    numbers = random.Random(7)
    rows: list[tuple[str, Fact, str, str]] = []
    for _ in range(300):
        value = numbers.choice((-1, 1)) * float(
            f"{10 ** numbers.uniform(-15, 18):.{numbers.randrange(1, 16)}e}"
        )
        digits = numbers.randrange(1, 10)
        rows.append(("fact", value, f".{digits}si W", in_watts(value, digits)))
        rows.append(("fact_ms", value, "si", in_time(value * 1e-3)))
    return rows


RANDOM = drawn_at_random()


def in_python(name: str, fact: Fact, form: str) -> str:
    try:
        return shown(fact, form, name)
    except ValueError as error:
        return str(error)


@cases(("name", "fact", "form", "text"), ALL)
def test_in_python(name: str, fact: Fact, form: str, text: str) -> None:
    assert in_python(name, fact, form) == text


@cases(("fact", "form", "text"), PLAIN)
def test_a_format_is_pythons_own(fact: Fact, form: str, text: str) -> None:
    if isinstance(fact, int | float) and not isinstance(fact, bool) and form:
        assert format(fact, form) == text


@cases(("name", "fact", "form", "text"), UNITS)
def test_a_fact_in_a_page_is_that_of_a_caption(name: str, fact: Fact, form: str, text: str) -> None:
    if not isinstance(fact, list):
        assert fill(f"{{{name}:{form}}}", {name: fact}, Origin("q.yaml", 1)) == text


def test_units_of_any_size() -> None:
    assert [in_python(name, fact, form) for name, fact, form, _ in RANDOM] == [text for *_, text in RANDOM]


IN_A_PAGE = """\
# One

A [](figmill:wait#wait_us:si), B [](figmill:wait#wait_us:.4si), C [](<figmill:wait#mean:si µs>),
D [](figmill:wait#mean:si%20ms), E [](figmill:wait#wait_us:si:declared), F [](figmill:wait#wait_us:declared).

![The wait: [](figmill:wait#wait_us:si)](figmill:wait)
"""
STATING = """\
from figmill import Drawing


def draw():
    return Drawing("digraph { a -> b }", facts={"wait_us": 18060, "mean": 0.5})
"""


@pytest.mark.parametrize("host", HOSTS)
def test_in_the_prose_of_every_host(host: str, hosted: Space) -> None:
    hosted.write({"visuals/wait.py": STATING})
    hosted.question("wait", "kind: dot, source: wait.py, alt: 'A wait of {wait_us:si}.'")
    ran = HOSTS[host](hosted, IN_A_PAGE, strict=True)
    assert ran.code == 0, ran.said
    assert "A 18.1 ms, B 18.06 ms, C 500 ns, D 500 µs, E 18.1 ms, F 18060." in prose(ran.page)
    if host != "myst":  # which hands over the words of a caption as text
        assert [figure.caption for figure in figures(ran.page)] == ["The wait: 18.1 ms"]
    assert figures(ran.page)[0].alts[0] == "A wait of 18.1 ms."
