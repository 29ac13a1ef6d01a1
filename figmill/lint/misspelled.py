"""Keys of a question that are almost `visual`, so that figmill passes over them like the book's own keys. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from figmill.book import yaml_parser
from figmill.book.fields import FIGURE
from figmill.book.nodes import ListNode, MapNode, Node, Scalar
from figmill.book.question import FIGURES
from figmill.model import Warned


def _one_edit(word: str) -> set[str]:
    """The words that one wrong, missing, doubled, extra or swapped letter makes of a word, or capitals."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    cuts = [(word[:n], word[n:]) for n in range(len(word) + 1)]
    missing = {a + b[1:] for a, b in cuts if b}
    swapped = {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}
    wrong = {a + c + b[1:] for a, b in cuts if b for c in letters}
    extra = {a + c + b for a, b in cuts for c in letters}
    return missing | swapped | wrong | extra | {word.capitalize(), word.upper()}


ALMOST = frozenset(near for word in FIGURES for near in _one_edit(word)) - FIGURES
TELLING = {"kind", "source", "path", "ref"} & {*FIGURE.table, "ref"}  # keys that only a figure has


def misspelled(path: str, data: bytes) -> tuple[str | None, tuple[Warned, ...]]:
    """The id of a question, and a warning for each key that was probably meant to be `visual`.

    Raises AuthorError where the file is no YAML.
    """
    rows = yaml_parser.read(path, data, ALMOST | FIGURES | {"id"})
    nodes = {key.text: node for key, node in rows}
    id_ = nodes.get("id")
    warnings = () if FIGURES & nodes.keys() else tuple(_warnings(rows))
    return id_.text if isinstance(id_, Scalar) else None, warnings


def _warnings(rows: tuple[tuple[Scalar, Node], ...]) -> Iterator[Warned]:
    for key, node in rows:
        if key.text in ALMOST and _is_figure(node):
            word = "visuals" if isinstance(node, ListNode) else "visual"
            message = f"'{key.text}' is no key of figmill, so nothing is drawn; did you mean '{word}'?"
            yield Warned(key.at, message, "misspelled-key")


def _is_figure(node: Node) -> bool:
    """Whether a value reads like a figure, or a list of them."""
    if isinstance(node, ListNode):
        return bool(node.items) and all(map(_is_figure, node.items))
    return isinstance(node, MapNode) and any(
        isinstance(key, Scalar) and key.text in TELLING for key, _ in node.rows
    )
