"""Removes what is invisible in a still picture: unknown elements, empty scripts, fonts, animations, foreign data.

One table lists what no browser shows. Everything is checked before it is removed: active content is a breach. An
animation that keeps its last state (SMIL, `fill="freeze"`) leaves that state; any other leaves no trace.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from figmill.svg.document import SVG, BreachError, Draft, Element, joined
from figmill.svg.xml import css, vocabulary
from figmill.svg.xml.names import XHTML, is_handler, split

# Attributes that an animation may change: look and place, never links or handlers.
LOOKS = (
    vocabulary.PRESENTATION
    | vocabulary.PAINTS
    | vocabulary.COORDINATES
    | vocabulary.NUMBERS
    | vocabulary.TRANSFORMS
    | {"d", "points", "viewBox", "preserveAspectRatio"}
)
# Elements that run, load or contain HTML, in upper or lower case: refused everywhere.
ACTING = vocabulary.ACTIVE_ELEMENTS | vocabulary.REFUSED.keys()
STILL = "figures do not move; draw the state that matters"
CLOCK = re.compile(r"\s*[+-]?[0-9:.]+\s*(?:h|min|s|ms)?\s*|.*\.(?:begin|end)\s*(?:[+-].*)?")


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
    return tag in vocabulary.ELEMENTS or tag in vocabulary.FLOWED or tag.casefold() in ACTING


# Elements of SVG's namespace that no browser shows or runs, with their description in the warning. The first row that
# fits counts. An element that fits no row stays and is checked.
UNSEEN: tuple[tuple[str, Callable[[Element, str, ParentElement], bool]], ...] = (
    ("empty <script>", _is_empty_script),
    ("embedded font (<font>)", lambda _node, tag, _place: tag == "font"),
    ("embedded font", lambda _node, tag, _place: tag in vocabulary.FONT_ELEMENTS),
    ("<{}>", lambda _node, tag, _place: tag in vocabulary.UNSEEN_ELEMENTS),
    (
        "<{}> in words",
        lambda _node, tag, place: place.parent in vocabulary.WORDS_ONLY and tag.casefold() not in ACTING,
    ),
    ("<{}> outside <text>", lambda _node, tag, place: tag in vocabulary.SPANS and not place.in_text),
    ("unknown element <{}>", lambda _node, tag, _place: not _is_known(tag)),
)


def unseen(node: Element, place: ParentElement) -> str:
    """What to call an element that is removed; empty if it stays. Raises BreachError if it is active."""
    tag = split(node.tag)[1]
    description = next((description for description, fits in UNSEEN if fits(node, tag, place)), "")
    if description:
        check_inert(node)
        if tag not in vocabulary.FONT_ELEMENTS:  # browsers do not load fonts of SVG
            _check_loads(node)
    return description.format(tag[:40])


def _check_loads(node: Element) -> None:
    """Raise BreachError if a subtree about to be dropped would load something: the author should know."""
    for part in node.walk():
        tag = split(part.tag)[1]
        for name, value in part.attrib.items():
            local, target = split(name)[1], value.strip()
            if local == "href" and tag != "a" and not target.startswith(("#", "data:")) and target:
                raise BreachError(
                    part, f"<{tag}> refers to '{target[:60]}'; only #id in the same file is allowed"
                )
            if "url(" in value.lower():
                try:
                    css.check_unseen(local, value)
                except css.CssError as error:
                    raise BreachError(part, str(error)) from None


def check_inert(node: Element, html: frozenset[str] = frozenset()) -> None:
    """Raise BreachError if a subtree that is about to be dropped is more than data. html: allowed elements of HTML."""
    for part in node.walk():
        space, local = split(part.tag)
        acts = local.casefold() in (ACTING if space == SVG else vocabulary.ACTIVE_ELEMENTS)
        is_allowed = (space == XHTML and local in html) or (space == SVG and part is node)
        if (acts or space in vocabulary.ACTIVE_NAMESPACES) and not is_allowed:
            where = f"namespace '{space}'" if space else "no namespace"
            raise BreachError(part, f"<{local}> of {where} is not allowed in a figure")
        for name in part.attrib:
            if is_handler(split(name)[1]):
                raise BreachError(part, f"attribute '{split(name)[1]}' is an event handler; remove it")


def make_still(draft: Draft) -> None:
    """Remove all animations from a drawing whose names are still in Clark notation."""
    nodes = draft.root.walk()
    if any(node.tag in _ANIMATIONS for node in nodes):
        for node in nodes:
            _keep_last_frame(draft, node)
            _stand_still(draft, node)


def _stand_still(draft: Draft, node: Element) -> None:
    """Remove the animations of an element, and write the state that one of them leaves to the element."""
    if not any(child.tag in _ANIMATIONS for child in node.elements()):
        return
    kept: list[Element | str] = []
    for child in node.children:
        if isinstance(child, str) or child.tag not in _ANIMATIONS:
            kept.append(child)
            continue
        with draft.collected():
            _end(node, child)
            draft.drop(f"animation (<{split(child.tag)[1]}>)", child)
    node.children = joined(kept)


def _keep_last_frame(draft: Draft, parent: Element) -> None:
    """Keep the last of several sibling drawings that an animation shows in turn."""
    frames = [
        (child, animation)
        for child in parent.elements()
        for animation in child.elements()
        if animation.tag in _ANIMATIONS and animation.attrib.get("attributeName") == "display"
    ]
    if not frames:
        return
    last, animation = frames[-1]
    shown = animation.attrib.get("to", animation.attrib.get("values", "").rpartition(";")[2]).strip()
    if shown in ("inline", "block") and animation.attrib.get("fill") != "freeze":
        last.attrib["style"] = f"{last.attrib.get('style', '').rstrip('; ')}; display: {shown}".lstrip("; ")
        draft.resolve(f"film of {len(frames)} frames, of which the last is shown", last)


_ANIMATIONS = frozenset(f"{{{SVG}}}{tag}" for tag in vocabulary.ANIMATIONS)


def _end(node: Element, animation: Element) -> None:
    """Write the final state of an animation that keeps it. Raises BreachError if it changes more than looks."""
    tag = split(animation.tag)[1]
    check_inert(animation)
    values = {split(name)[1]: value for name, value in animation.attrib.items()}
    name = values.get("attributeName", "transform" if tag == "animateTransform" else "").strip()
    if (name and name not in LOOKS) or not values.get("href", "#").startswith("#"):
        raise BreachError(animation, f"<{tag}> of '{name[:40]}' is not allowed: {STILL}")
    if values.get("fill") != "freeze" or values.get("repeatCount", values.get("repeatDur")) == "indefinite":
        return
    if not all(CLOCK.fullmatch(moment) for moment in values.get("begin", "0s").split(";") if moment.strip()):
        return  # it starts on interaction
    last = values.get("to", values.get("values", "").rstrip("; ").rpartition(";")[2]).strip()
    if not last or "href" in values or tag == "animateMotion":
        raise BreachError(animation, f"<{tag}> ends in a state that no still picture can show: {STILL}")
    if tag == "animateTransform":
        before = node.attrib.get(name, "") if values.get("additive") == "sum" else ""
        node.attrib[name] = f"{before} {values.get('type', 'translate')}({last})".strip()
    elif name in vocabulary.PRESENTATION and "style" in node.attrib:
        node.attrib["style"] = f"{node.attrib['style'].rstrip('; ')}; {name}: {last}"
    else:
        node.attrib[name] = last
