"""The table of kinds is the truth: a kind is a class and a module, and nothing else knows one by its name."""

from __future__ import annotations

import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from helpers.book import DOT, HAND, Space
from helpers.toy_kind import with_toy_kind

from figmill.kinds import KINDS
from figmill.kinds.own import OWN
from figmill.paths import PACKAGE


def test_a_kind_is_a_class_and_a_module(tmp_path: Path, space: Space) -> None:
    copy = tmp_path / "library" / "figmill"
    shutil.copytree(PACKAGE, copy)  # what is compiled already holds for the copy as well
    with_toy_kind(copy)
    space.question(
        "one", "source: one.bars, alt: Three bars of rising height, expect: {bars: 3, facts: {bars: 3}}"
    )
    space.question("two", "kind: svg, path: two.svg, alt: Two bars of falling height")
    space.write({"visuals/one.bars": "20 50 80", "visuals/two.svg": HAND, "visuals/two.bars": "70 30"})
    library = {"PYTHONPATH": str(copy.parent)}
    done = space.run("--format", "json", env=library)
    assert done.code == 0, done.err
    figures = {figure["id"]: (figure["kind"], figure["status"]) for figure in done.json["figures"]}
    assert figures == {"one": ("bars", "rendered"), "two": ("bars", "rendered")}
    drawn = {
        path: svg.count(b"<rect") for path, svg in space.outputs().items() if not path.endswith(".dark.svg")
    }
    assert drawn == {"build/global/one.svg": 4, "build/global/two.svg": 3}  # with the page behind them
    space.write({"visuals/c.dot": DOT})
    space.question("one", "source: one.bars, alt: Three bars of rising height, expect: {bars: 4}")
    space.question("two", "source: c.dot, alt: Three nodes in a row, expect: {bars: 3}")
    wrong = space.run(env=library)
    assert "questions/one.yaml:4:77: expected 4 bars, drawn: 3" in wrong.err
    assert "questions/two.yaml:4:67: bars can be counted only in kind bars, not dot" in wrong.err
    assert '"bars"' in space.run("schema", env=library).out
    space.question("one", "source: one.bars, alt: Three bars of rising height, expect: {bars: 3}")
    (space.root / "questions/two.yaml").unlink()
    assert (space.run(env=library).code, space.run("--explain", env=library).code) == (0, 0)


# Where strings of figmill name kinds of another package, and why.
NAMING = {
    "config/readers.py": "an example in a message",
    "config/settings.py": "an example of a value",
    "engine/questions.py": "an example in a message",
    "kind/vega_words.py": "the language of the charts that altair makes",
    "svg/intake/tools.py": "programs, whose SVG exports a hand drawing may be",
}


def test_no_module_outside_the_table_knows_a_kind_by_its_name() -> None:
    names = "|".join(KINDS)
    compared = re.compile(rf"""kind\s*(?:==|!=|in|not in)\s*[(\[{{]?\s*(?:None,\s*)?["'](?:{names})["']""")
    comparing = [
        f"{path.relative_to(PACKAGE)}: {match[0]}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] != "kinds"
        for match in compared.finditer(path.read_text(encoding="utf-8"))
    ]
    assert comparing == []


def test_no_string_names_a_kind_of_another_package() -> None:
    of_others = re.compile(rf"(?<![\w-])(?:{'|'.join(KINDS.keys() - OWN.keys())})(?![\w-])", re.IGNORECASE)
    assert of_others.search("a Mermaid diagram") and not of_others.search("a d2x, or dot")
    naming = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for text in strings(ast.parse(path.read_text(encoding="utf-8")))
        if of_others.search(text)
    }
    assert naming == NAMING.keys()


def strings(tree: ast.Module) -> Iterator[str]:
    """The strings of a module that are not docstrings."""
    alone = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node not in alone:
            if isinstance(node.value, str):
                yield node.value
            elif isinstance(node.value, bytes):
                yield node.value.decode("latin-1")
