"""Accelerators by name: their memory and their peak rates, from their makers' datasheets.

Rates are for dense matrices in the matrix units. If a datasheet states only rates with sparsity, they are halved.
Values of a board or a rack are divided by its number of GPUs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from figmill_timelines.quantities import count


@dataclass(frozen=True, slots=True)
class Accelerator:
    """The nominal limits of an accelerator.

    - hbm_gb: 10^9 bytes.
    - bandwidth_gb_s: 10^9 bytes a second.
    - tflops: by bytes of a number, 2 (BF16) and 1 (FP8).
    """

    hbm_gb: float
    bandwidth_gb_s: float
    tflops: Mapping[int, float]
    source: str


ACCELERATORS: Mapping[str, Accelerator] = MappingProxyType(
    {
        "A100": Accelerator(80, 2039, {2: 312}, "NVIDIA A100 80GB SXM datasheet, 2021"),
        "H100": Accelerator(80, 3350, {2: 989, 1: 1979}, "NVIDIA H100 SXM datasheet, 2023"),
        "H200": Accelerator(141, 4800, {2: 989, 1: 1979}, "NVIDIA H200 SXM datasheet, 2024"),
        "B200": Accelerator(180, 8000, {2: 2250, 1: 4500}, "NVIDIA DGX B200 datasheet, 2024: 8 GPUs"),
        "GB200": Accelerator(186, 8000, {2: 2500, 1: 5000}, "NVIDIA GB200 NVL72 datasheet, 2024: 72 GPUs"),
        "MI300X": Accelerator(192, 5300, {2: 1307.4, 1: 2614.9}, "AMD Instinct MI300X datasheet, 2023"),
        "MI325X": Accelerator(256, 6000, {2: 1307.4, 1: 2614.9}, "AMD Instinct MI325X datasheet, 2024"),
        "MI355X": Accelerator(288, 8000, {2: 2516.6, 1: 5033.2}, "AMD Instinct MI355X datasheet, 2025"),
    }
)


def peak_tflops(name: str, bytes_each: float) -> float:
    """The dense peak for numbers of this size. ValueError if the datasheet does not state one."""
    rates = ACCELERATORS[name].tflops
    if bytes_each not in rates:
        sizes = " and ".join(map(count, sorted(rates, reverse=True)))
        raise ValueError(
            f"bytes_each of {name} must be {sizes}, for which its datasheet has a rate, not {count(bytes_each)}"
        )
    return rates[int(bytes_each)]
