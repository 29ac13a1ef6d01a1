"""Two pictures -> the share and the places of the pixels that visibly differ. Pure.

The measure is pixelmatch's (ISC): the distance in YIQ (Kotsarenko and Ramos 2010, "Measuring perceived color
difference using YIQ"), which leaves out the smoothing of edges (Vysniauskas 2009, "Anti-aliased pixel and intensity
slope detector").
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from figmill.late_dataclasses import dataclass

Pixels: TypeAlias = NDArray[np.uint8]  # height x width x 3
Mask: TypeAlias = NDArray[np.bool_]
PixelBox: TypeAlias = tuple[int, int, int, int]

THRESHOLD = 0.02  # of the largest distance; low, because one engine draws both pictures
MOST = 35215.0  # the square of the largest distance there is, black to white
# R, G, B -> Y (brightness), I, Q; and the weight of each in the squared distance.
YIQ = np.array(
    [
        [0.29889531, 0.58662247, 0.11448223],
        [0.59597799, -0.27417610, -0.32180189],
        [0.21147017, -0.52261711, 0.31114694],
    ],
    dtype=np.float32,
)
WEIGHTS = np.array([0.5053, 0.299, 0.1957], dtype=np.float32)
AROUND = tuple((dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0))
REACH = 2  # pixels around one that decide whether it is the smoothing of an edge
CELL = 16  # pixels: differences nearer to each other than about this are one place
PLACES = 12  # boxes of one picture
EQUAL_SIBLINGS = 3  # of the darkest or brightest neighbour, in both pictures: an edge


@dataclass(frozen=True, slots=True)
class Difference:
    """The pixels in which two pictures differ. A box is left, top, right, bottom, in pixels.

    - share: of all pixels, 0 to 1.
    - box: around all that differ; None if nothing does.
    - boxes: one around each place where pixels differ, from the top; for very many places, one box around all.
    """

    share: float
    box: PixelBox | None
    boxes: tuple[PixelBox, ...] = ()


Pair: TypeAlias = tuple[str, bytes, bytes]  # theme, SVG before, SVG after
Compare: TypeAlias = tuple[Difference, str]  # the string: why the pixels could not be compared
SAME = Difference(0.0, None)


def difference(before: Pixels, after: Pixels) -> Difference:
    """How much two pictures differ. If their sizes differ, the area that only one of them has counts as different."""
    height, width = (
        max(first, second) for first, second in zip(before.shape[:2], after.shape[:2], strict=True)
    )
    common = tuple(
        min(first, second) for first, second in zip(before.shape[:2], after.shape[:2], strict=True)
    )
    differs = np.ones((height, width), dtype=np.bool_)
    differs[: common[0], : common[1]] = changed(
        before[: common[0], : common[1]], after[: common[0], : common[1]]
    )
    count = int(differs.sum())
    if not count:
        return SAME
    return Difference(count / differs.size, _box(differs), _places(differs))


def _box(mask: Mask, top: int = 0, left: int = 0) -> PixelBox:
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    return int(columns[0]) + left, int(rows[0]) + top, int(columns[-1]) + left + 1, int(rows[-1]) + top + 1


def _places(differs: Mask) -> tuple[PixelBox, ...]:
    """A box around each place where pixels differ. The picture is divided into cells: touching cells are one place."""
    height, width = differs.shape
    padded = np.pad(differs, ((0, -height % CELL), (0, -width % CELL)))
    cells = padded.reshape(padded.shape[0] // CELL, CELL, padded.shape[1] // CELL, CELL)
    left = {(int(y), int(x)) for y, x in np.argwhere(cells.any(axis=(1, 3)))}
    places: list[PixelBox] = []
    while left:
        ready = [min(left)]
        left.remove(ready[0])
        boxes: list[PixelBox] = []
        while ready:
            y, x = ready.pop()
            boxes.append(_box(cells[y, :, x, :], y * CELL, x * CELL))
            near = {(y + dy, x + dx) for dy, dx in AROUND} & left
            left -= near
            ready += near
        places.append(_around(boxes))
        if len(places) > PLACES:
            return (_box(differs),)
    return tuple(places)


def _around(boxes: list[PixelBox]) -> PixelBox:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def changed(before: Pixels, after: Pixels) -> Mask:
    """The pixels of two pictures of one size that differ by more than the smoothing of an edge."""
    touched = (before != after).any(axis=2)
    if not touched.any():
        return np.asarray(touched, dtype=np.bool_)
    left, top, right, bottom = _box(np.asarray(touched, dtype=np.bool_))
    here = slice(max(0, top - REACH), bottom + REACH), slice(max(0, left - REACH), right + REACH)
    mask = np.zeros(touched.shape, dtype=np.bool_)
    mask[here] = _changed_here(before[here], after[here])
    return mask


def _changed_here(before: Pixels, after: Pixels) -> Mask:
    distance = ((before.astype(np.float32) - after.astype(np.float32)) @ YIQ.T) ** 2 @ WEIGHTS
    far: Mask = distance > MOST * THRESHOLD**2
    places = np.argwhere(far)
    if len(places):
        smooth = _is_smoothed(before, after, places) | _is_smoothed(after, before, places)
        far[tuple(places[smooth].T)] = False
    return far


def _is_smoothed(picture: Pixels, other: Pixels, places: NDArray[np.intp]) -> Mask:
    """Which of the places are the smoothing of an edge in one picture."""
    bright = picture.astype(np.float32) @ YIQ[0]
    height, width = bright.shape
    mine = bright[places[:, 0], places[:, 1]]
    equal = np.where(_at_edge(places, height, width), 1, 0)
    darkest, brightest = np.zeros(len(places), np.float32), np.zeros(len(places), np.float32)
    dark_at, bright_at = places.copy(), places.copy()
    for offset in AROUND:
        there = places + offset
        inside = ((there >= 0) & (there < (height, width))).all(axis=1)
        there = np.clip(there, 0, (height - 1, width - 1))
        step = np.where(inside, bright[there[:, 0], there[:, 1]] - mine, 0.0)
        equal += inside & (step == 0)
        darker, brighter = step < darkest, step > brightest
        darkest, brightest = np.where(darker, step, darkest), np.where(brighter, step, brightest)
        dark_at[darker], bright_at[brighter] = there[darker], there[brighter]
    between = (equal <= 2) & (darkest < 0) & (brightest > 0)
    flat = np.minimum(_equal_siblings(picture), _equal_siblings(other)) >= EQUAL_SIBLINGS
    return between & (flat[dark_at[:, 0], dark_at[:, 1]] | flat[bright_at[:, 0], bright_at[:, 1]])


def _at_edge(places: NDArray[np.intp], height: int, width: int) -> Mask:
    y, x = places.T
    edge: Mask = (y == 0) | (x == 0) | (y == height - 1) | (x == width - 1)
    return edge


def _equal_siblings(picture: Pixels) -> NDArray[np.int8]:
    """How many of the eight neighbours of each pixel have its colour; the edge of the picture counts as one."""
    colour = picture.astype(np.int32) @ np.array([65536, 256, 1], dtype=np.int32)
    height, width = colour.shape
    padded = np.pad(colour, 1, constant_values=-1)
    numbers = np.zeros((height, width), dtype=np.int8)
    for dy, dx in AROUND:
        numbers += padded[1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width] == colour
    numbers[0, :] += 1
    numbers[-1, :] += 1
    numbers[1:-1, 0] += 1
    numbers[1:-1, -1] += 1
    return numbers
