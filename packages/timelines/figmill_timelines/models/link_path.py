"""A path of links and memories: the time of a transfer through all of them, and the slowest of them.

A link takes latency + size / rate. If each stage passes on the whole transfer (store and forward), times add up. In
chunks of c bytes the links work at the same time, and n equal chunks take the sum of (latency + c / rate) over all
links, plus (n - 1) c / rate of the slowest (Kurose and Ross, Computer Networking, section 1.3). A link is busy while
bytes enter it; latency is the time to its far end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from figmill_timelines.quantities import count

MOST_CHUNKS = 10_000


@dataclass(frozen=True, slots=True)
class ChainLink:
    """A link of a path.

    - rate: bytes per second in one direction.
    - latency: seconds.
    - what: the part of a machine with this rate.
    """

    name: str
    rate: float
    latency: float = 0.0
    what: str = ""


@dataclass(frozen=True, slots=True)
class NominalRate:
    """A nominal rate in one direction, from a standard or a maker.

    - gb_s: 10^9 bytes per second, for links after line coding.
    - latency_us: typical.
    - what: the part with this rate.
    """

    gb_s: float
    latency_us: float
    what: str


KNOWN: Mapping[str, NominalRate] = MappingProxyType(
    {
        "HBM2e": NominalRate(2039, 0.5, "all of an A100 80 GB"),
        "HBM3": NominalRate(3350, 0.5, "all of an H100"),
        "HBM3e": NominalRate(4800, 0.5, "all of an H200"),
        "DDR4-3200": NominalRate(25.6, 0.1, "one channel"),
        "DDR5-4800": NominalRate(38.4, 0.1, "one channel"),
        "NVLink 3": NominalRate(300, 2, "12 links of an A100"),
        "NVLink 4": NominalRate(450, 2, "18 links of an H100"),
        "NVLink 5": NominalRate(900, 2, "18 links of a B200"),
        "PCIe 3.0 x16": NominalRate(15.75, 1, "16 lanes"),
        "PCIe 4.0 x16": NominalRate(31.5, 1, "16 lanes"),
        "PCIe 5.0 x16": NominalRate(63, 1, "16 lanes"),
        "InfiniBand HDR": NominalRate(25, 1, "4 lanes"),
        "InfiniBand NDR": NominalRate(50, 1, "4 lanes"),
        "Ethernet 100G": NominalRate(12.5, 10, "one port"),
        "Ethernet 10G": NominalRate(1.25, 10, "one port"),
        "Ethernet 1G": NominalRate(0.125, 50, "one port"),
        "NVMe SSD": NominalRate(7, 80, "one drive reading"),
        "SATA SSD": NominalRate(0.55, 100, "one drive reading"),
        "Hard disk": NominalRate(0.2, 8000, "one drive reading"),
        "USB 3.2 Gen 2": NominalRate(1.21, 50, "one port"),
        "Wi-Fi 6": NominalRate(0.15, 3000, "2 streams of 80 MHz"),
        "BLE 2M": NominalRate(0.000175, 15000, "an application's data"),
        "BLE 1M": NominalRate(0.0001, 15000, "an application's data"),
    }
)

Spans = tuple[tuple[float, float], ...]  # when each chunk enters a link, first to last byte


@dataclass(frozen=True, slots=True)
class Transfer:
    """A transfer.

    - busy: for each link, the times in which a chunk enters it.
    - seconds: when the last byte arrives.
    """

    busy: tuple[Spans, ...]
    seconds: float


def transfer(links: Sequence[ChainLink], size: float, chunk: float | None = None) -> Transfer:
    """The transfer of `size` bytes through all links, whole or in chunks.

    ValueError for more than MOST_CHUNKS chunks.
    """
    sizes = _chunks(size, chunk)
    ready = [0.0] * len(sizes)
    busy = []
    for link in links:
        free, spans = 0.0, []
        for n, each in enumerate(sizes):
            start = max(free, ready[n])
            free = start + each / link.rate
            spans.append((start, free))
            ready[n] = free + link.latency
        busy.append(tuple(spans))
    return Transfer(tuple(busy), ready[-1])


def _chunks(size: float, chunk: float | None) -> list[float]:
    if chunk is None or chunk >= size:
        return [size]
    if size / chunk > MOST_CHUNKS:
        raise ValueError(
            f"{count(float(f'{size / chunk:.3g}'))} chunks are too many; {MOST_CHUNKS} may be drawn"
        )
    whole = int(size / chunk * (1 + 1e-12))
    remainder = size - whole * chunk
    return [chunk] * whole + ([remainder] if remainder > 1e-9 * chunk else [])


def slowest(links: Sequence[ChainLink]) -> ChainLink:
    """The link with the lowest rate; of several, the first."""
    return min(links, key=lambda link: link.rate)


def facts(links: Sequence[ChainLink], size: float, chunk: float | None) -> dict[str, Any]:
    """The facts of both ways of sending. efficiency: the bottleneck's own time divided by the time of the transfer in
    chunks.
    """
    whole, parts, limit = transfer(links, size), transfer(links, size, chunk), slowest(links)
    return {
        "bottleneck": limit.name,
        "bottleneck_bytes_per_s": limit.rate,
        "store_and_forward_s": whole.seconds,
        "transfer_s": parts.seconds,
        "chunks": len(parts.busy[0]),
        "last_chunk_bytes": _chunks(size, chunk)[-1],
        "efficiency": size / limit.rate / parts.seconds,
        "store_and_forward_efficiency": size / limit.rate / whole.seconds,
        "seconds_per_link": [size / link.rate for link in links],
        "latency_s": _total(links),
        "latency_share": _total(links) / parts.seconds,
    }


def _total(links: Sequence[ChainLink]) -> float:
    total = 0.0
    for link in links:
        total += link.latency
    return total
