"""What a test needs of the machine that a container may not have; and machines that have less, put on for a test."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pytest
from helpers.lacking import without_landlock

from figmill.enclosure import landlock, sandbox
from figmill.enclosure.mode import Mode


def sandboxed() -> None:
    """Skip, and say why, where bubblewrap cannot work: a container may forbid it. Elsewhere its promises are held."""
    if why := sandbox._why_not():
        pytest.skip(why)


def locked() -> None:
    """Skip, and say why, where Python has no locks between processes."""
    try:
        multiprocessing.Lock()
    except OSError:
        pytest.skip("Python has no locks between processes here: there is no /dev/shm")


@dataclass(frozen=True)
class Machine:
    """What a command finds beside this machine's own. before: called in its process before it starts."""

    path: str | None = None  # of programs
    before: Callable[[], None] | None = None


HERE = Machine()  # as this machine is

# A bwrap that allows nothing, as in most containers; and one that allows no namespaces inside its own.
FORBIDDEN = "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n"
FLAT = (
    '#!/bin/sh\ncase "$*" in *CAP_SYS_ADMIN*) echo "bwrap: refused" >&2; exit 1;; esac\nexec {bwrap} "$@"\n'
)
# sandbox mode -> the bwrap of such a machine; None: its own
BWRAP: Mapping[str, str | None] = MappingProxyType(
    {"bubblewrap": None, "Landlock only": FORBIDDEN, "bubblewrap, one view": FLAT, "neither": FORBIDDEN}
)


def with_sandbox(mode: str, folder: Path) -> Machine:
    """A machine of this mode of the sandbox. Skips, and says why, where this one has less. folder: a new one."""
    script = BWRAP[mode]
    if script in (None, FLAT):
        sandboxed()
    if script is None and sandbox.available("auto")[0] is not Mode.EACH:
        pytest.skip("bubblewrap makes no namespaces inside its own here")
    if mode == "Landlock only" and landlock.version() < 2:
        pytest.skip("this kernel has no Landlock")
    if mode == "neither" and sys.platform != "linux":
        pytest.skip("only Linux has Landlock, which a test can take away")
    if script is None:
        return HERE
    folder.mkdir(parents=True)
    (folder / "bwrap").write_text(script.format(bwrap=shutil.which("bwrap")) if script is FLAT else script)
    (folder / "bwrap").chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return Machine(path, without_landlock if mode == "neither" else None)


@cache
def notice_of(path: str) -> str:
    """What every build says on a machine that has no sandbox, whatever is built; empty where there is one.

    path: the programs of that machine, as PATH has them.
    """
    before = os.environ["PATH"]
    os.environ["PATH"] = path
    try:
        sandbox._strongest.cache_clear()
        notice = sandbox.notice("auto")
    finally:
        os.environ["PATH"] = before
        sandbox._strongest.cache_clear()
    return f"figmill: {notice}\n" if notice else ""
