"""Data stalls: alignment scenarios of a table of steps, by hand and as properties."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.book import REPOSITORY
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill_timelines.training import stall_table, stalls
from figmill_timelines.training.stalls import Scenario, StallRow, StallTable

DATA = REPOSITORY / "visuals" / "data" / "stalls.csv"


def step(*gpus: tuple[float, float, float], pure: float = 1.0, index: int = 0) -> list[StallRow]:
    """One step; per GPU fetch start, fetch seconds and stall."""
    iteration = max(stall for *_, stall in gpus) + pure
    return [
        StallRow(0, index, gpu, start, seconds, 0.0, iteration, stall)
        for gpu, (start, seconds, stall) in enumerate(gpus)
    ]


def replayed(rows: list[StallRow], fetch: str = "none", start: str = "none") -> stalls.ReplayedStep:
    return stalls.replay(StallTable.of(rows), Scenario(fetch, start))[0]


def test_as_measured_nothing_changes() -> None:
    replay = replayed(step((0, 1, 0.5), (0, 2, 0.0)))
    assert (replay.stall, replay.iteration) == ((0.5, 0.0), 1.5)


def test_a_fetch_that_ends_earlier_shortens_its_stall_to_no_less_than_two_microseconds() -> None:
    replay = replayed(step((0, 3, 0.5), (0, 2, 1e-3)), fetch="min")
    assert replay.stall == (2e-6, 1e-3)
    assert replay.iteration == pytest.approx(1 + 1e-3)


def test_a_fetch_that_ends_later_lengthens_only_a_stall_that_was_felt() -> None:
    felt = replayed(step((0, 1, 0.4), (0, 3, 0.8)), fetch="mean")
    assert felt.stall == pytest.approx((1.4, 2e-6))
    hidden = replayed(step((0, 1, 0.01), (0, 3, 0.8)), fetch="mean")
    assert hidden.stall == pytest.approx((0.01, 2e-6))


def test_starts_are_aligned_to_the_first_or_midway() -> None:
    rows = step((0, 1, 0.5), (0.4, 1, 0.9))
    assert replayed(rows, start="min").stall == pytest.approx((0.5, 0.5))
    assert replayed(rows, start="midrange").stall == pytest.approx((0.7, 0.7))


def test_the_step_takes_the_slowest_stall_and_the_slowest_rest() -> None:
    rows = step((0, 1, 0.2), (0, 1, 0.6))
    rows[0] = replace(rows[0], iteration_seconds=2.0)  # this GPU's exchange took longer
    assert replayed(rows).iteration == pytest.approx(2.0)


def test_the_sweep_is_nine_scenarios_and_any_map_will_do() -> None:
    table = stall_table.read(DATA)
    here = stalls.sweep(table, batch=32)
    assert len(here) == 9
    with ThreadPoolExecutor(2) as pool:
        assert stalls.sweep(table, map=pool.map, batch=32) == here
    measured = here["none", "none"]
    rows = table.steps[10:]
    assert measured["iteration_mean"] == pytest.approx(sum(r[0].iteration_seconds for r in rows) / len(rows))
    assert measured["samples_per_s"] == pytest.approx(
        32 * 4 * len(rows) / sum(r[0].iteration_seconds for r in rows)
    )


def test_carried_delays_reproduce_the_measured_steps_and_gain_less_than_single_ones() -> None:
    table = stall_table.read(DATA)
    carried, single = stalls.sweep(table, carry=True), stalls.sweep(table)
    measured = single["none", "none"]["iteration_mean"]
    assert carried["none", "none"]["iteration_mean"] == pytest.approx(measured, rel=0.03)
    # No queue can make fetching faster than the fetcher: 4 GPUs, each one batch a step.
    for (fetch, _), facts in carried.items():
        if fetch == "mean":
            mean_fetch = sum(r.fetch_seconds for rows in table.steps for r in rows) / (4 * len(table.steps))
            assert facts["iteration_mean"] > 0.97 * mean_fetch


SECONDS = st.floats(0.0001, 2).map(lambda x: round(x, 5))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(SECONDS, SECONDS, SECONDS), min_size=3, max_size=3), min_size=12, max_size=14
    ),
    st.booleans(),
)
def test_whatever_the_table_steps_are_positive_and_alignments_align(
    data: list[list[tuple[float, float, float]]], carry: bool
) -> None:
    table = StallTable.of([row for index, gpus in enumerate(data) for row in step(*gpus, index=index)])
    for fetch in stalls.FETCH_ALIGN:
        for start in stalls.START_ALIGN:
            steps = stalls.replay(table, Scenario(fetch, start, carry))
            assert all(s.iteration >= 1 - 1e-9 and min(s.stall) >= 0 for s in steps)
            facts = stalls.facts(steps)
            assert fetch == "none" or facts["fetch_difference_mean"] == pytest.approx(0)
            assert carry or start == "none" or facts["start_difference_mean"] == 0


def test_long_wide_and_timestamps_are_the_same_table(tmp_path: Path) -> None:
    rows = [row for index in range(3) for row in step((5, 1, 0.25), (5.5, 2, 0.5), index=index)]
    stall_table.write(rows, tmp_path / "long.csv", "made for a test")
    names = stall_table.COLUMNS[3:]
    header = ["epoch", "index", *(f"{name}_gpu{gpu}" for gpu in (0, 1) for name in names)]
    lines = [",".join(header)]
    for a, b in zip(rows[::2], rows[1::2], strict=True):
        lines.append(
            ",".join(str(v) for v in (a.epoch, a.index, *(getattr(r, n) for r in (a, b) for n in names)))
        )
    (tmp_path / "wide.csv").write_text("\n".join(lines))
    assert (
        stall_table.read(tmp_path / "long.csv")
        == stall_table.read(tmp_path / "wide.csv")
        == StallTable.of(rows)
    )
    (tmp_path / "stamped.csv").write_text(
        ",".join(stall_table.COLUMNS) + "\n0,0,0,2026-01-05T10:00:05.250,1,2026-01-05T10:00:07,1.5,0.5\n"
    )
    row = stall_table.read(tmp_path / "stamped.csv").steps[0][0]
    assert row.train_start - row.fetch_start == pytest.approx(1.75)


@pytest.mark.parametrize(
    "text, message",
    [
        ("epoch,index\n0,0\n", "no column gpu"),
        (",".join(stall_table.COLUMNS) + "\n0,0,0,x,1,1,1,1\n", "line 2: fetch_start is neither seconds nor"),
        (",".join(stall_table.COLUMNS) + "\n0,0,0,0,1,1,1,-1\n", "line 2: stall_seconds is negative"),
        (
            "# note\n" + ",".join(stall_table.COLUMNS) + "\n0,0,0,0,1,1,1,1\n0,1,1,0,1,1,1,1\n",
            "epoch 0, step 1: GPUs",
        ),
        (",".join(stall_table.COLUMNS) + "\n", "no rows"),
    ],
)
def test_a_table_that_cannot_be_read_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        stall_table.read(tmp_path / "t.csv")


def test_unknown_alignments_and_too_few_steps_are_refused() -> None:
    with pytest.raises(ValueError, match="fetch_align must be one of none, min, mean"):
        Scenario(fetch="max")
    with pytest.raises(ValueError, match="leave fewer than two"):
        stalls.facts(stalls.replay(StallTable.of(step((0, 1, 0))), Scenario()))
