"""The journal: the last record of a key counts, and the records of one write count together or not at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from figmill.errors import ToolError
from figmill.host import bound, files
from figmill.store.journal import FORMAT, PATH, Journal, block, lines, measured, packed, whole

text = st.binary(max_size=12).map(lambda data: data.replace(b"\n", b"").replace(b"\t", b""))
writes = st.lists(st.dictionaries(text.map(lambda key: b"k " + key), text, max_size=4), max_size=6)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".figmill").mkdir()
    return tmp_path


def counting(journal: Journal) -> dict[bytes, bytes]:
    """What counts, by each of the ways to ask for it."""
    records = journal.records
    for kind in ("k", "none"):
        group = {key: row for key, row in records.items() if key.startswith(f"{kind} ".encode())}
        assert journal.of_kind(kind) == group
        for text in (b"1", b"k"):
            assert journal.mentioning(kind, [text]) == {k: row for k, row in group.items() if text in row}
    assert all(journal.get(key) == row for key, row in records.items()) and not journal.get(b"none")
    return records


@given(writes)
@settings(max_examples=60, deadline=None)
def test_what_is_written_comes_back(
    tmp_path_factory: pytest.TempPathFactory, several: list[dict[bytes, bytes]]
) -> None:
    root = tmp_path_factory.mktemp("book")
    (root / ".figmill").mkdir()
    expected: dict[bytes, bytes] = {}
    kept = Journal(root)
    for number, changes in enumerate(several):
        journal = kept if number % 2 else Journal(root)  # by one process, or by one after the other
        journal.write(changes)
        kept = journal
        expected = {key: value for key, value in (expected | changes).items() if value}
        assert counting(journal) == counting(Journal(root)) == expected


def test_a_change_is_appended_and_nothing_is_written_for_none(root: Path) -> None:
    journal = Journal(root)
    journal.write({b"a": b"1", b"b": b"2"})
    path = root / PATH
    first, inode = path.read_bytes(), path.stat().st_ino
    journal.write({b"b": b"3"})
    assert (
        path.stat().st_ino == inode and path.read_bytes().startswith(first) and b"b\t3\n" in path.read_bytes()
    )
    before = path.stat()
    journal.write({b"a": b"1", b"b": b"3", b"c": b""})
    assert path.stat() == before and not journal.is_outdated


def test_a_journal_cut_short_anywhere_has_whole_writes_only(root: Path) -> None:
    states = [{}]
    ends = []
    for changes in ({b"a": b"1"}, {b"b": b"2", b"a": b"3"}, {b"a": b"", b"c": b"4"}):
        Journal(root).write(changes)
        states.append(counting(Journal(root)))
        ends.append((root / PATH).stat().st_size)
    data = (root / PATH).read_bytes()
    for end in range(len(data) + 1):
        (root / PATH).write_bytes(data[:end])
        cut = Journal(root)
        assert counting(cut) == states[sum(end >= whole for whole in ends)], end
        cut.write({b"new": b"1"})
        assert counting(Journal(root)) == {**counting(cut), b"new": b"1"}


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_overwritten_bytes_never_raise_and_are_never_believed(draw: st.DataObject) -> None:
    key = b"0" * 64
    first = block(key, whole({b"a": b"1"}))
    data = first + block(key, packed({b"b": b"2"}), len(first))
    damaged = bytearray(data)
    for place in draw.draw(st.lists(st.integers(0, len(data) - 1), min_size=1, max_size=4)):
        damaged[place] = draw.draw(st.integers(0, 255))
    begun, size = measured(key, bytes(damaged))
    assert size in (0, len(first), len(data))
    assert len(begun) == (len(whole({b"a": b"1"})) if size else 0)
    assert bytes(damaged[:size]) == data[:size]  # what counts is what was written


def test_a_block_counts_at_its_place_and_under_its_secret_alone() -> None:
    key = b"0" * 64
    first = block(key, whole({b"a": b"1"}))
    second = block(key, packed({b"a": b"2"}), len(first))
    assert lines(first + second)[b"a"] == b"2"
    assert measured(key, first + second + second)[1] == len(first + second)
    assert measured(key, second) == measured(b"1" * 64, first) == measured(None, first) == (range(0), 0)
    assert measured(key, block(key, packed({FORMAT: b"0 a:4", b"a": b"1"}))) == (range(0), 0)


def test_what_no_longer_counts_is_dropped_in_time(root: Path) -> None:
    journal = Journal(root)
    for number in range(2_000):
        journal.write({b"a": b"%d" % number * 30, b"b": b"1"}, lasting=False)
        assert (root / PATH).stat().st_size < 1 << 18
    assert counting(Journal(root)) == {b"a": b"1999" * 30, b"b": b"1"}


def test_what_another_process_has_written_is_seen(root: Path) -> None:
    one, other = Journal(root), Journal(root)
    assert not one.is_outdated
    other.write({b"a": b"1"})
    assert one.is_outdated and not other.is_outdated
    one = Journal(root)
    other.write({b"a": b"2"})
    assert one.is_outdated and not Journal(root).is_outdated


def test_a_copy_of_the_folder_is_not_believed_and_not_changed(root: Path, tmp_path: Path) -> None:
    Journal(root).write({b"a": b"1"})
    copy = tmp_path / "copy"
    shutil.copytree(root / ".figmill", copy / ".figmill", copy_function=os.link)  # a copy of names only
    before = (copy / PATH).read_bytes()
    assert counting(Journal(copy)) == {}
    Journal(root).write({b"a": b"2"})
    assert (copy / PATH).read_bytes() == before and counting(Journal(root)) == {b"a": b"2"}


def test_a_write_that_fails_is_made_good_by_the_next(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(root)
    journal.write({b"a": b"1"})
    real = files.append

    def torn(path: str, data: bytes, *, lasting: bool) -> None:
        real(path, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "append", torn)
    with pytest.raises(ToolError, match=r"cannot write .figmill/journal: No space left on device"):
        journal.write({b"b": b"2"})
    assert counting(Journal(root)) == {b"a": b"1"}
    monkeypatch.setattr(files, "append", real)
    journal.write({b"c": b"3"})
    assert counting(Journal(root)) == {b"a": b"1", b"b": b"2", b"c": b"3"}


def test_nothing_is_written_through_a_link(root: Path, tmp_path: Path) -> None:
    Journal(root).write({b"a": b"1"})
    (root / PATH).rename(tmp_path / "elsewhere")
    before = (tmp_path / "elsewhere").read_bytes()
    (root / PATH).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Exception, match="cannot be read"):
        Journal(root)
    assert (tmp_path / "elsewhere").read_bytes() == before and bound.key_of(root) is not None
