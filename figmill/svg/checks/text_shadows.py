"""Text that is the shadow or the halo of other text: the same words, drawn again over it at nearly the same place."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import TypeAlias

from figmill.late_dataclasses import dataclass
from figmill.svg.geometry.outlines import Point
from figmill.svg.geometry.scene import PaintedText

SHADOW = 0.3  # heights of a text between it and its shadow

Words: TypeAlias = tuple[str, ...]
Cell: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RepeatedText:
    """A text whose words are drawn more than once. For each run: where it starts, its height and its opacity."""

    order: int
    runs: tuple[tuple[Point, float, float], ...]

    def is_shadow_of(self, other: RepeatedText) -> bool:
        """Whether `other` lies over this text and is as opaque as it."""
        return other.order > self.order and all(
            more >= alpha and math.dist(start, over) <= SHADOW * height
            for (start, _, alpha), (over, height, more) in zip(self.runs, other.runs, strict=True)
        )


def shadows(texts: Iterable[PaintedText]) -> frozenset[int]:
    """The paint order of each text that is a shadow. Takes time in proportion to the texts."""
    by_words: dict[Words, list[PaintedText]] = defaultdict(list)
    for text in texts:
        by_words[tuple(content.strip() for _, content, _, _ in text.looks())].append(text)
    return frozenset(
        order
        for content, same in by_words.items()
        if content and len(same) > 1
        for order in _among([_repeated(text) for text in same])
    )


def _repeated(text: PaintedText) -> RepeatedText:
    runs = [(corners[0], _height(corners), text.inks[node][0][1]) for node, _, _, corners in text.looks()]
    return RepeatedText(text.order, tuple(runs))


def _height(corners: list[Point]) -> float:
    """The shorter side of the box of a text."""
    return min(math.dist(corners[0], corners[1]), math.dist(corners[1], corners[2]))


def _among(texts: list[RepeatedText]) -> Iterable[int]:
    """The shadows among texts of the same words. Only texts in neighbouring cells can lie so near to each other."""
    reach = max(SHADOW * text.runs[0][1] for text in texts)
    if not (0 < reach < math.inf):
        return
    cells: dict[Cell, list[RepeatedText]] = defaultdict(list)
    for text in texts:
        cells[_cell(text, reach)].append(text)
    for text in texts:
        column, row = _cell(text, reach)
        near = (cells.get((column + x, row + y), ()) for x in (-1, 0, 1) for y in (-1, 0, 1))
        if any(text.is_shadow_of(other) for some in near for other in some):
            yield text.order


def _cell(text: RepeatedText, side: float) -> Cell:
    x, y = text.runs[0][0]
    return math.floor(x / side), math.floor(y / side)
