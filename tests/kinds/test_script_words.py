"""An exception that a script ends with is told in words, whatever library raised it."""

from __future__ import annotations

import shutil

from helpers.book import Space
from helpers.machine import sandboxed

TABLE = "pandas.DataFrame({'time': [1, 2], 'load': [3, 4]})"
NO_NETWORK = "a script has no network, so that its figure stays the same; save the file in the book once"
WORDS = {
    f"import pandas; {TABLE}['tme']": "KeyError: there is no 'tme'; did you mean 'time'?",
    f"import pandas; {TABLE}['latency']": "KeyError: there is no 'latency'; there are time, load",
    f"import pandas; {TABLE}[['time', 'cost']]": "KeyError: ['cost'] not in index",
    f"import pandas; {TABLE}.loc[7]": "KeyError: there is no 7",
    "{'a': 1}['latency']": "KeyError: there is no 'latency'",
    "{'a': 1}[3, 4]": "KeyError: there is no (3, 4)",
    "raise KeyError('the table knows no such run')": "KeyError: the table knows no such run",
    "raise KeyError": "KeyError at `raise KeyError`",
    "assert 1 > 2": "AssertionError at `assert 1 > 2`",
    "next(iter(()))": "StopIteration at `next(iter(()))`",
    "raise ValueError('a rate is above 0')": "ValueError: a rate is above 0",
    "import urllib.request as r; r.urlopen('https://figures.invalid/a.csv')": f"URLError: {NO_NETWORK}",
    "import pandas; pandas.read_csv('https://figures.invalid/a.csv')": f"URLError: {NO_NETWORK}",
    "import seaborn; seaborn.load_dataset('penguins')": f"URLError: {NO_NETWORK}",
    "import requests; requests.get('http://figures.invalid')": f"ConnectionError: {NO_NETWORK}",
    "import no_such.thing": "ModuleNotFoundError: no module 'no_such'; install it beside figmill, or put no_such.py",
    "import sys; sys.exit(3)": "the script exited with exit code 3",
    "import sys; sys.exit('no runs yet')": "the script exited: no runs yet",
    "int(input('how many? '))": "EOFError: input() does not work here; make the answer a parameter of draw()",
    "import numpy; numpy.loadtxt('no.csv')": "FileNotFoundError: no.csv not found; figmill looks for a relative name",
}


def test_each_exception_says_what_is_wrong(space: Space) -> None:
    for number, line in enumerate(WORDS):
        space.write({f"visuals/f{number:02}.py": f"def draw():\n    {line}\n"})
        space.question(f"f{number:02}", f"kind: dot, source: f{number:02}.py, alt: a number in a box")
    ran = space.run("--format", "json")
    told = [(row["error"]["message"], row["error"]["line"]) for row in ran.json["figures"]]
    assert len(told) == len(WORDS)
    for (message, line), wanted in zip(told, WORDS.values(), strict=True):
        assert message.startswith(wanted) and line == 2, (message, wanted)
        assert not any(odd in message for odd in (".;", ";;", "; ;", ": ;")), message


FIGURES = {
    "plt.title(r'$\\frac{a$')": r"matplotlib cannot draw the formula '\frac{a': Expected \frac{num}{den}",
}
if shutil.which("latex") is None:
    FIGURES["plt.rcParams['text.usetex'] = True; plt.title('x')"] = (
        "matplotlib cannot draw this: text.usetex needs LaTeX, which"
    )


def test_what_matplotlib_cannot_draw_is_told_in_one_line(space: Space) -> None:
    sandboxed()  # without it, TeX's cache cannot be written, and that is told first
    head = "import matplotlib.pyplot as plt\ndef draw():\n    "
    for number, line in enumerate(FIGURES):
        space.write({f"visuals/f{number}.py": f"{head}{line}\n    return plt.gcf()\n"})
        space.question(f"f{number}", f"kind: matplotlib, source: f{number}.py, alt: words over a plot")
    told = [row["error"]["message"] for row in space.run("--format", "json").json["figures"]]
    for message, wanted in zip(told, FIGURES.values(), strict=True):
        assert message.startswith(wanted), message
