"""What protects the machine: of today's settings, and of the caller, whatever a commit's own settings say."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest
from helpers.book import Space

from figmill import config
from figmill.config import PROTECTION, Options, demand, load
from figmill.engine.commits.book import book_at
from figmill.engine.in_memory import DrawnBook
from figmill.errors import ToolError

SCRIPT = "def draw():\n    return 'digraph { a -> b }'\n"
SETTINGS = "[tool.figmill]\nsandbox = '{}'\n"
THEN = """\
sandbox = "off"
sandbox_read = ["/etc"]
timeout = 86400
memory = "60 TiB"
cache = "/elsewhere"
cache_key_env = "FIGMILL_OLD"
font = "Arial"
"""


@pytest.fixture
def book(space: Space) -> Space:
    space.write({"visuals/a.py": SCRIPT, "pyproject.toml": SETTINGS.format("off")})
    return space.question("a", "kind: dot, source: a.py, alt: a leads to b")


class Looked(Exception):  # noqa: N818
    """Carries the settings by which a commit is looked at."""


def test_an_earlier_commit_is_held_by_the_settings_of_today(book: Space) -> None:
    def draw(_root: Path, options: Options) -> DrawnBook:
        raise Looked(options)

    book.write({"figmill.toml": THEN})
    book.git("init", "-q")
    book.git("add", ".")
    book.git("commit", "-qm", "one")
    now = replace(Options(), sandbox="require", timeout=5.0, memory=64 << 20)
    root = book.root.resolve()
    with pytest.raises(Looked) as looked:
        book_at(root, now, "HEAD", draw)
    (then,) = looked.value.args
    mine = str(book.root.resolve() / ".figmill/cache")
    assert {name: getattr(then, name) for name in PROTECTION} == {
        name: mine if name == "cache" else getattr(now, name) for name in PROTECTION
    }
    assert then.font == "Arial"  # what a figure looks like is of its own time


def test_each_setting_protects_or_makes_the_figure() -> None:
    """A new setting has to be put on one side."""
    content = {
        "questions",
        "visuals",
        "output",
        "language",
        "languages",
        "themes",
        "font",
        "mono",
        "fonts",
        "background",
        "rasterise",
        "cycle",
        "limits",
        "palette",
        "lint",
        "claims",
        "claim_keys",
        "claims_record",
        "style",
        "kinds",
        "descriptions",
        "fences",
        "images",
        "pages",
        "words",
    }
    assert {each.name for each in fields(Options)} == content | set(PROTECTION)


@pytest.mark.parametrize(
    ("stated", "demanded", "counts"),
    [
        ("off", "", "off"),
        ("off", "require", "require"),
        ("off", "auto", "auto"),
        ("require", "off", "off"),
        ("auto", "require", "require"),
    ],
)
def test_the_caller_counts_before_the_settings(book: Space, stated: str, demanded: str, counts: str) -> None:
    book.write({"pyproject.toml": SETTINGS.format(stated)})
    assert load(book.root, environ={demand.SANDBOX: demanded}).sandbox == counts
    shutil.rmtree(book.root)
    (book.root / "questions").mkdir(parents=True)
    assert load(book.root, environ={demand.SANDBOX: demanded}).sandbox == (demanded or "auto")


def test_a_mode_that_there_is_not_is_told(book: Space) -> None:
    ran = book.run(env={demand.SANDBOX: "requir"})
    assert (ran.code, ran.err) == (
        2,
        "figmill: FIGMILL_SANDBOX has no mode 'requir'; did you mean 'require'?\n",
    )


def test_settings_open_nothing_that_the_caller_does_not(book: Space) -> None:
    book.write({"pyproject.toml": SETTINGS.format("auto") + "sandbox_read = ['/data/sets', '/data/more']\n"})
    for readable in ("", "/data/set", "/data/sets", "data:/other", "/data/sets:/data/more/x"):
        with pytest.raises(
            ToolError, match=r"^pyproject.toml:3: sandbox_read: FIGMILL_SANDBOX=require forbids '/data"
        ):
            load(book.root, environ={demand.SANDBOX: "require", demand.READABLE: readable})
    for readable in ("/data", "/", "/data/sets:/data/more"):
        load(book.root, environ={demand.SANDBOX: "require", demand.READABLE: readable})
    assert load(book.root, environ={}).sandbox_read == ("/data/sets", "/data/more")
    (book.root / "fonts").mkdir()
    (book.root / "fonts/linked.ttf").symlink_to("/etc/passwd")
    for name in ("/etc/passwd", "../x.ttf", "fonts/../../x.ttf", "fonts/linked.ttf"):
        book.write({"pyproject.toml": SETTINGS.format("auto") + f"fonts = ['{name}']\n"})
        with pytest.raises(ToolError, match=r"^pyproject.toml:3: fonts: FIGMILL_SANDBOX=require forbids '"):
            load(book.root, environ={demand.SANDBOX: "require"})


@pytest.fixture
def without_bubblewrap(tmp_path: Path) -> str:
    """A PATH that has git, and no bubblewrap."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").symlink_to(shutil.which("git") or "")
    return str(folder)


WAYS = {
    "build": (),
    "check": ("--check",),
    "lint": ("lint",),
    "schema": ("schema", "--source", "visuals/a.py"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is for Linux")
@pytest.mark.parametrize("words", WAYS.values(), ids=WAYS)
def test_no_command_draws_where_the_sandbox_is_required_and_missing(
    book: Space, without_bubblewrap: str, words: tuple[str, ...]
) -> None:
    path = {"PATH": without_bubblewrap}
    told = 'figmill: sandbox = "require", but bubblewrap is not installed'
    by_variable = book.run(*words, env={**path, demand.SANDBOX: "require"})
    assert by_variable.code == 2 and by_variable.err.startswith(told)
    by_option = book.run("--sandbox", "require", *words, env={**path, demand.SANDBOX: "off"})
    assert by_option.code == 2 and by_option.err.startswith(told)


def test_a_cluster_is_not_held_to_it(book: Space) -> None:
    ran = book.run("--sandbox", "require", "--scheduler", "tcp://127.0.0.1:9")
    assert (ran.code, ran.err.count("\n")) == (2, 1) and "--scheduler draws on others" in ran.err


def test_the_environment_is_where_settings_are_loaded() -> None:
    assert config.load.__defaults__ == (False, os.environ)
