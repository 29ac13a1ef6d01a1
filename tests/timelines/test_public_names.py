"""The names that generators in books import: each is still there, and is the module in its new place."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from helpers.book import REPOSITORY

from figmill import timelines

# Public module -> where it lies, and names that it offers, as docs, books and their types use them.
OFFERED = {
    "ascii": ("charts.ascii", "ascii"),
    "bounds": ("bounds", "within"),
    "canvas": ("charts.canvas", "BODY Box Canvas INK PAPER QUIET SMALL TINY TITLE family font text_width"),
    "cells": (
        "charts.cells",
        "Cells HAIRLINE MOST_CELLS draw_cells draw_critical draw_idle draw_shares plan",
    ),
    "chart": ("charts.xy_chart", "BOTTOM LEFT RIGHT TOP axes figure note"),
    "collectives": (
        "training.collectives",
        "Link PATTERNS Point Topology all_to_all parameter_server ring tree",
    ),
    "columns": ("traces.columns", "BINS Columns MOST_SPANS Made to_timeline"),
    "evaluate": ("pipeline.evaluate", "Clock DeadlockError KINDS Times needs run to_timeline"),
    "events": ("traces.pipeline_events", "EventError Events MOST_BYTES PIPES read step"),
    "files": ("files", "beside"),
    "filling": ("pipeline.filling", "Costs Filled PRIORITY Work fill work_for"),
    "gantt": (
        "charts.gantt",
        "AXIS_ROW BETWEEN CURVE_ROW Curve HEADER_ROW LEGEND_ROW MARGIN Options PLAIN Panel TITLE_ROW draw ticks",
    ),
    "layout": ("charts.layout", "Frame Options"),
    "legends": ("charts.legends", "ACCENT draw draw_boxes entries width wrap"),
    "look": ("charts.looks", "BUBBLE IDLE Look WORK of"),
    "meaning": ("traces.event_kinds", "GPU_CATEGORIES what_is"),
    "memory": ("pipeline.activations", "live peaks"),
    "model": ("spans", "IDLE Span Timeline busy_per_lane gaps idle_per_lane own_span_bubble timeline"),
    "nsight": ("traces.nsight", "Range read"),
    "orders": (
        "pipeline.orders",
        "Plan chimera dualpipe dualpipe_v gpipe interleaved interleaved_overlap interleaved_zb looped_bfs"
        " one_f_one_b one_f_one_b_overlap zb_h1 zb_v",
    ),
    "page": ("plots.page", "Key MARGIN STROKES WIDTH start stroke wrapped"),
    "pipeline": ("pipeline", "axis bubble hollow panel same_work share"),
    "queueing": ("training.queueing", "highest_load mean_response percentile_response"),
    "paging": ("models.paged_serving", "Cache PREEMPTION POLICIES Paged facts serve"),
    "plot": ("plots.plot", "Axis Plot spread"),
    "quantities": ("quantities", "count duration number percent quantity"),
    "queues": (
        "models.queues",
        "MODELS Station erlang_b erlang_c facts highest_load in_system mean_response percentile_response rejected"
        " tail",
    ),
    "bits": (
        "models.bit_fields",
        "Field KNOWN Layout PROTOCOLS Piece common facts offsets pieces read slug words",
    ),
    "fieldchart": ("plots.field_chart", "Cell Diagram draw"),
    "messages": (
        "models.messages",
        "Event Exchange KNOWN Message Point Stretch before clocks facts https points tcp two_phase_commit written",
    ),
    "labels": ("plots.labels", "Page Patch meets overlap"),
    "sequencechart": ("plots.sequence_chart", "Arrow Chart Mark State draw"),
    "networks": (
        "models.networks",
        "Block Layer MOST_PARAMETERS NETWORKS Stage TRANSFORMERS Transformer around facts layer stage_facts stages",
    ),
    "blockchart": ("plots.block_chart", "Box Repeat Row draw"),
    "bars": ("plots.bars", "Bar Limit draw"),
    "budget": (
        "models.memory_budget",
        "Cache Precision RECOMPUTE STAGES Shape Training activations cache_facts cache_per_token lengths paged reserved"
        " training",
    ),
    "accelerators": ("models.accelerators", "ACCELERATORS Accelerator peak_tflops"),
    "mixtures": ("models.mixtures", "Experts"),
    "rooflines": (
        "models.rooflines",
        "Kernel Layer Machine attainable bound decode facts prefill product seconds",
    ),
    "chains": ("models.chains", "KNOWN Link MOST_CHUNKS Transfer facts slowest transfer"),
    "steps": (
        "models.collective_steps",
        "ALLREDUCE Chart Message Wires all_to_all best_two_tree facts halving_doubling hierarchical parents ring"
        " second seconds tree two_tree",
    ),
    "stepchart": ("plots.step_chart", "ADDS Arrow Column FAR KEEPS draw"),
    "stragglers": (
        "models.stragglers",
        "DISTRIBUTIONS Times amdahl best_reserve expected gustafson harmonic pareto_power",
    ),
    "speculation": (
        "models.speculation",
        "Run acceptance best_lookahead facts operations plain simulated speedup tokens",
    ),
    "failures": (
        "models.failures",
        "Machine MOST_FAILURES Run best crashes daly facts lost run_facts simulated slowdown young",
    ),
    "sharding": ("models.sharding", "LANES Layer Plan Step VARIANTS facts simulate variant"),
    "schedules": (
        "pipeline.schedules",
        "EVEN_M EVEN_P MULTIPLE Rule SCHEDULES Schedule ShapeError Stagewise TWICE facts named plan simulate times",
    ),
    "serving": (
        "models.serving",
        "Costs POLICIES Piece Promise Request Served facts kept longest_gap percentile serve to_timeline tpot ttft"
        " workload",
    ),
    "shares": ("charts.shares", "Stretch WINDOW shares"),
    "stallchart": ("charts.stall_chart", "COLUMN COLUMNS FETCH GROUP ROW START WIDTH draw"),
    "stalls": (
        "training.stalls",
        "EFFECTIVE_DELAY FETCH_ALIGN HIDDEN_STALL Job Row SHORTEST_STALL START_ALIGN Scenario Step Table facts"
        " replay run sweep to_timeline",
    ),
    "stalltable": ("training.stall_table", "COLUMNS read write"),
    "tracejson": ("traces.chrome_json", "CHUNK LONGEST Reading events"),
    "traces": ("traces", "MOST_SAMPLES Part Trace TraceError read"),
    "whatif": ("training.whatif", "COLUMNS Map cluster lines main"),
    "workers": (
        "training.workers",
        "ASYNCHRONOUS_SHARE Load asynchronous batch_times expected_synchronous_epoch facts synchronous",
    ),
}


def python(code: str, *, cwd: Path | None = None) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True, text=True, check=False, timeout=60, cwd=cwd,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_table_names_every_module_that_moved() -> None:
    moved = {name: place for name, (place, _) in OFFERED.items() if name != place}
    assert dict(timelines.PUBLIC) == moved


BOTH = """
import importlib, importlib.util, os, sys
import matplotlib.figure, numpy  # what takes long; of figmill nothing is loaded before a child is forked

def compare(name, place, swapped):
    public, real = (f"figmill.timelines.{n}" for n in (name, place))
    first, second = map(importlib.import_module, (real, public) if swapped else (public, real))
    assert first is second
    assert first.__name__ == first.__spec__.name == real
    assert importlib.util.find_spec(public).origin == first.__file__
    assert getattr(importlib.import_module("figmill.timelines"), name) is first

for name, place in PLACES:
    for swapped in (False, True):  # whichever comes first
        if child := os.fork():
            assert os.waitpid(child, 0)[1] == 0, name
        else:
            compare(name, place, swapped)
            sys.stdout.flush()
            os._exit(0)
print("compared", len(PLACES))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="forks a process for each name")
def test_both_names_are_one_module() -> None:
    places = [(name, place) for name, (place, _) in OFFERED.items()]
    assert python(f"PLACES = {places!r}\n{BOTH}") == f"compared {len(OFFERED)}\n"


@pytest.mark.parametrize("name", OFFERED)
def test_a_module_offers_what_it_always_has(name: str) -> None:
    module = import_module(f"figmill.timelines.{name}")
    assert [wanted for wanted in OFFERED[name][1].split() if not hasattr(module, wanted)] == []


def test_names_out_of_the_modules_can_be_imported_too() -> None:
    code = "\n".join(
        f"from figmill.timelines.{name} import {', '.join(names.split())}"
        for name, (_, names) in OFFERED.items()
    )
    python(code)


@pytest.mark.parametrize(
    ("statement", "unwanted"),
    [
        ("import figmill.timelines", ("matplotlib", "numpy", "figmill.timelines.spans")),
        ("from figmill.timelines import schedules", ("matplotlib", "numpy", "figmill.timelines.charts")),
        ("from figmill.timelines.model import Span", ("matplotlib", "numpy", "figmill.timelines.pipeline")),
        (
            "from figmill.timelines import workers",
            ("matplotlib", "numpy", "figmill.timelines.training.stalls"),
        ),
        ("from figmill.timelines import pipeline", ("matplotlib", "figmill.timelines.pipeline.orders")),
        ("from figmill.timelines import events", ("matplotlib", "numpy", "figmill.timelines.traces.readers")),
        ("from figmill.timelines import traces; traces.read", ("matplotlib", "figmill.timelines.pipeline")),
    ],
)
def test_an_import_loads_that_module_and_what_it_needs(statement: str, unwanted: tuple[str, ...]) -> None:
    loaded = python(f"{statement}\nimport sys; print(*sys.modules)").split()
    assert "figmill.timelines" in loaded
    assert [name for name in unwanted if name in loaded] == []


def test_a_module_that_never_was_is_missing_under_its_own_name() -> None:
    code = "try: import figmill.timelines.gant\nexcept ModuleNotFoundError as e: print(e.name)"
    assert python(code) == "figmill.timelines.gant\n"
    with pytest.raises(ImportError, match="cannot import name 'gant'"):
        exec("from figmill.timelines import gant")
    with pytest.raises(AttributeError, match="has no attribute 'pannel'"):
        _ = import_module("figmill.timelines.pipeline").pannel


def test_a_package_that_is_imported_again_keeps_one_finder() -> None:
    code = """
import sys
for _ in range(3):
    from figmill.timelines.gantt import draw
    for name in [name for name in sys.modules if name.startswith("figmill")]:
        del sys.modules[name]
print(sum(getattr(finder, "package", "") == "figmill.timelines" for finder in sys.meta_path))
"""
    assert python(code) == "1\n"


@pytest.mark.parametrize("name", ["whatif", "training.whatif"])
def test_the_scenarios_are_printed_by_either_name(name: str) -> None:
    table = str(REPOSITORY / "visuals" / "data" / "stalls.csv")
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-m", f"figmill.timelines.{name}", table],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert len(ran.stdout.splitlines()) == 10


@pytest.mark.parametrize("name", ["whatif", "training.whatif"])
def test_modules_of_the_current_folder_do_not_stand_for_those_of_python(name: str, tmp_path: Path) -> None:
    """What Python itself loads to find the module is not ours to choose; all else comes from where it belongs."""
    for module in (
        "argparse",
        "csv",
        "dataclasses",
        "datetime",
        "fractions",
        "math",
        "numpy",
        "pathlib",
        "typing",
    ):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('taken from the current folder')\n")
    table = str(REPOSITORY / "visuals" / "data" / "stalls.csv")
    ran = subprocess.run(
        [sys.executable, "-m", f"figmill.timelines.{name}", table],
        capture_output=True, text=True, check=False, timeout=60, cwd=tmp_path,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr, len(ran.stdout.splitlines())) == (0, "", 10)


OWN = ("--no-site-packages", "--ignore-missing-imports", "--follow-imports=silent")


def test_a_type_checker_knows_the_public_names(tmp_path: Path) -> None:
    """Those of figmill itself: types of matplotlib, which take it longest, are of no account here."""
    script = tmp_path / "figure.py"
    names = ", ".join(sorted(OFFERED))
    script.write_text(
        f"from figmill.timelines import {names}\n"
        "from figmill.timelines.bounds import within\n"
        "from figmill.timelines.pipeline.schedules import simulate\n"
        "timeline: model.Timeline = schedules.simulate('1f1b', 4, 8)\n"
        "panel: gantt.Panel = pipeline.panel('1f1b', timeline, schedules.facts('1f1b', timeline))\n"
        "trace: traces.Trace = traces.read('x.json')\n"
        "wrong: int = pipeline.panel('1f1b', timeline, {})\n"
        "from figmill.timelines import gant\n",
        encoding="utf-8",
    )
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", str(tmp_path), *OWN, str(script)],
        capture_output=True, text=True, check=False, timeout=300, cwd=tmp_path,
        env={"MYPYPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    wrong, missing = [line for line in ran.stdout.splitlines() if "error:" in line]
    assert "figure.py:7: error: Incompatible types in assignment" in wrong and '"Panel"' in wrong, ran.stdout
    assert 'figure.py:8: error: Module "figmill.timelines" has no attribute "gant"' in missing, ran.stdout
