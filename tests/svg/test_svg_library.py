"""figmill.svg as a library: what it loads, its documented names, the examples of docs/developers/svg-library.md."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.own_code import nodes

from figmill import checks, svg
from figmill.config import Options
from figmill.paths import PACKAGE
from figmill.svg import CHECKS, DEFAULT_CHECKS, Sheet, in_themes, spec, usvg

PAGE = PACKAGE.parent / "docs" / "developers" / "svg-library.md"
DRAWING = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="5" height="4"/></svg>'
# Runs the examples of a page as one session, and prints the modules of figmill that are loaded afterwards.
EXAMPLES = """
import doctest, re, sys
text = "\\n".join(re.findall(r"```pycon\\n(.*?)```", open(sys.argv[1], encoding="utf-8").read(), re.DOTALL))
session = doctest.DocTestParser().get_doctest(text, {}, "page", None, 0)
runner = doctest.DocTestRunner()
runner.run(session)
assert runner.summarize() == (0, len(session.examples)), "an example failed"
assert len(session.examples) > 30
print("modules:", *sorted(name for name in sys.modules if name.partition(".")[0] == "figmill"))
"""


def modules_after(program: str, folder: Path, *arguments: str) -> set[str]:
    """The modules of figmill but figmill.svg's own that a program has loaded, run outside the checkout."""
    ran = subprocess.run(
        [sys.executable, "-P", "-c", program, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    names = ran.stdout.rpartition("modules:")[2].split()
    return {name for name in names if not f"{name}.".startswith("figmill.svg.")}


def test_the_examples_run_and_load_nothing_else_of_figmill(tmp_path: Path) -> None:
    assert modules_after(EXAMPLES, tmp_path, str(PAGE)) == {
        "figmill",
        "figmill.arabic",
        "figmill.font_metrics",
        "figmill.house_style",
        "figmill.palette",
        "figmill.late_dataclasses",
        "figmill.paths",
        "figmill.sfnt",
        "figmill.spelling",
    }


def test_the_import_loads_no_library(tmp_path: Path) -> None:
    program = (
        "import sys; import figmill.svg; "
        "assert not {'lxml', 'tinycss2', 'coloraide', 'PIL', 'fontTools'} & {*sys.modules}; "
        "print('modules:', *(name for name in sys.modules if name.startswith('figmill')))"
    )
    assert modules_after(program, tmp_path) == {
        "figmill",
        "figmill.house_style",
        "figmill.late_dataclasses",
        "figmill.palette",
        "figmill_timelines",
        "figmill_timelines.palette",
    }


def test_the_page_names_the_whole_api() -> None:
    """Each name in code, each attribute and argument in a table, each function with a section of its own."""
    page = PAGE.read_text(encoding="utf-8")
    code = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", page))))
    fields = {name for noun in (Sheet, spec.Normal, spec.StillCopy) for name in noun.__dataclass_fields__}
    assert {*svg.__all__, *usvg.__all__, *fields, *spec.SvgWarning._fields} <= code
    functions = {name for name in svg.__all__ if name.islower()}
    assert functions <= set(re.findall(r"^## (\w+)$", page, re.MULTILINE))


def test_every_name_of_the_api_is_there() -> None:
    assert all(hasattr(svg, name) for name in svg.__all__)
    assert all(hasattr(usvg, name) for name in usvg.__all__)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"theme": "sepia"}, "theme 'sepia' is not known; choose one of dark, light"),
        ({"colours": "some"}, "colours 'some' is not known; choose one of auto, keep"),
        ({"background": "beige"}, "background 'beige' is not 'page', 'none' or #rrggbb"),
        ({"checks": frozenset({"contrats"})}, "checks 'contrats' is not known; choose one of "),
    ],
)
def test_a_sheet_refuses_words_that_nobody_knows(wrong: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Sheet("fig", "Title", "What it shows", **wrong)  # type: ignore[arg-type]


def test_themes_are_at_least_one() -> None:
    with pytest.raises(ValueError, match="themes is empty"):
        in_themes(DRAWING, Sheet("fig", "Title", "What it shows"), ())


def test_books_and_the_library_have_the_same_defaults() -> None:
    """The library has its own, so that it does not depend on books."""
    assert {name for name, check in checks.CHECKS.items() if check.always} & CHECKS == DEFAULT_CHECKS
    limits = Options().limits
    assert (round(limits.megapixels * 1_000_000), limits.picture_bytes) == (spec.PIXELS, spec.PICTURE_BYTES)


def test_checks_name_all_that_the_library_warns_of() -> None:
    warned = {
        node.args[0].value
        for path in (PACKAGE / "svg").rglob("*.py")
        for node in nodes(path)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "warn"
        and isinstance(node.args[0], ast.Constant)
    }
    assert warned <= CHECKS <= checks.CHECKS.keys()
    assert len(warned) > 10
