"""A trace's counters lie on the time axis of the lanes that are drawn, and say nothing of what was not sampled."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.generators import generator, texts
from matplotlib.patches import PathPatch

from figmill_timelines.charts import gantt
from figmill_timelines.palette import role
from figmill_timelines.spans import Span, timeline
from figmill_timelines.traces import readers

# A CPU thread starts 50 ms before the GPU; memory is sampled in between, and after the GPU has ended.
EVENTS = [
    {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 200_000, "name": "main"},
    {"ph": "X", "pid": 0, "tid": 7, "ts": 50_000, "dur": 40_000, "name": "gemm", "cat": "kernel"},
    {"ph": "X", "pid": 0, "tid": 7, "ts": 100_000, "dur": 20_000, "name": "gemm", "cat": "kernel"},
    *(
        {"ph": "C", "pid": 0, "ts": at, "name": "mem", "args": {"b": value}}
        for at, value in ((10_000, 3), (60_000, 8), (110_000, 5), (190_000, 99))
    ),
]


def read(tmp_path: Path, lanes: str, zero: float | None = None) -> readers.Trace:
    (tmp_path / "t.json").write_text(json.dumps(EVENTS), encoding="utf-8")
    return readers.read(tmp_path / "t.json", zero, lanes)


@pytest.mark.parametrize(
    ("lanes", "zero", "expected"),
    [
        ("gpu", None, ((0.0, 3), (10, 8), (60, 5), (140, 99))),  # the sample at 10 ms still holds at 50
        ("auto", None, ((0.0, 3), (10, 8), (60, 5), (140, 99))),
        ("all", None, ((10, 3), (60, 8), (110, 5), (190, 99))),
        ("gpu", 40_000, ((0.0, 3), (20, 8), (70, 5), (150, 99))),
        ("gpu", 0, ((10, 3), (60, 8), (110, 5), (190, 99))),
    ],
)
def test_bars_and_curve_share_their_zero(
    tmp_path: Path, lanes: str, zero: float | None, expected: tuple[tuple[float, float], ...]
) -> None:
    trace = read(tmp_path, lanes, zero)
    assert trace.counters["mem: b"] == tuple(pytest.approx(step) for step in expected)
    # The second kernel starts 10 ms before the third sample, whichever time is 0.
    kernels = [
        span.start for span in trace.timeline.spans if trace.timeline.lanes[span.lane].startswith("GPU")
    ]
    third = next(at for at, value in trace.counters["mem: b"] if value == 5)
    assert third - kernels[1] == pytest.approx(10)


def test_before_the_first_sample_nothing_is_drawn() -> None:
    drawn = timeline(["GPU 0"], [Span(0, 0, 100, "compute")], "ms")
    figure = gantt.draw([gantt.Panel(drawn, curves=(gantt.Curve("mem", ((40.0, 8.0), (60.0, 2.0)), ""),))])
    bar = max(figure.findobj(PathPatch), key=lambda p: np.ptp(p.get_path().vertices[:, 0]))
    left, right = bar.get_path().vertices[:, 0].min(), bar.get_path().vertices[:, 0].max()
    colour = np.array([int(role("compute").fill[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    areas = [
        patch.get_path().vertices[:, 0]
        for patch in figure.findobj(PathPatch)
        if np.allclose(patch.get_facecolor()[:3], colour) and patch is not bar
    ]
    curve = areas[-1]
    assert curve.min() == pytest.approx(left + 0.4 * (right - left)) and curve.max() == pytest.approx(right)


@pytest.mark.parametrize(("lanes", "peak"), [("gpu", "mem: at most 8"), ("all", "mem: at most 99")])
def test_the_peak_is_that_of_the_drawn_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lanes: str, peak: str
) -> None:
    read(tmp_path, lanes)
    module = generator("trace_timeline")
    monkeypatch.setattr(module, "__file__", str(tmp_path / "trace_timeline.py"))
    said = texts(module.draw(source="t.json", lanes=lanes).figure)
    assert peak in said
    late = [*EVENTS[:3], {"ph": "C", "pid": 0, "ts": 900_000, "name": "mem", "args": {"b": 1}}]
    (tmp_path / "t.json").write_text(json.dumps(late), encoding="utf-8")
    assert not any("mem" in text for text in texts(module.draw(source="t.json", lanes=lanes).figure))
