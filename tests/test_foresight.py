"""What is guessed of a build before the book is read: a right guess is used, a wrong one does no harm."""

from __future__ import annotations

import os

import pytest
from conftest import Space

from figmill import config, snapshot
from figmill.foresight import likely
from figmill.sites import Site

TOUCHED = {
    # the file that was changed last -> what it holds, and what is started
    "visuals/a.dot": (b"digraph { a -> c }", ("dot",)),
    "visuals/deep/b.gv": (b"digraph { a -> c }", ("dot",)),
    "visuals/d.svg": (b"<svg/>", ()),
    "visuals/m.py": (b"from matplotlib.figure import Figure", ("matplotlib",)),
    "visuals/t.py": (b"from figmill.timelines import schedules", ("matplotlib",)),
    "visuals/g.py": (b"import graphviz", ("dot",)),
    "visuals/empty.py": (b"", None),
    "visuals/data.csv": (b"1,2", None),
    "questions/q.yaml": (b"id: q", None),
}


def guess(space: Space) -> tuple[str, ...] | None:
    options = config.load(space.root)
    return likely(space.root, options, snapshot.look(str(space.root), options.folders))


@pytest.mark.parametrize(
    ("path", "data", "kinds"), [(path, *row) for path, row in TOUCHED.items()], ids=TOUCHED
)
def test_the_source_that_was_changed_last_tells(
    book: Space, path: str, data: bytes, kinds: tuple[str, ...] | None
) -> None:
    assert guess(book) is None  # nothing was built yet
    book.run()
    assert guess(book) is None
    file = book.root / path
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    later = (book.root / ".figmill/ledger.json").stat().st_mtime_ns + 1_000_000_000
    os.utime(file, ns=(later, later))
    assert guess(book) == kinds


@pytest.mark.parametrize("text", ["digraph { new -> one }", "digraph { not -> "])
def test_processes_that_were_started_early_are_the_only_ones(
    book: Space, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    from figmill import sites
    from figmill.build import build
    from figmill.outcomes import Request

    book.run()
    before = book.outputs()
    book.write({"visuals/a.dot": text})
    started: list[tuple[str, ...]] = []
    real = Site.__init__

    def noted(self: Site, setting: sites.worker.Setting, environment: dict[str, str]) -> None:
        started.append(setting.kinds)
        real(self, setting, environment)

    monkeypatch.setattr(Site, "__init__", noted)
    options = config.load(book.root)
    seen = snapshot.look(str(book.root), options.folders)
    report = build(book.root, options, Request(jobs=2), seen=seen)
    assert started == [("dot",), ()]
    changed = {path for path, data in book.outputs().items() if before[path] != data}
    assert (report.code, bool(changed)) == ((0, True) if text.endswith("}") else (1, False))


def test_a_wrong_guess_changes_nothing(book: Space) -> None:
    book.run()
    before = book.outputs()
    book.write({"visuals/nobodys.py": "import matplotlib\n"})
    done = book.run()
    assert (done.code, done.err, book.outputs()) == (0, "", before)
