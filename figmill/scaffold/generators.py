"""The generators that `new --from` copies: those of figmill's own showcase. Pure but for reading them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from figmill.errors import ToolError, did_you_mean
from figmill.paths import PACKAGE


@dataclass(frozen=True, slots=True)
class Generator:
    """kind: the kind of its figures. data: files in data/ beside it, which its default parameters read."""

    kind: str
    data: tuple[str, ...] = ()


GENERATORS: Mapping[str, Generator] = MappingProxyType(
    {
        "bandwidth_chain": Generator("matplotlib"),
        "bubble_filling": Generator("matplotlib"),
        "collective": Generator("dot"),
        "data_stalls": Generator("matplotlib", ("stalls.csv",)),
        "memory_budget": Generator("matplotlib"),
        "pipeline_bubble": Generator("matplotlib"),
        "queueing": Generator("matplotlib"),
        "roofline": Generator("matplotlib"),
        "serving_timeline": Generator("matplotlib"),
        "trace_timeline": Generator("matplotlib", ("profile.json",)),
        "worker_timeline": Generator("matplotlib"),
    }
)


def find(name: str) -> Generator:
    """The generator of that name. Raises ToolError, which lists the known ones."""
    if name not in GENERATORS:
        known = ", ".join(GENERATORS)
        raise ToolError(f"no generator '{name}'{did_you_mean(name, GENERATORS)}; there are {known}")
    return GENERATORS[name]


def read(name: str) -> tuple[bytes, dict[str, bytes]]:
    """The bytes of a generator, and of each data file that its defaults read."""
    folder = _folder()
    data = {file: (folder / "data" / file).read_bytes() for file in find(name).data}
    return (folder / f"{name}.py").read_bytes(), data


def _folder() -> Path:
    """A wheel ships the generators inside the package; in a checkout they are the showcase's sources."""
    shipped = PACKAGE / "showcase"
    return shipped if shipped.is_dir() else PACKAGE.parent / "visuals"
