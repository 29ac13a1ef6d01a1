"""Pairs of SVGs -> how much their pictures differ, on all cores.

The drawing library holds Python's lock while it draws, so threads gain nothing: many pairs go to processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from figmill.compare import pictures
from figmill.compare.pixels import Compare, Difference, Pair, PixelBox, difference
from figmill.streams import stand_in

if TYPE_CHECKING:
    from figmill.compare.comparisons import Comparisons

WHOLE = Difference(1.0, None)
FEW = 40  # pairs; comparing so few takes less time than starting processes


def differences(
    pairs: Sequence[Pair], fonts: Sequence[Path], jobs: int, earlier: Comparisons | None = None
) -> list[Compare]:
    """One result for each pair, in order. earlier: the comparisons so far, to which the new ones are added."""
    results = {pair: old for pair in pairs if earlier is not None and (old := earlier.get(pair)) is not None}
    left = [pair for pair in pairs if pair not in results]
    for pair, new in zip(left, _compared(left, fonts, jobs), strict=True):
        results[pair] = new
        if earlier is not None:
            earlier.put(pair, new)
    return [results[pair] for pair in pairs]


def _compared(pairs: Sequence[Pair], fonts: Sequence[Path], jobs: int) -> list[Compare]:
    work = partial(compare, fonts=tuple(fonts))
    if jobs > 1 and len(pairs) > FEW:
        try:
            with ProcessPoolExecutor(jobs, get_context("spawn"), stand_in) as processes:
                return list(processes.map(work, pairs, chunksize=max(1, min(16, len(pairs) // (2 * jobs)))))
        except (OSError, BrokenProcessPool):
            pass  # the machine allows no more processes: compare here, one by one
    return [work(pair) for pair in pairs]


def compare(pair: Pair, fonts: tuple[Path, ...] = ()) -> Compare:
    """The difference of a pair. Boxes are in px of the drawings, at whatever scale the pair was compared."""
    theme, *sides = pair
    try:
        scale = min(pictures.scale(svg) for svg in sides)
        before, after = (pictures.pixels(svg, theme, fonts, scale) for svg in sides)
    except ValueError as error:
        return WHOLE, f"resvg cannot draw it: {error}"
    result = difference(before, after)
    if scale == 1 or result.box is None:
        return result, ""
    boxes = tuple(_enlarged(box, scale) for box in result.boxes)
    return replace(result, box=_enlarged(result.box, scale), boxes=boxes), ""


def _enlarged(box: PixelBox, scale: float) -> PixelBox:
    left, top, right, bottom = (round(at / scale) for at in box)
    return left, top, right, bottom
