"""What a repair may not change: the words, the boxes with their words, and the ends of the lines.

Positions in paint order stand for shapes, since a repair neither adds nor reorders any.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from figmill.late_dataclasses import dataclass
from figmill.svg.document import Draft
from figmill.svg.geometry.display_list import drawn
from figmill.svg.geometry.label_fit import lettering
from figmill.svg.geometry.structure import DrawnBox, structure

Words = tuple[str, ...]
Line = tuple[int, int | None, int | None]


@dataclass(frozen=True, slots=True)
class DrawingContent:
    """What a drawing says.

    - lines: by the number of their shape, the numbers of the boxes at their ends.
    """

    words: Words
    boxes: dict[int, Words]
    lines: tuple[Line, ...]


def content(draft: Draft, freed: Collection[int] = ()) -> DrawingContent:
    """What a drawing says. freed: the texts, by their number, whose words count for no box."""
    scene, drawing = drawn(draft), structure(draft)
    number = {shape: at for at, shape in enumerate(scene.shapes)}
    places = {text.node: at for at, text in enumerate(scene.texts)}

    def of(box: DrawnBox | None) -> int | None:
        return None if box is None else number[box.area.shape]

    boxes = {
        number[box.area.shape]: _sorted(
            label.words for label in box.labels if places[label.text.node] not in freed
        )
        for box in drawing.boxes
    }
    return DrawingContent(
        _sorted(label.words for label in lettering(draft).every),
        {box: words for box, words in boxes.items() if words},
        tuple(
            (number[line.shape], of(line.start.box), of(line.end.box))
            for line in drawing.connectors
            if line.leads
        ),
    )


def _sorted(texts: Iterable[str]) -> Words:
    return tuple(sorted(word for text in texts for word in text.split()))


def is_kept(before: DrawingContent, after: DrawingContent, joins: bool) -> bool:
    """Whether nothing is lost. joins: loose ends may have got a box, and lines may lead to a box that has got words."""
    if before.words != after.words or before.boxes != after.boxes:
        return False
    if not joins:
        return before.lines == after.lines
    rest = list(after.lines)
    for line in before.lines:
        twin = next((other for other in rest if _is_joined(line, other)), None)
        if twin is None:
            return False
        rest.remove(twin)
    return True


def _is_joined(line: Line, other: Line) -> bool:
    return line[0] == other[0] and all(
        mine in (None, yours) for mine, yours in zip(line[1:], other[1:], strict=True)
    )
