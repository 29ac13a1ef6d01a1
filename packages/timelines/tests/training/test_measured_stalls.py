"""What a figure of data stalls calls measured was measured; what a model says is told apart, with its error."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest
from helpers.book import REPOSITORY
from helpers.generators import generator, texts

from figmill_timelines.training import stall_table, stalls

HEAD = ",".join(stall_table.COLUMNS)


def table_beside(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> object:
    """The generator of data stalls, in a book whose table is this text."""
    (tmp_path / "stalls.csv").write_text(text, encoding="utf-8")
    module = generator("data_stalls")
    monkeypatch.setattr(module, "__file__", str(tmp_path / "data_stalls.py"))
    return module


def lines(steps: int, gpus: int = 2, stall: float = 0.01, fetch: float = 0.1, step: float = 0.2) -> str:
    rows = [
        f"0,{n},{gpu},{n * step},{fetch},{n * step},{step},{stall if gpu else 0}"
        for n in range(steps)
        for gpu in range(gpus)
    ]
    return "\n".join([HEAD, *rows])


@pytest.mark.parametrize("carry", [False, True])
def test_the_measured_step_is_the_mean_of_the_tables_own_numbers(carry: bool) -> None:
    facts = generator("data_stalls").draw(carry=carry).facts
    rows = [line.split(",") for line in (REPOSITORY / "visuals/data/stalls.csv").read_text().splitlines()]
    rows = [row for row in rows if row[0].isdigit()]
    kept = [row for row in rows if 60 * int(row[0]) + int(row[1]) >= 10]
    steps = {(row[0], row[1]) for row in kept}
    longest = {key: max(float(r[6]) for r in kept if (r[0], r[1]) == key) for key in steps}
    slowest = {key: max(float(r[7]) for r in kept if (r[0], r[1]) == key) for key in steps}
    assert facts["iteration_mean_measured"] == pytest.approx(fmean(longest.values()))
    assert facts["slowest_stall_mean_measured"] == pytest.approx(fmean(slowest.values()))
    assert facts["stall_mean_measured"] == pytest.approx(fmean(float(row[7]) for row in kept))
    expected = 100 * (facts["iteration_mean_none_none"] / facts["iteration_mean_measured"] - 1)
    assert facts["model_error_percent"] == pytest.approx(expected)
    assert carry or facts["model_error_percent"] == 0


def test_no_model_is_labelled_as_measured() -> None:
    labels = texts(generator("data_stalls").draw(carry=True).figure)
    assert "Measured" in labels and "starts as measured" not in labels and "Fetches as measured" not in labels
    assert "The model, with queues of 2 batches, makes the measured step 1.7% too short" in labels


def test_a_model_that_misses_by_far_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Each fetch takes eight seconds, but eight workers share them: one queue of two batches is another machine.
    module = table_beside(tmp_path, lines(30, fetch=8.2, step=1.9), monkeypatch)
    drawn = module.draw(carry=True)
    assert drawn.facts["iteration_mean_measured"] == pytest.approx(1.9)
    assert drawn.facts["model_error_percent"] > 300
    labels = texts(drawn.figure)
    assert "This model does not fit the measured steps" in labels
    assert any(label.endswith("too far off to go by") for label in labels)


@pytest.mark.parametrize(("skip", "steps"), [(26, 6), (0, 1), (100, 20)])
def test_a_timeline_states_the_means_of_the_steps_that_it_draws(skip: int, steps: int) -> None:
    drawing = generator("data_stalls").draw(view="timeline", skip=skip, steps=steps)
    table = stall_table.read(REPOSITORY / "visuals/data/stalls.csv")
    shown = table.steps[skip : skip + steps]
    assert drawing.facts["stall_mean"] == pytest.approx(fmean(r.stall_seconds for s in shown for r in s))
    assert drawing.facts["slowest_stall_mean"] == pytest.approx(
        fmean(max(r.stall_seconds for r in s) for s in shown)
    )
    every = table.steps[skip:]
    assert drawing.facts["stall_mean_all"] == pytest.approx(fmean(r.stall_seconds for s in every for r in s))
    delayed = sum(max(r.stall_seconds for r in s) - min(r.stall_seconds for r in s) > 0.03 for s in shown)
    labels = texts(drawing.figure)
    title = next(label for label in labels if label.endswith("delayed by more than 30 ms"))
    assert title.startswith(f"{delayed or 'None'} of {steps} step")
    numbers = f"{skip} to {skip + steps - 1}" if steps > 1 else str(skip)
    assert any(label.endswith(f"{numbers} of 120") and label.startswith("Measured") for label in labels)


def test_steps_that_the_table_does_not_have_are_refused() -> None:
    with pytest.raises(ValueError, match="need 155 steps, but the table has 120; after skip 115 there are 5"):
        generator("data_stalls").draw(view="timeline", skip=115, steps=40)


def test_the_stall_of_the_sweep_is_that_of_the_slowest_gpu() -> None:
    labels = texts(generator("data_stalls").draw().figure)
    assert {"step, ms", "stall, ms", "Stall of the slowest GPU"} <= set(labels)


@pytest.mark.parametrize(
    ("carry", "scenario", "cut"),
    [
        (True, "all as fast as the fastest", "from 105.3 to 91.9 ms"),
        (False, "as measured, all started with the first,", "from 107.1 to 91.9 ms"),
    ],
)
def test_the_title_names_the_row_whose_step_it_gives(carry: bool, scenario: str, cut: str) -> None:
    drawing = generator("data_stalls").draw(carry=carry)
    assert f"Fetches {scenario} would cut the step {cut}" in " ".join(texts(drawing.figure))
    rows = drawing.figure.figmill_tables["Steps"]
    steps = {row["scenario"]: row["step (ms)"] for row in rows}
    assert not carry or (steps["as measured"], steps[scenario]) == ("105.3", "91.9")


def test_scenarios_share_a_row_where_the_start_makes_no_difference() -> None:
    drawing = generator("data_stalls").draw(carry=True)
    rows = drawing.figure.figmill_tables["Steps"]
    assert [(row["group"], row["scenario"]) for row in rows] == [
        (None, "Measured"),
        ("Modelled, with fetches", "as measured"),
        ("Modelled, with fetches", "as measured, all started with the first"),
        ("Modelled, with fetches", "as measured, all started halfway to the last"),
        ("Modelled, with fetches", "all as fast as the fastest"),
        ("Modelled, with fetches", "all of mean length"),
    ]
    assert len({drawing.facts[f"iteration_mean_min_{start}"] for start in ("none", "min", "midrange")}) == 1


def test_the_names_of_notebooks_and_of_files_are_read(tmp_path: Path) -> None:
    text = "Rank,Step,Fetch start (s),Fetch time (ms),Iter time (ms),Stall time (us)\n"
    text += "".join(f"{gpu},{n},{n},100,200,{5000 * gpu}\n" for n in range(3) for gpu in (0, 1))
    (tmp_path / "run.csv").write_text(text, encoding="utf-8")
    whole = stall_table.read(tmp_path / "run.csv")
    assert len(whole.steps) == 3 and len(whole.steps[0]) == 2
    row = whole.steps[2][1]
    assert (row.fetch_start, row.gpu) == (2, 1)
    assert (row.fetch_seconds, row.iteration_seconds) == pytest.approx((0.1, 0.2))
    assert row.stall_seconds == pytest.approx(0.005)

    by_gpu, by_step = tmp_path / "by_gpu", tmp_path / "by_step"
    by_gpu.mkdir()
    by_step.mkdir()
    for gpu in (0, 1):
        rows = "".join(f"{n},0.1,0.2,{0.005 * gpu}\n" for n in range(3))
        (by_gpu / f"run_epoch0_gpu{gpu}.csv").write_text(
            "fetch_start,fetch_time,iter_time,stall\n" + rows, encoding="utf-8"
        )
    for n in range(3):
        rows = "".join(f"{gpu},{n},0.1,0.2,{0.005 * gpu}\n" for gpu in (0, 1))
        (by_step / f"step{n}.csv").write_text(
            "gpu,fetch_start,fetch_time,iter_time,stall_s\n" + rows, encoding="utf-8"
        )
    assert [stalls.facts(stalls.measured(stall_table.read(place)), 0) for place in (by_gpu, by_step)] == [
        pytest.approx(stalls.facts(stalls.measured(whole), 0))
    ] * 2


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("0,0,0,0,nan,0,1,0", "line 2: fetch_seconds must be a number of seconds"),
        ("0,0,0,0,1,0,inf,0", "line 2: iteration_seconds must be a number"),
        ("0,0,0,0,1,0,1e308,0", "line 2: iteration_seconds must be a number"),
        ("0,0,0,0,1,0,2e6,0", "line 2: iteration_seconds must be from 0 to 1e.06 seconds"),
        ("0,0,0,0,1,0,0,0", "line 2: iteration_seconds is 0"),
        ("0,0,0,0,1,0,1,2", "line 2: stall_seconds 2 is longer than its step"),
        ("0,0,0,0,1,0,,0", "line 2: iteration_seconds is empty"),
        ("0,0,0,0,1,0,1", "line 2: stall_seconds is empty"),
        ("0,-1,0,0,1,0,1,0", "line 2: index must be a whole number from 0"),
        ("0,x,0,0,1,0,1,0", "line 2: index is not a whole number: 'x'"),
    ],
)
def test_what_is_out_of_bounds_is_refused_with_its_line(tmp_path: Path, cells: str, message: str) -> None:
    (tmp_path / "t.csv").write_text(f"{HEAD}\n{cells}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        stall_table.read(tmp_path / "t.csv")
