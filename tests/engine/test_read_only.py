"""A tree that may not be written: a build of it ends well where there is nothing to write."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from helpers.book import DOT, HAND, CopyOf, Space, without_rights

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes of folders are POSIX")


def with_large_input(space: Space) -> Space:
    """A book large enough that its digests are kept in a file."""
    space.write({"visuals/a.dot": DOT, "visuals/d.svg": HAND, "visuals/large.csv": "1,2,3\n" * 200_000})
    space.question("graph", "source: a.dot, inputs: [large.csv], alt: a sends to b which sends to c")
    space.question("hand", "source: d.svg, alt: one rank as a box")
    docs = {
        "docs/index.md": "# Words\n\n![](figmill:graph)\n",
        "mkdocs.yml": "site_name: A book\ntheme: {name: mkdocs}\nplugins: [figmill]\n",
        "conf.py": 'extensions = ["myst_parser", "figmill.sphinx"]\nroot_doc = "docs/index"\n',
    }
    return space.write(docs)


@contextmanager
def read_only(space: Space) -> Iterator[None]:
    """For a while, nothing can be made, replaced or removed there. A file is only ever replaced, but for the lock."""
    folders = [space.root, *(path for path in space.root.rglob("*") if path.is_dir())]
    modes = dict.fromkeys(folders, (0o555, 0o755)) | {space.root / ".figmill/lock": (0o444, 0o644)}
    for path, (mode, _) in modes.items():
        if path.exists():
            path.chmod(mode)
    before = space.stamps()
    try:
        yield
        assert space.stamps() == before
    finally:
        for path, (_, mode) in modes.items():
            if path.exists():
                path.chmod(mode)


# What is missing of the private folder -> what takes it away.
KEPT: Mapping[str, Callable[[Path], object]] = {
    "all": lambda private: private,
    "the snapshot": lambda private: (private / "snapshot").unlink(),
    "the journal": lambda private: (private / "journal").unlink(),
    "the folder": shutil.rmtree,
}
WORDS: Mapping[tuple[str, ...], str] = {
    (): "2 figures, ",
    ("--explain",): "source visuals/d.svg",
    ("--check",): "2 figures, ",
    ("--dry-run",): "2 figures, ",
    ("--format", "json"): '"id": "graph"',
    ("show",): "visuals/d.svg",
    ("facts", "graph", "nodes"): "3\n",
    ("embed", "graph", "--format", "html"): "<figure",
    ("clean",): "nothing to remove\n",
    ("lint",): "",
}


@pytest.mark.parametrize("missing", KEPT)
def test_nothing_is_written_where_there_is_nothing_to_write(copy_of: CopyOf, missing: str) -> None:
    book = copy_of(with_large_input)
    KEPT[missing](book.root / ".figmill")
    with read_only(book):
        for words, told in WORDS.items():
            if missing in ("the journal", "the folder") and words[:1] in (("facts",), ("embed",)):
                continue  # they ask the journal
            ran = book.run(*words, as_user=True)
            assert (ran.code, ran.err) == (0, ""), (words, ran)
            assert told in ran.out, words


def test_a_touched_source_is_no_change(copy_of: CopyOf) -> None:
    book = copy_of(with_large_input)
    (book.root / "visuals/d.svg").touch()
    with read_only(book):
        ran = book.run(as_user=True)
    assert (ran.code, ran.out, ran.err) == (0, "2 figures, all fresh\n", "")


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ((), "all"),
        ((), "the folder"),
        (("--to", "png"), "all"),
        (("--to", "png"), "the folder"),
        (("clean",), "all"),  # without its journal, figmill does not know which files are its own
    ],
)
def test_what_has_to_be_written_is_told(copy_of: CopyOf, missing: str, words: tuple[str, ...]) -> None:
    book = copy_of(with_large_input)
    if not words:
        book.write({"visuals/d.svg": HAND.replace("Rank 0", "Rank 1")})
    if words == ("clean",):
        (book.root / "questions/hand.yaml").unlink()
    KEPT[missing](book.root / ".figmill")
    with read_only(book):
        ran = book.run(*words, as_user=True)
    assert ran.code == 1
    assert ran.err.endswith("cannot write .figmill/lock: Permission denied\n") and ran.err.count("\n") == 1


HOSTS = {
    "mkdocs": ("mkdocs", "build", "--strict", "--site-dir"),
    "sphinx": ("sphinx", "-q", "-W", "-c", ".", "."),
}


@pytest.mark.parametrize("missing", ["all", "the snapshot"])
@pytest.mark.parametrize("host", HOSTS)
def test_a_host_makes_its_pages_elsewhere(copy_of: CopyOf, tmp_path: Path, host: str, missing: str) -> None:
    book = copy_of(with_large_input)
    KEPT[missing](book.root / ".figmill")
    with read_only(book):
        done = subprocess.run(
            [sys.executable, "-B", "-m", *HOSTS[host], str(tmp_path / "site")],
            cwd=book.root,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            preexec_fn=without_rights,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert any("figmill-light" in page.read_text() for page in (tmp_path / "site").rglob("index.html"))
