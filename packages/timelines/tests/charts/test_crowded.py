"""Whatever the parameters, no words of a figure lie over others or off the page, and each generator wraps its title."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from helpers.generators import generator, texts
from helpers.words import crowded, typefaces_of_a_build

from figmill.scaffold.generators import GENERATORS


@pytest.fixture(autouse=True)
def _typefaces() -> Iterator[None]:
    with typefaces_of_a_build():
        yield


KERNELS = [
    {
        "name": f"kernel number {n} with a name",
        "flops": 10 ** (9 + 0.3 * n),
        "bytes": 10 ** (8.5 + 0.05 * n),
        "measured_tflops": 0.001 * n + 0.001,
    }
    for n in range(12)
]
HARD: list[tuple[str, dict[str, Any]]] = [
    ("pipeline_bubble", {"devices": 1, "microbatches": 1}),
    (
        "pipeline_bubble",
        {"schedule": "v-half", "compare": ["v-min", "zb-2p", "1f1b"], "p2p": 0.123456, "unit": "ms"},
    ),
    (
        "pipeline_bubble",
        {"schedule": "dualpipe-v", "forward": 1234.5, "backward": 1e-9, "p2p": 0.1, "unit": "s"},
    ),
    ("bubble_filling", {"schedule": "chimera", "devices": 8, "microbatches": 8, "sync": 0.3, "modules": 3}),
    ("worker_timeline", {"workers": 64, "batches": 200, "batch_ms": 1e6}),
    ("worker_timeline", {"workers": 1, "batches": 1, "mode": "synchronous", "latency_ms": 0}),
    ("data_stalls", {"view": "timeline", "steps": 2, "fetch_align": "mean"}),
    ("data_stalls", {"carry": True, "depth": 64}),
    ("data_stalls", {"view": "timeline", "steps": 6, "skip": 26, "narrow": True}),
    ("failures", {"view": "timeline", "nodes": 16_384, "narrow": True}),
    ("bubble_filling", {"rules": "pipefisher", "narrow": True}),
    ("fsdp_timeline", {"compare": ["no-overlap"], "memory": True, "narrow": True}),
    ("memory_budget", {"hybrid": 8, "narrow": True}),
    ("memory_budget", {"use": "serving", "narrow": True}),
    ("memory_budget", {"use": "cache", "latent": 512, "narrow": True}),
    ("queueing", {"slo_ms": 47}),
    ("queueing", {"model": "M/G/1", "cv2": 100}),
    ("queueing", {"capacity": 5, "slo_ms": 60, "arrivals_per_s": 1e6}),
    (
        "queueing",
        {"model": "M/M/c", "servers": 4, "service_per_s": 25, "capacity": 20, "arrivals_per_s": 140},
    ),
    (
        "queueing",
        {"model": "M/M/c", "servers": 100, "service_per_s": 1, "slo_ms": 6000, "compare": ["M/M/1"]},
    ),
    ("serving_timeline", {"policy": "disaggregated", "requests": 64, "rate_per_s": 1e-3}),
    ("serving_timeline", {"policy": "disaggregated", "base_ms": 123456.7, "prefill_us": 9999}),
    ("serving_timeline", {"cache_blocks": 800, "requests": 40, "compare": ["swap", "unlimited"]}),
    ("memory_budget", {"parameters_b": 1e5, "ranks": 100_000, "hbm_gb": 192}),
    ("memory_budget", {"use": "serving", "page": 100_000, "parameters_b": 7}),
    ("roofline", {"ceilings": {"FP32": 67, "FP64": 60, "INT8": 1979}, "kernels": KERNELS}),
    ("bandwidth_chain", {"links": ["InfiniBand HDR"] * 10}),
    ("collective_steps", {"view": "cost", "ranks": 32, "node": 8}),
    ("collective_steps", {"pattern": "two-tree", "ranks": 12, "blocks": 4}),
    ("stragglers", {"view": "reserve", "spread": 1}),
    ("stragglers", {"workers": 10_000, "reserve": 1000, "distribution": "pareto", "spread": 10}),
    ("speculative", {"compare": [0.1, 0.3, 0.5, 0.9, 1]}),
    ("failures", {"compare": [16_384, 100_000, 1]}),
    ("failures", {"view": "timeline", "nodes": 16_384, "work_h": 100}),
    ("fsdp_timeline", {"layers": 1, "forward": 1e6, "backward": 1e6}),
    ("trace_timeline", {"lanes": "all"}),
    (
        "bit_fields",
        {"fields": [{"name": f"Field of one bit, number {n}", "bits": 1} for n in range(64)], "word": 64},
    ),
    ("bit_fields", {"known": "TCP", "word": 8}),
    ("transformer_blocks", {"known": "Llama 3.1 405B", "biases": "all", "norm": "layer"}),
    (
        "transformer_blocks",
        {
            "layers": 10_000,
            "hidden": 65_536,
            "heads": 8192,
            "vocab": 100_000_000,
            "tied": False,
            "ffn": 1_000_000,
            "gated": True,
            "biases": "all",
            "kv_heads": 64,
        },
    ),
    ("network_blocks", {"known": "VGG-16", "inputs": [3, 1024, 2048]}),
    (
        "network_blocks",
        {"inputs": [1_000_000], "layers": [{"dense": 90_000_000, "activation": "a long name"}] * 40},
    ),
    ("message_sequence", {"known": "two-phase-commit", "participants": 6}),
    (
        "message_sequence",
        {"known": "two-phase-commit", "participants": 3, "clocks": "vector", "direction": "right"},
    ),
    (
        "message_sequence",
        {"known": "two-phase-commit", "participants": 4, "clocks": "lamport", "latency": 1e9},
    ),
    ("bit_fields", {"known": "x86-64", "word": 64}),
    (
        "bit_fields",
        {"layouts": {"A layout's long name": [{"name": "a", "bits": 7}], "": [{"name": "b", "bits": 9}]}},
    ),
]


@pytest.mark.parametrize(("name", "params"), HARD, ids=lambda v: v if isinstance(v, str) else "")
def test_no_words_lie_over_others_or_off_the_page(name: str, params: dict[str, Any]) -> None:
    assert crowded(generator(name).draw(**params).figure) == []


DRAWN = sorted(
    name
    for name, row in GENERATORS.items()
    if row.kind != "dot"  # a graph has a caption alone
)


@pytest.mark.parametrize("name", DRAWN)
def test_a_title_of_many_words_takes_further_lines_and_states_facts(name: str) -> None:
    fact = next(key for key, value in generator(name).draw().facts.items() if isinstance(value, int | float))
    sentence = "What the author wants to be seen, in so many words that they need more than one line"
    long = f"{sentence}: {{{fact}:.3g}}"
    drawing = generator(name).draw(title=long)
    assert crowded(drawing.figure) == []
    assert long.format_map(drawing.facts) in " ".join(texts(drawing.figure))
