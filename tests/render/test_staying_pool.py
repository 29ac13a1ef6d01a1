"""A pool that stays: the process of the next script waits already, and serves one script alone."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing

import pytest
from helpers.book import Space
from helpers.disturbed import processes, remaining

from figmill.kind.job import Job
from figmill.render.pool import Pool
from figmill.render.results import Drawn, Result

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one process serves all scripts")

# How long its process has lived when a script begins, and what an earlier script has left in it.
SCRIPT = """
import os, time
import matplotlib
from matplotlib.figure import Figure
from figmill import Drawing

def draw(n=0, fails=False):
    began = int(open("/proc/self/stat").read().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - began
    left = matplotlib.rcParams["lines.linewidth"]
    matplotlib.rcParams["lines.linewidth"] = 9
    if fails:
        raise ValueError("no")
    return Drawing(Figure(figsize=(1 + n, 1)), facts={"age": age, "left": left})
"""


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pool]:
    """One that stays through all tests here but the last, as it does in one build after the other."""
    space = Space(tmp_path_factory.mktemp("staying").resolve()).write({"visuals/s.py": SCRIPT})
    with Pool(space.root, stays=True) as pool:
        yield pool


def job(**params: object) -> Job:
    return Job("matplotlib", "visuals/s.py", "draw", params=params, timeout=30)  # type: ignore[arg-type]


def drawn(pool: Pool, **params: object) -> Result:
    (result,) = pool.draw_all([job(**params)])
    return result


def facts(result: Result) -> dict[str, float]:
    assert isinstance(result, Drawn), result
    return dict(result.raw.facts)  # type: ignore[arg-type]


@pytest.mark.parametrize("fails", [False, True], ids=["after one that draws", "after one that fails"])
def test_the_next_script_finds_its_process_waiting_and_untouched(pool: Pool, fails: bool) -> None:
    drawn(pool, fails=fails)
    time.sleep(0.6)
    values = facts(drawn(pool, n=1))
    assert values["age"] > 0.3
    assert values["left"] != 9


def test_a_process_that_died_while_it_waited_is_replaced(pool: Pool) -> None:
    drawn(pool)
    (waiting,) = [slot._next._connection for slot in pool._slots if slot._next._connection is not None]
    waiting.cut()
    time.sleep(0.5)
    assert facts(drawn(pool, n=1))["age"] < 0.5


def test_who_stops_early_keeps_the_processes(pool: Pool) -> None:
    drawn(pool)
    jobs = [job(n=number) for number in range(4)]
    with closing(pool.draw_all(jobs)) as results:
        next(results)
    assert facts(drawn(pool, n=1))["left"] != 9
    stopped = [*pool.draw_all(jobs, stop=lambda: True)]
    assert stopped == []
    assert len([*pool.draw_all(jobs, stop=lambda: False)]) == 4


def test_nothing_is_left_of_it(space: Space) -> None:
    root = space.write({"visuals/s.py": SCRIPT}).root.resolve()
    with Pool(root, stays=True) as pool:
        drawn(pool)
        assert processes(root)
    assert remaining(root) == []
