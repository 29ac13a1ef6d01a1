"""figmill as others install it: the sdists and the wheels, and an environment that has the wheels."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import distribution
from helpers.book import REPOSITORY

FONTS = REPOSITORY / "figmill" / "fonts"


def fonts() -> dict[str, tuple[int, int]]:
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in FONTS.glob("*.ttf")}


def distributions(folder: Path) -> None:
    """What `make dist` builds, built once."""
    before = fonts()
    assert distribution.main(out=folder, again=False) == 0
    assert fonts() == before, "the fonts were written anew, which others may be reading"


def environment(place: Path, wheels: Iterable[Path]) -> None:
    """One that has the wheels, and the libraries of this one."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    packages = next(place.glob("lib/python*/site-packages"))
    ours = Path(next(p for p in sys.path if p.endswith("site-packages")))
    for entry in ours.iterdir():  # everything but figmill itself
        if "figmill" not in entry.name.casefold():
            (packages / entry.name).symlink_to(entry)
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(place / "bin" / "python"),
            "install",
            "--quiet",
            "--no-index",
            "--disable-pip-version-check",
            *map(str, wheels),
        ],
        check=True,
        timeout=300,
    )
