"""--against: the book at an earlier commit, whatever else was committed with it."""

from __future__ import annotations

import shutil
import time

import pytest
from helpers.book import DOT, HAND, Space, believed

from figmill.host.trees import DEEPEST

SLOW = "import time\n\ndef draw():\n    time.sleep(25)\n    return 'digraph { a }'\n"


@pytest.fixture(scope="module")
def committed_once(tmp_path_factory: pytest.TempPathFactory) -> Space:
    """Two figures, built, with everything committed: outputs, ledger and cache."""
    space = Space(tmp_path_factory.mktemp("committed") / "book")
    space.write({"visuals/a.dot": DOT, "visuals/h.svg": HAND})
    space.question("a", "source: a.dot, alt: a graph of three")
    space.question("h", "source: h.svg, alt: a rank")
    assert space.run().code == 0
    (space.root / ".figmill/.gitignore").unlink()
    space.git("init", "-q")
    space.git("add", "--all", "--force")
    space.git("commit", "-q", "-m", "everything")
    assert ".figmill/journal" in space.git("ls-files")
    return space


@pytest.fixture
def committed(committed_once: Space, space: Space) -> Space:
    shutil.copytree(committed_once.root, space.root, symlinks=True, dirs_exist_ok=True)
    believed(space.root)
    return space


def statuses(space: Space, *words: str) -> dict[str, str]:
    rows = space.run("--check", "--against", "HEAD", "--format", "json", *words).json["figures"]
    return {row["id"]: row["status"] for row in rows}


def test_what_somebody_committed_of_figmills_own_counts_for_nothing(committed: Space) -> None:
    assert statuses(committed) == {"a": "fresh", "h": "fresh"}
    committed.write({"visuals/a.dot": DOT.replace("sends", "waits")})
    assert statuses(committed) == {"a": "would-change", "h": "fresh"}
    assert committed.run().code == 0
    done = committed.run("--dry-run", "--against", "HEAD")
    assert "words: 'sends' is now 'waits'" in done.out
    assert "would-create" not in done.out


def test_only_the_figure_that_is_asked_for_is_drawn_of_the_old_book(committed: Space) -> None:
    committed.write({"visuals/slow.py": SLOW})
    committed.question("slow", "kind: dot, source: slow.py, alt: a graph that takes its time")
    committed.git("add", "questions", "visuals")
    committed.git("commit", "-q", "-m", "slow")
    committed.write({"visuals/h.svg": HAND.replace("Rank 0", "Rank 1")})
    began = time.monotonic()
    assert statuses(committed, "--id", "h") == {"h": "would-change"}
    assert time.monotonic() - began < 25
    committed.question("new", "source: a.dot, alt: a graph of three")
    assert statuses(committed, "--id", "new") == {"new": "would-create"}


def test_git_passes_over_what_a_build_leaves(space: Space) -> None:
    space.git("init", "-q")
    space.write({"visuals/a.dot": DOT})
    space.question("a", "source: a.dot, alt: a graph of three")
    for words in (["lint"], []):
        assert space.run(*words).code == 0
        assert "build/" in space.git("status", "--short") or words == ["lint"]
        assert ".figmill" not in space.git("status", "--short", "--untracked-files=all")
    assert "?? questions/" in space.git("status", "--short")
    mine = "!journal\n"
    space.write({".figmill/.gitignore": mine})
    assert space.run("--force").code == 0
    assert space.read(".figmill/.gitignore") == mine


@pytest.mark.parametrize("compared", [(), ("--against", "HEAD"), ("--against", "HEAD~..HEAD")])
def test_a_caption_is_a_change_that_no_file_of_the_figure_shows(
    committed: Space, compared: tuple[str, ...]
) -> None:
    caption = "source: a.dot, alt: a graph of three, caption: {}"
    for words in ("One", "Two"):
        committed.question("a", caption.format(words))
        assert committed.run().code == 0
        committed.git("commit", "-q", "--all", "-m", words)
    if "HEAD~..HEAD" not in compared:
        committed.question("a", caption.format("Three"))
    told = committed.run("--check", *compared)
    assert told.code == 3 and told.err == ""
    if not compared:
        assert "would-change build/manifest.json" in told.out  # a build writes nothing else
    elif "HEAD" in compared:
        assert "would-change build/global/a.svg  (caption)  caption: 'Two' is now 'Three'" in told.out
    else:
        assert "would-change build/global/a.svg  (caption)  caption: 'One' is now 'Two'" in told.out


@pytest.mark.parametrize("levels", [DEEPEST, DEEPEST + 1])
def test_a_commit_may_lie_as_deep_as_a_book(committed: Space, levels: int) -> None:
    place = "/".join(["visuals", *["d"] * levels])
    committed.write({f"{place}/other.dot": DOT})
    committed.git("add", "-A")
    committed.git("commit", "-q", "-m", "deep")
    committed.git("rm", "-q", "-r", "visuals/d")
    done = committed.run("--check", "--against", "HEAD")
    if levels > DEEPEST:
        assert (done.code, "is too deep: a book has at most 64 levels of folders" in done.err) == (2, True)
    else:
        assert done.code == 0, done.err


def test_three_dots_are_refused(committed: Space) -> None:
    ran = committed.run("diff", "HEAD...HEAD")
    assert ran.code == 2
    assert "HEAD...HEAD: A...B is not supported; write A..B" in ran.err


def test_a_setting_of_all_figures_is_named_once(committed: Space) -> None:
    committed.write({"figmill.toml": 'language = "de"\n'})
    assert committed.run("--dry-run").out.count("language") == 1
