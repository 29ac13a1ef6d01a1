"""A shared cache is not believed: whatever lies in it, a build ends well and publishes what it would have drawn.

With a key, only what was signed with it is taken at all; who has no secret reads, and writes nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.book import HAND, REPOSITORY, Ran, Space

from figmill.config import Options, load
from figmill.errors import ToolError
from figmill.kind.job import Raw
from figmill.model import Inputs
from figmill.store import cache as caches
from figmill.store.cache import Cache, DrawingRun
from figmill.store.seal import Seal, seal_of

# It draws otherwise each time: what was drawn before shows by its number.
CLOCK = """\
import time
from pathlib import Path

from figmill import Drawing


def draw():
    Path(__file__).with_name("data.csv").read_text()
    return Drawing("digraph { a }", facts={"drawn": time.time_ns()})
"""
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="5" height="4" fill="#ccc"/></svg>'
DATA = hashlib.sha256(b"1\n").hexdigest()


@pytest.fixture
def shared(space: Space) -> Space:
    """A book with one script and a hand drawing, and a shared cache beside it."""
    space.write({"figmill.toml": 'cache = "../shared"\n', "visuals/data.csv": "1\n", "visuals/x.py": CLOCK})
    space.write({"visuals/h.svg": HAND})
    space.question("x", "kind: dot, source: x.py, alt: 'drawn at {drawn}'")
    return space.question("h", "source: h.svg, alt: one rank as a box")


def fresh(space: Space, **env: str) -> tuple[Ran, int]:
    """A build on a clean checkout, and the number that its drawing states."""
    for folder in ("build", ".figmill"):
        shutil.rmtree(space.root / folder, ignore_errors=True)
    done = space.run("--format", "json", env=env)
    if done.code:
        return done, 0
    figures = json.loads(space.read("build/manifest.json"))["figures"]
    return done, next(figure["facts"]["drawn"] for figure in figures if figure["id"] == "x")


def entry_of(space: Space) -> Path:
    (path,) = (space.root.parent / "shared").glob("??/*")
    return path


def entry(rows: Any, svgs: bytes = SVG) -> bytes:
    """What whoever can write to a cache can write: every byte as it should be, and the digest of them."""
    whole = json.dumps(rows).encode() + b"\n" + svgs
    return hashlib.sha256(whole).hexdigest().encode() + b"\n" + whole


STATED, LENGTH = {"drawn": 7}, len(SVG)


def row(traced: Any = (), facts: Any = STATED, printed: Any = "", names: Any = (), size: Any = LENGTH) -> Any:
    return [traced, facts, printed, names, size]


POISONS: dict[str, bytes] = {
    "facts a list": entry([row(facts=[["drawn", 7]])]),
    "facts a number": entry([row(facts=7)]),
    "facts null": entry([row(facts=None)]),
    "a nested fact": entry([row(facts={"drawn": {}})]),
    "a fact without an end": entry([row(facts={"drawn": float("inf")})]),
    "a fact of 400 digits": entry([row(facts={"drawn": 10**400})]),
    "half a character": entry([row(facts={"drawn": "\ud800"})]),
    "a command in a fact": entry([row(facts={"drawn": "\n::error::x"})]),
    "printed a list": entry([row(printed=[])]),
    "names of a device": entry([row(names=["/dev/zero"])]),
    "names upwards": entry([row(names=["../../../../../../../../dev/zero"])]),
    "names a number": entry([row(names=[5])]),
    "traced a device": entry([row(traced=[["/dev/zero", DATA]])]),
    "traced upwards": entry([row(traced=[["../../../../../../../../dev/zero", DATA]])]),
    "traced a number": entry([row(traced=[[5, DATA]])]),
    "traced a mapping": entry([row(traced={"a": 1})]),
    "a digest that is none": entry([row(traced=[["visuals/data.csv", 5]])]),
    "a digest with a line end": entry([row(traced=[["visuals/data.csv", "1\n"]])]),
    "a negative size": entry([row(size=-1)]),
    "a size beyond": entry([row(size=10**9)]),
    "a size of truth": entry([row(size=True)]),
    "a row too short": entry([row()[:4]]),
    "rows a mapping": entry({"a": 1}),
    "deep": hashlib.sha256(b"[" * 10**6 + b"\n").hexdigest().encode() + b"\n" + b"[" * 10**6 + b"\n",
    "wide": entry([[]] * (caches.HEADER // 4), b""),
    "no lines": b"x" * 10**6,
}


@pytest.mark.parametrize("name", POISONS)
def test_a_poisoned_entry_is_a_miss(tmp_path: Path, name: str) -> None:
    declared = Inputs.of([("x", "1")])
    cache = Cache(tmp_path)
    cache.put(declared, Inputs.of(()), Raw(SVG, {"drawn": 1}))
    (path,) = tmp_path.glob("??/*")
    path.write_bytes(POISONS[name])
    asked: list[str] = []
    assert cache.find(declared, lambda path: asked.append(path) or DATA) is None  # type: ignore[func-returns-value]
    assert asked == []  # nothing is looked at for its sake
    cache.put(declared, Inputs.of(()), Raw(SVG, {"drawn": 1}))
    assert cache.find(declared, lambda _: DATA) == (Raw(SVG, {"drawn": 1}), Inputs.of(()))


def pipe(path: Path) -> None:
    os.mkfifo(path)


def large(path: Path) -> None:
    path.touch()
    os.truncate(path, caches.ENTRY + 1)  # without a block on the disk


# What may lie in the place of an entry, and is no file to be read.
PLACES: dict[str, Callable[[Path], None]] = {
    "a pipe": pipe,
    "a link to a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to a pipe": lambda path: (pipe(path.with_suffix(".p")), path.symlink_to(path.with_suffix(".p")))[
        1
    ],
    "a link to nowhere": lambda path: path.symlink_to("/nowhere"),
    "a folder": lambda path: (path / "x").mkdir(parents=True),
    "a large file": large,
}


@pytest.mark.parametrize("name", PLACES)
def test_what_lies_in_the_place_of_an_entry_is_a_miss(tmp_path: Path, name: str) -> None:
    declared = Inputs.of([("x", "1")])
    cache = Cache(tmp_path)
    cache.put(declared, Inputs.of(()), Raw(SVG))
    (path,) = tmp_path.glob("??/*")
    path.unlink()
    PLACES[name](path)
    assert cache.find(declared, lambda _: DATA) is None
    cache.put(declared, Inputs.of(()), Raw(SVG))
    assert (cache.find(declared, lambda _: DATA) is None) is (name == "a folder")


@pytest.mark.soak
def test_builds_with_a_poisoned_cache_publish_what_they_draw(shared: Space) -> None:
    """By the real command, with those that once hung it, ended it, or were believed."""
    _, first = fresh(shared)
    assert fresh(shared)[1] == first  # the measure itself: it is found there
    path = entry_of(shared)
    for name in (
        "facts a list",
        "names of a device",
        "traced a device",
        "traced upwards",
        "half a character",
        "deep",
    ):
        path.write_bytes(POISONS[name])
        done, drawn = fresh(shared)
        assert (done.code, done.err) == (0, ""), name
        assert drawn > 7 and drawn != first, name
    for name, make in PLACES.items():
        path.unlink(missing_ok=True)
        make(path)
        done, drawn = fresh(shared)
        assert (done.code, done.err) == (0, "") and drawn != first, name
        shutil.rmtree(path, ignore_errors=True)
        path.with_suffix(".p").unlink(missing_ok=True)


def test_what_is_too_large_for_an_entry_is_not_kept_and_the_oldest_runs_give_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caches, "ENTRY", 20_000)
    declared, cache = Inputs.of([("x", "1")]), Cache(tmp_path)
    for number in range(4):
        cache.put(declared, Inputs.of([("a", str(number))]), Raw(bytes([number]) * 6_000))
    runs = [number for number in range(4) if cache.find(declared, lambda _, n=number: str(n))]  # type: ignore[misc]
    assert runs == [1, 2, 3]
    cache.put(declared, Inputs.of([("a", "4")]), Raw(b"x" * 30_000))
    assert cache.find(declared, lambda _: "4") is None and cache.find(declared, lambda _: "3") is not None


# Signatures.

SECRET, OTHER = "a" * 64, "b" * 64


def public(secret: str = SECRET) -> str:
    """The public half, as the message tells it to whoever sets a key up."""
    with pytest.raises(ToolError) as caught:
        seal_of(Options(cache="c", cache_key_env="K"), {"K": secret})
    return str(caught.value).rpartition("cache_key = ")[2].strip('"')


def seal(secret: str = "", key: str = SECRET) -> Seal:
    result = seal_of(Options(cache="c", cache_key=public(key), cache_key_env="K"), {"K": secret})
    assert result is not None
    return result


def test_who_has_the_public_half_checks_and_cannot_sign() -> None:
    trusted, reader = seal(SECRET), seal("")
    assert trusted.sign is not None and reader.sign is None
    signature = trusted.sign(b"message")
    assert reader.is_signed(b"message", signature) and trusted.is_signed(b"message", signature)
    assert not reader.is_signed(b"another", signature)
    for wrong in ("", "x", "00" * 64, signature[:-1] + ("0" if signature[-1] != "0" else "1"), signature[2:]):
        assert not reader.is_signed(b"message", wrong)
    assert not seal("", OTHER).is_signed(b"message", signature)
    assert seal(f" {SECRET}\n").sign is not None  # as a file or a web form may hold it


@pytest.mark.parametrize(
    ("options", "environ", "message"),
    [
        (
            Options(cache="c", cache_key_env="K"),
            {},
            "cache_key_env needs cache_key beside it; build once with K set",
        ),
        (Options(cache="c", cache_key_env="K"), {"K": SECRET}, 'write this beside it: cache_key = "'),
        (
            Options(cache="c", cache_key_env="K"),
            {"K": "short"},
            "the key in K has 5 characters; give it 32 or more",
        ),
        (
            Options(cache="c", cache_key="00" * 32, cache_key_env="K"),
            {"K": SECRET},
            "is not the public half of the key",
        ),
    ],
)
def test_settings_that_do_not_fit_the_secret_are_told(
    options: Options, environ: dict[str, str], message: str
) -> None:
    with pytest.raises(ToolError) as caught:
        seal_of(options, environ)
    assert message in str(caught.value) and SECRET not in str(caught.value) and caught.value.code == 2


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cryptography.exceptions", None)
    with pytest.raises(ToolError, match="pip install 'figmill\\[signed\\]'"):
        seal_of(Options(cache="c", cache_key="00" * 32), {})
    assert seal_of(Options(cache="c"), {}) is None  # nobody else needs it


def test_only_what_was_signed_under_its_own_name_is_found(tmp_path: Path) -> None:
    declared, other = Inputs.of([("x", "1")]), Inputs.of([("x", "2")])
    raw, nothing = Raw(SVG, {"n": 1}), Inputs.of(())
    trusted, reader = Cache(tmp_path, seal(SECRET)), Cache(tmp_path, seal(""))
    trusted.put(declared, nothing, raw)
    assert (
        reader.find(declared, str)
        == trusted.find(declared, str)
        == Cache(tmp_path).find(declared, str)
        == (raw, nothing)
    )
    (path,) = tmp_path.glob("??/*")
    good = path.read_bytes()
    moved = tmp_path / other.digest[:2] / other.digest
    moved.parent.mkdir(exist_ok=True)
    moved.write_bytes(good)
    first, _, rest = good.partition(b"\n")
    forged = caches.dumps([DrawingRun(nothing, Raw(SVG, {"n": 2}))], path.name)
    signature = first.split(b" ")[1]
    path.write_bytes(forged)
    # Well made, as far as anybody without a key can tell.
    assert Cache(tmp_path).find(declared, str) is not None
    for cache in (trusted, reader):
        assert cache.find(other, str) is None
        for data in (forged, forged.replace(b"\n", b" " + signature + b"\n", 1), first[:64] + b"\n" + rest):
            path.write_bytes(data)
            assert cache.find(declared, str) is None
        path.write_bytes(good)
        assert cache.find(declared, str) is not None
    stranger = Cache(tmp_path, seal(OTHER, OTHER))
    assert stranger.find(declared, str) is None
    stranger.put(declared, nothing, Raw(SVG, {"n": 3}))
    assert reader.find(declared, str) is None


def test_every_single_flipped_bit_of_a_signed_entry_is_a_miss(tmp_path: Path) -> None:
    declared, cache = Inputs.of([("x", "1")]), Cache(tmp_path, seal(SECRET))
    cache.put(declared, Inputs.of(()), Raw(b"<svg/>"))
    (path,) = tmp_path.glob("??/*")
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert cache.find(declared, str) is None, place


def test_pull_requests_from_forks_read_and_do_not_write(shared: Space) -> None:
    """By the real command: a trusted build signs, a fork's job reads that, and nothing of its own is ever believed."""
    settings = 'cache = "../shared"\ncache_key_env = "FIGMILL_KEY"\n'
    shared.write({"figmill.toml": settings})
    done, _ = fresh(shared, FIGMILL_KEY=SECRET)
    assert done.code == 2 and f'cache_key = "{public()}"' in done.err and SECRET not in done.err + done.out
    signed = f'{settings}cache_key = "{public()}"\n'
    shared.write({"figmill.toml": signed})
    done, first = fresh(shared, FIGMILL_KEY=SECRET)
    assert (done.code, done.err) == (0, "")
    before = {
        path: path.read_bytes() for path in (shared.root.parent / "shared").rglob("*") if path.is_file()
    }
    assert fresh(shared)[1] == first and fresh(shared, FIGMILL_KEY="")[1] == first  # read without the secret
    shared.write({"visuals/x.py": CLOCK + "\n# the fork's own\n"})
    theirs = fresh(shared)[1]
    assert theirs not in (0, first) and fresh(shared)[1] not in (0, theirs, first)  # drawn, and not kept
    assert before == {p: p.read_bytes() for p in (shared.root.parent / "shared").rglob("*") if p.is_file()}
    shared.write({"figmill.toml": 'cache = "../shared"\n'})  # a fork that changes the settings of its own job
    poisoned = fresh(shared)[1]
    assert fresh(shared)[1] == poisoned  # it has written, and believes itself
    shared.write({"figmill.toml": signed})  # then that is merged
    assert fresh(shared, FIGMILL_KEY=SECRET)[1] != poisoned and fresh(shared)[1] != poisoned


def test_the_secret_reaches_no_script(shared: Space) -> None:
    code = CLOCK.replace("def draw():\n", "def draw():\n    import os\n    print(sorted(os.environ))\n")
    settings = f'cache = "../shared"\ncache_key_env = "FIGMILL_KEY"\ncache_key = "{public()}"\n'
    shared.write({"visuals/x.py": code, "figmill.toml": settings})
    done = shared.run("--verbose", env={"FIGMILL_KEY": SECRET})
    assert done.code == 0 and "'PATH'" in done.out and "FIGMILL_KEY" not in done.out


def test_an_earlier_commit_is_compared_by_the_signatures_of_now(shared: Space) -> None:
    """The settings of a commit that is looked at aside do not loosen what is believed."""

    shared.write({".gitignore": "build\n.figmill\n"})
    shared.git("init", "-q")
    shared.git("add", "-A")
    shared.git("commit", "-qm", "without a key")
    _, unsigned = fresh(shared)
    settings = f'cache = "../shared"\ncache_key_env = "FIGMILL_KEY"\ncache_key = "{public()}"\n'
    shared.write({"figmill.toml": settings})
    for folder in ("build", ".figmill"):
        shutil.rmtree(shared.root / folder)
    done = shared.run("--dry-run", "--against", "HEAD", env={"FIGMILL_KEY": SECRET})
    assert (done.code, done.err.count("\n"), "[clock]" in done.err) == (0, 1, True)
    assert done.out.count("drawn at ") >= 2
    assert str(unsigned) not in done.out


def test_what_the_page_on_the_cache_shows_can_be_used(tmp_path: Path) -> None:
    text = (REPOSITORY / "docs/cache.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"```(\w+)\n(.*?)```", text, re.DOTALL))
    job = yaml.safe_load(shown["yaml"])["jobs"]["figures"]
    assert "FIGMILL_CACHE_KEY" in str(job["steps"]) and "cache/restore" in str(job["steps"])
    settings = re.findall(r"^((cache|cache_key|cache_key_env) = .*)$", text, re.MULTILINE)
    folder, bucket = (line for line, key in settings if key == "cache")
    lines = "\n".join(line for line, _ in settings if line != bucket).replace(
        "64 hexadecimal digits", "0" * 64
    )
    assert set(tomllib.loads(lines)) == {"cache", "cache_key", "cache_key_env"}
    (tmp_path / "questions").mkdir()
    (tmp_path / "figmill.toml").write_text(lines)
    assert load(tmp_path).cache_key == "0" * 64
    (tmp_path / "figmill.toml").write_text(lines.replace(folder, bucket))
    assert load(tmp_path).cache_store == "s3://figures/book"
