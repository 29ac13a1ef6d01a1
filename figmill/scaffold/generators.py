"""The generators that `new --from` copies: those of figmill's showcase. Pure, except that it reads them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from figmill.errors import ToolError, did_you_mean
from figmill.late_dataclasses import dataclass
from figmill.paths import PACKAGE


@dataclass(frozen=True, slots=True)
class Generator:
    """A generator to copy into a book.

    - kind: of its figures.
    - data: files in data/ beside it, read by its default parameters.
    - more: further lines of `visual` that its figures need to be drawn correctly.
    """

    kind: str
    data: tuple[str, ...] = ()
    more: tuple[str, ...] = ()


# A small package to draw.
SHOP = tuple(f"shop/{name}.py" for name in ("catalogue", "orders", "payment", "storage", "web"))

GENERATORS: Mapping[str, Generator] = MappingProxyType(
    {
        "bandwidth_chain": Generator("matplotlib"),
        "bit_fields": Generator("matplotlib"),
        "bubble_filling": Generator("matplotlib"),
        "classes": Generator("dot", SHOP),
        # its nodes have positions, which dot ignores
        "collective": Generator("dot", more=("engine: neato",)),
        "collective_steps": Generator("matplotlib"),
        "data_stalls": Generator("matplotlib", ("stalls.csv",)),
        "failures": Generator("matplotlib"),
        "fsdp_timeline": Generator("matplotlib"),
        "imports": Generator("dot", SHOP),
        "memory_budget": Generator("matplotlib"),
        "message_sequence": Generator("matplotlib"),
        "network_blocks": Generator("matplotlib"),
        "openapi": Generator("dot", ("shop.openapi.yaml",)),
        "pipeline_bubble": Generator("matplotlib"),
        "queueing": Generator("matplotlib"),
        "roofline": Generator("matplotlib"),
        "serving_timeline": Generator("matplotlib"),
        "speculative": Generator("matplotlib"),
        "sql": Generator("dot", ("shop.sql",)),
        "state_machine": Generator("dot", ("order.scxml",)),
        "stragglers": Generator("matplotlib"),
        "trace_timeline": Generator("matplotlib", ("profile.json",)),
        "transformer_blocks": Generator("matplotlib"),
        "worker_timeline": Generator("matplotlib"),
    }
)


def find(name: str) -> Generator:
    """The generator with this name. Raises ToolError, which lists the known ones."""
    if name not in GENERATORS:
        names = ", ".join(GENERATORS)
        raise ToolError(
            f"there is no generator '{name}'{did_you_mean(name, GENERATORS)}; choose one of {names}"
        )
    return GENERATORS[name]


def read(name: str) -> tuple[bytes, dict[str, bytes]]:
    """The bytes of a generator, and of each data file that its defaults read."""
    folder = _folder()
    data = {file: (folder / "data" / file).read_bytes() for file in find(name).data}
    return (folder / f"{name}.py").read_bytes(), data


def _folder() -> Path:
    """The folder of generators: shipped inside the package in a wheel, the showcase's sources in a checkout."""
    shipped = PACKAGE / "showcase"
    return shipped if shipped.is_dir() else PACKAGE.parent / "visuals"
