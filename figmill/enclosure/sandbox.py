"""What a rendering process is held to: its environment, its limits, and what it sees of the machine.

Standard library only. Unaware of figures: the pool starts a worker with this, which limits itself further.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType

from figmill.enclosure import privileges, process_tree, view
from figmill.errors import ToolError

# What a renderer needs of this machine's environment. Nothing else passes: no tokens, no locale, no settings.
PASSED = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")

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
        # One figure, one core: the pool fills the machine, and sums of floats keep one order.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
)


def environment(scratch: Path, fontconfig: Path) -> dict[str, str]:
    """The whole environment of a worker whose home is `scratch`."""
    home = str(scratch)
    return {
        **{name: os.environ[name] for name in PASSED if name in os.environ},
        **FIXED,
        **dict.fromkeys(
            ("HOME", "USERPROFILE", "TMPDIR", "TMP", "TEMP", "XDG_CACHE_HOME", "MPLCONFIGDIR"), home
        ),
        "FONTCONFIG_FILE": str(fontconfig),
    }


FILE_SIZE = 256 << 20  # bytes that one file written by a figure may have


def limit(memory: int, seconds: float | None = None) -> None:
    """Hold this process and its children to a figure's limits; where the platform has none, nothing.

    memory: bytes of address space beyond what is mapped at the first call, so that the same number means the same
    on every machine, whatever its libraries take. seconds: of processor time, where the process serves one figure.
    """
    if sys.platform == "win32":
        return
    import resource

    _lower(resource.RLIMIT_FSIZE, FILE_SIZE)
    _lower(resource.RLIMIT_CORE, 0)
    if seconds is not None:
        _lower(resource.RLIMIT_CPU, int(seconds) + 5)
    if sys.platform != "darwin":  # which takes the call and does not hold it
        _lower(resource.RLIMIT_AS, _mapped() + memory)


def _mapped() -> int:
    """Bytes of this process's address space; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _lower(kind: int, value: int) -> None:
    import resource

    _, hard = resource.getrlimit(kind)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (bound, bound))


# No network, no other process in sight, and whatever is left running ends with the first process.
BUBBLEWRAP = (
    "bwrap", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--die-with-parent", "--cap-drop", "ALL",
    "--cap-add", "CAP_DAC_READ_SEARCH",
)  # fmt: skip
# What the warm process needs to give each script a view of its own, and to look at its memory. No script has it.
NESTING = tuple(
    word for name in ("SYS_ADMIN", "SYS_PTRACE", "SETPCAP") for word in ("--cap-add", f"CAP_{name}")
)
ENCLOSED = "FIGMILL_ENCLOSED"  # the variable that tells the warm process which of these it is in
EACH, ALL = "each", "all"  # scripts have a view each, or one together


def enclosed(
    command: list[str], scratch: Path, setting: str, root: Path | None = None, also: Sequence[Path] = ()
) -> list[str]:
    """The command, run by bubblewrap where that can be had; from now on no process can look into this one.

    setting: `auto` (where it works), `require` (ToolError where it does not) or `off`.
    root, also: the book, and what else there is to read.
    """
    privileges.hide()
    if setting == "off":
        return command
    found = _tried()
    if isinstance(found, tuple):
        shown = view.arguments(scratch, root, also)
        return [*BUBBLEWRAP, *found, *shown, *command]
    if setting == "require":
        raise ToolError(f'sandbox = "require", but {found}')
    return command


def notice(setting: str) -> str | None:
    """What to say where scripts have run and there was no sandbox; None where there was one, or none is wanted."""
    if setting == "off" or sys.platform == "win32" or (why := _why_not()) is None:
        return None
    return f'scripts ran without a sandbox: {why}; sandbox = "off" in the settings says that this is meant'


LONG = 10.0  # seconds, after which bubblewrap is taken to hang


def _why_not() -> str | None:
    """Why there is no sandbox on this machine; None where there is one. Containers often forbid it."""
    found = _tried()
    return found if isinstance(found, str) else None


@cache
def _tried() -> tuple[str, ...] | str:
    """What bubblewrap is to be given beside BUBBLEWRAP, the strongest that works here; or why nothing does."""
    if sys.platform != "linux":
        return "bubblewrap is for Linux only"
    if shutil.which(BUBBLEWRAP[0]) is None:
        return "bubblewrap is not installed (Debian: apt-get install bubblewrap)"
    nested = (*NESTING, "--setenv", ENCLOSED, EACH)
    if _fails([*BUBBLEWRAP, *NESTING, *view.BARE, *_NEST]) is None:
        return nested
    return _fails([*BUBBLEWRAP, *view.BARE, "true"]) or ("--setenv", ENCLOSED, ALL)


_NEST = ("unshare", "--pid", "--fork", "--mount-proc", "true")  # a namespace in the sandbox's own


def _fails(command: list[str]) -> str | None:
    """Why a command does not work; None where it does."""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    ) as tried:  # fmt: skip
        try:
            said = tried.communicate(timeout=LONG)[1].strip().splitlines()
        except subprocess.TimeoutExpired:
            return f"bubblewrap does not work here: it came to no end in {LONG:g} s"
        finally:
            if tried.returncode is None:  # it hangs, or nobody waits any more
                process_tree.end_started(tried)  # and the process that it has started within
    if tried.returncode == 0:
        return None
    return f"bubblewrap does not work here: {said[-1] if said else 'it does not say why'}"
