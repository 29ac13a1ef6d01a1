"""Finds elements that no browser shows, so that a figure can drop them: unknown elements, empty scripts, fonts.

One table lists them. Each is checked before it is dropped: active content in it is a breach.
"""

from __future__ import annotations

from collections.abc import Callable

from figmill.late_dataclasses import dataclass
from figmill.svg.document import Element
from figmill.svg.xml import vocabulary
from figmill.svg.xml.active_content import check_inert, check_loads, is_active
from figmill.svg.xml.names import split


@dataclass(frozen=True, slots=True)
class ParentElement:
    """The name of an element's parent, and whether the parent is text."""

    parent: str
    in_text: bool


def _is_empty_script(node: Element, tag: str, _place: ParentElement) -> bool:
    names = {split(name)[1].casefold() for name in node.attrib}
    return (
        tag == "script"
        and not node.text().strip()
        and not node.elements()
        and names <= {"type", "id", "space"}
    )


def _is_known(tag: str) -> bool:
    return tag in vocabulary.ELEMENTS or tag in vocabulary.FLOWED or is_active(tag)


# Elements of SVG's namespace that no browser shows or runs, with their description in the warning. The first row that
# fits counts. An element that fits no row stays and is checked.
INVISIBLE: tuple[tuple[str, Callable[[Element, str, ParentElement], bool]], ...] = (
    ("empty <script>", _is_empty_script),
    ("embedded font (<font>)", lambda _node, tag, _place: tag == "font"),
    ("embedded font", lambda _node, tag, _place: tag in vocabulary.FONT_ELEMENTS),
    ("<{}>", lambda _node, tag, _place: tag in vocabulary.UNSEEN_ELEMENTS),
    (
        "<{}> in words",
        lambda _node, tag, place: place.parent in vocabulary.WORDS_ONLY and not is_active(tag),
    ),
    ("<{}> outside <text>", lambda _node, tag, place: tag in vocabulary.SPANS and not place.in_text),
    ("unknown element <{}>", lambda _node, tag, _place: not _is_known(tag)),
)


def invisible(node: Element, place: ParentElement) -> str:
    """The description of an element that is dropped; empty if it stays. Raises BreachError if it is active."""
    tag = split(node.tag)[1]
    description = next((description for description, fits in INVISIBLE if fits(node, tag, place)), "")
    if description:
        check_inert(node)
        if tag not in vocabulary.FONT_ELEMENTS:  # browsers do not load fonts of SVG
            check_loads(node)
    return description.format(tag[:40])
