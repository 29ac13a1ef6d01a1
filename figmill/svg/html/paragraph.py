"""Inline content as one run of characters: white space collapsed, each with its style and its advance.

Advance widths are those of the book's fonts, without kerning. Unaware of lines: see lines.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from figmill.svg.geometry.font_metrics import width as advance
from figmill.svg.html.boxes import Box, Break, Content, Laid, Words
from figmill.svg.html.breaks import Wrapping, opportunities
from figmill.svg.html.css.style import Style
from figmill.svg.html.css.values import px

NO_BREAK = "\u00a0"
ATOM = "\ufffc"  # stands for an inline block among the characters
# Ascent and descent of Arimo and of DejaVu Sans Mono, and the gap that `line-height: normal` adds, in em.
METRICS = {False: (0.905, 0.212, 0.033), True: (0.928, 0.236, 0.0)}
X_HEIGHT = 0.52
PRESERVED = ("pre", "pre-wrap", "break-spaces")
NO_WRAP = ("nowrap", "pre")

Atom = Callable[["Run"], float]  # the width of an inline block


def extent(style: Style) -> tuple[float, float]:
    """What is above and below the baseline of words of this style, in px, whole as browsers count it."""
    up, down, _ = METRICS[style.mono]
    return math.floor(up * style.em + 0.5), math.floor(down * style.em + 0.5)


def leaded(style: Style) -> tuple[float, float]:
    """The same with the leading of its line height (CSS 2.1, 10.8.1), its upper half in whole px."""
    up, down = extent(style)
    height = style.height_of_line
    if height is None:
        height = up + down + math.floor(METRICS[style.mono][2] * style.em + 0.5)
    above = math.floor((height - up - down) / 2)
    return up + above, height - up - above


@dataclass(slots=True, eq=False)
class Inline:
    """An inline box with something to paint behind its words."""

    style: Style
    left: float
    right: float


@dataclass(slots=True, eq=False)
class Run:
    """Characters start to end of the paragraph, in one style; or one inline block."""

    start: int
    end: int
    style: Style
    shift: float
    href: str | None
    around: tuple[Inline, ...]
    box: Box | None = None  # of an inline block; its style is that of the words around it
    atom: Laid | None = None  # the same once it is laid out


@dataclass(slots=True)
class Paragraph:
    """Characters with their runs, and the advance up to each of them."""

    style: Style
    text: str = ""
    runs: list[Run] = field(default_factory=list)
    before: dict[int, float] = field(default_factory=dict)  # px of padding ahead of a character
    after: dict[int, float] = field(default_factory=dict)  # and behind the one before it
    ends: list[float] = field(default_factory=list)  # x after each character
    stops: list[int] = field(default_factory=list)  # where a line may break
    forced: list[int] = field(default_factory=list)  # and where it must
    starts: list[int] = field(default_factory=list)  # of the runs
    wrapping: list[Wrapping] = field(default_factory=list)  # of each character
    atoms: list[Run] = field(default_factory=list)

    @property
    def is_blank(self) -> bool:
        return not self.text.strip(" ") or not self.runs


class Writer:
    """Puts inline content into a paragraph."""

    def __init__(self, style: Style) -> None:
        self.found = Paragraph(style)
        self.letters: list[str] = []
        self.wrapping: list[Wrapping] = []
        self.after_space = True

    def write(self, content: list[Content]) -> Paragraph:
        for part in content:
            self._add(part, 0.0, (), self.found.style)
        while self.letters and self.letters[-1] == " " and self.found.runs:  # at the end of a line
            self.letters.pop()
            self.wrapping.pop()
            run = self.found.runs[-1]
            run.end -= 1
            if run.end == run.start:
                self.found.runs.pop()
        found = self.found
        found.text = "".join(self.letters)
        found.starts = [run.start for run in found.runs]
        found.wrapping = self.wrapping
        found.stops = opportunities(found.text, self.wrapping)
        if not found.atoms:
            measure(found, lambda _: 0.0)
        return found

    def _add(self, part: Content, shift: float, around: tuple[Inline, ...], parent: Style) -> None:
        if isinstance(part, Words):
            self._words(part, shift, around)
        elif isinstance(part, Break):
            self._break(part, shift, around)
        elif part.is_inline:
            self._inline(part, shift, around, parent)
        else:
            at = len(self.letters)
            run = Run(at, at + 1, parent, shift, None, around, part)
            self._append(ATOM, run, parent)
            self.found.atoms.append(run)
            self.after_space = False

    def _inline(self, box: Box, shift: float, around: tuple[Inline, ...], parent: Style) -> None:
        style = box.style
        left = px(style.padding.left) + style.borders[3].width
        right = px(style.padding.right) + style.borders[1].width
        if left or right or style.ground != "transparent" or any(border.width for border in style.borders):
            around = (*around, Inline(style, left, right))
        at = len(self.letters)
        if ahead := left + px(style.margin.left):
            self.found.before[at] = self.found.before.get(at, 0.0) + ahead
        shift += _shift(style, parent)
        for child in box.children:
            self._add(child, shift, around, style)
        if behind := right + px(style.margin.right):
            at = len(self.letters)
            self.found.after[at] = self.found.after.get(at, 0.0) + behind

    def _words(self, words: Words, shift: float, around: tuple[Inline, ...]) -> None:
        style = words.style
        text = words.text.replace("\r\n", "\n").replace("\t", " " * 8 if style.space in PRESERVED else " ")
        keeps_lines = style.space in (*PRESERVED, "pre-line")
        text = _cased(text, style.case)
        begun = len(self.letters)
        for letter in text:
            if letter in "\n\r\f" and not keeps_lines:
                letter = " "
            if letter == "\n":
                self._close(begun, style, shift, words.href, around)
                self._break(Break(style), shift, around)
                begun = len(self.letters)
                continue
            if letter == " " and style.space not in PRESERVED:
                if self.after_space:
                    continue
                self.after_space = True
            else:
                self.after_space = False
            self.letters.append(letter)
            self.wrapping.append(_wrapping(style))
        self._close(begun, style, shift, words.href, around)

    def _close(
        self, begun: int, style: Style, shift: float, href: str | None, around: tuple[Inline, ...]
    ) -> None:
        if len(self.letters) > begun:
            self.found.runs.append(Run(begun, len(self.letters), style, shift, href, around))

    def _break(self, part: Break, shift: float, around: tuple[Inline, ...]) -> None:
        at = len(self.letters)
        if part.is_forced:
            self._append("\n", Run(at, at + 1, part.style, shift, None, around), part.style)
            self.found.forced.append(at + 1)
            self.after_space = True
        else:
            self._append("\u200b", Run(at, at + 1, part.style, shift, None, around), part.style)

    def _append(self, letter: str, run: Run, style: Style) -> None:
        self.letters.append(letter)
        self.wrapping.append(_wrapping(style))
        self.found.runs.append(run)


def measure(found: Paragraph, breadth: Atom) -> None:
    """Find the advance up to each character, with inline blocks as wide as `breadth` says."""
    x = 0.0
    found.ends = []
    for run in found.runs:
        style = run.style
        for at in range(run.start, run.end):
            letter = found.text[at]
            x += found.before.get(at, 0.0)
            if run.box is not None:
                x += breadth(run)
            elif letter not in "\n\u200b\u00ad":
                x += advance(letter, style.bold, style.italic, style.mono) * style.em + style.letters
                x += style.words if letter in (" ", NO_BREAK) else 0.0
            x += found.after.get(at + 1, 0.0)
            found.ends.append(x)


def _wrapping(style: Style) -> Wrapping:
    if style.space in NO_WRAP:
        return Wrapping.NONE
    if style.breaks == "break-all":
        return Wrapping.ANYWHERE
    if style.wrap != "normal" or style.breaks == "break-word":
        return Wrapping.EMERGENCY
    return Wrapping.WORDS


def _cased(text: str, case: str) -> str:
    if case == "capitalize":
        return "".join(
            letter.upper() if at == 0 or text[at - 1].isspace() else letter for at, letter in enumerate(text)
        )
    return text.upper() if case == "uppercase" else text.lower() if case == "lowercase" else text


def _shift(style: Style, parent: Style) -> float:
    """How far below the baseline around it an inline box has its own."""
    word = style.vertical
    if word == "sub":
        return parent.em / 5 + 1
    if word == "super":
        return -(parent.em / 3 + 1)
    if word == "middle":
        up, down = leaded(style)
        return (up - down) / 2 - X_HEIGHT * parent.em / 2
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


def lifted(run: Run) -> float:
    """How far above the line's baseline the margin box of an inline block begins."""
    if run.box is None or run.atom is None:
        return 0.0
    return _lifted(run.box.style, run.atom, run.style) - run.shift


def _lifted(style: Style, laid: Laid, parent: Style) -> float:
    height = laid.top + laid.height + laid.bottom
    word = style.vertical
    if word == "middle":
        return height / 2 + X_HEIGHT * parent.em / 2
    if word in ("top", "text-top"):
        return leaded(parent)[0]
    if word in ("bottom", "text-bottom"):
        return height - leaded(parent)[1]
    base = laid.top + laid.last if laid.last is not None and not laid.clips else height
    return base - _shift(style, parent)
