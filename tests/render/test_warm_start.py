"""What a warm process loads before its children are forked: all that most figures need, and nothing that few do."""

from __future__ import annotations

import gc
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from helpers.book import Space
from helpers.own_code import modules

from figmill.enclosure import sandbox

DRAWINGS = Path(__file__).parents[1] / "svg" / "drawings"
SETTLING = """
import json, sys
import figmill.render.worker
from figmill.publish.settling import warm
warm()
"""
# Package or module -> why the process that settles does without it.
UNLOADED = {
    "figmill.svg.html.lift": "labels in HTML, which few drawings have",
    "figmill.svg.html.css": "the same",
    "cssselect2": "rules of a drawing's own stylesheet",
    "PIL": "pictures inside drawings",
    "subprocess": "starts other processes",
    "tomllib": "reads settings",
    "platform": "tells the machine that a drawing was made on",
    "importlib.resources": "files inside packages",
    "matplotlib": "draws",
    "pygraphviz": "draws",
    "yaml": "reads questions",
}


def said(program: str) -> Any:
    """What a new process prints as JSON, in the environment of a worker."""
    ran = subprocess.run(
        [sys.executable, "-s", "-P", "-c", program], env={**sandbox.FIXED}, capture_output=True, check=False
    )
    assert ran.returncode == 0, ran.stderr.decode()
    return json.loads(ran.stdout)


def test_what_few_figures_need_is_not_loaded() -> None:
    loaded = said(f"{SETTLING}print(json.dumps(list(sys.modules)))")
    surplus = {name for name in UNLOADED for module in loaded if f"{module}.".startswith(f"{name}.")}
    assert surplus == set()
    assert {"lxml.etree", "tinycss2", "figmill.svg.pipeline"} <= {*loaded}


@pytest.mark.parametrize(
    ("name", "more"), [("graphviz", set()), ("matplotlib", {"cssselect2", "tinycss2.nth"})]
)
def test_an_ordinary_figure_finds_everything_loaded(name: str, more: set[str]) -> None:
    """matplotlib's SVG has one rule of CSS, for which two small modules are loaded."""
    program = f"""{SETTLING}
from figmill.svg import Sheet, in_themes
before = set(sys.modules)
in_themes(open({str(DRAWINGS / name)!r} + ".svg", "rb").read(), Sheet("fig", "t", "d"), ("light", "dark"))
print(json.dumps(sorted(set(sys.modules) - before)))
"""
    assert {module for module in said(program) if module.partition(".")[0] not in more} <= more


PARTS = {"book", "config", "enclosure", "host", "kind", "kinds", "publish", "render", "store", "svg"}


def test_no_pattern_names_ranges_that_take_long_to_compile() -> None:
    """Python takes 4 ms for a class with a range beyond the Basic Multilingual Plane, at each start."""
    names = [
        name.removesuffix(".py").replace("/", ".")
        for name in (module if module.startswith("figmill_") else f"figmill/{module}" for module in modules())
        if name.split("/")[1] in PARTS or name.startswith("figmill_kinds/")
    ]
    patterns = {
        f"{name}.{word}": value.pattern
        for name in names
        for word, value in vars(import_module(name)).items()
        if isinstance(value, re.Pattern) and isinstance(value.pattern, str)
    }
    assert len(patterns) > 100
    assert [name for name, pattern in patterns.items() if "u0010ffff" in ascii(pattern).lower()] == []


def test_nothing_is_collected_while_libraries_are_loaded_and_all_afterwards(space: Space) -> None:
    """A script finds the collector at work, and hardly any round that it made before."""
    script = """
import gc
from matplotlib.figure import Figure
from figmill import Drawing
rounds = gc.get_stats()[0]["collections"]

def draw():
    figure = Figure(figsize=(2, 1))
    figure.text(0.1, 0.5, "a")
    return Drawing(figure, facts={"rounds": rounds, "runs": gc.isenabled(), "frozen": gc.get_freeze_count()})
"""
    space.write({"visuals/a.py": script})
    space.question("a", "kind: matplotlib, source: a.py, alt: '{rounds} {runs} {frozen}'")
    ran = space.run()
    assert ran.code == 0, ran.out + ran.err
    rounds, runs, frozen = json.loads(space.read("build/manifest.json"))["figures"][0]["alt"].split()
    assert int(rounds) < 40 < gc.get_stats()[0]["collections"]
    assert runs == "True" and int(frozen) > 20_000
