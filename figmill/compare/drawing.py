"""Pairs of SVGs -> how much their pictures differ, on all cores.

The library that draws holds Python's lock while it does, so that threads gain nothing: many pairs go to processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeAlias

from figmill.compare import pictures
from figmill.compare.pixels import Difference, Pixels, difference
from figmill.streams import stand_in

Pair: TypeAlias = tuple[str, bytes, bytes]  # theme, before, after
Compare: TypeAlias = tuple[Difference, str]  # the string: why the pixels could not be compared
WHOLE = Difference(1.0, None)
FEW = 40  # pairs that are compared sooner than processes have started


def differences(pairs: Sequence[Pair], fonts: Sequence[Path], jobs: int) -> list[Compare]:
    """One answer a pair, in their order."""
    work = partial(compare, fonts=tuple(fonts))
    if jobs > 1 and len(pairs) > FEW:
        try:
            with ProcessPoolExecutor(jobs, get_context("spawn"), stand_in) as processes:
                return list(processes.map(work, pairs, chunksize=max(1, min(16, len(pairs) // (2 * jobs)))))
        except (OSError, BrokenProcessPool):
            pass  # a machine that gives no more processes: here, one by one
    return [work(pair) for pair in pairs]


def compare(pair: Pair, fonts: tuple[Path, ...] = ()) -> Compare:
    theme, before, after = pair
    try:
        return difference(_drawn(before, theme, fonts), _drawn(after, theme, fonts)), ""
    except ValueError as error:
        return WHOLE, f"resvg cannot draw it: {error}"


def _drawn(svg: bytes, theme: str, fonts: tuple[Path, ...]) -> Pixels:
    return pictures.pixels(svg, theme, fonts)
