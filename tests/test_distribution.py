"""What `make dist` builds: the same bytes twice, and nothing inside that does not belong there."""

from __future__ import annotations

import zipfile
from pathlib import Path

import distribution
from helpers.book import REPOSITORY


def parts(distributions: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    sdist, wheel = (next(distributions.glob(form)) for form in ("*.tar.gz", "*.whl"))
    return distribution.in_sdist(sdist), distribution.in_wheel(wheel)


def test_both_are_built_and_are_the_same_from_the_sdist(distributions: Path) -> None:
    assert sorted(path.suffix for path in distributions.iterdir()) == [".gz", ".whl"]
    with zipfile.ZipFile(next(distributions.glob("*.whl"))) as wheel:
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
