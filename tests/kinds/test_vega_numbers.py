"""The numbers of a Vega-Lite chart are facts: those that its marks show, after Vega's own transforms."""

from __future__ import annotations

import json
from typing import Any

from helpers.book import Space

RUNS = [
    {"worker": "a", "ms": 3.5, "load": 1},
    {"worker": "a", "ms": 4.5, "load": 2},
    {"worker": "b", "ms": 7, "load": 2},
]


def chart(mark: str, data: Any = None, **channels: dict[str, Any]) -> dict[str, Any]:
    return {"data": data or {"values": RUNS}, "mark": mark, "encoding": channels}


WORKER = {"field": "worker", "type": "nominal"}
MS = {"field": "ms", "type": "quantitative"}
LOAD = {"field": "load", "type": "quantitative"}
MEAN = {"aggregate": "mean", "field": "ms", "type": "quantitative"}
COUNT = {"aggregate": "count", "type": "quantitative"}
MANY = [{"at": f"n{n}", "ms": n} for n in range(1, 31)]
OF_MS = {"ms_min": 3.5, "ms_max": 7, "ms_mean": 5, "ms_sum": 15}
MEANS = {
    "a_mean_ms": 4,
    "b_mean_ms": 7,
    "mean_ms_min": 4,
    "mean_ms_max": 7,
    "mean_ms_mean": 5.5,
    "mean_ms_sum": 11,
}
# Id -> a chart, and the facts that it states beside `marks`.
CHARTS: dict[str, tuple[dict[str, Any], dict[str, float]]] = {
    "means": (chart("bar", x=WORKER, y=MEAN), MEANS),
    "stacked": (chart("bar", x={**LOAD, "type": "ordinal"}, y=MS, color=WORKER), {
        "load_1_a_ms": 3.5, "load_2_a_ms": 4.5, "load_2_b_ms": 7, **OF_MS,
    }),
    "points": (chart("point", x=LOAD, y=MS), {
        "load_min": 1, "load_max": 2, "load_mean": 5 / 3, "load_sum": 5, **OF_MS,
    }),
    "histogram": (chart("bar", x={"field": "load", "bin": {"step": 0.5}}, y=COUNT), {
        "count_min": 1, "count_max": 2, "count_mean": 1.5, "count_sum": 3,
    }),
    "pie": (chart("arc", theta=MEAN, color=WORKER), MEANS),
    "table": (chart("bar", {"url": "runs.csv"}, x={"field": "run", "type": "ordinal"}, y=MS), {
        "p50_ms": 12, "p99_ms": 40, "ms_min": 12, "ms_max": 40, "ms_mean": 26, "ms_sum": 52,
    }),
    "many": (chart("bar", {"values": MANY}, x={"field": "at", "type": "nominal"}, y=MS), {
        "ms_min": 1, "ms_max": 30, "ms_mean": 15.5, "ms_sum": 465,
    }),
    "filtered": ({**chart("bar", x=WORKER, y=MS), "transform": [{"filter": "datum.load == 1"}]}, {"a_ms": 3.5}),
    "rule": (chart("rule", y=MEAN), {"mean_ms": 5}),
    "layers": ({"data": {"values": RUNS}, "encoding": {"x": WORKER, "y": MEAN},
                "layer": [{"mark": "bar"}, {"mark": "text", "encoding": {"text": MEAN}}]}, MEANS),
    "facets": (chart("bar", x={**LOAD, "type": "ordinal"}, y=MS, row=WORKER), {
        "load_1_a_ms": 3.5, "load_2_a_ms": 4.5, "load_2_b_ms": 7, **OF_MS,
    }),
    "words": (chart("text", text=WORKER), {}),
}  # fmt: skip


def test_the_numbers_that_a_chart_shows_are_facts(space: Space) -> None:
    space.write({"visuals/runs.csv": "run,ms\np50,12\np99,40\n"})
    for id_, (spec, _) in CHARTS.items():
        space.write({f"visuals/{id_}.vl.json": json.dumps(spec)}).question(
            id_, f"source: {id_}.vl.json, alt: A chart"
        )
    space.question("quoted", "source: means.vl.json, alt: '{a_mean_ms} ms', expect: {facts: {b_mean_ms: 7}}")
    done = space.run()
    assert done.code == 0, done.err
    rows = {row["id"]: row for row in json.loads(space.read("build/manifest.json"))["figures"]}
    assert rows["quoted"]["alt"] == "4 ms"
    for id_, (_, expected) in CHARTS.items():
        stated = {name: value for name, value in rows[id_]["facts"].items() if name != "marks"}
        assert stated.keys() == expected.keys(), (id_, stated)
        assert all(abs(stated[name] - value) < 1e-9 for name, value in expected.items()), (id_, stated)
        assert "figmill" not in space.read(f"build/global/{id_}.svg").partition(">")[2].replace(
            "figmill-", ""
        ), id_
