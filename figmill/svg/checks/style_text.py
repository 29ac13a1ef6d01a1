"""Rules of a house style about sizes of text. Subscripts have the size of the text that they belong to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from figmill.svg.checks.loose_arrows import is_page
from figmill.svg.checks.styled import SAME, Styled, any_of, is_one_of, nearest, px
from figmill.svg.document import Element
from figmill.svg.geometry.parts import Parts
from figmill.svg.geometry.scene import bounds

SHOWN = 30  # characters of a text in a message


def title_size(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`style-title-size`: each title in another size than the style asks for."""
    return _of_other_size(styled, styled.style.title_size, are_titles=True)


def label_size(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`style-label-size`: each text but the titles in another size than the style asks for."""
    return _of_other_size(styled, styled.style.label_size, are_titles=False)


def _of_other_size(
    styled: Styled, allowed: Sequence[float], are_titles: bool
) -> Iterator[tuple[Element, str]]:
    titles = _titles(styled.parts)
    noun = "title" if are_titles else "text"
    for node, text, size in styled.sizes:
        if (node in titles) == are_titles and not is_one_of(size, allowed):
            yield (
                node,
                f"the {noun} '{text.strip()[:SHOWN]}' has a size of {px(size)}; the style asks for "
                f"{any_of(allowed)}: {nearest(size, allowed):g} px",
            )


def _titles(parts: Parts) -> set[Element]:
    """The elements of titles: the text of boxes around boxes, and the text above everything else in the drawing."""
    titles = [label for box in parts.boxes if box.inside for label in box.labels]
    in_boxes = {label for box in parts.boxes for label in box.labels}
    tops = [bounds(shape)[1] for shape in parts.scene.shapes if not is_page(bounds(shape), parts.view)]
    if tops:
        titles += [
            label
            for label in parts.labels
            if label not in in_boxes and label.bounds(label.width)[3] <= min(tops)
        ]
    return {run.node for label in titles for run in label.runs}


def text_sizes(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`style-text-sizes`: how many sizes a drawing has, reported once, at the first text in the rarest of them."""
    most = styled.style.text_sizes
    counts = Counter(round(size, 1) for *_, size in styled.sizes)
    if len(counts) <= most:
        return
    rarest = min(counts, key=lambda size: (counts[size], size))
    node = next(node for node, _, size in styled.sizes if round(size, 1) == rarest)
    right = nearest(rarest, [size for size in counts if size != rarest])
    listed = ", ".join(f"{size:g}" for size in sorted(counts))
    yield (
        node,
        f"the text has {len(counts)} sizes ({listed} px), and the style allows {most}: "
        f"set the rarest, {rarest:g} px, in {right:g} px",
    )


def least_text(styled: Styled) -> Iterator[tuple[Element, str]]:
    """`style-least-text`: each text that is too small at the width at which the drawing is printed."""
    least, width = styled.style.least_text
    scale = min(1.0, width / styled.width) if width and styled.width else 1.0
    where = f" in {width:g} px, the width in print" if scale < 1 else ""
    for node, text, size in styled.sizes:
        if size * scale < least - SAME / 2:
            yield (
                node,
                f"the text '{text.strip()[:SHOWN]}' is {px(size * scale)} high{where}; the style asks for "
                f"{least:g} px: {px(least / scale)} in the drawing",
            )
