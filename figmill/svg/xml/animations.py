"""Removes animations: a figure is a still picture.

An animation that keeps its last state (SMIL, `fill="freeze"`) leaves that state; any other leaves no trace.
"""

from __future__ import annotations

import re

from figmill.svg.document import SVG, BreachError, Draft, Element, joined
from figmill.svg.xml import vocabulary
from figmill.svg.xml.active_content import check_inert
from figmill.svg.xml.names import split

# Attributes that an animation may change: look and place, never links or handlers.
LOOKS = (
    vocabulary.PRESENTATION
    | vocabulary.PAINTS
    | vocabulary.COORDINATES
    | vocabulary.NUMBERS
    | vocabulary.TRANSFORMS
    | {"d", "points", "viewBox", "preserveAspectRatio"}
)
STILL = "figures do not move; draw the state that matters"
CLOCK = re.compile(r"\s*[+-]?[0-9:.]+\s*(?:h|min|s|ms)?\s*|.*\.(?:begin|end)\s*(?:[+-].*)?")
_ANIMATIONS = frozenset(f"{{{SVG}}}{tag}" for tag in vocabulary.ANIMATIONS)


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
