"""Keys that look like misspellings of `visual`; figmill ignores them, like the book's own keys. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from figmill.book.fields import FIGURE
from figmill.book.nodes import ListNode, MapNode, Node, Scalar
from figmill.kinds import KINDS
from figmill.late_dataclasses import dataclass
from figmill.model import Origin, Warned

FIGURES = frozenset({"visual", "visuals"})
CHECK = "misspelled-key"


@dataclass(frozen=True, slots=True)
class Suspect:
    """A key that resembles `visual`, in a question without a figure."""

    key: str
    meant: str  # `visual` or `visuals`
    origin: Origin

    @property
    def warning(self) -> Warned:
        message = f"figmill has no key '{self.key}', so it draws nothing; did you mean '{self.meant}'?"
        return Warned(self.origin, message, CHECK)


def _one_edit(word: str) -> set[str]:
    """The misspellings of a word with one wrong, missing, extra or swapped letter, or in capitals."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    cuts = [(word[:n], word[n:]) for n in range(len(word) + 1)]
    missing = {a + b[1:] for a, b in cuts if b}
    swapped = {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}
    wrong = {a + c + b[1:] for a, b in cuts if b for c in letters}
    extra = {a + c + b for a, b in cuts for c in letters}
    return missing | swapped | wrong | extra | {word.capitalize(), word.upper()}


ALMOST = frozenset(near for word in FIGURES for near in _one_edit(word)) - FIGURES
# Other words for a figure. A book may use them itself, so they count only with a source that figmill can draw.
_NOUNS = (
    "chart",
    "diagram",
    "drawing",
    "figure",
    "graphic",
    "illustration",
    "image",
    "picture",
    "plot",
    "visualisation",
    "visualization",
)
SYNONYMS = frozenset(word + end for word in _NOUNS for end in ("", "s"))
WATCHED = ALMOST | SYNONYMS
# Only figmill's own kinds: the warnings of an unchanged question do not depend on the installed packages.
_SUFFIXES = tuple(suffix for kind in KINDS.values() if kind.translates for suffix in kind.suffixes)


def suspects(rows: Iterable[tuple[Scalar, Node]]) -> Iterator[Suspect]:
    """The suspects among the top-level rows of a question; none if the question has a figure."""
    rows = tuple(rows)
    if any(key.text in FIGURES for key, _ in rows):
        return
    for key, node in rows:
        if key.text in WATCHED and _is_figure(node, key.text in ALMOST):
            yield Suspect(key.text, "visuals" if isinstance(node, ListNode) else "visual", key.at)


def _is_figure(node: Node, is_almost: bool) -> bool:
    """Whether a value looks like a figure or a list of figures. is_almost: then any key of a figure suffices."""
    if isinstance(node, ListNode):
        return bool(node.items) and all(_is_figure(item, is_almost) for item in node.items)
    if not isinstance(node, MapNode):
        return False
    rows = {key.text: item for key, item in node.rows if isinstance(key, Scalar)}
    if is_almost:
        return not {*FIGURE.table, "ref"}.isdisjoint(rows)
    return any(isinstance(item, Scalar) and _is_telling(key, item.text) for key, item in rows.items())


def _is_telling(key: str, value: str) -> bool:
    if key in ("source", "path"):
        return value.endswith(_SUFFIXES) and not PurePosixPath(value).is_absolute() and "://" not in value
    return key == "kind" and value in KINDS
