"""An interactive figure in a page: its pictures as JSON, and its controls as HTML, for figmill-explore.js. Pure.

The controls are in the page from the start, hidden: nothing moves when the script makes them work. The style sheet
keeps their place where scripts run; elsewhere the page has the figure alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from figmill.publish import quantities
from figmill.publish.quantities import Translate

RADIOS = 2  # numbers to choose from, above which they become a range
MOST_ROOM = 2  # times the height of the declared picture that is kept free for taller ones
# Characters that HTML or its converters might interpret -> their JSON escapes. In JSON they occur only in strings.
_SPELT = str.maketrans({letter: f"\\u{ord(letter):04x}" for letter in "&<>'`*_~$|"})


def reduced(row: Mapping[str, Any]) -> dict[str, Any]:
    """The key `explore` of a manifest row, reduced to what a page needs. Raises KeyError or TypeError."""
    pictures = [
        {
            **{key: picture[key] for key in ("alt", "caption", "facts")},
            "files": [
                {key: file[key] for key in ("theme", "path", "width", "height")} for file in picture["files"]
            ],
        }
        for picture in row["pictures"]
    ]
    return {"parameters": row["parameters"], "declared": row["declared"], "pictures": pictures}


def room(row: Mapping[str, Any], across: int, least: str) -> Element | None:
    """The room for taller pictures below the declared one, as an element of that shape, which the script replaces.

    across: the width of the declared picture in the page, in px; least: the class that keeps it legible.
    """
    files = [picture["files"][0] for picture in row["pictures"]]
    declared = files[row["declared"]]
    tallest = min(max(file["height"] for file in files), MOST_ROOM * declared["height"])
    down = round(across / (declared["width"] or 1) * (tallest - declared["height"]))
    if not down:
        return None
    names = f"figmill-room {least}".strip()
    return Element("canvas", {"class": names, "width": f"{across}", "height": f"{down}"})


def controls(label: str, row: Mapping[str, Any], say: Translate) -> Element:
    """The controls of a figure, hidden until the script has come.

    row: as `reduced` returns it. say: translates a text.
    """
    texts = {
        name: [quantities.in_words(name, value, say) for value in values]
        for name, values in row["parameters"].items()
    }
    lines = quantities.lines([picture["facts"] for picture in row["pictures"]], say)
    whole = json.dumps({**row, "texts": texts, "lines": lines}, separators=(",", ":")).translate(_SPELT)
    place = Element("div", {"class": "figmill-explore", "hidden": "hidden", "data-figmill-figure": label})
    place.set("data-figmill-explore", whole)
    group = SubElement(place, "div", {"class": "figmill-controls", "role": "group"})
    for name, at in zip(texts, _positions(row), strict=True):
        group.append(_control(name, row["parameters"][name], texts[name], at))
    status = SubElement(place, "div", {"class": "figmill-status"})
    SubElement(status, "button", {"type": "button", "aria-expanded": "false"}).text = say("Data")
    facts = SubElement(status, "p", {"class": "figmill-facts", "role": "status", "aria-live": "polite"})
    facts.text = lines[row["declared"]]
    reset = SubElement(status, "button", {"type": "button", "class": "figmill-reset", "disabled": "disabled"})
    reset.text = say("Reset")
    return place


def _control(name: str, values: Sequence[Any], texts: Sequence[str], at: int) -> Element:
    """A range for numbers, radio buttons for everything else. at: the position of the declared value."""
    if len(values) > RADIOS and all(map(quantities.is_number, values)):
        control = Element("div", {"class": "figmill-control"})
        SubElement(control, "label").text = quantities.label(name)
        SubElement(control, "input", {"type": "range", "min": "0", "max": str(len(values) - 1), "step": "1"})
        # the range says it
        SubElement(control, "span", {"class": "figmill-value", "aria-hidden": "true"}).text = texts[at]
        return control
    control = Element("fieldset", {"class": "figmill-control"})
    SubElement(control, "legend").text = quantities.label(name)
    for number, text in enumerate(texts):
        label = SubElement(control, "label")
        SubElement(label, "input", {"type": "radio", "value": str(number)})
        SubElement(label, "span").text = text
    return control


def _positions(row: Mapping[str, Any]) -> list[int]:
    """The positions of the declared values: the last parameter varies fastest."""
    positions, rest = [], row["declared"]
    for values in reversed(row["parameters"].values()):
        rest, position = divmod(rest, len(values))
        positions.append(position)
    return positions[::-1]
