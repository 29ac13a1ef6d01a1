"""A generator in a book may import the libraries for scripts by their former names."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers.book import Space

FORMER = """\
from figmill import Drawing
from figmill.timelines import spans
from figmill.timelines.charts import gantt
from figmill.timelines.pipeline import schedules


def draw() -> Drawing:
    timeline = schedules.simulate("1f1b", 2, 4)
    return Drawing(gantt.draw(timeline, "1F1B"), schedules.facts("1f1b", timeline))
"""


@pytest.mark.parametrize("order", [0, 1])
def test_a_module_has_one_object_under_both_names(order: int) -> None:
    lines = ["import figmill.timelines.charts.gantt as a", "import figmill_timelines.charts.gantt as b"]
    code = "\n".join(lines[:: 1 - 2 * order])
    more = "import figmill.structure.graph, figmill_structure.graph as g; assert figmill.structure.graph is g"
    check = "assert a is b and a.__spec__.name == a.__name__ == 'figmill_timelines.charts.gantt'"
    subprocess.run([sys.executable, "-c", f"{code}\n{check}\n{more}"], check=True)


def test_a_module_that_is_not_there_is_named_in_its_distribution() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import figmill.timelines.nothing"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr.splitlines()[-1] == "ModuleNotFoundError: No module named 'figmill_timelines.nothing'"


def test_a_copy_of_a_generator_draws_the_same(space: Space) -> None:
    question = "id: {0}\nvisual: {{kind: matplotlib, source: {0}.py, alt: a schedule}}\n"
    space.write(
        {
            "visuals/old.py": FORMER,
            "visuals/new.py": FORMER.replace("figmill.timelines", "figmill_timelines"),
            "questions/old.yaml": question.format("old"),
            "questions/new.yaml": question.format("new"),
        }
    )
    ran = space.run()
    assert ran.code == 0, ran.err
    old, new = (space.read(f"build/global/{name}.svg").replace(name, "id") for name in ("old", "new"))
    assert old == new
