"""--against keeps what it drew of a commit, by content, and tells a base that fails from a book that fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.book import Space

GRAPH = 'digraph {{ client -> store [label="{}"] }}\n'


@pytest.fixture
def book(space: Space) -> Space:
    """Two figures in a commit."""
    graphs = {"visuals/a.dot": "digraph { counted -> drawn }", "visuals/b.dot": GRAPH.format("reads")}
    space.write({**graphs, ".gitignore": "build/\n.figmill/\n"})
    space.question("a", "source: a.dot, alt: a graph that changes in no commit")
    space.question("b", "source: b.dot, alt: a client reads a store")
    space.git("init", "-q")
    space.git("add", ".")
    space.git("commit", "-qm", "one")
    return space


def changed(space: Space, *words: str) -> dict[str, list[str] | None]:
    ran = space.run("--check", "--against", "HEAD", "--format", "json", *words)
    assert ran.code in (0, 1, 3), ran.err
    return {row["id"]: row.get("changed") for row in ran.json["figures"]}


def kept(space: Space) -> list[Path]:
    return sorted((space.root / ".figmill/commits").glob("*"))


def test_what_is_kept_of_a_commit_is_what_is_drawn_of_it(book: Space) -> None:
    book.write({"visuals/b.dot": GRAPH.format("writes")})
    first = changed(book)
    assert first["a"] is None and "words: 'reads' is now 'writes'" in (first["b"] or ())
    (one,) = kept(book)
    stamp = one.read_bytes()
    # The kept file is what the second run looks at: with other words in it, other words are told.
    assert changed(book) == first and one.read_bytes() == stamp
    one.write_bytes(stamp.replace(b"reads", b"READS"))  # damaged: its digest tells, and all is drawn again
    assert changed(book) == first and changed(book, "--force") == first


def test_another_commit_draws_only_what_it_changes(book: Space) -> None:
    assert changed(book)["b"] is None
    book.write({"visuals/b.dot": GRAPH.format("writes")})
    book.git("commit", "-qam", "two")
    assert changed(book) == {"a": None, "b": None}
    assert len(kept(book)) == 2


def test_a_base_that_fails_is_told_from_ours(book: Space) -> None:
    book.write({"visuals/b.dot": "digraph { a -> "})
    book.git("commit", "-qam", "broken")
    assert changed(book)["b"] == ["it also failed before"]
    book.write({"visuals/b.dot": GRAPH.format("reads")})
    ran = book.run("--check", "--against", "HEAD", "--format", "json")
    row = next(row for row in ran.json["figures"] if row["id"] == "b")
    assert row["changed"] == ["a figure that failed before"]
    assert (ran.code, row["reasons"]) == (3, ["failed before"]) and "b.dot" in row["failed_before"]
    assert kept(book) == []  # what fails may fail by chance: it is tried again


def test_a_shallow_clone_is_named(book: Space, tmp_path: Path) -> None:
    book.git("commit", "-q", "--allow-empty", "-m", "two")
    clone = Space(tmp_path / "clone")
    book.git("clone", "-q", "--depth", "1", f"file://{book.root}", str(clone.root))
    ran = clone.run("--check", "--against", "HEAD~1")
    assert ran.code == 2 and "this clone is shallow (fetch-depth: 0)" in ran.err


def test_nodes_and_edges_that_came_and_went_are_named(book: Space) -> None:
    book.write({"visuals/b.dot": 'digraph { client -> store [label="reads"]; client -> cache }\n'})
    told = json.dumps(changed(book)["b"])
    assert (
        "new nodes: 'cache'" in told and "new edges: 'client' to 'cache'" in told and "new words" not in told
    )
    plain = book.run("--check", "--against", "HEAD").out
    assert "new edges: 'client' to 'cache'" in plain
    book.write({"visuals/b.dot": 'digraph { client -> shop [label="reads"] }\n'})
    lines = changed(book)["b"] or []
    assert "words: 'store' is now 'shop'" in json.dumps(lines)
    assert "nodes" not in " ".join(line for line in lines if not line.startswith("facts"))


RANDOM = "import os\n\n\ndef draw():\n    return f'digraph {{ n{os.urandom(8).hex()} }}'\n"


def test_two_commits_that_are_kept_are_not_drawn_again(book: Space) -> None:
    """The script's drawing is another each time it is drawn, so that a second drawing shows."""
    book.write({"visuals/a.py": RANDOM})
    book.question("a", "kind: dot, source: a.py, alt: a graph of the number that the system gives")
    book.git("add", ".")
    book.git("commit", "-qm", "random")
    book.write({"visuals/b.dot": GRAPH.format("writes")})
    book.git("commit", "-qam", "two")

    def between(*words: str) -> dict[str, list[str] | None]:
        ran = book.run("--check", "--against", "HEAD~1..HEAD", "--format", "json", *words)
        assert ran.code == 3, ran.err
        return {row["id"]: row.get("changed") for row in ran.json["figures"]}

    first = between()
    assert first["a"] is None and "words: 'reads' is now 'writes'" in (first["b"] or ())
    drawn = {path: path.read_bytes() for path in kept(book)}
    assert len(drawn) == 2
    private = {path.name for path in (book.root / ".figmill").iterdir()}
    assert private == {"commits", ".gitignore", "key", "mark"}  # there is no other cache that could answer
    assert between() == first
    assert {path: path.read_bytes() for path in kept(book)} == drawn
    assert between("--force")["a"] is not None  # so would drawing it again have been told


def test_a_comparison_with_a_commit_changes_nothing_outside_the_private_folder(book: Space) -> None:
    """Neither the repository, nor its index, nor the outputs: only .figmill, which may be deleted."""

    def state() -> dict[str, tuple[int, int, int]]:
        return {
            str(path.relative_to(book.root)): (status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
            for path in book.root.rglob("*")
            if path.relative_to(book.root).parts[0] != ".figmill"
            for status in [path.lstat()]
        }

    before = state()
    for words in (("--dry-run", "--against", "HEAD"), ("--check", "--against", "HEAD..HEAD")):
        assert book.run(*words).code in (0, 3)
        assert state() == before
    assert len(kept(book)) == 1 and ".figmill/commits" in book.run("diff", "--help").out


def test_what_another_checkout_kept_is_not_believed(book: Space) -> None:
    """A commit or a copy may bring a private folder with figures in it."""
    first = changed(book)
    (one,) = kept(book)
    data = one.read_bytes()
    assert b"reads" in data
    for path in (book.root / ".figmill").iterdir():
        if path.is_file():
            path.unlink()
    one.write_bytes(data.replace(b"reads", b"READS"))
    assert changed(book) == first and b"READS" not in one.read_bytes()


WAYS = {
    "check": ("--check",),
    "dry run": ("--dry-run",),
    "report": ("--check", "--report", "../page.html"),
    "against": ("--check", "--against", "HEAD", "--report", "../page.html"),
    "two commits": ("--check", "--against", "HEAD..HEAD", "--report", "../page.html"),
    "markdown": ("--check", "--format", "markdown", "--pictures", "../shown"),
}
LOCKED = {"build": ("build",), "everything": (".git", ".figmill", "build", "questions", "visuals", ".")}


@pytest.mark.parametrize("locked", LOCKED.values(), ids=LOCKED)
def test_a_comparison_writes_nothing_in_a_folder_that_may_not_be_written(
    book: Space, locked: tuple[str, ...]
) -> None:
    assert book.run().code == 0
    book.write({"visuals/b.dot": GRAPH.format("writes")})
    folders = [
        path
        for name in locked
        for path in [book.root / name, *(book.root / name).rglob("*")]
        if path.is_dir()
    ]
    for path in folders:
        path.chmod(0o555)
    before = {
        name: stamp for name, stamp in book.stamps().items() if name.startswith(locked) or "." in locked
    }
    try:
        for name, words in WAYS.items():
            ran = book.run(*words, as_user=True)
            assert ran.code == (0 if name in ("dry run", "two commits") else 3) and "rror" not in ran.err, (
                name,
                ran,
            )
            for made in {"../page.html", "../shown/b.after.svg"} & {*words, f"{words[-1]}/b.after.svg"}:
                assert (book.root / made).stat().st_size > 0
        now = {
            name: stamp for name, stamp in book.stamps().items() if name.startswith(locked) or "." in locked
        }
    finally:
        for path in folders:
            path.chmod(0o755)
    assert now == before


def test_only_the_requested_figures_of_saved_commits_are_compared(book: Space) -> None:
    """A saved commit has all figures, whatever is requested of it."""
    book.write({"visuals/b.dot": GRAPH.format("writes")})
    book.git("commit", "-qam", "two")
    for words, named in ((), {"a", "b"}), (("--id", "b"), {"b"}):
        ran = book.run("--check", "--against", "HEAD~1..HEAD", "--format", "json", *words)
        assert {row["id"] for row in ran.json["figures"]} == named
        assert len(kept(book)) == 2
