"""Sets the size of a figure (viewBox, width, height), and writes every number in its final form."""

from __future__ import annotations

import re

from figmill.svg.document import BreachError, Draft, Element
from figmill.svg.geometry.precision import ViewBox, decimals, view_box
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import (
    DECIMALS,
    LARGEST,
    clamped,
    coordinates,
    fixed,
    number,
    numbers,
    significant,
    transform,
)
from figmill.svg.xml.path_data import path, points
from figmill.svg.xml.units import LENGTH, PX

NUMERIC = vocabulary.COORDINATES | vocabulary.NUMBERS | {"viewBox"}
# Attributes that hold names, text or colours, or that are parsed part by part elsewhere: `inf` may be valid there.
WORDED = (
    vocabulary.PAINTS
    | vocabulary.COLORS
    | vocabulary.TRANSFORMS
    | vocabulary.IDREFS
    | vocabulary.words(
        "id class href style lang font-family aria-label aria-roledescription d points xml:space"
    )
)
UNREAL = re.compile(r"(?<![a-z])(?:nan|inf(?:inity)?)(?![a-z])", re.I)
MEASURED = NUMERIC | vocabulary.TRANSFORMS | {"d", "points"}
UNTIDY = re.compile(r"[\t\r\n]|^ |  | $")
BLANKS = re.compile(r"[ \t\r\n]+")
POSITION = vocabulary.words("x y cx cy r rx ry d points")  # no effect on the outermost svg
SMALLEST, WIDEST = 0.001, 1e6  # px, of a side
UNEVEN = 0.005  # relative difference allowed between the two scales: Graphviz writes whole points
NARROWEST = 1e-6  # the least side of a viewBox, in its own units
# Three decimals are too few in bounding box units, where 1 is the whole shape.
RELATIVE = vocabulary.words("linearGradient radialGradient pattern filter mask") | vocabulary.FILTERS
# Further decimals: the error of a dash comes back with each repetition along a line.
MORE = dict.fromkeys(vocabulary.words("stroke-dasharray stroke-dashoffset"), 2)


def drop_unreal(draft: Draft, _sheet: Sheet) -> None:
    """Remove NaN and infinity, which spreadsheets leave for missing numbers and viewers ignore."""
    for node in draft.root.walk():
        for name in [name for name in node.attrib if name not in WORDED and UNREAL.search(node.attrib[name])]:
            _warn_unreal(draft, node, f'{name}="{node.attrib.pop(name)[:40]}"')
        parts = node.attrib.get("style", "").split("; ")
        real = [part for part in parts if not UNREAL.search(part) and "--" not in part]
        if real != parts:
            for part in parts:
                if part not in real:
                    _warn_unreal(draft, node, part[:60])
            node.attrib["style"] = "; ".join(real)
            if not real:
                del node.attrib["style"]


def clamp_numbers(draft: Draft, _sheet: Sheet) -> None:
    """Replace numbers beyond the limits, which tools write for infinity: browsers compute in single precision."""
    cut: list[Element] = []
    for node in draft.root.walk():
        for name, value in node.attrib.items():
            if (name in MEASURED or name == "style") and (text := clamped(value)) != value:
                node.attrib[name] = text
                cut.append(node)
    if cut:
        many = "" if len(cut) == 1 else f" (in {len(cut)} places)"
        message = f"a number beyond {LARGEST:,.0f} is cut to that{many}, which looks the same"
        draft.warn("unreadable-value", cut[0], message)


def _warn_unreal(draft: Draft, node: Element, what: str) -> None:
    draft.warn("unreadable-value", node, f"{what} is not a number and has no effect")


def set_size(draft: Draft, sheet: Sheet) -> None:
    """Set width and height in px, computed from the viewBox if missing or relative; and the reverse."""
    root = draft.root
    _stay_in_place(root)
    box = view_box(root)
    if "viewBox" in root.attrib and box is None:
        reason = f"viewBox '{root.attrib['viewBox'][:60]}' is not four numbers up to {LARGEST:,.0f}"
        raise BreachError(root, f"{reason} with a size above 0")
    if box is not None and min(box[2:]) < NARROWEST:
        reason = f"viewBox '{root.attrib['viewBox'][:60]}' is too small to be drawn in"
        raise BreachError(root, f"{reason}: its sides must be {fixed(NARROWEST, 6)} at least")
    if box is not None and max(box[0] + box[2], box[1] + box[3]) > LARGEST:
        reason = f"viewBox '{root.attrib['viewBox'][:60]}' reaches beyond {LARGEST:,.0f}"
        raise BreachError(root, f"{reason}; move the drawing to where its numbers are smaller")
    width, height = _pixels(root, "width"), _pixels(root, "height")
    if box is None:
        if width is None or height is None:
            raise BreachError(root, "the drawing has no size: give the root a viewBox, or width and height")
        box = (0.0, 0.0, width, height)
    if sheet.width is not None:
        width, height = sheet.width, None
    if width is None:
        width = box[2] if height is None else height * box[2] / box[3]
    if height is None:
        height = width * box[3] / box[2]
    if "none" not in (fit := root.attrib.get("preserveAspectRatio", "")) and "slice" not in fit:
        width, height = _without_bands(width, height, box)
    for name, value in (("width", width), ("height", height)):
        if not SMALLEST <= value <= WIDEST:
            reason = f"the {name} that follows from the viewBox is {significant(value)} px"
            raise BreachError(root, f"{reason}; a figure has {SMALLEST} to {WIDEST:,.0f} px")
    places = DECIMALS if max(width / box[2], height / box[3]) < 14 else 9
    root.attrib["width"], root.attrib["height"] = fixed(width), fixed(height)
    root.attrib["viewBox"] = " ".join(
        fixed(value, places) if abs(value) >= 1 else significant(value) for value in box
    )


def _without_bands(width: float, height: float, box: ViewBox) -> tuple[float, float]:
    """The size without the empty bands beside a viewBox of another shape, which Graphviz's `margin` leaves."""
    scales = (width / box[2], height / box[3])
    if max(scales) <= (1 + UNEVEN) * min(scales):
        return width, height
    return min(scales) * box[2], min(scales) * box[3]


def _stay_in_place(root: Element) -> None:
    """Keep a figure in its own box on a page: CSS sizes become attributes, and nothing may move or enlarge the root."""
    if "transform" in root.attrib:
        raise BreachError(root, "transform on the root moves the figure itself; put it on a <g>")
    root.attrib.pop("overflow", None)  # Illustrator writes it; a picture never shows more than its box
    rest = []
    for part in filter(None, root.attrib.pop("style", "").split("; ")):
        name, _, value = part.partition(": ")
        if name.startswith("transform"):
            raise BreachError(root, f"{name} on the root moves the figure itself; put it on a <g>")
        if name in ("width", "height"):
            root.attrib[name] = value
        elif name not in POSITION:
            rest.append(part)
    if rest:
        root.attrib["style"] = "; ".join(rest)
    for name in POSITION & root.attrib.keys():
        del root.attrib[name]


def _pixels(root: Element, name: str) -> float | None:
    """A length of the root in px; None if it is missing or depends on the page around it."""
    text = root.attrib.get(name, "auto")
    match = LENGTH.fullmatch(text)
    if match is None or match[2].lower() not in PX:
        return None
    value = number(match[1]) * PX[match[2].lower()]
    if not SMALLEST <= value <= WIDEST:
        raise BreachError(root, f'{name}="{text[:60]}" is not a size that a figure can have')
    return value


def round_numbers(draft: Draft, _sheet: Sheet) -> None:
    """Write every number in its final form; a path is kept up to its first error, which is how it is drawn."""
    nodes = draft.root.walk()
    for node in nodes:
        _round_transforms(draft, node)
    more = decimals(draft.root)
    for node in nodes:
        if node is draft.root:  # its size is already final, and its inherited numbers stay as written
            _round(draft, Element(node.tag, node.attrib.copy(), number=node.number), DECIMALS)
            for name in [
                name
                for name in vocabulary.COORDINATES & node.attrib.keys()
                if node.attrib[name][-1:].isalpha()
            ]:
                node.attrib[name] = coordinates(node.attrib[name], 9)
        else:
            _round(draft, node, more.get(node, DECIMALS))


def _round_transforms(draft: Draft, node: Element) -> None:
    if vocabulary.TRANSFORMS.isdisjoint(node.attrib):
        return
    for name in vocabulary.TRANSFORMS & node.attrib.keys():
        text = transform(node.attrib[name])
        if text:
            node.attrib[name] = text
            continue
        if text is None:
            message = f'{name}="{node.attrib[name][:60]}" cannot be read and has no effect'
            draft.warn("unreadable-value", node, message)
        del node.attrib[name]


def _round(draft: Draft, node: Element, places: int) -> None:
    relative = node.tag in RELATIVE and "userSpaceOnUse" not in node.attrib.values()
    for name, value in node.attrib.items():
        if name == "d" or name == "points":
            text, complete = (path if name == "d" else points)(value, places)
            if not complete:
                message = f"{name} of <{node.tag}> cannot be read to its end; the rest is not drawn"
                draft.warn("unreadable-value", node, message)
        elif name in vocabulary.COORDINATES and not relative:
            text = coordinates(value, places + MORE.get(name, 0))
        elif name in NUMERIC:
            text = numbers(value)
        else:
            text = BLANKS.sub(" ", value).strip(" ") if UNTIDY.search(value) else value
        if text is not value:
            node.attrib[name] = text
