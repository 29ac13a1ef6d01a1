"""Drawings by content: what is found, what is a miss, and that a damaged entry is neither trusted nor in the way."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from figmill.kind.job import Raw
from figmill.model import Inputs
from figmill.store import cache as caches
from figmill.store.cache import Cache

DECLARED = Inputs.of([("visuals/x.py", "1"), ("kind", "matplotlib")])
RAW = Raw(b"<svg>\n\x00 lines\n</svg>", {"n": 3, "steps": [1, 2.5, None]}, "said\n", ("a.csv",))
NOTHING = Inputs.of(())


def reads(**digests: str) -> Inputs:
    return Inputs.of(digests.items())


def found(cache: Cache, declared: Inputs, **now: str) -> bytes | None:
    """The SVG that is found while files have these digests."""
    entry = cache.find(declared, lambda name: now.get(name, "absent"))
    return entry and entry[0].svg


def test_a_drawing_comes_back_as_it_was(tmp_path: Path) -> None:
    Cache(tmp_path / "c").put(DECLARED, reads(a="1"), RAW)
    assert Cache(tmp_path / "c").find(DECLARED, lambda _: "1") == (RAW, reads(a="1"))


def test_looking_writes_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "c")
    assert found(cache, DECLARED) is None
    cache.trim()
    assert list(tmp_path.iterdir()) == []


def test_what_was_read_decides_between_two_runs(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(DECLARED, reads(mode="simple"), Raw(b"simple"))
    cache.put(DECLARED, reads(mode="data", data="1"), Raw(b"data 1"))
    cache.put(DECLARED, reads(mode="data", data="2"), Raw(b"data 2"))
    assert found(cache, DECLARED, mode="simple") == b"simple"
    assert found(cache, DECLARED, mode="data", data="1") == b"data 1"
    assert found(cache, DECLARED, mode="data", data="2") == b"data 2"
    assert found(cache, DECLARED, mode="data", data="3") is None
    assert found(cache, DECLARED, mode="other") is None
    assert found(cache, Inputs.of([("kind", "dot")]), mode="simple") is None


def test_the_same_inputs_drawn_again_replace_the_drawing(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for svg in (b"first", b"second"):
        cache.put(DECLARED, NOTHING, Raw(svg))
    assert found(cache, DECLARED) == b"second"


def test_the_runs_of_one_figure_are_bounded_and_the_latest_stay(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for number in range(caches.RUNS + 3):
        cache.put(DECLARED, reads(a=str(number)), Raw(b"%d" % number))
    runs = [number for number in range(caches.RUNS + 3) if found(cache, DECLARED, a=str(number))]
    assert runs == list(range(3, caches.RUNS + 3))


@pytest.mark.parametrize("torn", [b"", b"x", b"{}\n<svg/>", b"\xff" * 99, b"[" * 100_000, None])
def test_a_damaged_entry_is_a_miss_and_is_replaced(tmp_path: Path, torn: bytes | None) -> None:
    cache = Cache(tmp_path)
    cache.put(DECLARED, NOTHING, RAW)
    (entry,) = tmp_path.glob("*/*")
    whole = entry.read_bytes()
    if torn is None:
        entry.unlink()
    else:
        entry.write_bytes(torn)
    assert found(cache, DECLARED) is None
    cache.put(DECLARED, NOTHING, RAW)
    assert found(cache, DECLARED) == RAW.svg
    assert entry.read_bytes() == whole


def test_every_single_flipped_bit_is_a_miss(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put(DECLARED, reads(a="1"), RAW)
    (entry,) = tmp_path.glob("*/*")
    whole = entry.read_bytes()
    for place in range(len(whole)):
        entry.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert found(cache, DECLARED, a="1") is None


@pytest.mark.parametrize(
    "header",
    [
        "5",
        "null",
        '{"a": 1}',
        "[[]]",
        "[[1, 2, 3, 4, 5]]",
        '[[[["n"]], {}, "", [], 5]]',
        '[[[], {}, "", 3, 5]]',
        '[[[], {}, "", [], "5"]]',
        "[" * 100_000,
    ],
)
def test_runs_that_make_no_sense_are_a_miss(tmp_path: Path, header: str) -> None:
    cache = Cache(tmp_path)
    cache.put(DECLARED, NOTHING, RAW)
    (entry,) = tmp_path.glob("*/*")
    whole = header.encode() + b"\n<svg>"
    entry.write_bytes(hashlib.sha256(whole).hexdigest().encode() + b"\n" + whole)
    assert found(cache, DECLARED) is None


def test_the_size_is_held_and_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "SIZE", 40_000)
    cache = Cache(tmp_path)
    for number in range(10):
        svg = bytes([number]) * 10_000
        cache.put(DECLARED | reads(n=str(number)), NOTHING, Raw(svg))
        name = (DECLARED | reads(n=str(number))).digest
        os.utime(tmp_path / name[:2] / name, (number, number))
    cache.trim()
    kept = [number for number in range(10) if found(cache, DECLARED | reads(n=str(number)))]
    assert kept == [7, 8, 9]
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) <= 40_000


def test_a_long_life_does_not_pile_up_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "SIZE", 20_000)
    for number in range(500):
        cache = Cache(tmp_path)
        cache.put(DECLARED | reads(n=str(number)), reads(a="0" * 64), Raw(b"the same drawing"))
    cache.trim()
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) <= 20_000
    assert found(cache, DECLARED | reads(n="499"), a="0" * 64) == b"the same drawing"


PUT = """
import sys
from pathlib import Path
from figmill.store.cache import Cache
from figmill.kind.job import Raw
from figmill.model import Inputs
cache, me = Cache(Path(sys.argv[1])), sys.argv[2]
for number in range(25):
    cache.put(Inputs.of([("n", str(number))]), Inputs.of([("by", me)]), Raw(f"{number} by {me}".encode()))
    known = cache.find(Inputs.of([("n", str(number))]), lambda _: me)
    assert known is None or known[0].svg == f"{number} by {me}".encode(), known
"""


def test_builds_that_share_a_cache_never_see_a_torn_entry(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PUT, str(tmp_path / "c")]
    running = [subprocess.Popen([*command, name], stderr=subprocess.PIPE, text=True) for name in "abcd"]
    assert [(p.communicate(timeout=60)[1], p.returncode) for p in running] == [("", 0)] * 4
    cache = Cache(tmp_path / "c")
    for number in range(25):  # the last to write is there, whole; others may have been lost, never mixed up
        svgs = [svg for name in "abcd" if (svg := found(cache, Inputs.of([("n", str(number))]), by=name))]
        assert svgs and all(svg.startswith(b"%d by " % number) for svg in svgs)
    assert not list((tmp_path / "c").rglob(".figmill-*"))
