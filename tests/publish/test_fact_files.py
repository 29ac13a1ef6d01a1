"""Facts that a question takes from files: tables, JSON, printed text, notebooks; and those that a script prints."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.book import Space

CELL: dict[str, Any] = {
    "cell_type": "code",
    "execution_count": 1,
    "metadata": {},
    "outputs": [],
    "source": [],
}


def cell(source: str, *, tags: tuple[str, ...] = (), returned: str = "", printed: str = "") -> dict[str, Any]:
    outputs: list[dict[str, Any]] = []
    if printed:
        outputs.append({"output_type": "stream", "name": "stdout", "text": [printed]})
    if returned:
        row = {
            "output_type": "execute_result",
            "execution_count": 1,
            "metadata": {},
            "data": {"text/plain": [returned]},
        }
        outputs.append(row)
    return {
        **CELL,
        "metadata": {"tags": list(tags)},
        "source": source.splitlines(keepends=True),
        "outputs": outputs,
    }


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# A study\n"]},
        cell("m.mean()", tags=("mean",), returned="np.float64(0.4286)"),
        cell("#| label: best\nprint(7)", printed="7\n"),
        cell("print(...)", printed="idle share = 43 %\n"),
        cell("x = 1", tags=("quiet",)),
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
FILES = {
    "visuals/a.dot": "digraph {a -> b}\n",
    "visuals/global/data.csv": "mean,note\n18.5,fast\n",
    "visuals/runs.csv": 'run,latency (ms),size:MB\np50,12,1\np99,"1,840.5",2\n\n',
    "visuals/half.csv": "run;share\nall;43 %\n",
    "visuals/runs.tsv": "run\ttotal\nall\t9\n",
    "visuals/runs.json": json.dumps({"runs": [{"mean": 0.25, "a/b": [1, 2]}], "ok": True}),
    "visuals/out.txt": "reading\np99 = 1 ms\np99 = 2.5 ms\nidle share = 0.43\nname = 'ring'\nok = True\n",
    "visuals/study.ipynb": json.dumps(NOTEBOOK, indent=1),
}
# Fact -> its place, and its value.
FACTS: dict[str, tuple[str, object]] = {
    "mean": ("data.csv#mean", 18.5),
    "note": ("data.csv#note", "fast"),
    "p99_ms": ("runs.csv#latency (ms):p99", 1840.5),
    "size": ("runs.csv#size:MB:p50", 1),
    "share_percent": ("half.csv#share", 43),
    "total": ("runs.tsv#total", 9),
    "run_mean": ("runs.json#/runs/0/mean", 0.25),
    "both": ("runs.json#/runs/0/a~1b", [1, 2]),
    "ok": ("runs.json#/ok", True),
    "last_ms": ("out.txt#p99", 2.5),
    "idle": ("out.txt#idle share", 0.43),
    "called": ("out.txt#name", "ring"),
    "fine": ("out.txt#ok", True),
    "of_cell": ("study.ipynb#mean", 0.4286),
    "best": ("study.ipynb#best", 7),
    "idle_percent": ("study.ipynb#idle share", 43),
}


def question(space: Space, id_: str, facts: dict[str, str], more: str = "alt: Two nodes") -> Space:
    rows = "".join(f"    {name}: '{place}'\n" for name, place in facts.items())
    return space.write(
        {f"questions/{id_}.yaml": f"id: {id_}\nvisual:\n  source: a.dot\n  {more}\n  facts:\n{rows}"}
    )


def manifest(space: Space) -> dict[str, Any]:
    return {row["id"]: row for row in json.loads(space.read("build/manifest.json"))["figures"]}


def test_each_place_leads_to_a_fact_which_alt_and_expect_use(space: Space) -> None:
    expected = "alt: '{p99_ms:si} on the {called}'\n  expect: {facts: {of_cell: 0.4286, both: [1, 2]}}"
    question(space.write(FILES), "a", {name: place for name, (place, _) in FACTS.items()}, expected)
    done = space.run()
    assert done.code == 0, done.err
    row = manifest(space)["a"]
    assert row["alt"] == "1.84 s on the ring"
    assert row["facts"] == {"nodes": 2, "edges": 1, **{name: value for name, (_, value) in FACTS.items()}}
    assert space.run("facts", "a", "best").out == "7\n"


def test_an_edit_of_the_file_settles_just_its_figure_and_draws_none(space: Space) -> None:
    question(space.write(FILES), "a", {"mean": "data.csv#mean"}, "alt: '{mean}'")
    question(space, "b", {"total": "runs.tsv#total"})
    assert space.run().code == 0 and space.run("--check").code == 0
    before = space.outputs()["build/global/b.svg"]
    space.write({"visuals/global/data.csv": "mean\n20\n"})
    assert space.run("--check").code == 3
    done = space.run("--explain")
    assert done.code == 0 and "1 rendered, 1 fresh" in done.out and "data.csv" in done.out, done.out
    assert manifest(space)["a"]["facts"]["mean"] == 20 and manifest(space)["a"]["alt"] == "20"
    assert space.outputs()["build/global/b.svg"] == before and space.run("--check").code == 0


def test_a_failed_figure_is_tried_again_once_its_file_is_right(space: Space) -> None:
    question(space.write(FILES), "a", {"mean": "data.csv#men"})
    assert space.run().code == 1 and space.run().code == 1
    space.write({"visuals/global/data.csv": "men\n20\n"})
    assert space.run().code == 0 and manifest(space)["a"]["facts"]["mean"] == 20


# Name and place of a fact -> its message.
WRONG = {
    "a|data.csv#men": "visuals/global/data.csv has no column 'men'; did you mean 'mean'?",
    "b|runs.csv#latency (ms)": "has 2 rows; write latency (ms):ROW, where ROW is in its first column",
    "c_ms|runs.csv#latency (ms):p9": "has no row 'p9' in its first column; there are p50, p99",
    "d|runs.json#/runs/3": "has no '/runs/3': nothing is at '3'; the list has 1 items, from 0",
    "e|runs.json#/rns": "nothing is at 'rns'; did you mean 'runs'?",
    "f|runs.json#/runs/0": "fact 'f' is a mapping; use a number, text, true, false or null",
    "g|runs.json#runs": "'runs' is not a JSON pointer; write it like /runs/0/runs",
    "h|out.txt#p98": "visuals/out.txt has no line 'p98 = VALUE'; did you mean 'p99'?",
    "i|out.txt#p99": "'2.5 ms' has a unit that the name 'i' lacks; write i_ms",
    "j|study.ipynb#men": "has no cell with the label or tag 'men'; did you mean 'mean'?",
    "k|study.ipynb#quiet": "the cell 'quiet' of visuals/study.ipynb has no saved output; run it, and save the notebook",
    "k2|wide.csv#a": "visuals/wide.csv: not a table: field larger than field limit (131072)",
    "l|bad.json#/a": "visuals/bad.json:1:7: not JSON",
    "nodes|data.csv#mean": "the drawing itself states 'nodes'; choose another name",
    "m|a.dot#mean": "'visuals/a.dot': facts come from files that end in .csv, .tsv, .json, .txt, .log, .out, .ipynb",
}


def test_each_miss_is_an_error_at_its_line(space: Space) -> None:
    rows = dict(line.split("|") for line in WRONG)
    broken = {"visuals/wide.csv": f"a\n{'x' * 200_000}\n", "visuals/bad.json": '{"a": nope}\n'}
    done = question(space.write({**FILES, **broken}), "a", rows).run()
    assert done.code == 1
    for line, (name, message) in enumerate(zip(rows, WRONG.values(), strict=True), 6):
        at = message.partition(": ")[0] if ": not " in message else f"questions/a.yaml:{line}"
        told = [row for row in done.err.splitlines() if row.startswith(f"{at}:")]
        assert len(told) == 1 and message in told[0], (name, told, done.err)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("dta.csv#mean", "there is no file 'dta.csv' in visuals/global or visuals; did you mean 'data.csv'?"),
        ("../data.csv#mean", "'../data.csv#mean'"),
        ("/etc/passwd.csv#mean", "'/etc/passwd.csv#mean'"),
        (".data.csv#mean", "there is no file '.data.csv'|'.data.csv#mean'"),
        ("data.csv", "facts.a 'data.csv' must be FILE#PLACE, like data.csv#mean"),
        ("away.csv#mean", "leads out of the book|there is no file"),
    ],
)
def test_a_file_is_one_of_the_book_that_is_not_hidden(space: Space, place: str, message: str) -> None:
    outside = space.root.parent / "away.csv"
    outside.write_text("mean\n1\n")
    question(space.write({**FILES, "visuals/.data.csv": "mean\n1\n"}), "a", {"a": place})
    (space.root / "visuals/away.csv").symlink_to(outside)
    done = space.run()
    assert done.code == 1 and done.err.startswith("questions/a.yaml:6:8: "), done.err
    assert any(each in done.err for each in message.split("|")), done.err


def test_a_name_is_letters_digits_and_underscores(space: Space) -> None:
    done = question(space.write(FILES), "a", {"p 99": "data.csv#mean"}).run()
    assert done.code == 1 and "'p 99' is not a name of a fact" in done.err


def test_what_a_script_prints_as_a_fact_is_one(space: Space) -> None:
    plot = (
        "import matplotlib.pyplot as plt\n"
        "plt.plot([1, 2])\n"
        "print('working')\nprint('fact p99 = 17.5 ms')\nprint('fact p99 =', 18.5, 'ms')\n"
        "print('fact share = 0.25')\nprint('a fact x = 3')\n"
    )
    notebook = {**NOTEBOOK, "cells": [cell(plot)]}
    draw = "from figmill import Drawing\ndef draw():\n    print('fact more = 4')\n"
    draw += "    return Drawing('graph {a}', {'own': 1})\n"
    wrong = "import matplotlib.pyplot as plt\nplt.plot([1])\nprint('fact p99 = high')\n"
    space.write({"visuals/p.py": plot, "visuals/n.ipynb": json.dumps(notebook, indent=1)})
    space.write({"visuals/d.py": draw, "visuals/w.py": wrong})
    space.question("p", "source: p.py, kind: matplotlib, alt: '{p99_ms:si}', expect: {facts: {share: 0.25}}")
    space.question("n", "source: n.ipynb, kind: matplotlib, alt: '{p99_ms:si}'")
    space.question("d", "source: d.py, kind: dot, alt: '{more} and {own}'")
    space.question("w", "source: w.py, kind: matplotlib, alt: A line")
    done = space.run()
    assert done.code == 1 and done.err.count("\n") <= 3
    assert "visuals/w.py: fact 'p99' is 'high'; write a number, with a unit or without" in done.err
    rows = manifest(space)
    assert {id_: row["alt"] for id_, row in rows.items()} == {"p": "18.5 ms", "n": "18.5 ms", "d": "4 and 1"}
    assert rows["p"]["facts"] == {"p99_ms": 18.5, "share": 0.25}
