"""Formulas between `$$` in labels, set as in plots.

A character for private use stands for each while Mermaid lays out; the driver knows its size, and says where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from lxml import etree

from figmill.kind import AuthorError, Origin
from figmill.kind.formulas import UNIT, Formula, FormulaError, formula
from figmill.kind.source_text import unescaped
from figmill_kinds.mermaid.icons import Icon
from figmill_kinds.mermaid.text import body_of

SVG = "{http://www.w3.org/2000/svg}"
PLACE = "data-formula"
AS_TEXT = "text-anchor: start; dominant-baseline: auto"
FIRST, MOST = 0xE000, 3_000  # characters for private use
# Prices are not formulas: a formula that begins with a digit has an operator of TeX, or ends like a formula.
_FORMULA = re.compile(r"\$\$(?:(?=[^$\n]*[\\^_{])|(?!\s*\d)|(?=[^$\n]*[^\s$]\$\$(?!\d)))([^$\n]+)\$\$")
_FILL = re.compile(r"(?:^|;)\s*fill\s*:\s*([^;!]+)")


Apart = Mapping[str, tuple[str, Formula | Icon]]  # by its character: its source, and its drawing


def free(text: str) -> Iterator[str]:
    """Characters that may stand for something in a source."""
    return (chr(code) for code in range(FIRST, FIRST + MOST) if chr(code) not in text)


def marked(
    text: str, source: str, fonts: Sequence[str], free: Iterator[str]
) -> tuple[str, dict[str, tuple[str, Formula]]]:
    """A source with a character in place of each formula in its labels, and by character the formula, written and set.

    Raises AuthorError for a formula that cannot be set.
    """
    by_sign: dict[str, tuple[str, Formula]] = {}
    if "$$" not in text:
        return text, by_sign
    lines = text.split("\n")
    signs: dict[str, str] = {}
    for number, line in body_of(text):
        parts, end = [], 0
        for match in _FORMULA.finditer(line):
            if match[0] not in signs:
                try:
                    drawing = formula(unescaped(match[1]).strip(), tuple(fonts))
                except FormulaError as error:
                    at = Origin(source, number, match.start() + 1)
                    raise AuthorError(at, f"the formula '{match[0]}' cannot be set: {error}") from None
                sign = next(free, None)
                if sign is None:
                    raise AuthorError(
                        Origin(source, number), f"this is formula {MOST + 1:,}; a figure may have {MOST:,}"
                    )
                signs[match[0]] = sign
                by_sign[sign] = (match[0], drawing)
            parts += [line[end : match.start()], signs[match[0]]]
            end = match.end()
        if parts:
            lines[number - 1] = "".join((*parts, line[end:]))
    return "\n".join(lines), by_sign


def sizes(apart: Apart) -> dict[str, tuple[str, float, float, float]]:
    """For the driver: the source of each formula or icon, and its width, ascent and descent in em."""
    return {
        sign: (written, drawing.width / UNIT, drawing.ascent / UNIT, drawing.descent / UNIT)
        for sign, (written, drawing) in apart.items()
    }


def shown(root: etree._Element, apart: Apart) -> None:
    """Draw formulas and icons in their places, in the colour of the words around them."""
    for place in list(root.iter(f"{SVG}g")):
        if PLACE not in place.attrib:
            continue
        names = (PLACE, *(f"{PLACE}-{name}" for name in ("size", "left", "baseline", "fill")))
        sign, size, left, baseline, fill = (str(place.attrib.pop(name)) for name in names)
        label = next(place.itersiblings(f"{SVG}text", preceding=True))
        styles = (part.get("style", "") for part in label.iter())
        own = next((match[1].strip() for style in styles if (match := _FILL.search(str(style)))), fill)
        drawing = apart[sign][1]
        if isinstance(drawing, Icon):
            place.extend(drawing.drawn(float(size), float(left), float(baseline), own))
        else:
            for part in drawing.drawn(float(size), float(left), float(baseline)):
                part.set("style", f"fill: {own} !important; stroke: none !important; {AS_TEXT}")
                place.append(part)
