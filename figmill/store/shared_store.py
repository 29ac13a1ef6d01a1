"""A shared store of drawings: a bucket of an object store, which fsspec reads and writes.

The network may fail, and a build continues without it: an entry that cannot be read is a miss. The first failure is
reported, and then the store is left alone, so that no figure waits for it. Unaware of what an entry holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Any

from figmill.errors import ToolError
from figmill.store.seal import Seal
from figmill.streams import complain

# The beginning of an address -> the package that fsspec needs for it; empty: none.
PACKAGES: Mapping[str, str] = MappingProxyType(
    {"s3": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs", "file": "", "memory": ""}
)
# Further options of fsspec. A missing network is noticed within seconds.
OPTIONS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "file": {"auto_mkdir": True},
        "s3": {"config_kwargs": {"connect_timeout": 5, "read_timeout": 30, "retries": {"max_attempts": 1}}},
    }
)
AT_ONCE = 64  # entries that are requested together
LONGEST = 300  # characters of an error of the network


class SharedStore:
    """The entries below an address, each under its name, in a folder named by the first two digits.

    Safe for several threads. Raises ToolError if a package is missing.

    - seal: if given, entries are signed, and a build without the secret writes none.
    - report: called with each failure.
    """

    def __init__(
        self, address: str, seal: Seal | None = None, report: Callable[[str], None] = complain
    ) -> None:
        self.address, self.seal, self._report = address, seal, report
        self._files, self._root = _opened(address)
        self._lost: set[str] = set()  # what failed: reading, writing

    @property
    def may_write(self) -> bool:
        """Whether this build puts entries there."""
        return self.seal is None or self.seal.sign is not None

    def get(self, names: Sequence[str], most: int) -> Iterator[tuple[str, bytes]]:
        """The entries with these names that are there, each with its bytes, many at a time. most: bytes of one."""
        waiting = iter(names)
        while (some := [*islice(waiting, AT_ONCE)]) and "read" not in self._lost:
            try:
                paths = [self._path(name) for name in some]
                answers = self._files.cat_ranges(paths, 0, most + 1, on_error="return")
            except Exception as error:  # of any library, and of any network behind it
                self._lose("read", error)
                return
            for name, answer in zip(some, answers, strict=True):
                if isinstance(answer, bytes) and len(answer) <= most:
                    yield name, answer
                elif isinstance(answer, Exception) and not isinstance(answer, FileNotFoundError):
                    self._lose("read", answer)

    def put(self, name: str, data: bytes) -> None:
        """Write an entry whole, unless the network has failed before."""
        if self._lost:
            return
        try:
            self._files.pipe_file(self._path(name), data)
        except Exception as error:
            self._lose("written", error)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name[:2]}/{name}"

    def _lose(self, what: str, error: Exception) -> None:
        if what in self._lost:
            return
        self._lost.add(what)
        reason = (str(error).strip() or type(error).__name__).splitlines()[0][:LONGEST]
        instead = "figures are drawn here" if what == "read" else "other machines draw these figures again"
        self._report(f"figmill: the cache {self.address} cannot be {what} ({reason}); {instead}")


def _opened(address: str) -> tuple[Any, str]:
    """The file system of fsspec, and the path in it."""
    protocol = address.partition("://")[0]
    package = PACKAGES[protocol]
    try:
        import fsspec

        system, root = fsspec.core.url_to_fs(address, **OPTIONS.get(protocol, {}))
    except ImportError:
        wanted = f" {package}" if package else ""
        raise ToolError(
            f"cache = \"{address}\" needs packages: pip install 'figmill[store]'{wanted}"
        ) from None
    except Exception as error:  # such as credentials that cannot be read
        raise ToolError(
            f'cache = "{address}" cannot be opened: {str(error).splitlines()[0][:LONGEST]}'
        ) from error
    return system, str(root).rstrip("/")
