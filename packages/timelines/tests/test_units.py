"""Facts with their units, and texts that give a quantity two."""

from __future__ import annotations

import pytest
from helpers.book import PLOT, Space
from helpers.cases import cases

from figmill.publish.same_units import differing
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


DRAWN = ["Two workers", "18.1 ms", "0", "500", "Time in ms", "T = 5.65 s"]


@cases(
    ("alt", "found"),
    [
        ("It takes 18060 µs.", "'18060 µs' is '18.1 ms' in the drawing"),
        ("It takes 18060 microseconds.", "'18060 µs' is '18.1 ms' in the drawing"),
        ("An epoch of 5648 ms", "'5648 ms' is '5.65 s' in the drawing"),
        ("Half of 0.500 s", "'0.500 s' is '500 ms' in the drawing"),
        ("It takes 18.1 ms.", ""),
        ("It takes 18.2 ms.", ""),
        ("It takes 17 µs, then 18 s.", ""),
        ("At 1000 ms/s", ""),
    ],
)
def test_a_quantity_in_another_unit_than_drawn_is_found(alt: str, found: str) -> None:
    messages = [message for _, message in differing({"alt": alt}, DRAWN)]
    assert [message.partition(";")[0] for message in messages] == ([found] if found else [])


def test_lint_tells_it_at_the_text_and_si_mends_it(space: Space) -> None:
    space.write({"visuals/p.py": PLOT + STATING})
    space.question("wait", "kind: matplotlib, source: p.py, alt: 'A step waits {wait_us:.0f} microseconds.'")
    told = space.run("lint")
    assert "questions/wait.yaml" in told.out and "[units-differ]" in told.out, told.out + told.err
    assert "'18060 µs' is '18.1 ms' in the drawing" in told.out
    space.question("wait", "kind: matplotlib, source: p.py, alt: 'A step waits {wait_us:si}.'")
    assert "units-differ" not in space.run("lint").out


STATING = """

_draw = draw


def draw():
    figure = _draw().figure
    figure.text(0.5, 0.5, "waits 18.1 ms")
    return Drawing(figure, {"wait_us": 18060})
"""
