"""Scripts as authors write them: data beside the script, no kind in the question, notebooks' lines, the clock."""

from __future__ import annotations

import ast
import re
import time

import pytest
from helpers.book import Space
from helpers.cases import cases

from figmill import config
from figmill.engine.resident.warm_book import WarmBook
from figmill.kinds import kinds_of_script
from figmill.kinds.scripts import advice, clock

READS = """\
import sqlite3
import os
import matplotlib.pyplot as plt
import pandas as pd
table = pd.read_csv("data/x.csv")
words = open("words.txt").read()
with open("words.txt", "w") as file:
    file.write("written anew")
assert open("words.txt").read() == "written anew"
sqlite3.connect("file:rows.db?mode=ro", uri=True).close()
plt.bar(table["a"], table["b"])
plt.title(words + (" and more" if os.path.exists("more.txt") and open("more.txt").read() else ""))
plt.show()
"""


def test_what_lies_beside_a_script_is_read_by_its_name_and_traced(space: Space) -> None:
    space.write(
        {
            "visuals/cloud/data/x.csv": "a,b\n1,2\n2,3\n",
            "visuals/cloud/words.txt": "as it was",
            "visuals/cloud/rows.db": b"",
            "visuals/cloud/p.py": READS,
        }
    ).question("p", "source: p.py, alt: a plot", track="cloud")
    ran = space.run()
    assert (ran.code, ran.err) == (0, "")
    assert space.read("visuals/cloud/words.txt") == "as it was" in space.read("build/cloud/p.svg")
    first = space.outputs()
    assert space.run("--check").code == 0
    space.write({"visuals/cloud/data/x.csv": "a,b\n1,2\n2,9\n"})
    assert space.run().code == 0 and space.outputs().keys() == first.keys() and space.outputs() != first
    assert "visuals/cloud/words.txt" in space.kept("journal")


def test_a_file_that_comes_to_lie_beside_a_script_is_tried(space: Space) -> None:
    space.write({"visuals/p.py": "def draw():\n    return f'digraph {{ {open(\"data/t.txt\").read()} }}'\n"})
    space.question("p", "kind: dot, source: p.py, alt: a graph")
    told = space.run()
    assert told.code == 1 and told.err.startswith("visuals/p.py:2: FileNotFoundError: ")
    assert space.run().code == 1
    space.write({"visuals/data/t.txt": "came"})
    assert space.run().code == 0 and ">came<" in space.read("build/global/p.svg")


def test_a_script_may_not_write_into_a_folder_beside_it(space: Space) -> None:
    space.write({"visuals/data/x.csv": "1", "visuals/p.py": "def draw():\n    open('data/y.csv', 'w')\n"})
    space.question("p", "kind: dot, source: p.py, alt: a graph")
    assert "a figure may not change the book: visuals/data/y.csv" in space.run().err


KINDS = {
    "import matplotlib.pyplot as plt": ("matplotlib",),
    "import numpy as np, seaborn": ("matplotlib",),
    "if True:\n    from matplotlib import pyplot": ("matplotlib",),
    "from graphviz import Digraph": ("dot",),
    "import pygraphviz\r\n": ("dot",),
    "import graphviz\nimport matplotlib": ("dot", "matplotlib"),
    "import pandas as pd": ("matplotlib",),
    "import pandas\nimport graphviz": ("dot",),
    "import plotly.express as px": ("matplotlib",),
    "import figmill": (),
    "import matplotlibrary": (),
    "from . import matplotlib": (),
    "x = 'import matplotlib'": (),
    "": (),
}


@cases("text", KINDS)
def test_a_script_says_its_kind_by_its_imports(text: str) -> None:
    assert kinds_of_script(text.encode()) == KINDS[text]
    # Python's own parser sees the same modules.
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {
        name.partition(".")[0]
        for node in nodes
        for name in ([a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""])
    }
    is_graph = bool(modules & {"graphviz", "pygraphviz"})
    of_plots = {"matplotlib", "seaborn"} if is_graph else {"matplotlib", "seaborn", "pandas", "plotly"}
    assert ("matplotlib" in KINDS[text]) == bool(modules & of_plots)
    assert ("dot" in KINDS[text]) == is_graph


GRAPH = "import graphviz\ndef draw():\n    g = graphviz.Digraph()\n    g.edge('a', 'b')\n    return g\n"
PLOT = "import matplotlib.pyplot as plt\nplt.title('plotted')\nplt.show()\n"


def test_a_script_of_one_library_needs_no_kind(space: Space) -> None:
    space.write({"visuals/a.py": GRAPH, "visuals/b.py": GRAPH + PLOT, "visuals/c.py": "print(1)\n"})
    for name in "abc":
        space.question(name, f"source: {name}.py, alt: a figure")
    told = space.run()
    assert "'b.py' imports graphviz and matplotlib; add `kind: dot` or `kind: matplotlib`" in told.err
    assert "'c.py' imports none of graphviz, matplotlib, schemdraw; add `kind: dot` or " in told.err
    assert ">a</text>" in space.read("build/global/a.svg") and len(told.err.splitlines()) == 2
    space.write({"visuals/a.py": PLOT, "visuals/b.py": GRAPH, "visuals/c.py": GRAPH})  # others than before
    ran = space.run("--format", "json")
    assert ran.code == 0
    kinds = [figure["kind"] for figure in ran.json["figures"]]
    assert kinds == ["matplotlib", "dot", "dot"] and "plotted" in space.read("build/global/a.svg")


ADVISED = {
    "%matplotlib inline\nimport pylab\n": (
        1,
        "`%matplotlib` is a command of IPython, not Python; leave the line out",
    ),
    "import pylab\n!pip install x\n": (2, "`!pip` is a command of IPython, not Python; leave the line out"),
    "import pylab\nget_ipython().run_line_magic('m', 'x')\n": (
        2,
        "NameError: `get_ipython` exists only in IPython; leave the line out",
    ),
    "import plotly.express as px\nf = px.line([1])\nf.show()\n": (3, advice.LIBRARIES["plotly"]),
    "import altair as alt\nc = alt.Chart()\nc.save('x.svg')\n": (3, advice.LIBRARIES["altair"]),
    "from bokeh.plotting import figure\nf = figure()\n": (1, advice.LIBRARIES["bokeh"]),
    "import numpy\n": (
        None,
        "it shows and saves no figure, and leaves none open; end it with `plt.show()`, or define "
        "draw() that returns the figure",
    ),
    "import numpy\ndef drw(): pass\n": (
        None,
        "it shows and saves no figure, and leaves none open; end it with `plt.show()`, or define "
        "draw() that returns the figure; did you mean that by 'drw' in line 2?",
    ),
}


def test_advice_is_one_line_at_the_line(space: Space) -> None:
    for number, text in enumerate(ADVISED):
        space.write({f"visuals/p{number}.py": text})
        space.question(f"p{number}", f"kind: matplotlib, source: p{number}.py, alt: a plot")
    told = [line for line in space.run().err.splitlines() if not line.startswith(" ")]
    expected = [
        f"visuals/p{number}.py{f':{line}' if line else ''}: {text}"
        for number, (line, text) in enumerate(ADVISED.values())
    ]
    assert [re.sub(r"^(\S+?:\d+):\d+:", r"\1:", line) for line in told] == expected


@pytest.mark.parametrize("text", ["%", "5 % 3 %", "% 3", "!", "x = 3 %", "!=", "%(a)s"])
def test_what_is_no_command_of_ipython(text: str) -> None:
    assert advice.of_line(text) is None


CLOCK = {
    "from datetime import datetime as d\nd.now()": ["d.now"],
    "import datetime\nx = 1\ndatetime.date.today()": ["datetime.date.today"],
    "import time as t\nprint(t.strftime('%Y'))": ["t.strftime"],
    "import time\ntime.strftime('%Y', time.gmtime(0))": [],
    "from time import time\nstart = time()\nprint(time() - start)": [],
    "from time import time\nseed(int(time()))": ["time"],
    "from time import time\nstart = time()\nplot(start, time() - start)": ["time"],
    "import pandas as pd, numpy as np\npd.Timestamp('now')\nnp.datetime64('2020')": ["pd.Timestamp"],
    "import time\ntime.perf_counter()": [],
    "def now(): pass\nnow()\nx.today()": [],
    "def (": [],
}


@cases("text", CLOCK)
def test_what_reads_the_clock(text: str) -> None:
    told = clock.remarks(text.encode())
    assert [remark.message.split("`")[1] for remark in told] == [f"{name}()" for name in CLOCK[text]]
    for remark, name in zip(told, CLOCK[text], strict=True):
        assert name in text.splitlines()[(remark.line or 0) - 1]


def test_a_script_that_reads_the_clock_is_told_at_its_line(space: Space) -> None:
    year = time.gmtime().tm_year
    script = "import datetime\n\n\ndef draw():\n    return f'digraph {{ {datetime.date.today().year} }}'\n"
    space.write({"visuals/p.py": script}).question("p", "kind: dot, source: p.py, alt: a year")
    done = space.run()
    assert done.code == 0 and f">{year}<" in space.read("build/global/p.svg")
    said = "`datetime.date.today()` reads the clock, so the figure changes by itself; write a fixed time"
    assert done.err.splitlines() == [f"visuals/p.py:5: {said} [clock]"]
    space.question("p", "kind: dot, source: p.py, alt: a year, lint: {clock: it is a calendar}")
    assert space.run().err == ""


def test_a_book_in_memory_sees_that_a_script_is_of_another_kind(space: Space) -> None:
    space.write({"visuals/a.py": PLOT, "visuals/b.py": "print(1)\n", "visuals/h.svg": "<svg/>"})
    for name in ("a.py", "b.py", "h.svg"):
        space.question(name[0], f"source: {name}, alt: a figure")
    book = WarmBook(space.root, config.load(space.root))
    assert {name: step.visual.kind for name, step in book.steps.items()} == {"a": "matplotlib", "h": "svg"}
    for text, kind in ((GRAPH, "dot"), (PLOT, "matplotlib"), (PLOT + "# more\n", "matplotlib")):
        space.write({"visuals/a.py": text, "visuals/b.py": text})
        assert book.look_again(["visuals/a.py", "visuals/b.py"]) == {"a", "b"}
        assert {name: step.visual.kind for name, step in book.steps.items()} == {
            "a": kind,
            "b": kind,
            "h": "svg",
        }
        assert [problem.error for problem in book.book.problems] == []
