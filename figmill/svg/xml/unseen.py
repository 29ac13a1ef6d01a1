"""Removes what is invisible in a still picture: empty scripts, fonts, animations, foreign data.

Everything is checked before it is removed: active content is a breach. An animation that keeps its end (SMIL,
`fill="freeze"`) leaves that state; any other leaves the state without it.
"""

from __future__ import annotations

import re

from figmill.svg.document import SVG, BreachError, Draft, Node
from figmill.svg.xml import vocabulary
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
STILL = "figures stand still; draw the state that matters"
CLOCK = re.compile(r"\s*[+-]?[0-9:.]+\s*(?:h|min|s|ms)?\s*|.*\.(?:begin|end)\s*(?:[+-].*)?")


def unseen(node: Node) -> str:
    """The description of an element to remove with its content; empty if it stays. Raises BreachError if it acts."""
    tag = split(node.tag)[1]
    if tag == "script" and _is_empty(node):
        return "empty <script>"
    if tag in vocabulary.FONT_ELEMENTS:
        _check_handlers(node)
        check_inert(node, frozenset(), vocabulary.FONT_ELEMENTS)
        return "embedded font (<font>)" if tag == "font" else "embedded font"
    if tag in vocabulary.UNSEEN_ELEMENTS:
        check_inert(node, frozenset(), vocabulary.UNSEEN_ELEMENTS)
        return f"<{tag}>"
    return ""


def _is_empty(script: Node) -> bool:
    names = {split(name)[1].casefold() for name in script.attrib}
    return not script.text().strip() and not script.elements() and names <= {"type", "id", "space"}


def _check_handlers(node: Node) -> None:
    for part in node.walk():
        for name in part.attrib:
            if is_handler(split(name)[1]):
                raise BreachError(part, f"attribute '{split(name)[1]}' is an event handler; remove it")


def check_inert(node: Node, html: frozenset[str] = frozenset(), more: frozenset[str] = frozenset()) -> None:
    """Raise BreachError if a subtree that is about to be dropped is more than data.

    html, more: allowed elements of HTML and of SVG.
    """
    for part in node.walk():
        space, local = split(part.tag)
        if (space == SVG and (local in vocabulary.ELEMENTS or local in more or part is node)) or (
            space == XHTML and local in html
        ):
            pass
        elif (
            space == SVG
            or space in vocabulary.ACTIVE_NAMESPACES
            or local.casefold() in vocabulary.ACTIVE_ELEMENTS
        ):
            where = f"namespace '{space}'" if space else "no namespace"
            raise BreachError(part, f"<{local}> of {where} is not allowed in a figure")
    _check_handlers(node)


def make_still(draft: Draft) -> None:
    """Remove all animations from a drawing whose names are still in Clark notation."""
    nodes = draft.root.walk()
    if any(node.tag in _ANIMATIONS for node in nodes):
        for node in nodes:
            _keep_last_frame(draft, node)
            _stand_still(draft, node)


def _stand_still(draft: Draft, node: Node) -> None:
    """Remove the animations of an element, and write the state that one of them leaves to the element."""
    if not any(child.tag in _ANIMATIONS for child in node.elements()):
        return
    kept: list[Node | str] = []
    for child in node.children:
        if isinstance(child, str) or child.tag not in _ANIMATIONS:
            kept.append(child)
            continue
        with draft.collected():
            _end(node, child)
            draft.drop(f"animation (<{split(child.tag)[1]}>)", child)
    node.children = kept


def _keep_last_frame(draft: Draft, parent: Node) -> None:
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


def _end(node: Node, animation: Node) -> None:
    """Write the final state of an animation that keeps it. Raises BreachError if it changes more than looks."""
    tag = split(animation.tag)[1]
    check_inert(animation, frozenset(), vocabulary.words("mpath"))
    said = {split(name)[1]: value for name, value in animation.attrib.items()}
    name = said.get("attributeName", "transform" if tag == "animateTransform" else "").strip()
    if (name and name not in LOOKS) or not said.get("href", "#").startswith("#"):
        raise BreachError(animation, f"<{tag}> of '{name[:40]}' is not allowed: {STILL}")
    if said.get("fill") != "freeze" or said.get("repeatCount", said.get("repeatDur")) == "indefinite":
        return
    if not all(CLOCK.fullmatch(moment) for moment in said.get("begin", "0s").split(";") if moment.strip()):
        return  # it starts on interaction
    last = said.get("to", said.get("values", "").rstrip("; ").rpartition(";")[2]).strip()
    if not last or "href" in said or tag == "animateMotion":
        raise BreachError(animation, f"<{tag}> ends in a state that no still picture can show: {STILL}")
    if tag == "animateTransform":
        before = node.attrib.get(name, "") if said.get("additive") == "sum" else ""
        node.attrib[name] = f"{before} {said.get('type', 'translate')}({last})".strip()
    elif name in vocabulary.PRESENTATION and "style" in node.attrib:
        node.attrib["style"] = f"{node.attrib['style'].rstrip('; ')}; {name}: {last}"
    else:
        node.attrib[name] = last
