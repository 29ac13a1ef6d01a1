"""Figures of the models: nothing leaves the page, all colours are roles, and two drawings are the same bytes."""

from __future__ import annotations

import importlib.util
import io
import re
from types import ModuleType
from typing import Any

import matplotlib
import pytest
import yaml
from helpers.book import REPOSITORY
from helpers.cases import cases
from matplotlib.figure import Figure
from matplotlib.text import Text

from figmill_timelines import palette

FIGURES: list[tuple[str, dict[str, Any]]] = [
    ("queueing", {"model": "M/M/c", "servers": 4, "service_per_s": 25, "compare": ["M/M/1", "M/D/1"]}),
    ("queueing", {"capacity": 8}),
    ("queueing", {"model": "M/G/1", "cv2": 4, "slo_ms": 1e4}),
    ("serving_timeline", {"compare": ["static", "chunked", "disaggregated"]}),
    ("serving_timeline", {"requests": 64, "seed": 9}),
    ("serving_timeline", {"cache_blocks": 150, "compare": ["swap", "unlimited", "chunked"]}),
    ("memory_budget", {}),
    ("memory_budget", {"use": "serving", "parameters_b": 13, "hbm_gb": 40}),
    ("memory_budget", {"parameters_b": 1e5, "ranks": 1}),
    ("roofline", {}),
    ("roofline", {"ceilings": {"without tensor cores": 67}, "bandwidths": {"L2": 9000, "PCIe": 63}}),
    ("bandwidth_chain", {}),
    ("bandwidth_chain", {"links": ["BLE 1M"] * 10, "size_mb": 0.2, "chunk_mb": 0.01}),
    *(
        ("collective_steps", {"pattern": name})
        for name in ("ring", "halving-doubling", "tree", "two-tree", "hierarchical", "all-to-all")
    ),
    ("collective_steps", {"view": "cost", "ranks": 24}),
    ("collective_steps", {"view": "cost", "ranks": 32, "node": 8}),
    ("stragglers", {"compare": ["uniform", "normal", "pareto"]}),
    ("memory_budget", {"use": "cache", "kv_heads": 8, "latent": 512, "tensor": 4}),
    ("memory_budget", {"use": "cache"}),
    ("memory_budget", {"accelerator": "MI300X", "hybrid": 8, "tensor": 8, "sequence_parallel": True}),
    (
        "memory_budget",
        {"parameters_b": 46.7, "layers": 32, "experts": 8, "expert_parallel": 8, "hybrid": 8, "kv_heads": 8},
    ),
    ("roofline", {"accelerator": "B200", "experts": 8, "expert_parallel": 8, "batches": [1, 8, 64]}),
    ("roofline", {"accelerator": "GB200", "bytes_each": 1, "tensor": 8}),
    ("stragglers", {"view": "reserve", "workers": 100}),
    ("stragglers", {"view": "scaling", "workers": 1024}),
    ("speculative", {"compare": [0.6, 0.9]}),
    ("speculative", {"view": "timeline"}),
    ("failures", {"compare": [16_384]}),
    ("failures", {"view": "timeline", "nodes": 16_384}),
    ("fsdp_timeline", {"compare": ["no-prefetch", "no-limit", "no-overlap", "no-reshard", "two-links"]}),
    ("fsdp_timeline", {"layers": 128, "memory": False}),
    *(
        ("transformer_blocks", {"known": name})
        for name in ("GPT-2", "Llama 3.1 405B", "Qwen2.5 0.5B", "Gemma 2B")
    ),
    *(("network_blocks", {"known": name}) for name in ("MLP", "LeNet-5", "AlexNet", "VGG-16")),
    *(("message_sequence", {"known": name}) for name in ("https", "tcp", "two-phase-commit")),
    ("message_sequence", {"known": "clocks", "clocks": "vector", "direction": "right"}),
    *(
        ("bit_fields", {"known": name})
        for name in ("IPv4", "IPv6", "TCP", "UDP", "RISC-V", "Sv39", "x86-64", "float")
    ),
    (
        "bit_fields",
        {"fields": [{"name": "Mine", "bits": 20}, {"name": "Rest", "bits": 9000}], "numbering": "both"},
    ),
]
NAMES = sorted({name for name, _ in FIGURES})


def generator(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"visual_{name}", REPOSITORY / "visuals" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def svg(figure: Figure) -> str:
    out = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "x"}):
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


@pytest.mark.parametrize(("name", "params"), FIGURES, ids=lambda v: v if isinstance(v, str) else "")
def test_a_figure_keeps_to_its_page_and_palette(name: str, params: dict[str, Any]) -> None:
    before = dict(matplotlib.rcParams)
    drawing = generator(name).draw(**params)
    assert dict(matplotlib.rcParams) == before
    figure = drawing.figure
    assert figure.get_size_inches()[0] <= 7.61
    colours = {colour for r in palette.ROLES for colour in (r.fill, r.line, r.ink)}
    colours |= {palette.TEXT[0], palette.MUTED[0], palette.GRID[0], palette.PAGE[0], "#000000"}
    text = svg(figure)
    assert set(re.findall(r"#[0-9a-f]{6}\b", text)) <= colours
    for written in figure.findobj(lambda artist: isinstance(artist, Text) and artist.get_text()):
        box = written.get_window_extent()
        if written.get_visible() and written.axes is not None and written in written.axes.get_children():
            assert box.x0 >= 0 and box.x1 <= figure.bbox.width + 0.5, written.get_text()
            assert box.y0 >= 0 and box.y1 <= figure.bbox.height, written.get_text()
    again = generator(name).draw(**params)
    assert again.facts == drawing.facts and svg(again.figure) == text


@pytest.mark.parametrize("name", NAMES)
def test_a_title_of_the_authors_own_stands_above_the_figure(name: str) -> None:
    title = "What the author wants to be seen, in so many words that they need a second line"
    figure = generator(name).draw(title=title).figure
    text = " ".join(t.get_text() for t in figure.findobj(Text))
    assert title in text


@cases(
    ("name", "wrong"),
    [
        ("queueing", {"servers": 0}),
        ("queueing", {"slo_ms": float("nan")}),
        ("serving_timeline", {"batch": 0}),
        ("serving_timeline", {"rate_per_s": -1}),
        ("memory_budget", {"hbm_gb": 0}),
        ("memory_budget", {"ranks": -4}),
        ("roofline", {"peak_tflops": float("inf")}),
        ("roofline", {"batches": [0]}),
        ("bandwidth_chain", {"size_mb": 0}),
        ("bandwidth_chain", {"links": []}),
        ("collective_steps", {"ranks": 1}),
        ("collective_steps", {"alpha_us": -1}),
        ("stragglers", {"workers": 10**9}),
        ("speculative", {"acceptance": 1.5}),
        ("failures", {"checkpoint_s": 0}),
        ("failures", {"compare": [0]}),
        ("fsdp_timeline", {"layers": 0}),
        ("fsdp_timeline", {"limit": 0}),
        ("transformer_blocks", {"layers": 0}),
        ("network_blocks", {"inputs": [0]}),
        ("message_sequence", {"latency": 0}),
        ("message_sequence", {"participants": 7}),
        ("bit_fields", {"word": 3}),
        ("bit_fields", {"word": 65}),
    ],
)
def test_what_is_out_of_bounds_is_refused_in_one_line(name: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must be from") as refused:
        generator(name).draw(**wrong)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", NAMES)
def test_the_showcase_expects_numbers_of_each(name: str) -> None:
    questions = [yaml.safe_load(path.read_bytes()) for path in (REPOSITORY / "questions").rglob("*.yaml")]
    shown = [q for q in questions if q.get("visual", {}).get("source") == f"{name}.py"]
    assert shown
    for question in shown:
        assert question["visual"]["expect"]["facts"]
        assert question["answer"] and "{" in question["visual"]["alt"]
