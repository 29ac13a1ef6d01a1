"""Inline content as one sequence of characters, with white space collapsed, and the style and width of each.

Advance widths are those of the book's fonts, without kerning. Knows nothing of lines: see lines.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field

from figmill.font_metrics import width as advance
from figmill.late_dataclasses import dataclass
from figmill.svg.html.boxes import BoxContent, CssBox, LaidBox, LineBreak, StyledText
from figmill.svg.html.breaks import Wrapping, opportunities
from figmill.svg.html.css.style import ComputedStyle
from figmill.svg.html.css.values import px

NO_BREAK = "\u00a0"
ATOM = "\ufffc"  # stands for an inline block among the characters (U+FFFC)
# Ascent and descent of Arimo and DejaVu Sans Mono, and the line gap of `line-height: normal`, in em.
METRICS = {False: (0.905, 0.212, 0.033), True: (0.928, 0.236, 0.0)}
X_HEIGHT = 0.52
PRESERVED = ("pre", "pre-wrap", "break-spaces")
NO_WRAP = ("nowrap", "pre")

Atom = Callable[["InlineRun"], float]  # the width of an inline block


def extent(style: ComputedStyle) -> tuple[float, float]:
    """Ascent and descent of text in this style, rounded to whole px as in browsers."""
    up, down, _ = METRICS[style.mono]
    return math.floor(up * style.font_size + 0.5), math.floor(down * style.font_size + 0.5)


def leaded(style: ComputedStyle) -> tuple[float, float]:
    """Ascent and descent with half-leading from the line height (CSS 2.1, 10.8.1), the upper half in whole px."""
    up, down = extent(style)
    height = style.height_of_line
    if height is None:
        height = up + down + math.floor(METRICS[style.mono][2] * style.font_size + 0.5)
    above = math.floor((height - up - down) / 2)
    return up + above, height - up - above


@dataclass(slots=True, eq=False)
class Inline:
    """An inline box that paints something behind its text."""

    style: ComputedStyle
    left: float
    right: float


@dataclass(slots=True, eq=False)
class InlineRun:
    """The characters from start to end in one style; or one inline block."""

    start: int
    end: int
    style: ComputedStyle
    shift: float
    href: str | None
    around: tuple[Inline, ...]
    box: CssBox | None = None  # an inline block; `style` is then that of the surrounding text
    atom: LaidBox | None = None  # that block, once laid out


@dataclass(slots=True)
class Paragraph:
    """Characters with their runs, and the advance up to each of them."""

    style: ComputedStyle
    text: str = ""
    runs: list[InlineRun] = field(default_factory=list)
    before: dict[int, float] = field(default_factory=dict)  # px of padding before a character
    after: dict[int, float] = field(default_factory=dict)  # px of padding after the preceding character
    ends: list[float] = field(default_factory=list)  # x after each character
    stops: list[int] = field(default_factory=list)  # where a line may break
    forced: list[int] = field(default_factory=list)  # where a line must break
    starts: list[int] = field(default_factory=list)  # the start of each run
    wrapping: list[Wrapping] = field(default_factory=list)  # for each character
    atoms: list[InlineRun] = field(default_factory=list)

    @property
    def is_blank(self) -> bool:
        return not self.text.strip(" ") or not self.runs


class ParagraphWriter:
    """Appends inline content to a paragraph."""

    def __init__(self, style: ComputedStyle) -> None:
        self.paragraph = Paragraph(style)
        self.letters: list[str] = []
        self.wrapping: list[Wrapping] = []
        self.after_space = True

    def write(self, content: list[BoxContent]) -> Paragraph:
        for part in content:
            self._add(part, 0.0, (), self.paragraph.style)
        while self.letters and self.letters[-1] == " " and self.paragraph.runs:  # collapses trailing spaces
            self.letters.pop()
            self.wrapping.pop()
            run = self.paragraph.runs[-1]
            run.end -= 1
            if run.end == run.start:
                self.paragraph.runs.pop()
        paragraph = self.paragraph
        paragraph.text = "".join(self.letters)
        paragraph.starts = [run.start for run in paragraph.runs]
        paragraph.wrapping = self.wrapping
        paragraph.stops = opportunities(paragraph.text, self.wrapping)
        if not paragraph.atoms:
            measure(paragraph, lambda _: 0.0)
        return paragraph

    def _add(self, part: BoxContent, shift: float, around: tuple[Inline, ...], parent: ComputedStyle) -> None:
        if isinstance(part, StyledText):
            self._words(part, shift, around)
        elif isinstance(part, LineBreak):
            self._break(part, shift, around)
        elif part.is_inline:
            self._inline(part, shift, around, parent)
        else:
            at = len(self.letters)
            run = InlineRun(at, at + 1, parent, shift, None, around, part)
            self._append(ATOM, run, parent)
            self.paragraph.atoms.append(run)
            self.after_space = False

    def _inline(self, box: CssBox, shift: float, around: tuple[Inline, ...], parent: ComputedStyle) -> None:
        style = box.style
        left = px(style.padding.left) + style.borders[3].width
        right = px(style.padding.right) + style.borders[1].width
        if (
            left
            or right
            or style.background_color != "transparent"
            or any(border.width for border in style.borders)
        ):
            around = (*around, Inline(style, left, right))
        at = len(self.letters)
        if ahead := left + px(style.margin.left):
            self.paragraph.before[at] = self.paragraph.before.get(at, 0.0) + ahead
        shift += _shift(style, parent)
        for child in box.children:
            self._add(child, shift, around, style)
        if behind := right + px(style.margin.right):
            at = len(self.letters)
            self.paragraph.after[at] = self.paragraph.after.get(at, 0.0) + behind

    def _words(self, words: StyledText, shift: float, around: tuple[Inline, ...]) -> None:
        style = words.style
        text = words.text.replace("\r\n", "\n").replace(
            "\t", " " * 8 if style.white_space in PRESERVED else " "
        )
        keeps_lines = style.white_space in (*PRESERVED, "pre-line")
        text = _cased(text, style.text_transform)
        begun = len(self.letters)
        for letter in text:
            if letter in "\n\r\f" and not keeps_lines:
                letter = " "
            if letter == "\n":
                self._close(begun, style, shift, words.href, around)
                self._break(LineBreak(style), shift, around)
                begun = len(self.letters)
                continue
            if letter == " " and style.white_space not in PRESERVED:
                if self.after_space:
                    continue
                self.after_space = True
            else:
                self.after_space = False
            self.letters.append(letter)
            self.wrapping.append(_wrapping(style))
        self._close(begun, style, shift, words.href, around)

    def _close(
        self, begun: int, style: ComputedStyle, shift: float, href: str | None, around: tuple[Inline, ...]
    ) -> None:
        if len(self.letters) > begun:
            self.paragraph.runs.append(InlineRun(begun, len(self.letters), style, shift, href, around))

    def _break(self, part: LineBreak, shift: float, around: tuple[Inline, ...]) -> None:
        at = len(self.letters)
        if part.is_forced:
            self._append("\n", InlineRun(at, at + 1, part.style, shift, None, around), part.style)
            self.paragraph.forced.append(at + 1)
            self.after_space = True
        else:
            self._append("\u200b", InlineRun(at, at + 1, part.style, shift, None, around), part.style)

    def _append(self, letter: str, run: InlineRun, style: ComputedStyle) -> None:
        self.letters.append(letter)
        self.wrapping.append(_wrapping(style))
        self.paragraph.runs.append(run)


def measure(paragraph: Paragraph, breadth: Atom) -> None:
    """Compute the advance up to each character; `breadth` gives the widths of inline blocks."""
    x = 0.0
    paragraph.ends = []
    for run in paragraph.runs:
        style = run.style
        for at in range(run.start, run.end):
            letter = paragraph.text[at]
            x += paragraph.before.get(at, 0.0)
            if run.box is not None:
                x += breadth(run)
            elif letter not in "\n\u200b\u00ad":
                x += (
                    advance(letter, style.bold, style.italic, style.mono) * style.font_size
                    + style.letter_spacing
                )
                x += style.word_spacing if letter in (" ", NO_BREAK) else 0.0
            x += paragraph.after.get(at + 1, 0.0)
            paragraph.ends.append(x)


def _wrapping(style: ComputedStyle) -> Wrapping:
    if style.white_space in NO_WRAP:
        return Wrapping.NONE
    if style.word_break == "break-all":
        return Wrapping.ANYWHERE
    if style.overflow_wrap != "normal" or style.word_break == "break-word":
        return Wrapping.EMERGENCY
    return Wrapping.WORDS


def _cased(text: str, case: str) -> str:
    if case == "capitalize":
        return "".join(
            letter.upper() if at == 0 or text[at - 1].isspace() else letter for at, letter in enumerate(text)
        )
    return text.upper() if case == "uppercase" else text.lower() if case == "lowercase" else text


def _shift(style: ComputedStyle, parent: ComputedStyle) -> float:
    """How far an inline box's baseline is below its parent's, in px."""
    word = style.vertical_align
    if word == "sub":
        return parent.font_size / 5 + 1
    if word == "super":
        return -(parent.font_size / 3 + 1)
    if word == "middle":
        up, down = leaded(style)
        return (up - down) / 2 - X_HEIGHT * parent.font_size / 2
    if word == "text-top":
        return leaded(style)[0] - extent(parent)[0]
    if word == "text-bottom":
        return extent(parent)[1] - leaded(style)[1]
    if word.endswith("px"):
        try:
            return -float(word[:-2])
        except ValueError:
            return 0.0
    return 0.0


def lifted(run: InlineRun) -> float:
    """How far the top of an inline block's margin box is above the line's baseline."""
    if run.box is None or run.atom is None:
        return 0.0
    return _lifted(run.box.style, run.atom, run.style) - run.shift


def _lifted(style: ComputedStyle, laid: LaidBox, parent: ComputedStyle) -> float:
    height = laid.top + laid.height + laid.bottom
    word = style.vertical_align
    if word == "middle":
        return height / 2 + X_HEIGHT * parent.font_size / 2
    if word in ("top", "text-top"):
        return leaded(parent)[0]
    if word in ("bottom", "text-bottom"):
        return height - leaded(parent)[1]
    base = laid.top + laid.last if laid.last is not None and not laid.clips else height
    return base - _shift(style, parent)
