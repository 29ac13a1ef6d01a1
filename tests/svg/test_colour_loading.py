"""coloraide without its tables of colour temperatures: faster to load, and the same to whoever asks it."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from figmill.svg.colour_loading import COMPUTING

PLAIN = "from coloraide import Color"
OURS = "from figmill.svg.colour_loading import color_class; Color = color_class()"
ANSWERS = """
import json
from coloraide import temperature
print(json.dumps([
    [Color("oklch(0.7 0.4 150)").fit("srgb", method=how).coords() for how in ("raytrace", "oklch-chroma")],
    [Color("#c33").filter(how, 1).convert("oklch").coords() for how in ("protan", "deutan", "tritan", "grayscale")],
    [Color("#c33").delta_e("#a74", method="ok"), Color("#c33").luminance(), Color("#c33").to_string()],
    [Color("#ffd9b0").cct(method=how) for how in ("robertson-1968", "ohno-2013")],
    [Color.blackbody("srgb", 4500, method=how).coords() for how in ("robertson-1968", "ohno-2013")],
    [repr(getattr(plugin, "absent", None)) + type(plugin).__name__ for plugin in Color.CCT_MAP.values()],
]))
"""


def said(program: str, *before: Path) -> Any:
    """What a new process prints as JSON; `before`: where it looks for modules first."""
    path = f"import sys; sys.path[:0] = {[str(place) for place in before]!r}\n"
    ran = subprocess.run([sys.executable, "-c", path + program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_the_same_colours_and_temperatures() -> None:
    assert said(OURS + ANSWERS) == said(PLAIN + ANSWERS)


def test_no_table_is_computed_where_figures_are_settled() -> None:
    program = """
from figmill.publish.finalise import warm
warm()
import json, sys
from coloraide import Color
print(json.dumps([sorted(vars(plugin)) for plugin in Color.CCT_MAP.values()]))
"""
    assert said(program) == [["_set_up"], ["_set_up"]]


def test_this_coloraide_has_what_is_postponed() -> None:
    for module, name in COMPUTING.items():
        assert isinstance(getattr(import_module(module), name), type)


@pytest.mark.parametrize(
    "robertson",
    [
        "OTHER = 1",
        "class Robertson1968:\n    __slots__ = ('table',)\n    def __init__(self): self.table = [7]",
        "class Robertson1968:\n    def __init__(self): self.table = [7]\n    def __getattr__(self, name): return 'own'",
        "def Robertson1968(): return {'table': [7]}",
    ],
)
def test_another_coloraide_loads_as_ever(tmp_path: Path, robertson: str) -> None:
    package = tmp_path / "coloraide" / "temperature"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "robertson_1968.py").write_text(robertson)
    (package.parent / "__init__.py").write_text(
        "from coloraide.temperature import robertson_1968 as found\n"
        "made = getattr(found, 'Robertson1968', int)()\n"
        "Color = type('Color', (), {})\n"
    )
    ask = "\nimport coloraide, json; print(json.dumps(type(coloraide.made).__init__.__qualname__))"
    assert said(OURS + ask, tmp_path) == said(PLAIN + ask, tmp_path)


def test_others_are_imported_as_before() -> None:
    program = f"import sys; before = sys.meta_path[:]; {OURS}; print(int(before == sys.meta_path))"
    assert said(program) == 1
