"""What a figure says in words follows from what it computed, and its numbers read well: titles, units, odd input."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from helpers.book import REPOSITORY, Space
from helpers.generators import VISUALS, generator, texts
from helpers.words import texts_of
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.lines import Line2D

from figmill_timelines import quantities


def title(name: str, **params: Any) -> str:
    """The largest text of a generator's figure."""
    figure = generator(name).draw(**params).figure
    return str(max((t for t in texts_of(figure) if t.get_text()), key=lambda t: t.get_fontsize()).get_text())


@pytest.mark.parametrize(
    ("params", "phrase"),
    [
        ({}, "A second-order refresh every 2 steps, in time that was idle"),
        ({"devices": 1, "microbatches": 2}, "Nothing was idle: a second-order refresh every step makes it"),
        (
            {"curvature_a": 0, "curvature_b": 0, "inversion": 0},
            "No extra work: 42.9% of the device time is idle",
        ),
        ({"inversion": 40}, "makes them"),
        ({"curvature_a": 0, "curvature_b": 0, "inversion": 0.1}, "every step, in time that was idle"),
    ],
)
def test_a_refresh_is_in_idle_time_only_where_nothing_got_longer(params: dict[str, Any], phrase: str) -> None:
    facts = generator("bubble_filling").draw(**params).facts
    said = title("bubble_filling", **params)
    assert ("in time that was idle" in said) == (facts["work_time"] > 0 and facts["lengthened_by"] == 0)
    assert phrase in said or (phrase == "makes them" and "longer" in said)
    assert "1 steps" not in " ".join(texts(generator("bubble_filling").draw(**params).figure))


@pytest.mark.parametrize("service", [30, 100, 1e3, 1e5, 1e7, 1e9])
def test_a_promise_never_breaks_at_the_load_at_which_it_is_said_not_to(service: float) -> None:
    said = title("queueing", service_per_s=service, slo_ms=200)
    assert not re.search(r"breaks at 100 ?%", said) and not re.search(r"breaks at 0 ?%", said)


@pytest.mark.parametrize("mode", ["both", "synchronous", "asynchronous"])
@pytest.mark.parametrize("jitter", [0.0, 0.3])
def test_the_title_of_workers_is_computed(mode: str, jitter: float) -> None:
    params = {"mode": mode, "jitter": jitter, "latency_ms": 0, "workers": 3, "batches": 4}
    facts, said = generator("worker_timeline").draw(**params).facts, title("worker_timeline", **params)
    if mode != "both":
        assert said.startswith(quantities.percent(facts["idle_fraction"]))
    elif jitter == 0:
        assert said == "Here the barrier costs nothing"
    else:
        longer = facts["epoch_ms"] / facts["epoch_ms_asynchronous"] - 1
        assert f"{quantities.percent(longer)} longer" in said


def test_an_authors_title_may_quote_facts_and_nothing_else() -> None:
    said = title("pipeline_bubble", devices=4, microbatches=4, title="Idle for {bubble_fraction:.0%}")
    assert said == "Idle for 43%"
    with pytest.raises(ValueError, match="title: no fact 'bubble'; did you mean 'bubble_ratio'"):
        title("pipeline_bubble", title="{bubble}")
    with pytest.raises(ValueError, match="facts stand as"):
        title("pipeline_bubble", title="a { b")


def test_the_real_command_checks_titles_against_facts(tmp_path: Path) -> None:
    space = Space(tmp_path)
    space.write({"visuals/g.py": (Path(generator("queueing").__file__ or "")).read_bytes()})
    space.question("q", 'kind: matplotlib, source: g.py, params: {title: "At {nothing}"}, alt: A curve.')
    ran = space.run("--id", "q")
    assert ran.code == 1 and "title: no fact 'nothing'" in ran.out + ran.err


def test_the_showcases_titles_and_alts_take_their_shares_from_facts() -> None:
    generators = {path.name for path in VISUALS.glob("*.py")}
    shown = [yaml.safe_load(p.read_text(encoding="utf-8")) for p in REPOSITORY.glob("questions/*/*.yaml")]
    shown = [question["visual"] for question in shown if question["visual"].get("source") in generators]
    assert len(shown) >= 15
    said = [text for v in shown for text in (v["alt"], v.get("params", {}).get("title", ""))]
    bare = [re.sub(r"\{[^}]*\}", "", text) for text in said]
    assert [text for text in bare if re.search(r"\d ?%|almost|a third|nobody", text)] == []


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.04, "ms", "40 µs"),
        (1.5e-9, "s", "1.5 ns"),
        (7583.2, "ms", "7.58 s"),
        (345.04, "ms", "345 ms"),
        (0.9996, "s", "1 s"),
        (8200, "s", "8200 s"),
        (1.5e-9, "", "1.5·10⁻⁹"),
        (33, "", "33"),
        (1725, "", "1725"),
        (33.333, "units", "33.3 units"),
        (0, "ms", "0 ms"),
    ],
)
def test_times_have_three_digits_and_the_prefix_that_fits(value: float, unit: str, text: str) -> None:
    assert quantities.time(value, unit) == text


@given(st.floats(1e-12, 1e12), st.sampled_from(["s", "ms", "µs", "us", "ns"]))
def test_a_time_says_what_it_is_within_half_a_percent(value: float, unit: str) -> None:
    number, shown = quantities.time(value, unit).split(" ")
    mantissa, _, power = number.replace("\u202f", "").partition("·10")
    exponent = int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or 0)
    sizes = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "us": 1e-6, "ns": 1e-9}
    assert float(mantissa) * 10.0**exponent * sizes[shown] == pytest.approx(value * sizes[unit], rel=5.1e-3)


@given(st.floats(0, 1))
def test_a_percentage_is_0_or_100_only_where_it_is(share: float) -> None:
    said = quantities.percent(share)
    assert (said == "0%") == (share == 0) and (said == "100%") == (share == 1)


def words_of(name: str, **params: Any) -> str:
    return " | ".join(texts(generator(name).draw(**params).figure))


def test_short_times_are_not_rounded_away() -> None:
    said = words_of("pipeline_bubble", forward=1.5e-9, backward=3e-9, unit="s")
    assert "Time in ns (forward = 1.5, backward = 3)" in said and "e-0" not in said
    assert "forward = 1.5·10⁻⁹" in words_of("pipeline_bubble", forward=1.5e-9, backward=3e-9)


def test_one_device_is_no_devices() -> None:
    assert "1 device, 1 microbatch" in words_of("pipeline_bubble", devices=1, microbatches=1)
    assert "leaves nothing idle" in words_of("pipeline_bubble", devices=1, microbatches=1)


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A generator whose data lies in a temporary folder."""

    def make(name: str, file: str, content: str | bytes) -> ModuleType:
        (tmp_path / file).write_bytes(content.encode() if isinstance(content, str) else content)
        module = generator(name)
        monkeypatch.setattr(module, "__file__", str(tmp_path / f"{name}.py"))
        return module

    return make


def test_a_trace_without_units_prints_none(beside: Any) -> None:
    drawing = beside("trace_timeline", "s.csv", "0F0,0F1,,0B0\n,1F0,1B0,\n").draw(source="s.csv")
    said = " | ".join(texts(drawing.figure))
    assert "ms" not in said.split() and "Time in slots" in said
    assert not [name for name in drawing.facts if "_ms" in name] and drawing.facts["busy_forward"] == 3
    module = beside(
        "bubble_filling", "r.json", json.dumps({"call_forward": [[0, 7]], "call_backward": [[9, 20]]})
    )
    said = " | ".join(texts(module.draw(source="r.json").figure))
    assert "Time (forward = 7, backward = 11)" in said


def test_forty_microseconds_are_not_zero_milliseconds(beside: Any) -> None:
    module = beside("trace_timeline", "t.csv", "lane,start,end,kind\na,0,0.02,forward\na,0.03,0.04,forward\n")
    said = " | ".join(texts(module.draw(source="t.csv").figure))
    assert "| 40 | Time in µs" in said and "0.0 ms" not in said


ODD = [
    ("pipeline_bubble", {"chunks": 4}, "chunks has no meaning for gpipe; it is for interleaved"),
    ("pipeline_bubble", {"chunks": 0, "schedule": "interleaved"}, "chunks must be from 1 to 16"),
    ("pipeline_bubble", {"chunks": 3, "schedule": "zb-v"}, "chunks has no meaning for zb-v"),
    ("pipeline_bubble", {"forward": 1e308}, "forward must be from 1e-12 to 1e.12"),
    ("pipeline_bubble", {"forward": 10**400}, "forward"),
    ("pipeline_bubble", {"p2p": 1e308}, "p2p must be a time from 0"),
    (
        "pipeline_bubble",
        {"forward": ["a", 1, 1, 1]},
        "forward must be a number or a list of numbers, not \\['a', 1, 1, 1\\]",
    ),
    ("pipeline_bubble", {"backward": "2"}, "backward must be a number or a list of numbers or none, not '2'"),
    ("pipeline_bubble", {"memory": ["a"]}, "memory must be a list of whole numbers or none, not \\['a'\\]"),
    ("pipeline_bubble", {"memory": [0.5]}, "memory must be a list of whole numbers or none, not \\[0.5\\]"),
    ("pipeline_bubble", {"compare": ["1f1b", "gpipe"]}, "compare: 'gpipe' is drawn already"),
    ("bubble_filling", {"margin": float("nan")}, "margin must be from 0 to 1, not nan"),
    ("worker_timeline", {"batch_ms": float("inf")}, "batch_ms must be from"),
    ("queueing", {"slo_ms": 10**400}, "slo_ms must be from .* more than 300 digits"),
]


@pytest.mark.parametrize(("name", "params", "message"), ODD)
def test_odd_parameters_end_in_words(name: str, params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generator(name).draw(**params)


ODD_TRACES = [
    ("t.csv", "lane,start,end,kind\na,0,nan,f\n", r"t.csv:2: end must be a number of ms, not 'nan'"),
    ("t.csv", "lane,start,end,kind\na,0,1e308,f\n", r"t.csv:2: end must be a number"),
    ("t.csv", "lane,start,end\na,0,1\n", r"t.csv:2: no kind; needs lane,start,end,kind"),
    ("t.csv", "lane,start,end,kind,microbatch\na,0,1,f,x\n", "microbatch 'x' is not a number"),
    ("t.csv", b"lane,start,end,kind\na,0,1,\xff\n", "t.csv: not UTF-8 at byte"),
    (
        "t.json",
        '{"forward-0-start": "a", "forward-0-end": 2}',
        "rank 0: forward-0-start must be a number of ms",
    ),
    ("t.json", '{"forward-0-start": 3, "forward-0-end": 2}', "forward-0-start 3 is later than its end 2"),
    ("t.json", '[{"ph": "X", "ts": NaN, "dur": 1, "name": "a"}]', "not a finite number"),
    ("t.json", '[{"ph": "X", "ts": 0, "dur": 1e999, "name": "a"}]', "not a finite number"),
    ("t.json", f'[{{"ph": "X", "ts": {"9" * 400}, "dur": 1, "name": "a"}}]', "event 1 .a."),
    ("t.json", '[{"ph": "C", "ts": 0, "name": "m", "args": [1]}]', "event 1 .m."),
    ("t.json", '[{"ph": "C", "ts": 0, "name": "m", "args": {"b": NaN}}]', "b is NaN at 0"),
    ("t.json", '[{"ph": ["X"], "ts": 0}]', "no spans are left"),
    ("t.json", '[{"ph": "X", "ts": 0, "dur": 1, "name": 5}]', "event 1 .5."),
]


@pytest.mark.parametrize(("file", "content", "message"), ODD_TRACES)
def test_odd_traces_end_in_words(beside: Any, file: str, content: str | bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        beside("trace_timeline", file, content).draw(source=file)


@pytest.mark.parametrize(
    ("name", "params", "said"),
    [
        (
            "memory_budget",
            {"use": "serving", "page": 100_000},
            "Pages this large serve fewer: 1 request instead of",
        ),
        (
            "memory_budget",
            {"use": "serving", "page": 100_000, "parameters_b": 20},
            "Pages this large serve fewer: 0 ",
        ),
        (
            "memory_budget",
            {"use": "serving", "parameters_b": 39.9},
            "Not one request fits beside the weights",
        ),
        ("memory_budget", {"parameters_b": 1e5}, "100 trillion parameters do not fit at any stage"),
        ("bandwidth_chain", {"links": ["HBM3", "HBM3"]}, "All links are equally fast: 1 GB takes"),
        (
            "bandwidth_chain",
            {"links": ["Hard disk", "PCIe 5.0 x16"], "size_mb": 0.001},
            "Latency is 99.9% of the way",
        ),
        ("speculative", {"most": 4, "lookahead": 20}, "Up to 4 drafts, each one more pays: 2.8 times"),
        ("speculative", {"acceptance": 0.1}, "1 drafted token is best"),
        ("speculative", {"view": "timeline", "tokens": 10, "cost": 3, "lookahead": 5}, "yet 4 times as slow"),
        ("speculative", {"view": "timeline", "lookahead": 0}, "Without drafts, 24 tokens take 24 passes"),
        ("stragglers", {"view": "reserve", "spread": 1}, "Leaving 63 workers of 64 unwaited for gives"),
        (
            "roofline",
            {"kernels": [{"name": "one", "flops": 1e9, "bytes": 1e9}]},
            "The kernel is bound by memory",
        ),
        (
            "failures",
            {"view": "timeline", "nodes": 1, "work_h": 0.01},
            "No crash: all intervals lose the same",
        ),
        ("failures", {"nodes": 10_000_000}, "with any interval, almost all time is lost"),
        (
            "collective_steps",
            {"view": "cost", "ranks": 2, "alpha_us": 0},
            "Ring: no other is faster at any size",
        ),
        (
            "serving_timeline",
            {"requests": 1, "compare": ["chunked", "static"]},
            "equally many promises per GPU",
        ),
        ("serving_timeline", {"requests": 1}, "1 of 1 request gets its tokens in time"),
        ("serving_timeline", {"cache_blocks": 9999}, "A cache of 9999 blocks has room for all who run"),
        (
            "fsdp_timeline",
            {"all_gather": 0, "reduce_scatter": 0},
            "No part of the step waits for communication",
        ),
    ],
)
def test_a_title_claims_what_the_numbers_say(name: str, params: dict[str, Any], said: str) -> None:
    assert said in title(name, **params)


def test_the_marked_lookahead_is_the_one_that_the_title_means() -> None:
    labels = texts(generator("speculative").draw(most=4, lookahead=20).figure)
    assert "2.8 at 4" in labels and "3.09 at 8" not in labels


def test_a_curve_of_two_workers_ends_at_what_two_workers_take() -> None:
    drawing = generator("stragglers").draw(workers=2, reserve=0)
    assert f"Exponential {quantities.number(drawing.facts['expected_slowest'])}" in texts(drawing.figure)


def test_a_rate_above_the_roof_is_refused() -> None:
    kernel = {"name": "mine", "flops": 1e9, "bytes": 1e9, "measured_tflops": 5000}
    with pytest.raises(
        ValueError, match=r"measured_tflops of kernel 'mine' is 5 PFLOP/s, above the roof of 3\.35"
    ):
        generator("roofline").draw(kernels=[kernel])


@pytest.mark.parametrize("slo", [47, 60, 200])
@pytest.mark.parametrize("model", ["M/M/1", "M/D/1"])
def test_the_marked_load_lies_on_the_drawn_curve(slo: float, model: str) -> None:
    drawing = generator("queueing").draw(model=model, slo_ms=slo)
    lines = [line.get_xydata() for line in drawing.figure.findobj(Line2D)]
    dot = next(points[0] for points in lines if len(points) == 1)
    assert any(len(points) > 9 and min(abs(points - dot).sum(axis=1)) < 1e-3 for points in lines)
