"""A fact in a format is the same text in Python, Lua and JavaScript."""

from __future__ import annotations

import json
import subprocess

import pytest
from helpers.book import Space
from helpers.hosts import FILES, PANDOC, node

from figmill.integrations.facts import shown
from figmill.model import Fact

# fact, format, text
TABLE: list[tuple[Fact, str, str]] = [
    (0.42857142857142855, "", "0.428571"),
    (0.42857142857142855, ".1%", "42.9%"),
    (0.42857142857142855, ".3f", "0.429"),
    (2.0, "", "2"),
    (2.0, ".2f", "2.00"),
    (7, "", "7"),
    (7, "d", "7"),
    (7, "+d", "+7"),
    (-7, "+d", "-7"),
    (0, "+.1f", "+0.0"),
    (1234567, ",", "1,234,567"),
    (1234567, ",d", "1,234,567"),
    (-1234567.891, ",.1f", "-1,234,567.9"),
    (999, ",d", "999"),
    (123456.7, "g", "123457"),
    (0.00001234, "", "1.234e-05"),
    (1.5e300, ".3g", "1.5e+300"),
    (12345.678, ".2e", "1.23e+04"),
    (0.5, ".0f", "0"),  # an exact half goes to the even digit
    (1.5, ".0f", "2"),
    (2.5, ".0f", "2"),
    (0.125, ".2f", "0.12"),
    (0.375, ".2f", "0.38"),
    (2.675, ".2f", "2.67"),  # a little less than it looks
    (1.005, ".2f", "1.00"),
    (0.285, ".0%", "28%"),
    (100000.0, ".3g", "1e+05"),
    (0.0, "", "0"),
    (0.0001, ".2g", "0.0001"),
    (True, "", "true"),
    ("gpipe", "", "gpipe"),
    ([1, 2.5], "", "1, 2.5"),
    ([1, 2.5], ".1f", "1.0, 2.5"),
]
WRONG: list[tuple[Fact, str, str]] = [
    (0.5, ".1q", "'.1q' is no format; one is .2f, .1%, or ,d"),
    (0.5, ".f", "'.f' is no format; one is .2f, .1%, or ,d"),
    (0.5, "8.1f", "'8.1f' is no format; one is .2f, .1%, or ,d"),
    (0.5, ".999f", "'.999f' is no format; one is .2f, .1%, or ,d"),
    (0.5, "d", "'d' shows whole numbers, and this is 0.5"),
    ("gpipe", ".1f", "'.1f' is a format for numbers, and this is none"),
]


def in_python(fact: Fact, form: str) -> str:
    try:
        return shown(fact, form)
    except ValueError as error:
        return str(error)


def rows() -> list[tuple[Fact, str, str]]:
    return [*TABLE, *WRONG]


@pytest.mark.parametrize(("fact", "form", "text"), rows())
def test_in_python(fact: Fact, form: str, text: str) -> None:
    assert in_python(fact, form) == text
    if isinstance(fact, int | float) and not isinstance(fact, bool) and form and (fact, form, text) in TABLE:
        assert format(fact, form) == text  # as Python itself has it


def test_in_javascript(space: Space) -> None:
    text = (FILES / "figmill.mjs").read_text(encoding="utf-8")
    work = """process.stdout.write(JSON.stringify(ROWS.map(([fact, form]) => {
  try { return shown(fact, form) } catch (error) { return error.message }
})));"""
    table = json.dumps([[fact, form] for fact, form, _ in rows()])
    space.write({"facts.mjs": f"{text}\nconst ROWS = {table};\n{work}\n"})
    done = subprocess.run([node(), "facts.mjs"], cwd=space.root, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [text for *_, text in rows()]


def test_in_lua(space: Space) -> None:
    facts = {f"f{number}": fact for number, (fact, *_) in enumerate(rows())}
    row = {
        "id": "a",
        "name": None,
        "track": "t",
        "facts": facts,
        "files": [],
        "status": "current",
        "alt": "b",
    }
    lines = [f"- [](figmill:a#f{number}:{form})" for number, (_, form, _) in enumerate(rows())]
    space.write({
        "build/manifest.json": '{"version": 1, "figures": [\n' + json.dumps(row) + "\n]}\n",
        "page.md": "\n".join(lines),
    })  # fmt: skip
    words = [PANDOC, "page.md", "-L", str(FILES / "figmill.lua"), "-t", "plain", "--wrap=none"]
    done = subprocess.run(words, cwd=space.root, capture_output=True, text=True, check=True)
    found = [line.removeprefix("- ").strip() for line in done.stdout.splitlines() if line.strip()]
    assert found[: len(TABLE)] == [text for *_, text in TABLE]
    assert [text for *_, text in WRONG if text not in done.stderr] == []
