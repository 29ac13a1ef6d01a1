"""What a rendering process is held to: its environment, its limits, and a view of the machine it cannot change.

Standard library only. Unaware of figures: the pool starts a worker with this, which limits itself further.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from figmill import offspring
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


# Everything can be read and nothing written but the scratch folder; no network, no other process in sight, and
# whatever is left running ends with the first process.
BUBBLEWRAP = (
    "bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-net", "--unshare-pid",
    "--unshare-ipc", "--die-with-parent", "--cap-drop", "ALL", "--cap-add", "CAP_DAC_READ_SEARCH",
)  # fmt: skip


def enclosed(command: list[str], scratch: Path, setting: str) -> list[str]:
    """The command, run by bubblewrap where that can be had.

    setting: `auto` (where it works), `require` (ToolError where it does not) or `off`.
    """
    if setting == "off":
        return command
    problem = _why_not()
    if problem is None:
        return [*BUBBLEWRAP, "--bind", str(scratch), str(scratch), *command]
    if setting == "require":
        raise ToolError(f'sandbox = "require", but {problem}')
    return command


LONG = 10.0  # seconds, after which bubblewrap is taken to hang


@cache
def _why_not() -> str | None:
    """Why there is no sandbox on this machine; None where there is one. Containers often forbid it."""
    if sys.platform != "linux":
        return "bubblewrap is for Linux only"
    if shutil.which(BUBBLEWRAP[0]) is None:
        return "bubblewrap is not installed (Debian: apt-get install bubblewrap)"
    with subprocess.Popen(
        [*BUBBLEWRAP, "true"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    ) as tried:  # fmt: skip
        try:
            said = tried.communicate(timeout=LONG)[1].strip().splitlines()
        except subprocess.TimeoutExpired:
            return f"bubblewrap does not work here: it came to no end in {LONG:g} s"
        finally:
            if tried.returncode is None:  # it hangs, or nobody waits any more
                offspring.end_started(tried)  # and the process that it has started within
    if tried.returncode == 0:
        return None
    return f"bubblewrap does not work here: {said[-1] if said else 'it does not say why'}"
