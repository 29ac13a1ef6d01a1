"""Markdown in D2's SVG: joins lines that D2 breaks although their box fits the whole line. Pure.

D2 0.9 measures a block of Markdown narrower than it then lays it out, by up to one percent. Its longest line breaks
before the last words, and everything below moves down, out of the box, where D2 cuts it off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from lxml import etree

from figmill.kind import font_metrics

SVG = "{http://www.w3.org/2000/svg}"
SLACK = 0.02  # of the width: how much wider than its box a whole line may be
NEAR = 2.0  # px
LEADING = 1.6  # font sizes between the lines of one paragraph, at most
_MARKS = str.maketrans("", "", "*_`~")  # of Markdown, which the drawing has no more


def mend(root: etree._Element, source: str) -> None:
    """Rejoin broken lines, and keep boxes from cutting off their content. source: the text with the words."""
    plain = source.translate(_MARKS)
    for block in root.iter(f"{SVG}g"):
        box = block.getparent()
        if "md-native" in str(block.get("class", "")).split() and box is not None:
            _join_lines(block, _number(box, "width"), _number(box, "height"), plain)
            _join_words(block)
            if box.tag == f"{SVG}svg":
                box.set("overflow", "visible")


def _join_lines(block: etree._Element, width: float, height: float, plain: str) -> None:
    """Join broken lines, from the top, until all fit in the height."""
    while _lowest(block) > height:
        texts = list(block.iter(f"{SVG}text"))
        pairs = pairwise(texts)
        broken = next((pair for pair in pairs if _is_broken(*pair, texts, width, plain)), None)
        if broken is None:
            return
        last, first = broken
        baseline = _number(first, "y")
        across, up = _joined(last, first, plain) - _number(first, "x"), _number(last, "y") - baseline
        for part in _after(block, last):
            top = _number(part, "y")
            is_below = top > baseline + NEAR
            _move(part, 0 if is_below else across, up)


def _is_broken(
    last: etree._Element, first: etree._Element, texts: Sequence[etree._Element], width: float, plain: str
) -> bool:
    """Whether `first` begins a line that would have fitted behind `last`."""
    down = _number(first, "y") - _number(last, "y")
    if not 0 < down <= LEADING * _number(last, "font-size"):
        return False
    line = [text for text in texts if abs(_number(text, "y") - _number(first, "y")) < NEAR]
    end = _joined(last, first, plain) + _end(line[-1]) - _number(first, "x")
    return width - NEAR <= end <= width * (1 + SLACK) + NEAR


def _joined(last: etree._Element, first: etree._Element, plain: str) -> float:
    """The x of a line's first words behind the words that they were broken from.

    D2 breaks at a space, which it drops, and after a hyphen or a slash, where none was.
    """
    as_one = "".join((*_words(last).split()[-1:], *_words(first).split()[:1]))
    return _end(last) + (0.0 if as_one in plain else _width(last, " "))


def _join_words(block: etree._Element) -> None:
    """Join neighbours in one face into one text: D2 writes a line that it breaks as single words and spaces."""
    for text in list(block.iter(f"{SVG}text")):
        before = text.getprevious()
        if before is None or before.tag != text.tag or len(before) or len(text):
            continue
        gap = _number(text, "x") - _end(before)
        space = _width(before, " ")
        same = all(before.get(name) == text.get(name) for name in ("y", "class", "font-size", "fill"))
        if same and min(abs(gap), abs(gap - space)) < NEAR / 2:
            between = " " if abs(gap) > abs(gap - space) else ""
            text.set("x", str(before.get("x")))
            text.text = _words(before) + between + _words(text)
            block_of = before.getparent()
            if block_of is not None:
                block_of.remove(before)


def _after(block: etree._Element, last: etree._Element) -> Iterator[etree._Element]:
    """Texts and areas behind an element."""
    parts = list(block.iter(f"{SVG}text", f"{SVG}rect"))
    yield from parts[parts.index(last) + 1 :]


def _move(part: etree._Element, across: float, down: float) -> None:
    part.set("x", f"{_number(part, 'x') + across:.3f}")
    part.set("y", f"{_number(part, 'y') + down:.3f}")


def _lowest(block: etree._Element) -> float:
    """The lowest baseline."""
    return max((_number(text, "y") for text in block.iter(f"{SVG}text")), default=0.0)


def _end(text: etree._Element) -> float:
    return _number(text, "x") + _width(text, _words(text))


def _words(text: etree._Element) -> str:
    return "".join(map(str, text.itertext()))


def _width(text: etree._Element, content: str) -> float:
    face = str(text.get("class", ""))
    return font_metrics.measure(
        content,
        _number(text, "font-size"),
        bold="bold" in face,
        italic="italic" in face,
        mono="mono" in face,
    )


def _number(element: etree._Element, name: str) -> float:
    return float(str(element.get(name, "0")))
