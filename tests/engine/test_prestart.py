"""What is guessed of a build before the book is read: a right guess is used, a wrong one does no harm."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from helpers.book import Space

from figmill import config, fastpath
from figmill.commands.build import run
from figmill.engine.prestart import likely
from figmill.engine.request import Request
from figmill.render import worker
from figmill.render.processes import Launcher

TOUCHED = {
    # the file that was changed last -> what it holds, and what is started
    "visuals/a.dot": (b"digraph { a -> c }", ("dot",)),
    "visuals/deep/b.gv": (b"digraph { a -> c }", ("dot",)),
    "visuals/d.svg": (b"<svg/>", ()),
    "visuals/m.py": (b"from matplotlib.figure import Figure", ("matplotlib",)),
    "visuals/t.py": (b"from figmill_timelines.pipeline import schedules", ("matplotlib",)),
    "visuals/g.py": (b"import graphviz", ("dot",)),
    "visuals/empty.py": (b"", None),
    "visuals/data.csv": (b"1,2", None),
    "questions/q.yaml": (b"id: q", ()),
}


def seen(space: Space) -> fastpath.Seen:
    return fastpath.look(str(space.root), config.load(space.root).folders)


def guess(space: Space) -> tuple[str, ...] | None:
    return likely(space.root, config.load(space.root), seen(space))


@pytest.mark.parametrize(
    ("path", "data", "kinds"), [(path, *row) for path, row in TOUCHED.items()], ids=TOUCHED
)
def test_the_source_that_was_changed_last_tells(
    built_book: Space, path: str, data: bytes, kinds: tuple[str, ...] | None
) -> None:
    assert guess(built_book) is None
    file = built_book.root / path
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    later = (built_book.root / ".figmill/journal").stat().st_mtime_ns + 1_000_000_000
    os.utime(file, ns=(later, later))
    assert guess(built_book) == kinds


def test_of_a_new_book_all_sources_tell(book: Space) -> None:
    assert guess(book) == ("dot", "matplotlib")
    for script in ("visuals/b.py", "visuals/c.py"):
        (book.root / script).unlink()
    assert guess(book) == ("dot",)
    (book.root / "visuals/a.dot").unlink()
    assert guess(book) == ()  # a drawing by hand
    (book.root / "visuals/d.svg").unlink()
    assert guess(book) is None


def test_what_is_cached_is_not_going_to_be_drawn(built_book: Space) -> None:
    (built_book.root / ".figmill/journal").unlink()
    assert guess(built_book) == ()  # it is only settled
    assert likely(built_book.root, config.load(built_book.root), seen(built_book), force=True) == (
        "dot",
        "matplotlib",
    )


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The kinds that each process is started for, as they come."""
    found: list[tuple[str, ...]] = []
    real = Launcher.__init__

    def noted(self: Launcher, setting: worker.WorkerSetup, environment: dict[str, str]) -> None:
        found.append(setting.kinds)
        real(self, setting, environment)

    monkeypatch.setattr(Launcher, "__init__", noted)
    return found


@pytest.mark.parametrize("text", ["digraph { new -> one }", "digraph { not -> "])
def test_processes_that_were_started_early_are_the_only_ones(
    built_book: Space, started: list[tuple[str, ...]], text: str
) -> None:
    before = built_book.outputs()
    built_book.write({"visuals/a.dot": text})
    code = run(Request(built_book.root.resolve(), jobs=2))
    assert started == [("dot",)]
    changed = {path for path, data in built_book.outputs().items() if before[path] != data}
    assert (code, bool(changed)) == ((0, True) if text.endswith("}") else (1, False))


def test_nor_does_a_new_book_start_others(book: Space, started: list[tuple[str, ...]]) -> None:
    assert run(Request(book.root.resolve(), jobs=2)) == 0
    assert started == [(), ("dot", "matplotlib")]


def test_two_saved_commits_start_none(built_book: Space, started: list[tuple[str, ...]]) -> None:
    built_book.git("init", "-q")
    for label in ("one", "other"):
        built_book.write({"visuals/a.dot": f"digraph {{ {label} }}"})
        built_book.git("add", "-A")
        built_book.git("commit", "-q", "-m", label)
    request = Request(built_book.root.resolve(), jobs=2, check=True, against="HEAD~..HEAD")
    assert run(request) == 3 and started
    started.clear()
    built_book.write({"visuals/a.dot": "digraph { third }"})  # which a build would draw
    assert run(request) == 3 and not started


def test_a_wrong_guess_changes_nothing(built_book: Space) -> None:
    before = built_book.outputs()
    built_book.write({"visuals/nobodys.py": "import matplotlib\n"})
    done = built_book.run()
    assert (done.code, done.err, built_book.outputs()) == (0, "", before)


def test_only_the_process_that_settles_loads_the_patterns_of_claims() -> None:
    """They take a tenth of the time of a build of one figure; a warm process has them before its first figure."""
    loads = "print(any(name.startswith('figmill.claims') for name in sys.modules))"
    code = f"import sys, figmill.engine.build; {loads}; figmill.publish.settling.warm(); {loads}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
