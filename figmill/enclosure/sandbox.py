"""The sandbox: a worker's environment and view of the machine.

A launcher starts each worker in it, and the worker limits itself further (limits.py). Standard library only.
Unaware of figures.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import MappingProxyType

from figmill.enclosure import landlock, privileges, process_tree, view
from figmill.enclosure.mode import Mode
from figmill.errors import ToolError

# The variables that a worker inherits. Nothing else is passed: no tokens, no locale, no settings.
PASSED = (
    "PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
)

FIXED: Mapping[str, str] = MappingProxyType(
    {
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "SOURCE_DATE_EPOCH": "0",
        "MPLBACKEND": "agg",
        "MPL_IGNORE_SYSTEM_FONTS": "1",
        # One thread for each figure: the pool uses all cores, and sums of floats keep one order.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
)


def environment(scratch: Path) -> dict[str, str]:
    """The whole environment of a worker whose home is `scratch`."""
    home = str(scratch)
    return {
        **{name: os.environ[name] for name in PASSED if name in os.environ},
        **FIXED,
        **dict.fromkeys(
            ("HOME", "USERPROFILE", "TMPDIR", "TMP", "TEMP", "XDG_CACHE_HOME", "MPLCONFIGDIR"), home
        ),
    }


# No network, no sight of other processes, and all processes inside end with the first one.
BUBBLEWRAP = (
    "bwrap",
    "--unshare-net",
    "--unshare-pid",
    "--unshare-ipc",
    "--die-with-parent",
    "--cap-drop",
    "ALL",
    "--cap-add",
    "CAP_DAC_READ_SEARCH",
)
# The capabilities that the warm process needs to make namespaces and count memory. No script has them.
NESTING = tuple(
    word for name in ("SYS_ADMIN", "SYS_PTRACE", "SETPCAP") for word in ("--cap-add", f"CAP_{name}")
)
ENCLOSED = "FIGMILL_ENCLOSED"  # tells the warm process which sandbox it runs in: Mode.EACH or Mode.ALL


def enclosed(
    command: list[str], scratch: Path, setting: str, root: Path | None = None, also: Sequence[Path] = ()
) -> list[str]:
    """The command, wrapped in bubblewrap if that works. Also hides this process from all others, permanently.

    setting: `auto` (if it works), `require` (ToolError if it does not) or `off`. root: the book; also: further
    readable paths.
    """
    privileges.hide()
    if setting == "off":
        return command
    strongest = _once_found()
    if isinstance(strongest, tuple):
        return [*BUBBLEWRAP, *strongest, *view.arguments(scratch, root, also), *command]
    if setting == "require":
        raise ToolError(f'sandbox = "require", but {strongest}')
    return command


def mode(setting: str) -> Mode:
    """The mode of this process, which a launcher has started with this setting."""
    inside = os.environ.pop(ENCLOSED, "")
    return Mode(inside) if inside else Mode.OFF if setting == "off" else Mode.BARE


def notice(setting: str) -> str | None:
    """The warning that scripts ran without a sandbox; None if there was one, or the settings turn it off."""
    if setting == "off" or (why := _why_not()) is None:
        return None
    could = "they could read your files and reach the network"
    held = f"Landlock kept them from writing, but {could}" if landlock.is_enough() else could
    return f"scripts ran without a sandbox: {why}; {held}"


def available(setting: str) -> tuple[Mode, str]:
    """The mode in which scripts run on this machine under a setting, and why in no stronger one; empty: none is."""
    if setting == "off":
        return Mode.OFF, "the settings turn it off"
    strongest = _once_found()
    if isinstance(strongest, str):
        return Mode.BARE, strongest
    return (
        (Mode.EACH, "")
        if Mode.EACH.value in strongest
        else (Mode.ALL, "it cannot nest a view for each script")
    )


LONG = 10.0  # seconds after which bubblewrap counts as hanging


def _why_not() -> str | None:
    """Why this machine has no sandbox; None if it has one. Containers often forbid it."""
    strongest = _once_found()
    return strongest if isinstance(strongest, str) else None


def look_ahead() -> None:
    """Find out in the background which sandbox works here, for a command that will start a worker."""
    threading.Thread(target=_look, daemon=True).start()


def _look() -> None:
    """Whoever waits for the answer looks again after an error, as where few files may be open, and tells it."""
    with suppress(OSError):
        _once_found()


def _once_found() -> tuple[str, ...] | str:
    with _FINDING:
        return _strongest()


_FINDING = threading.Lock()  # a cache alone would let two threads look


@cache
def _strongest() -> tuple[str, ...] | str:
    """The additional arguments of the strongest sandbox that works here, or the reason why none does."""
    if sys.platform != "linux":
        return "bubblewrap is for Linux only"
    if shutil.which(BUBBLEWRAP[0]) is None:
        return "bubblewrap is not installed (Debian: apt-get install bubblewrap)"
    nested = (*NESTING, "--setenv", ENCLOSED, Mode.EACH.value)
    if _fails([*BUBBLEWRAP, *NESTING, *view.BARE, *_NEST]) is None:
        return nested
    return _fails([*BUBBLEWRAP, *view.BARE, "true"]) or ("--setenv", ENCLOSED, Mode.ALL.value)


_NEST = ("unshare", "--pid", "--fork", "--mount-proc", "true")  # a namespace inside the sandbox


def _fails(command: list[str]) -> str | None:
    """Why a command fails; None if it works."""
    import subprocess  # slow to load, and a worker starts no sandbox

    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as tried:
        try:
            complaint = tried.communicate(timeout=LONG)[1].strip().splitlines()
        except subprocess.TimeoutExpired:
            return f"bubblewrap does not work here: it did not finish within {LONG:g} s"
        finally:
            if tried.returncode is None:  # it hangs, or the user interrupted the wait
                process_tree.end_started(tried)  # and the process it started inside
    if tried.returncode == 0:
        return None
    return f"bubblewrap does not work here: {complaint[-1] if complaint else 'it gave no reason'}"
