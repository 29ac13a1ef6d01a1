"""Facts with their units."""

from __future__ import annotations

import pytest
from helpers.cases import cases

from figmill_timelines.quantities import durations
from figmill_timelines.titles import titled
from figmill_timelines.units import stated, unit_of


@cases(
    ("name", "value", "form", "shown"),
    [
        ("time_us", 18060, "si", "18.1 ms"),
        ("time_us_ring", 18060, "si", "18.1 ms"),
        ("ttft_p90_ms", 936.5, "si", "936.5 ms"),  # as the drawing prints it
        ("total_bytes", 11.25e9, "si", "11.25 GB"),
        ("time_us", 12345.0, ".4si", "12.35 ms"),
        ("epoch_ms", 7600.0, "si", "7.6 s"),
        ("wall_s_1", 59770.4, "si", "16.6 h"),
        ("mtbf_s", 5400, "si", "90 min"),
        ("step_ns", 0.5, "si", "500 ps"),
        ("total_bytes_0", 81_920, "si", "81.9 kB"),
        ("bottleneck_bytes_per_s", 7e9, "si", "7 GB/s"),
        ("goodput_per_gpu_per_s", 2.786, "si", "2.79 /s"),
        ("time_us", 18060, ".4si", "18.06 ms"),
        ("iteration_mean", 0.0919, "si s", "91.9 ms"),
        ("iteration_mean_min_none", 0.0919, "si s", "91.9 ms"),  # min is no unit here
        ("energy", 3.2e-3, "si J", "3.2 mJ"),
        ("time_us", 0, "si", "0 s"),
        ("time_us", -40, "si", "-40 µs"),
    ],
)
def test_a_fact_is_shown_in_the_unit_that_fits(name: str, value: float, form: str, shown: str) -> None:
    assert stated(value, form, name) == shown
    assert titled(f"it takes {{{name}:{form}}}", "", {name: value}) == f"it takes {shown}"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        ((1062, 353.4, 6372), ["17.7 min", "5.89 min", "106 min"]),
        ((0.02, 1.5), ["20 ms", "1500 ms"]),
        ((86400 * 2, 86400), ["48 h", "24 h"]),
        ((0, 3), ["0 s", "3 s"]),
        ((), []),
    ],
)
def test_times_that_are_compared_have_one_unit(seconds: tuple[float, ...], shown: list[str]) -> None:
    assert durations(seconds) == shown


@pytest.mark.parametrize(
    ("name", "value", "form", "message"),
    [
        ("iteration_mean", 0.1, "si", "the name 'iteration_mean' states no unit; write it: si ms"),
        ("bottleneck_s", "PCIe", "si", "only a number has a unit"),
        ("is_s", True, "si", "only a number has a unit"),
        ("time_s", 1.0, "si  ms", "is not a format"),
    ],
)
def test_what_has_no_unit_is_told(name: str, value: object, form: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stated(value, form, name)


def test_units_are_the_last_word_that_is_one() -> None:
    assert unit_of("lost_work_s") == (1.0, "s")
    assert unit_of("cache_bytes_per_token") == (1.0, "B")
    assert unit_of("span_days") == (86400.0, "s")
    assert unit_of("iterations") is None and unit_of("") is None
