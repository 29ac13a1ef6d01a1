"""A script's drawing depends on the modules of the timelines that it uses, and on no others."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.book import Space

from figmill.paths import code_folders

# A chart and a schedule are loaded before anybody asks, as in a process that stays; then one script after another runs.
PRELOADED = """
import sys
from figmill.render.import_tracer import ImportTracer

tracer = ImportTracer()
tracer.install()
import figmill_timelines.charts.gantt
import figmill_timelines.pipeline.schedules
for script in {scripts!r}:
    traced = set()
    with tracer.recording(traced):
        exec(compile(script, "script.py", "exec"), {{"__name__": "__main__"}})
    print(*sorted(name.removeprefix("figmill's timelines/") for name in traced))
"""


def used_each(*scripts: str) -> list[list[str]]:
    """The modules of each script, all of which run in one process."""
    command = [sys.executable, "-c", PRELOADED.format(scripts=scripts)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return [line.split() for line in done.stdout.split("\n")[:-1]]


def used(script: str) -> list[str]:
    (names,) = used_each(script)
    return names


SCRIPTS = {
    "a module": "import figmill_timelines.spans",
    "from its package": "from figmill_timelines import spans",
    "a name in it": "from figmill_timelines.spans import Timeline",
    "within a function": "def draw():\n    from figmill_timelines.spans import Timeline\ndraw()",
    "by its name": "from importlib import import_module\nimport_module('figmill_timelines.spans')",
    "by Python's own function": "__import__('figmill_timelines.spans')",
}


@pytest.mark.parametrize("how", SCRIPTS)
def test_a_module_is_seen_however_it_is_imported(how: str) -> None:
    names = used(SCRIPTS[how])
    assert "spans.py" in names and "__init__.py" in names
    assert not {"charts/gantt.py", "pipeline/schedules.py"} & {*names}


def test_modules_that_were_there_before_come_with_what_they_import() -> None:
    plain, never_called, names = used_each(
        "import json, figmill",
        "def draw():\n    import figmill_timelines",
        "from figmill_timelines.charts import gantt",
    )
    assert plain == never_called == []
    assert {"charts/gantt.py", "charts/canvas.py", "charts/__init__.py", "spans.py"} <= {*names}
    assert "pipeline/schedules.py" not in names


DOES_NOT_LOAD = """
import figmill_timelines.plots
from importlib.machinery import SourceFileLoader

execute = SourceFileLoader.exec_module

def fails(self, module):
    if "figmill_timelines" in self.path:
        raise SyntaxError(self.path)
    execute(self, module)

SourceFileLoader.exec_module = fails
try:
    from figmill_timelines.plots import block_chart
except SyntaxError:
    pass
"""


def test_an_import_that_fails_says_what_python_says_and_its_module_is_an_input() -> None:
    wrong = "from ..beside import x"
    with pytest.raises(ImportError) as plain:
        exec(wrong, {"__name__": "__main__"})
    script = f"try:\n    {wrong}\nexcept ImportError as error:\n    assert str(error) == {str(plain.value)!r}, error"
    package = "try:\n    from figmill_timelines.models import rooflines\nexcept SyntaxError:\n    pass"
    # In this order: from the second on, nothing loads.
    nowhere, of_module, of_package = used_each(script, DOES_NOT_LOAD, package)
    assert nowhere == []
    assert "models/__init__.py" in of_package
    assert "plots/block_chart.py" in of_module


def test_a_figure_is_drawn_anew_for_the_modules_that_it_uses(tmp_path: Path, space: Space) -> None:
    library = tmp_path / "library"
    for folder in code_folders().values():
        # Compiled modules too: no process that draws writes them.
        shutil.copytree(folder, library / folder.name)
    env = {"PYTHONPATH": str(library)}
    assert space.run("new", "pipe", "--from", "pipeline_bubble").code == 0
    assert space.run("new", "roof", "--from", "roofline").code == 0
    assert space.run(env=env).code == 0

    def rendered(name: str) -> dict[str, list[str]]:
        """The figures that are drawn anew after an edit of this module, with their reasons."""
        with (library / name).open("a") as file:
            file.write("\n# edited\n")
        figures = space.run("--format", "json", env=env).json["figures"]
        return {row["id"]: row["reasons"] for row in figures if row["status"] != "fresh"}

    reason = ["figmill's libraries"]
    assert rendered("figmill_timelines/pipeline/schedules.py") == {"pipe": reason}
    assert rendered("figmill_timelines/models/rooflines.py") == {"roof": reason}
    assert rendered("figmill_timelines/quantities.py") == {"pipe": reason, "roof": reason}
    assert rendered("figmill_timelines/training/stalls.py") == {}
    assert rendered("figmill/kinds/dot_lexer.py") == rendered("figmill/kinds/picture.py") == {}
    assert rendered("figmill/kinds/matplotlib_.py") == {
        name: ["figmill's renderers"] for name in ("pipe", "roof")
    }
