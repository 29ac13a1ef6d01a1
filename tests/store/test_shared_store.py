"""A bucket as a cache: drawings of one machine are found by another, and a network that fails stops no build."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
from helpers.book import Space, four_figures, two_figures

from figmill.kind.job import Raw
from figmill.model import Inputs
from figmill.store.cache import Cache
from figmill.store.seal import Seal
from figmill.store.shared_store import SharedStore

ADDRESS = "memory://bucket/drawings"
DECLARED = Inputs.of([("source", "1")])
RAW = Raw(b"<svg/>")


@pytest.fixture(autouse=True)
def bucket() -> Iterator[Any]:
    files = fsspec.filesystem("memory")
    files.store.clear()
    yield files
    files.store.clear()


def machine(folder: Path, seal: Seal | None = None, told: list[str] | None = None) -> Cache:
    said = [] if told is None else told
    return Cache(folder, store=SharedStore(ADDRESS, seal, said.append))


def reads(**digests: str) -> Inputs:
    return Inputs.of(digests.items())


def found(cache: Cache, declared: Inputs = DECLARED, **digests: str) -> bytes | None:
    cache.fetch([declared])
    entry = cache.find(declared, lambda name: digests.get(name, ""))
    return None if entry is None else entry[0].svg


def test_what_one_machine_draws_another_finds(tmp_path: Path, bucket: Any) -> None:
    one, other = machine(tmp_path / "one"), machine(tmp_path / "other")
    one.put(DECLARED, reads(a="1"), RAW)
    assert bucket.find("/bucket") == [f"/bucket/drawings/{DECLARED.digest[:2]}/{DECLARED.digest}"]
    assert found(other, a="1") == RAW.svg and found(other, a="2") is None
    other.put(DECLARED, reads(a="2"), Raw(b"<svg>2</svg>"))
    third = machine(tmp_path / "third")
    assert (found(third, a="1"), found(third, a="2")) == (RAW.svg, b"<svg>2</svg>"), "runs of two machines"


def test_what_was_fetched_is_kept_here_and_not_sent_again(tmp_path: Path, bucket: Any) -> None:
    machine(tmp_path / "one").put(DECLARED, reads(a="1"), RAW)
    other = machine(tmp_path / "other")
    assert found(other, a="1") and other.is_from_store(DECLARED, reads(a="1"))
    bucket.store.clear()
    other.put(DECLARED, reads(a="1"), RAW)
    assert bucket.find("/bucket") == []
    assert found(Cache(tmp_path / "other"), a="1") == RAW.svg


@pytest.mark.parametrize("data", [b"", b"x", b"{}\n<svg/>", b"[" * 100_000])
def test_a_damaged_entry_is_a_miss_and_is_replaced(tmp_path: Path, bucket: Any, data: bytes) -> None:
    one = machine(tmp_path / "one")
    one.put(DECLARED, reads(a="1"), RAW)
    (path,) = bucket.find("/bucket")
    bucket.pipe_file(path, data)
    told: list[str] = []
    other = machine(tmp_path / "other", told=told)
    assert found(other, a="1") is None and told == []
    other.put(DECLARED, reads(a="1"), RAW)
    assert found(machine(tmp_path / "third"), a="1") == RAW.svg


def test_only_signed_entries_count_where_the_book_has_a_key(tmp_path: Path, bucket: Any) -> None:
    sealed = Seal(lambda message, signature: signature == "5e", lambda message: "5e")
    reader = Seal(sealed.is_signed, None)
    machine(tmp_path / "stranger").put(DECLARED, reads(a="1"), RAW)
    assert found(machine(tmp_path / "one", sealed), a="1") is None
    bucket.store.clear()
    machine(tmp_path / "fork", reader).put(DECLARED, reads(a="1"), RAW)
    assert bucket.find("/bucket") == [], "a build without the secret writes nothing there"
    machine(tmp_path / "two", sealed).put(DECLARED, reads(a="1"), RAW)
    assert found(machine(tmp_path / "other", reader), a="1") == RAW.svg


def test_a_network_that_fails_is_told_once_and_left_alone(
    tmp_path: Path, bucket: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def fails(self: Any, path: str, *_: Any, **__: Any) -> bytes:
        asked.append(path)
        raise ConnectionError("no route to host\nat line 1")

    monkeypatch.setattr(type(bucket), "cat_file", fails)
    monkeypatch.setattr(type(bucket), "pipe_file", fails)
    told: list[str] = []
    cache = machine(tmp_path / "one", told=told)
    for number in range(3):
        declared = reads(n=str(number))
        assert found(cache, declared) is None
        cache.put(declared, reads(), RAW)
    cannot = f"figmill: the cache {ADDRESS} cannot be"
    assert told == [f"{cannot} read (no route to host); figures are drawn here"]
    assert len(asked) == 1
    told.clear()
    only_writes = machine(tmp_path / "two", told=told)
    for number in range(3):
        only_writes.put(reads(n=str(number)), reads(), RAW)
    assert told == [f"{cannot} written (no route to host); other machines draw these figures again"]
    assert len(asked) == 2
    assert found(Cache(tmp_path / "one"), reads(n="2")) == RAW.svg, "it is kept here all the same"


def test_many_entries_are_asked_for_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bucket: Any
) -> None:
    wanted = [reads(n=str(number)) for number in range(150)]
    one = machine(tmp_path / "one")
    for declared in wanted:
        one.put(declared, reads(), RAW)
    calls: list[int] = []
    plain = type(bucket).cat_ranges
    monkeypatch.setattr(
        type(bucket),
        "cat_ranges",
        lambda self, paths, *a, **k: calls.append(len(paths)) or plain(self, paths, *a, **k),
    )
    other = machine(tmp_path / "other")
    assert other.fetch([*wanted, *wanted]) and calls == [64, 64, 22]
    assert all(other.find(declared, str) for declared in wanted)


def test_a_book_on_another_machine_draws_nothing(space: Space, tmp_path: Path) -> None:
    """The command, with fsspec's local files in place of a bucket; and where the store is lost."""
    store = tmp_path / "store"
    two_figures(space).write({"pyproject.toml": f'[tool.figmill]\ncache = "file://{store}"\n'})
    space.write({"visuals/b.py": "def draw(n: int = 3):\n    return f'digraph {{ a -> n{n} }}'\n"})
    space.question("script", "kind: dot, source: b.py, params: {n: 4}, alt: a leads to another")
    assert space.run().code == 0
    entries = {path.name for path in store.rglob("*") if path.is_file()}
    assert len(entries) == 2, "a drawing by hand is not drawn"
    first = space.outputs()
    for name in ("build", ".figmill"):
        shutil.rmtree(space.root / name)
    # A script that would not draw again.
    ran = space.run("--format", "json", env={"PATH": os.environ["PATH"]})
    assert ran.code == 0 and space.outputs() == first
    assert {path.name for path in (space.root / ".figmill/cache").glob("*/*")} >= entries
    assert sum(figure["seconds"] for figure in ran.json["figures"]) == 0, ran.out
    shutil.rmtree(store)
    store.write_text("no folder")
    shutil.rmtree(space.root / ".figmill")
    ran = space.run()
    assert ran.code == 0 and space.outputs() == first
    assert f"the cache file://{store} cannot be read" in ran.err


@pytest.mark.parametrize(
    "address",
    [
        "s3://user:secret@bucket/x",
        "http://example.org/x",
        "github://a/b",
        "simplecache::s3://x",
        "memory://x",
    ],
)
def test_an_address_of_another_sort_is_refused(space: Space, address: str) -> None:
    four_figures(space).write({"pyproject.toml": f'[tool.figmill]\ncache = "{address}"\n'})
    ran = space.run()
    assert ran.code == 2
    assert (
        "pyproject.toml:2" in ran.err and "must be a folder, or an address that begins with s3://" in ran.err
    )


def test_a_missing_package_is_named(space: Space) -> None:
    four_figures(space).write({"pyproject.toml": '[tool.figmill]\ncache = "gs://bucket/x"\n'})
    ran = space.run()
    assert (ran.code, ran.err) == (
        2,
        "figmill: cache = \"gs://bucket/x\" needs packages: pip install 'figmill[store]' gcsfs\n",
    )
