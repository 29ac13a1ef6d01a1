"""The labels and relations of a source that its picture lacks. Pure, and unaware of kinds.

A label must stand whole in the text of the picture, however its lines are broken. A relation needs a line with its
mark; see kind/stated.py.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from figmill.kind.job import Raw, Remark
from figmill.kind.stated import Label, lost
from figmill.publish.placeholders import short

CHECK = "not-drawn"
# White space, and signs that nobody sees: soft hyphens, joiners, marks of direction.
_UNSEEN = re.compile("[\\s\u00ad\u200b-\u200f\u2028-\u202e\u2060\u2066-\u2069\ufe0e\ufe0f\ufeff]+")
_HYPHENS = re.compile("[-\u2010]")  # engines add them where they break a word
_WITHOUT_SPACES = "\u2e80"  # from here on: scripts whose words have no spaces between them
BROKEN = 8  # letters of a label that engines break within a word
_CUT = ("\u2026", "...")
_TAKEN = "\0"


def findings(raw: Raw, texts: Sequence[str], has_own_words: bool = True) -> Iterator[Remark]:
    """What the source of a drawing states and its picture lacks, each with its line.

    texts: of the picture. has_own_words: whether its words are those of the source, not a translation.
    """
    for label in missing(raw.stated.labels, texts) if has_own_words else ():
        text, how = short(" ".join(label.text.split())), _how(label, texts)
        yield Remark(CHECK, f"the label '{text}' {how}; shorten it, or write it in plain words", label.line)
    many = Counter((relation.start, relation.end) for relation in raw.stated.relations)
    for relation in lost(raw.svg, raw.stated.relations):
        ends = f"from '{short(relation.start, 40)}' to '{short(relation.end, 40)}'"
        count = many[relation.start, relation.end]
        which = f"one of {count} lines {ends}" if count > 1 else f"the line {ends}"
        yield Remark(
            CHECK, f"{which} is not in the picture; join it with another one, or leave it out", relation.line
        )


def _how(label: Label, texts: Sequence[str]) -> str:
    begins = (folded(text.removesuffix(sign)) for text in texts for sign in _CUT if text.endswith(sign))
    is_cut = any(begin and folded(label.text).startswith(begin) for begin in begins)
    return "is cut off in the picture" if is_cut else "is not in the picture"


def folded(text: str) -> str:
    """A text without white space and invisible signs."""
    return _UNSEEN.sub("", text)


def missing(labels: Iterable[Label], texts: Sequence[str]) -> list[Label]:
    """The labels that do not stand in these texts, each text used once: whole texts first, then texts in a row, then a
    part of a text, then the label's lines one by one.
    """
    whole = Counter(map(folded, texts))
    waiting = []
    for label in labels:
        text = folded(label.text)
        if whole[text] > 0:
            whole[text] -= 1
        elif text:
            waiting.append(label)
    if not waiting:
        return []
    page = _Page(_left(texts, whole))
    waiting.sort(key=lambda label: -len(label.text))
    for is_found in (page.takes_whole, page.takes_part, page.takes_lines, page.has_hyphenated):
        waiting = [label for label in waiting if not is_found(label.text)]
    return waiting


def _left(texts: Iterable[str], whole: Counter[str]) -> Iterator[str]:
    """The texts that no label has used."""
    left = whole.copy()
    for text in texts:
        if left[folded(text)] > 0:
            left[folded(text)] -= 1
            yield text


class _Page:
    """Texts in a row; labels take parts of it."""

    def __init__(self, texts: Iterable[str]) -> None:
        folded_texts = [[folded(word) for word in text.split()] for text in texts]
        self.signs = "".join(word for text in folded_texts for word in text)
        self.breaks: set[int] = set()  # where words end
        self.edges = {0}  # where texts end
        place = 0
        for text in folded_texts:
            for word in text:
                place += len(word)
                self.breaks.add(place)
            self.edges.add(place)

    def takes_whole(self, label: str) -> bool:
        """Whether texts in a row are this label."""
        return self._takes(folded(label), lambda start, end: start in self.edges and end in self.edges)

    def takes_part(self, label: str) -> bool:
        """Whether this label stands in them as words of its own."""
        return self._takes(folded(label), lambda start, end: self._is_end(start) and self._is_end(end))

    def takes_lines(self, label: str) -> bool:
        """Whether each line of this label stands in them."""
        lines = label.split("\n")
        return len(lines) > 1 and all(not folded(line) or self.takes_part(line) for line in lines)

    def has_hyphenated(self, label: str) -> bool:
        """Whether this label stands in them with hyphens where its words are broken."""
        text = _HYPHENS.sub("", folded(label))
        return len(text) >= BROKEN and text in _HYPHENS.sub("", self.signs)

    def _is_end(self, place: int) -> bool:
        if place in self.breaks or place in (0, len(self.signs)):
            return True
        around = self.signs[place - 1 : place + 1]
        return not around.isalnum() or max(around) >= _WITHOUT_SPACES

    def _takes(self, text: str, fits: Callable[[int, int], bool]) -> bool:
        place = self.signs.find(text)
        while place >= 0:
            end = place + len(text)
            if fits(place, end):
                self.signs = self.signs[:place] + _TAKEN * len(text) + self.signs[end:]
                return True
            place = self.signs.find(text, place + 1)
        return False
