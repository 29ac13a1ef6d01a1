"""The displayed size of an <image>, written out if viewers would take it from the picture."""

from __future__ import annotations

from figmill.svg.document import Element
from figmill.svg.xml.numbers import fixed, plain
from figmill.svg.xml.units import LENGTH, PX


def set_size(image: Element, width: float, height: float) -> None:
    """Write out width and height; the arguments are the picture's own, in px. One given side keeps proportions."""
    stated = {name: image.attrib.get(name, "auto").strip() for name in ("width", "height")}
    across, down = (None if text in ("", "auto") else _px(text) for text in stated.values())
    if stated["width"] in ("", "auto"):
        image.attrib["width"] = fixed(width if not down else down * width / height)
    if stated["height"] in ("", "auto"):
        image.attrib["height"] = fixed(height if not across else across * height / width)


def _px(text: str) -> float | None:
    match = LENGTH.fullmatch(text)
    if match is None or match[2].lower() not in PX:
        return None
    return (plain(match[1]) or 0.0) * PX[match[2].lower()]
