"""Kinds and checks that installed packages bring."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from helpers.book import DOT, REPOSITORY, Ran, Space

from figmill.kinds import KINDS

EXAMPLE = REPOSITORY / "docs/examples/figmill-bars"
ROW = """from figmill.kind import Kind, Needs


class Offered(Kind):
    module = "{0}.draw"
    suffixes = (".{1}",)
    {2}
"""
DRAW = """
from figmill.kind import Raw

def warm(fonts):
    pass

def render(job, root):
    return Raw(b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9" stroke="red"/></svg>')
"""


def installed(site: Path, name: str, offers: str, files: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command that finds a package which offers these entry points."""
    record = site / f"{name}-1.0.dist-info"
    for path, text in {
        record / "entry_points.txt": offers,
        **{site / path: files[path] for path in files},
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return {"PYTHONPATH": str(site)}


def kind(
    site: Path, name: str = "other", suffix: str = "lines", more: str = "", called: str = ""
) -> dict[str, str]:
    """A package that brings the kind `called`, or of its own name."""
    files = {f"{name}/__init__.py": ROW.format(name, suffix, more), f"{name}/draw.py": DRAW}
    return installed(site, name, f"[figmill.kinds]\n{called or name} = {name}:Offered\n", files)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "library" / "site-packages"


@pytest.fixture
def book(space: Space) -> Space:
    space.question("a", "source: a.lines, alt: One red line from left to right")
    return space.write({"visuals/a.lines": "1\n"})


def test_a_kind_draws_and_its_package_is_an_input(book: Space, site: Path) -> None:
    env = kind(site)
    ran = book.run("--format", "json", env=env)
    assert ran.code == 0, ran.err
    assert [(row["kind"], row["status"]) for row in ran.json["figures"]] == [("other", "rendered")]
    assert "all fresh" in book.run(env=env).out
    with (site / "other/draw.py").open("a") as file:
        file.write("# edited\n")
    assert "(other)" in book.run("--explain", env=env).out
    assert "all fresh" in book.run(env=env).out


def test_a_kind_that_is_gone_is_unknown(book: Space, site: Path) -> None:
    env = kind(site)
    assert book.run(env=env).code == 0
    shutil.rmtree(site / "other-1.0.dist-info")
    ran = book.run(env=env)
    suffixes = ", ".join(sorted({suffix for kind in KINDS.values() for suffix in kind.suffixes}))
    words = f"questions/a.yaml:4:18: figmill cannot draw 'a.lines'; sources end in {suffixes}"
    assert (ran.code, ran.err.splitlines()[0]) == (1, words)


OFFER = "figmill: other 1.0 offers the kind "
FAULTS = {
    "no module": (
        {"__init__": "import nowhere_at_all\n"},
        f"{OFFER}'other', but other:Offered cannot be imported "
        "(ModuleNotFoundError: No module named 'nowhere_at_all'); repair or uninstall it",
    ),
    "no row": (
        {"__init__": "Offered = 'bars'\n"},
        f"{OFFER}'other', but other:Offered is not a Kind; repair or uninstall it",
    ),
    "no name": (
        {"called": "Other"},
        f"{OFFER}'Other', but a name is lower-case letters, digits and hyphens; repair or uninstall it",
    ),
    "ours": ({"called": "dot"}, f"{OFFER}'dot', which figmill has too; uninstall other"),
    "suffix": (
        {"suffix": "json"},
        f"{OFFER}'other', but its suffix .json clashes with .excalidraw.json of kind excalidraw; "
        "repair or uninstall it",
    ),
    "count": (
        {"more": 'counts = ("text",)'},
        f"{OFFER}'other', but counts must be names of facts other than text and facts; repair or uninstall it",
    ),
    "by hand": (
        {"more": "by_hand = True"},
        f"{OFFER}'other', but only figmill's own kinds may be by_hand; render() must return the SVG; "
        "repair or uninstall it",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_kind_that_cannot_be_taken_is_one_line(space: Space, site: Path, fault: str) -> None:
    changes, line = FAULTS[fault]
    init = changes.get("__init__")
    env = kind(site, **{name: value for name, value in changes.items() if name != "__init__"})
    if init is not None:
        (site / "other/__init__.py").write_text(init)
    space.write({"visuals/c.dot": DOT}).question("c", "source: c.dot, alt: Three nodes in a row")
    ran = space.run(env=env)
    assert (ran.code, ran.err) == (2, f"{line}\n")


def test_two_packages_with_one_kind_are_one_line(book: Space, site: Path) -> None:
    kind(site, "first", called="lines")
    env = kind(site, "second", suffix="more", called="lines")
    ran = book.run(env=env)
    line = "figmill: second 1.0 offers the kind 'lines', which first 1.0 has too; uninstall second\n"
    assert (ran.code, ran.err) == (2, line)


def test_a_package_that_a_kind_lacks_fails_its_figures_alone(book: Space, site: Path) -> None:
    env = kind(site, more='needs = Needs(packages=("nowhere-at-all",), extra="lines")')
    book.write({"visuals/c.dot": DOT}).question("c", "source: c.dot, alt: Three nodes in a row")
    ran = book.run(env=env)
    line = "questions/a.yaml:4:18: kind other needs the package nowhere-at-all: pip install 'other[lines]'"
    assert (ran.code, ran.err.splitlines()[0]) == (1, line)
    assert {*book.outputs()} == {"build/global/c.svg", "build/global/c.dark.svg"}
    (site / "nowhere_at_all-2.0.dist-info").mkdir()
    assert book.run(env=env).code == 0


def test_an_unchanged_book_imports_no_package(book: Space, site: Path) -> None:
    env = kind(site)
    assert book.run(env=env).code == 0
    times = os.stat(site / "other/__init__.py")
    text = (site / "other/__init__.py").read_text()
    (site / "other/__init__.py").write_text("raise SystemExit(9)".ljust(len(text)))
    assert book.run(env=env).code != 0  # it is edited, which its time says
    (site / "other/__init__.py").write_text(text)
    os.utime(site / "other/__init__.py", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert book.run(env=env).code == 0
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "figmill"],
        cwd=book.root,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "all fresh" in loaded.stdout
    modules = {line.rpartition("|")[2].strip() for line in loaded.stderr.splitlines()}
    assert "figmill.fastpath" in modules
    assert modules.isdisjoint({"other", "figmill.plugins", "figmill.versions", "figmill.kinds"})


CHECK = "from figmill.checks import Check\n{0} = Check('about', always={1}, function='{2}:run')\n"


def check(site: Path, body: str, always: bool = True) -> dict[str, str]:
    """A package with the check `house-style`, whose function has this body."""
    files = {
        "styles/__init__.py": CHECK.format("STYLE", always, "styles.run"),
        "styles/run.py": f"def run(figure):\n    {body}\n",
    }
    return installed(site, "styles", "[figmill.checks]\nhouse-style = styles:STYLE\n", files)


SAYS = (
    "yield f'{figure.name} of {figure.kind}: {len(figure.pages)} pages, {figure.texts[0]}, {figure.alt[:5]}'"
)


def test_a_check_reads_a_figure_in_every_build(space: Space, site: Path) -> None:
    env = check(site, SAYS)
    space.write({"visuals/c.dot": DOT}).question("c", "source: c.dot, alt: Three nodes in a row")
    ran = space.run(env=env)
    line = "visuals/c.dot: c of dot: 2 pages, a, Three [house-style]"
    assert (ran.code, [row for row in ran.err.splitlines() if "house-style" in row]) == (0, [line])
    ran = space.run("--format", "sarif", "--strict", env=env)
    assert ran.code == 1 and '"id": "house-style"' in ran.out
    space.write({"figmill.toml": '[lint]\nhouse-style = "off"\n'})
    ran = space.run(env=env)
    assert (ran.code, ran.err) == (0, "")
    space.write({"figmill.toml": '[lint]\nhouse-style = "error"\n'})
    ran = space.run(env=env)
    assert (ran.code, ran.err.splitlines()[0]) == (1, f"{line[:-1]}: an error in this book]")
    reason = "it is a picture of the old house"
    space.question("c", f"source: c.dot, alt: Three nodes in a row, lint: {{house-style: {reason}}}")
    assert space.run(env=env).code == 0


def test_a_check_of_lint_is_not_run_by_a_build(space: Space, site: Path) -> None:
    env = check(site, SAYS, always=False)
    space.write({"visuals/c.dot": DOT}).question("c", "source: c.dot, alt: Three nodes in a row")
    assert space.run(env=env).err == ""
    assert "[house-style]" in "".join([(ran := space.run("lint", env=env)).out, ran.err])


def test_a_check_that_fails_is_one_line(space: Space, site: Path) -> None:
    env = check(site, "return [1 / 0]")
    space.write({"visuals/c.dot": DOT}).question("c", "source: c.dot, alt: Three nodes in a row")
    ran = space.run(env=env)
    line = (
        "questions/c.yaml:4:9: the check 'house-style' of styles failed (ZeroDivisionError: division by zero); "
        "repair or uninstall it, or switch the check off in [tool.figmill.lint]"
    )
    assert (ran.code, ran.err.splitlines()[0]) == (1, line)


def test_a_check_that_is_edited_is_run_again(space: Space, site: Path) -> None:
    env = check(site, "return []")
    space.write({"visuals/c.dot": DOT}).question("c", "source: c.dot, alt: Three nodes in a row")
    assert space.run(env=env).err == ""
    check(site, "return ['not so']")
    assert "visuals/c.dot: not so [house-style]" in space.run(env=env).err


class Elsewhere:
    """An environment of its own, which has the example and finds figmill where it is."""

    def __init__(self, place: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
        self.python = place / "bin" / "python"
        (packages,) = place.glob("lib/python*/site-packages")
        ours = next(path for path in sys.path if path.endswith("site-packages"))
        (packages / "figmill.pth").write_text(f"import site; site.addsitedir({ours!r})\n")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(self.python)]
        without = ("--no-index", "--no-deps", "--no-build-isolation")
        subprocess.run([*pip, "install", "--quiet", *without, str(EXAMPLE)], check=True, timeout=120)

    def run(self, space: Space, *words: str) -> Ran:
        done = subprocess.run(
            [str(self.python), "-m", "figmill", *words],
            cwd=space.root,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Elsewhere:
    return Elsewhere(tmp_path_factory.mktemp("elsewhere") / "venv")


@pytest.mark.skipif(os.name == "nt", reason="an environment lies elsewhere on Windows")
def test_the_example_is_installed_and_draws(space: Space, elsewhere: Elsewhere) -> None:
    ran = elsewhere.run(space, "new", "load", "--kind", "bars")
    assert ran.code == 0, ran.err
    assert "expect: {bars: 3}" in space.read("questions/load.yaml")
    ran = elsewhere.run(space)
    assert ran.code == 0, ran.err
    drawn = {path: svg.count(b"<rect") for path, svg in space.outputs().items()}
    assert drawn == {"build/global/load.svg": 4, "build/global/load.dark.svg": 3}  # with the page behind them
    assert elsewhere.run(space, "facts", "load", "bars").out == "3\n"
    space.write({"visuals/load.bars": "20\nmany\n80\n"})
    stated = [
        line.strip() for line in (REPOSITORY / "docs/developers/add-a-kind.md").read_text().splitlines()
    ]
    line = elsewhere.run(space).err.splitlines()[0]
    assert line == "visuals/load.bars:2: 'many' is not a height; write one from 0 to 100" and line in stated
    space.write({"visuals/load.bars": "20\n" * 21})
    wrong = elsewhere.run(space)
    assert (wrong.code, wrong.err.splitlines()[0].partition(": ")[2]) == (1, "expected 3 bars, drawn: 21")
    question = space.read("questions/load.yaml").replace("bars: 3", "bars: 21")
    space.write({"questions/load.yaml": question})
    assert "21 bars; a reader compares at most 20 [many-bars]" in elsewhere.run(space).err
    assert space.run().code == 1  # where the package is not installed


def test_doctor_lists_what_packages_add_and_what_is_wrong_with_it(book: Space, site: Path) -> None:
    kind(site)
    env = kind(site, "broken", suffix="json")
    ran = book.run("doctor", "--format", "json", env=env)
    rows = [
        (row["state"], row["said"], row["advice"]) for row in ran.json["findings"] if row["name"] == "kinds"
    ]
    assert ran.code == 1
    assert rows[0][0] == "ok" and rows[0][1].endswith(" of figmill, and of other packages: other (other 1.0)")
    fault = "broken 1.0 offers the kind 'broken', but its suffix .json clashes with .excalidraw.json of kind excalidraw"
    assert rows[1:] == [("wrong", fault, "repair or uninstall it")]


def test_a_block_of_a_page_is_drawn_by_a_kind_of_a_package(space: Space, site: Path) -> None:
    env = kind(site, more='fences = ("lines",)')
    space.write(
        {"figmill.toml": 'pages = ["docs"]\nfences = ["lines"]\n', "docs/a.md": "# A\n\n```lines\n1\n```\n"}
    )
    ran = space.run("--format", "json", env=env)
    assert ran.code == 0, ran.err
    assert [(row["kind"], row["status"]) for row in ran.json["figures"]] == [("other", "rendered")]


def test_a_crash_names_the_kind_and_not_graphviz(book: Space, site: Path) -> None:
    offered = kind(site)
    site.joinpath("other/draw.py").write_text(
        DRAW.replace("return Raw(", "import os; os.abort(); return Raw(")
    )
    done = book.run(env=offered)
    assert (
        done.code == 1
        and "what draws kind other crashed (SIGABRT)" in done.err
        and "Graphviz" not in done.err
    )
