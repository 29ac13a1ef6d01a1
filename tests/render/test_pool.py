"""Drawing in parallel: order, isolation of one script from the next, limits, an early stop, and what is traced.

The same scripts run in both ways: forked for each figure, and in spawned workers that stay.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from helpers.book import Space
from helpers.drawing import draw_all
from helpers.machine import locked, sandboxed

from figmill.errors import AuthorError, ToolError
from figmill.kind.job import Job, Raw
from figmill.render import connection
from figmill.render.pool import Pool
from figmill.render.processes import way_here
from figmill.render.results import Drawn, FollowUp, FollowUpAnswer, NotDrawn, Result

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes and signals are POSIX here")
WAYS = ["stay", *(["fork"] if sys.platform == "linux" else [])]

# A graph is drawn soonest; plots stand where a script can leave something in matplotlib.
PLAIN = "def draw(n=0):\n    return f'graph {{ {n} }}'\n"

# What every figure is asked after another script has run: all that it could have found changed.
WITNESS = """
import os, random, sys, threading, json
import matplotlib
import numpy as np
from matplotlib.figure import Figure
from figmill import Drawing

def draw(n=0):
    print("witness")
    return Drawing(Figure(figsize=(1, 1)), facts={
        "linewidth": matplotlib.rcParams["lines.linewidth"], "font": str(matplotlib.rcParams["font.family"]),
        "path": [p for p in sys.path if "nowhere" in p],
        "environ": sorted(name for name in os.environ if "TOKEN" in name or "LEFT" in name),
        "random": random.random(), "numpy": float(np.random.random()),
        "scratch": os.listdir("."), "helper": "helper" in sys.modules,
        "umask": os.umask(0o022), "stdout": sys.stdout is not None and not sys.stdout.closed,
    })
"""

# A script that leaves something behind -> a part of its own failure, or None where it draws.
UNTIDY: dict[str, tuple[str, str | None]] = {
    "rcparams": (
        "import matplotlib; matplotlib.rcParams.update({'lines.linewidth': 9, 'font.family': 'serif'})",
        None,
    ),
    "path": ("import sys; sys.path.insert(0, '/nowhere'); sys.argv[:] = ['x']", None),
    "environ": ("import os; os.environ['LEFT'] = '1'; del os.environ['PATH']", None),
    "folder": ("import os; open('left.txt', 'w').close(); os.chdir('/')", None),
    "random": ("import random, numpy; random.seed(1); numpy.random.seed(1)", None),
    "threads": (
        "import threading, time; threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        None,
    ),
    "talkative": ("print('x' * (8 << 20))", None),
    "module": ("import helper; helper.VALUE = 2", None),
    "umask": ("import os; os.umask(0o077)", None),
    "closes stdout": ("import sys; print('before'); sys.stdout.close()", None),
    "no stdout": ("import sys; sys.stdout = sys.stderr = None", None),
    "closes descriptor 1": ("import os; print('before'); os.close(1)", None),
    "leaves a figure open": ("import matplotlib.pyplot as plt; plt.plot([1, 2])", None),
    "exits well": ("import sys; sys.exit()", "draw"),
    "SystemExit": ("raise SystemExit(3)", "the script exited with exit code 3"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "visuals/KeyboardInterrupt.py:3: KeyboardInterrupt"),
    "os._exit": ("import os; print('last words', flush=True); os._exit(7)", "its process"),
    "os._exit well": ("import os; os._exit(0)", "its process"),
    "forks": ("import os, time\n    if os.fork() == 0:\n        time.sleep(61)", None),
    "a process of its own": ("import subprocess; subprocess.Popen(['sleep', '61.5'])", None),
    "kills itself": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "its process"),
    "closes every descriptor": ("import os; os.closerange(3, 256)", "its process"),
    "reads standard input": ("import sys; assert sys.stdin.read() == ''", None),
}


# What a spawned worker dies of, alike: one of them stands for all where it has to be started anew.
DEADLY = {"os._exit well", "kills itself", "closes every descriptor"}


def untidy(code: str) -> str:
    return f"# A graph\ndef draw():\n    {code}\n    return 'graph {{ a }}'\n"


def untidy_plot(code: str) -> str:
    return (
        f"from matplotlib.figure import Figure\ndef draw():\n    {code}\n    return Figure(figsize=(1, 1))\n"
    )


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("FIGMILL_WORKERS", request.param)
    return str(request.param)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for what is written while drawing."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def job(name: str, **fields: object) -> Job:
    return Job(**{"kind": "dot", "source": f"visuals/{name}.py", "entry": "draw", "timeout": 20, **fields})  # type: ignore[arg-type]


def plot(name: str, **fields: object) -> Job:
    return job(name, kind="matplotlib", **fields)


def drawn(space: Space, *jobs: Job, slots: int = 2) -> list[Result]:
    with closing(draw_all(jobs, space.root.resolve(), slots)) as results:
        return list(results)


def facts(result: Result) -> dict[str, object]:
    assert isinstance(result, Drawn), str(result.error) + result.error.detail
    return dict(result.raw.facts)


def processes(marker: str) -> list[int]:
    """Processes that still have `marker` in their command line or environment."""
    pids = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                told = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                if marker.encode() in told and (entry / "stat").read_text().split()[2] != "Z":
                    pids.append(int(entry.name))
        except OSError:
            continue
    return pids


def eventually(condition: Callable[[], bool], seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_results_come_in_the_order_of_the_jobs(space: Space, way: str) -> None:
    slow_first = "import time\n" + PLAIN.replace("return", "time.sleep(0.3 - 0.03 * n)\n    return")
    space.write({"visuals/a.py": slow_first, "visuals/g.dot": "graph { a -- b }", "visuals/h.svg": "<svg/>"})
    jobs = [job("a", params={"n": n}) for n in range(6)]
    jobs[2:2] = [Job("dot", "visuals/g.dot", "file"), Job("svg", "visuals/h.svg", "file")]
    results = drawn(space, *jobs, slots=3)
    starts = [result.raw.svg for result in results if isinstance(result, Drawn)]
    assert starts[3] == b"<svg/>" and b"a_node1" not in starts[3] and b"graphviz" in starts[2]
    assert [b">%d</text>" % n in svg for n, svg in enumerate(starts[:2] + starts[4:])] == [True] * 6


def test_nothing_of_one_script_is_left_to_the_next(space: Space, way: str) -> None:
    space.write({f"visuals/{name}.py": untidy_plot(code) for name, (code, _) in UNTIDY.items()})
    space.write({"visuals/witness.py": WITNESS, "visuals/helper.py": "VALUE = 1\n"})
    names = list(UNTIDY) if way == "fork" else [name for name in UNTIDY if name not in DEADLY]
    jobs = [plot("witness")] + [j for name in names for j in (plot(name), plot("witness", params={"n": 0}))]
    first, *others = drawn(space, *jobs, slots=1)
    clean = facts(first)
    assert (clean["linewidth"], clean["stdout"], clean["scratch"]) == (1.5, True, [])
    for name, result, witness in zip(names, others[::2], others[1::2], strict=True):
        expected = UNTIDY[name][1]
        if isinstance(result, Drawn):
            assert expected is None, name
        else:
            told = f"{result.error}\n{result.error.detail}"
            assert expected is not None and expected in told, (name, told)
        assert facts(witness) == {
            **clean,
            "random": facts(witness)["random"],
            "numpy": facts(witness)["numpy"],
        }, name
    seeds = {(facts(w)["random"], facts(w)["numpy"]) for w in others[1::2]}
    assert len(seeds) == 1
    talkative = others[2 * names.index("talkative")]
    assert isinstance(talkative, Drawn) and len(talkative.raw.printed) <= 16 << 10


def test_no_process_and_no_folder_outlives_the_build(space: Space, way: str, scratch: Path) -> None:
    names = ("forks", "a process of its own", "threads", "os._exit")
    space.write({f"visuals/{name}.py": untidy(UNTIDY[name][0]) for name in names})
    drawn(space, *map(job, names))
    assert eventually(lambda: processes(str(scratch)) == []), processes(str(scratch))
    assert list(scratch.iterdir()) == []


def test_a_figure_that_takes_too_long_or_too_much_is_ended_and_the_others_go_on(
    space: Space, way: str, scratch: Path
) -> None:
    space.write(
        {
            "visuals/sleeps.py": untidy("import subprocess; subprocess.run(['sleep', '62'])"),
            "visuals/spins.py": untidy("while True: pass"),
            "visuals/good.py": PLAIN,
        }
    )
    began = time.monotonic()
    results = drawn(space, job("sleeps", timeout=1), job("good"), job("spins", timeout=1), job("good"))
    assert time.monotonic() - began < 15
    assert [isinstance(result, Drawn) for result in results] == [False, True, False, True]
    for result, name in zip(results[::2], ("sleeps", "spins"), strict=True):
        assert isinstance(result, NotDrawn)
        assert str(result.error).startswith(f"visuals/{name}.py: took longer than 1 s, so figmill ended it")
    assert eventually(lambda: processes(str(scratch)) == []), processes(str(scratch))


@pytest.mark.skipif("fork" not in WAYS, reason="only a forked child has limits of its own")
def test_memory_and_files_are_limited(space: Space) -> None:
    space.write(
        {
            "visuals/eats.py": untidy("x = bytearray(3 << 30)"),
            "visuals/fills.py": untidy("with open('big', 'wb') as f:\n        f.truncate(1 << 40)"),
        }
    )
    eats, fills = drawn(space, job("eats"), job("fills"))
    assert isinstance(eats, NotDrawn) and isinstance(fills, NotDrawn)
    assert "visuals/eats.py:3: ran out of memory: a figure may use 2048 MiB" in str(eats.error)
    assert "visuals/fills.py" in str(fills.error)


@pytest.mark.skipif("fork" not in WAYS, reason="only a forked child has limits of its own")
# It ends in Python, in Graphviz, or in between.
@pytest.mark.parametrize("mebibytes", [64, pytest.param(100, marks=pytest.mark.soak)])
def test_a_graph_that_eats_memory_fails_alone(space: Space, mebibytes: int) -> None:
    edges = "".join(f"n{n}->n{(n * 7919 + 1) % 40_000};" for n in range(40_000))
    space.write(
        {
            "visuals/big.dot": f"digraph {{{edges}}}",
            "visuals/small.dot": "digraph {a -> b}",
            "figmill.toml": f'memory = "{mebibytes} MiB"\n',
        }
    )
    space.question("big", "source: big.dot, engine: sfdp, alt: A large graph.")
    space.question("small", "source: small.dot, alt: A small graph.")
    ran = space.run()
    assert ran.code == 1
    assert f"a figure may use {mebibytes} MiB; `memory` in the settings allows more" in ran.err
    assert "2 figures, 1 rendered, 1 failed" in ran.out
    assert "Traceback" not in ran.err


BOMBS = {
    # how a script starts processes without end -> its code
    "children": "import os, time\n    while True:\n        os.fork() or time.sleep(30)",
    "each starts the next": "import os\n    while True:\n        os.fork()",
    "tools": "import subprocess\n    kept = [subprocess.Popen(['sleep', '77.25']) for _ in range(500)]",
    "away from its group": (
        "import os, time\n    for _ in range(500):\n        os.fork() or (os.setsid(), os.fork(), time.sleep(30))"
    ),
}


@pytest.mark.skipif("fork" not in WAYS, reason="counted by the process that forks")
@pytest.mark.parametrize("sandbox", ["auto", "off"])
@pytest.mark.parametrize("code", BOMBS.values(), ids=BOMBS)
def test_the_number_of_processes_is_limited(space: Space, scratch: Path, code: str, sandbox: str) -> None:
    space.write({"visuals/bomb.py": untidy(code), "visuals/good.py": PLAIN})
    with closing(draw_all([job("bomb"), job("good")], space.root.resolve(), 2, enclosure=sandbox)) as results:
        bomb, good = results
        assert isinstance(bomb, NotDrawn) and isinstance(good, Drawn)
        assert "visuals/bomb.py: started more than 64 processes at a time, so figmill ended it" in str(
            bomb.error
        )
        assert bomb.seconds < 10
    assert eventually(lambda: processes(str(scratch)) == []), processes(str(scratch))


STAYING = """
    import os, subprocess, sys, time
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            subprocess.Popen(["sleep", "{seconds}"], start_new_session=True)
            time.sleep(78)
        os._exit(0)
    time.sleep(0.3)
"""


ALONE = """
    import contextlib, glob
    for name in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # a process that has ended meanwhile
            assert b"{seconds}" not in open(name, "rb").read(), open(name[:-7] + "stat").read()
"""


@pytest.mark.skipif("fork" not in WAYS, reason="nothing else knows what a script has left behind")
@pytest.mark.parametrize("sandbox", ["auto", "off"])
def test_what_leaves_its_group_and_session_is_ended_too(space: Space, scratch: Path, sandbox: str) -> None:
    """While the build goes on: the next figure is drawn in a machine without it."""
    seconds = f"78.{os.getpid()}"  # no other run of this test has such a process
    space.write(
        {
            "visuals/stays.py": untidy(STAYING.strip().replace("{seconds}", seconds)),
            "visuals/next.py": untidy(ALONE.strip().replace("{seconds}", seconds)),
        }
    )
    jobs = [job("stays"), job("next")]
    with closing(draw_all(jobs, space.root.resolve(), 1, enclosure=sandbox)) as results:
        assert [str(r.error) + r.error.detail for r in results if isinstance(r, NotDrawn)] == []


COME_AND_GO = {
    "one_by_one": "import subprocess\n    for _ in range(150): subprocess.run(['true'], check=True)",
    "unasked": "import subprocess, time\n    kept = []\n    for _ in range(150):\n"
    "        kept.append(subprocess.Popen(['true'])), time.sleep(0.003)",
    "pool": "from multiprocessing import get_context\n    with get_context('fork').Pool(24) as pool:\n"
    "        assert pool.map(abs, range(-99, 1)) == list(range(99, -1, -1))",
}


@pytest.mark.skipif("fork" not in WAYS, reason="counted by the process that forks")
@pytest.mark.parametrize("name", COME_AND_GO)
def test_processes_that_come_and_go_are_not_counted_together(space: Space, name: str) -> None:
    if name == "pool":  # needs shared memory
        locked()
        sandboxed()
    space.write({f"visuals/{name}.py": untidy(COME_AND_GO[name])})
    results = drawn(space, job(name))
    assert [str(r.error) + r.error.detail for r in results if isinstance(r, NotDrawn)] == []


def test_a_process_that_does_not_start_is_ended_and_told(
    space: Space, scratch: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "START", 1.0)
    with Pool(space.root.resolve(), preload="signal:pause") as pool:
        pool.start(())
        with pytest.raises(
            ToolError, match="the drawing process did not start within 1 s, so figmill ended it"
        ):
            list(pool.draw_all([Raw(b"<svg/>")], makings(measured)))
    assert eventually(lambda: processes(str(scratch)) == []), processes(str(scratch))


def test_a_caller_that_stops_early_leaves_nothing_running(space: Space, way: str, scratch: Path) -> None:
    space.write({"visuals/good.py": PLAIN, "visuals/slow.py": untidy("import time; time.sleep(63)")})
    results = draw_all([job("good"), *[job("slow", timeout=63)] * 9], space.root.resolve(), 2)
    assert isinstance(next(results), Drawn)
    began = time.monotonic()
    results.close()
    assert time.monotonic() - began < 5
    assert eventually(lambda: processes(str(scratch)) == []), processes(str(scratch))
    assert list(scratch.iterdir()) == []


@pytest.mark.skipif("fork" not in WAYS, reason="reads /proc")
def test_a_killed_parent_takes_its_workers_along(space: Space, scratch: Path) -> None:
    space.write({"visuals/slow.py": untidy("import time; time.sleep(64)")})
    space.question("slow", "kind: dot, source: slow.py, alt: never seen")
    build = subprocess.Popen(
        [sys.executable, "-m", "figmill"], cwd=space.root, env={**os.environ, "TMPDIR": str(scratch)}
    )
    drawing = lambda: [p for p in processes(str(scratch)) if p != build.pid]  # noqa: E731
    assert eventually(lambda: len(drawing()) >= 2)
    build.kill()
    build.wait()
    assert eventually(lambda: drawing() == [])


def test_a_script_sees_no_secret_of_the_machine(space: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "SSH_AUTH_SOCK",
        "LANG",
        "MPLCONFIGDIR",
        "PYTHONPATH",
    ):
        monkeypatch.setenv(name, "hunter2")
    space.write({"visuals/spy.py": untidy("import os; print(dict(os.environ))")})
    (result,) = drawn(space, job("spy"))
    assert isinstance(result, Drawn)
    assert (
        "PATH" in result.raw.printed
        and "hunter2" not in result.raw.printed
        and "LANG" not in result.raw.printed
    )


def test_a_script_may_not_change_the_book(space: Space) -> None:
    writes = {
        "opens": "open(HERE + '/x.txt', 'w')",
        "appends": "open(__file__, 'a')",
        "makes": "os.mkdir(HERE + '/x')",
        "removes": "os.remove(HERE + '/keep.txt')",
        "moves": "os.rename(HERE + '/keep.txt', 'keep.txt')",
        "links": "os.symlink('/etc/passwd', HERE + '/x')",
        "touches": "os.utime(HERE + '/keep.txt')",
        "cuts": "os.truncate(HERE + '/keep.txt', 0)",
    }
    space.write({"visuals/keep.txt": "kept"})
    for name, code in writes.items():
        space.write({f"visuals/{name}.py": untidy(f"import os; HERE = os.path.dirname(__file__); {code}")})
    before = space.stamps()
    for name, result in zip(writes, drawn(space, *map(job, writes)), strict=True):
        assert isinstance(result, NotDrawn), name
        assert f"visuals/{name}.py:3: PermissionError: a figure may not change the book" in str(result.error)
    assert space.stamps() == before


# ---------------------------------------------------------------- what is read is recorded

BESIDE = "import os; from pathlib import Path; HERE = Path(__file__).parent; "
READS: dict[str, tuple[str, set[str]]] = {
    # how a script reads -> what must be recorded, beside the script itself
    "open": ("open(HERE / 'data.csv').read()", {"visuals/data.csv"}),
    "os.open": ("os.open(HERE / 'data.csv', os.O_RDONLY)", {"visuals/data.csv"}),
    "bytes": ("open(os.fsencode(HERE / 'data.csv')).read()", {"visuals/data.csv"}),
    "relative": ("os.chdir(HERE); open('data.csv').read()", {"visuals/data.csv"}),
    "dotted": ("open(HERE / 'more' / '..' / 'data.csv').read()", {"visuals/data.csv"}),
    "pathlib": ("(HERE / 'data.csv').read_text()", {"visuals/data.csv"}),
    "listdir": ("os.listdir(HERE / 'more')", {"visuals/more/"}),
    "scandir": ("list(os.scandir(HERE / 'more'))", {"visuals/more/"}),
    "iterdir": ("list((HERE / 'more').iterdir())", {"visuals/more/"}),
    "glob": ("import glob; glob.glob(str(HERE / 'more' / '*.csv'))", {"visuals/more/"}),
    "pathlib glob": ("list((HERE / 'more').glob('*.csv'))", {"visuals/more/"}),
    "walk": ("list(os.walk(HERE / 'more'))", {"visuals/more/"}),
    "gzip": ("import gzip; gzip.open(HERE / 'data.gz').read()", {"visuals/data.gz"}),
    "csv": ("import csv; list(csv.reader(open(HERE / 'data.csv')))", {"visuals/data.csv"}),
    "loadtxt": ("import numpy as np; np.loadtxt(HERE / 'data.csv', delimiter=',')", {"visuals/data.csv"}),
    "genfromtxt": ("import numpy as np; np.genfromtxt(HERE / 'data.csv')", {"visuals/data.csv"}),
    "imread": ("import matplotlib.image as m; m.imread(HERE / 'dot.png')", {"visuals/dot.png"}),
    "sqlite3": ("import sqlite3; sqlite3.connect(HERE / 'data.db').execute('select 1')", {"visuals/data.db"}),
    "below a descriptor": (
        "fd = os.open(HERE, os.O_RDONLY); os.read(os.open('data.csv', os.O_RDONLY, dir_fd=fd), 9)",
        {"visuals/data.csv"},
    ),
    "walk by descriptors": ("[f for *_, f in os.fwalk(HERE / 'more')]", {"visuals/more/"}),
    "through a descriptor": ("list(os.scandir(os.open(HERE / 'more', os.O_RDONLY)))", {"visuals/more/"}),
    "not there": ("\n    try: open(HERE / 'gone.csv')\n    except OSError: pass", {"visuals/gone.csv"}),
    "outside visuals": ("open(HERE.parent / 'numbers.txt').read()", {"numbers.txt"}),
    "of the machine": ("open('/etc/hostname'); os.listdir('/')", set()),
    "its own scratch": ("open('x', 'w').close(); open('x').read()", set()),
    "all that it sees": ("os.listdir('.')", {"visuals/"}),
    "beside it": ("open('data.csv').read()", {"visuals/data.csv"}),
    "a folder beside it": ("os.listdir('more')", {"visuals/more/"}),
    "not there beside it": (
        "\n    try: open('more/gone.csv')\n    except OSError: pass",
        {"visuals/more/gone.csv"},
    ),
    "written over": ("open('data.csv', 'w').close(); open('data.csv').read()", set()),
    "a process": ("import subprocess; subprocess.run(['true'])", set()),
    "helper in visuals": ("import helper", {"visuals/helper.py", "visuals/helper/__init__.py"}),
    "a package": (
        "from pack import part",
        {"visuals/pack/__init__.py", "visuals/pack/part.py", "visuals/pack.py"},
    ),
    "a library": ("import json, decimal, numpy.polynomial, PIL.Image", set()),
    "a library not there": (
        "\n    try: import nolibrary\n    except ImportError: pass",
        {"visuals/nolibrary.py", "visuals/nolibrary/__init__.py"},
    ),
    "a built-in": ("import math, itertools, time, sys, _symtable", set()),
}


@pytest.fixture
def sources(space: Space) -> Space:
    import gzip
    import sqlite3

    import numpy as np
    from PIL import Image

    space.write(
        {
            "visuals/data.csv": "1,2\n3,4\n",
            "visuals/more/a.csv": "1\n",
            "visuals/helper.py": "VALUE = 1\n",
            "visuals/pack/__init__.py": "",
            "visuals/pack/part.py": "",
            "visuals/data.gz": gzip.compress(b"1"),
            "numbers.txt": "12\n",
        }
    )
    Image.fromarray(np.zeros((2, 2), np.uint8)).save(space.root / "visuals/dot.png")
    sqlite3.connect(space.root / "visuals/data.db").close()
    return space


def test_whatever_a_script_reads_in_the_book_is_recorded_and_nothing_else(sources: Space, way: str) -> None:
    space = sources
    space.write({f"visuals/{name}.py": untidy_plot(BESIDE + code) for name, (code, _) in READS.items()})
    for (name, (_, expected)), result in zip(READS.items(), drawn(space, *map(plot, READS)), strict=True):
        assert isinstance(result, Drawn), (name, result)
        assert set(result.raw.traced) - {f"visuals/{name}.py"} == expected, name


def test_a_module_that_would_come_first_is_looked_for(sources: Space) -> None:
    space = sources
    space.write({"visuals/cloud/x.py": untidy("import helper; print(helper.VALUE)")})
    shared = job("cloud/x")
    (before,) = drawn(space, shared)
    assert isinstance(before, Drawn) and before.raw.printed == "1\n"
    assert {"visuals/cloud/helper.py", "visuals/cloud/helper/__init__.py"} <= set(before.raw.traced)
    space.write({"visuals/cloud/helper.py": "VALUE = 2\n"})
    (after,) = drawn(space, shared)
    assert isinstance(after, Drawn) and after.raw.printed == "2\n"


def test_a_book_never_comes_before_a_library(space: Space) -> None:
    space.write(
        {
            "visuals/json.py": "raise SystemExit(9)\n",
            "visuals/numpy.py": "raise SystemExit(9)\n",
            "visuals/matplotlib/__init__.py": "raise SystemExit(9)\n",
            "figmill.py": "raise SystemExit(9)\n",
            "visuals/x.py": untidy_plot("import json, numpy; print(numpy.__file__)"),
        }
    )
    (result,) = drawn(space, plot("x"))
    assert isinstance(result, Drawn) and "site-packages" in result.raw.printed


def test_bytecode_is_never_written_beside_sources(sources: Space) -> None:
    space = sources
    space.write({"visuals/x.py": untidy("from pack import part; import helper")})
    drawn(space, job("x"))
    assert not list(space.root.rglob("*.pyc"))


def test_equal_jobs_draw_equal_bytes_whatever_ran_before(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    noisy = dedent("""\
        import random
        import matplotlib.pyplot as plt
        import numpy as np
        figure, axes = plt.subplots()
        axes.scatter(np.random.rand(9), [random.random() for _ in range(9)])
        axes.legend([f"{hash('x')}"])
        """)
    space.write({"visuals/noisy.py": noisy, "visuals/other.py": untidy_plot("pass")})
    noisy_job = plot("noisy", entry="script")
    seen = set()
    for way in WAYS:
        monkeypatch.setenv("FIGMILL_WORKERS", way)
        first, _, last = drawn(space, noisy_job, plot("other"), noisy_job, slots=1)
        assert isinstance(first, Drawn) and isinstance(last, Drawn)
        seen |= {first.raw.svg, last.raw.svg}
    assert len(seen) == 1
    assert next(iter(seen)).count(b"<use") >= 9


def makings(*functions: Callable[[Raw], FollowUpAnswer], timeout: float = 20.0) -> list[list[FollowUp]]:
    return [[FollowUp(function, "read", "visuals/x.svg", timeout, 1 << 30)] for function in functions]


def test_whatever_is_made_is_made_elsewhere(space: Space, way: str) -> None:
    """Hand drawings, drawings that are there, graphs: each has what was made of it, by processes for just that."""
    space.write({"visuals/a.svg": "<svg>1</svg>", "visuals/b.dot": "digraph {a -> b}"})
    one_of_each = [Job("svg", "visuals/a.svg", "file"), Raw(b"22"), Job("dot", "visuals/b.dot", "file")]
    for times in (1, 5):
        jobs = one_of_each * times
        results = list(draw_all(jobs, space.root.resolve(), 2, then=makings(*[measured] * len(jobs))))
        headers = [header for _, ((header, _),) in map(drawn_with, results)]
        assert [header["size"] for header in headers] == [len(raw.svg) for raw, _ in map(drawn_with, results)]
        makers = {header["pid"] for header in headers}
        assert len(makers) <= 3 and os.getpid() not in makers


def test_graphs_and_follow_ups_share_a_warm_process_but_no_child(space: Space) -> None:
    space.write({"visuals/b.dot": "digraph {a -> b}"})
    with Pool(space.root.resolve(), stays=True) as pool:
        pool.start(("dot",))
        (result,) = pool.draw_all([Job("dot", "visuals/b.dot", "file")], makings(measured))
        drawn_with(result)
        shared = {*pool._launchers.values(), pool.follow_up_launcher()}
        idle = [connection for waiting in pool._idle._waiting.values() for connection in waiting]
        assert len(shared) == (1 if way_here() == "fork" else 2)
        assert len({*idle}) == len(idle) == 2


def test_several_things_are_made_of_one_drawing_in_their_order(space: Space, way: str) -> None:
    several = [making for (making,) in makings(measured, wrong, measured)]
    (result,) = draw_all([Raw(b"333")], space.root.resolve(), 2, then=[several])
    _, (one, other, third) = drawn_with(result)
    assert one[0]["size"] == third[0]["size"] == 3
    assert isinstance(other, AuthorError) and "(ValueError); please report it" in other.message
    assert "raise ValueError(raw.svg)" in other.trace and other.detail == ""


FAULTS: dict[str, tuple[str, str]] = {
    # what happens while something is made -> what its own figure is told
    "fatal": ("fatal", "its process ended (SIGKILL) while it was read"),
    "wrong": ("wrong", "figmill itself failed while this was read (ValueError); please report it"),
    "deep": ("deep", "figmill itself failed while this was read (RecursionError); please report it"),
    "hungry": ("hungry", "could not be read in 1024 MiB of memory; `memory` in the settings allows more"),
    "slow": ("slow", "could not be read within 2 s; `timeout: N` in its question allows more"),
    "large": (
        "large",
        "could not be read: its process sent a drawing of 33,554,433 bytes; at most",
    ),
    "wordy": ("wordy", "could not be read: its process sent words of"),
    "exits": ("exits", "its process ended (exit code 3) while it was read"),
}


@pytest.mark.skipif("fork" not in WAYS, reason="only a forked child tells how it ended")
def test_what_goes_wrong_while_something_is_made_is_one_figures_error(
    space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of all between the first and the last, and between any two that go wrong is one that is made well."""
    monkeypatch.setenv("FIGMILL_WORKERS", "fork")
    then = makings(measured)
    for function, _ in FAULTS.values():
        then += makings(globals()[function], timeout=2.0 if function == "slow" else 20.0) + makings(measured)
    jobs = [Raw(b"1" * (number + 1)) for number in range(len(then))]
    results = list(draw_all(jobs, space.root.resolve(), 2, then=then))
    for (name, (_, told)), guilty in zip(FAULTS.items(), results[1::2], strict=True):
        (error,) = drawn_with(guilty)[1]
        assert isinstance(error, AuthorError) and error.message.startswith(told), (name, error)
        assert str(error.origin) == "visuals/x.svg"
    sizes = [drawn_with(good)[1][0][0]["size"] for good in results[::2]]
    assert sizes == list(range(1, len(jobs) + 1, 2))


def drawn_with(result: Result) -> tuple[Raw, tuple[Any, ...]]:
    assert isinstance(result, Drawn)
    return result.raw, result.answers


def measured(raw: Raw) -> FollowUpAnswer:
    return {"pid": os.getpid(), "size": len(raw.svg)}, b""


def fatal(raw: Raw) -> FollowUpAnswer:
    os.kill(os.getpid(), 9)
    raise AssertionError


def wrong(raw: Raw) -> FollowUpAnswer:
    raise ValueError(raw.svg)


def deep(raw: Raw) -> FollowUpAnswer:
    return deep(raw)


def hungry(raw: Raw) -> FollowUpAnswer:
    return {}, b"1" * (2 << 30)


def slow(raw: Raw) -> FollowUpAnswer:
    time.sleep(60)
    raise AssertionError


def large(raw: Raw) -> FollowUpAnswer:
    return {}, bytes((32 << 20) + 1)


def wordy(raw: Raw) -> FollowUpAnswer:
    return {"words": "w" * (4 << 20)}, b""


def exits(raw: Raw) -> FollowUpAnswer:
    os._exit(3)


HELD = """\
import os
import stat


def draw():
    held = []
    for number in os.listdir("/proc/self/fd"):
        try:
            status, place = os.fstat(int(number)), os.readlink(f"/proc/self/fd/{number}")
        except OSError:  # the descriptor of the listing itself
            continue
        if stat.S_ISREG(status.st_mode) and not place.endswith(" (deleted)"):
            held.append(place)
    raise RuntimeError(f"holds {held}")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_a_child_shares_no_open_file_with_others(space: Space) -> None:
    """Of a file that two processes hold together, one would read where the other has left off."""
    space.write({"visuals/p.py": HELD}).question("p", "kind: matplotlib, source: p.py, alt: what is open")
    assert "RuntimeError: holds []" in space.run().err
