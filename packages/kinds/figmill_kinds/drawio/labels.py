"""Turns labels of draw.io into the HTML that its own SVG exports contain. Pure.

Settling lays out that HTML in the book's font and turns it into text. This module closes tags and selects attributes,
so that what an author typed is well-formed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from html.parser import HTMLParser
from types import MappingProxyType

from figmill.kind import TEXT, font_metrics
from figmill_kinds.drawio.model import Box
from figmill_kinds.drawio.styles import Style, colour, is_on, number

_XHTML = "http://www.w3.org/1999/xhtml"
# What the editor leaves in a label when cells are pasted into it.
_HIDDEN = re.compile(r"font-size:\s*0|(?:^|;)\s*color:\s*(?:transparent|rgba\([^)]*,\s*0\))")
_SIZE = re.compile(r"font-size:\s*(\d{1,3}(?:\.\d+)?)px")
KEPT = frozenset(
    (
        "a",
        "b",
        "big",
        "blockquote",
        "br",
        "center",
        "code",
        "dd",
        "del",
        "div",
        "dl",
        "dt",
        "em",
        "font",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "i",
        "ins",
        "li",
        "ol",
        "p",
        "pre",
        "s",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "tt",
        "u",
        "ul",
    )
)
BESIDE = 3  # px beside a label in front of a line, which would end at its first letter
ABOVE = 5  # px above a label at the top of its shape, besides its spacing
BELOW = 1  # px below a label at the bottom
SIZES = MappingProxyType(
    {str(n): size for n, size in enumerate((10, 13, 16, 18, 24, 32, 48), 1)}
)  # of <font size>
EMPTY = frozenset(("br", "hr"))
UNSEEN = frozenset(("script", "style", "title", "head", "template"))
ATTRIBUTES = frozenset(
    (
        "style",
        "color",
        "face",
        "size",
        "align",
        "valign",
        "bgcolor",
        "width",
        "height",
        "border",
        "cellpadding",
        "cellspacing",
    )
)
BREAKS = frozenset(["br", "div", "p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "tr"])


class _Cleaner(HTMLParser):
    """Tags that format text, closed in order; invisible content is left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.made: list[str] = []
        self.open: list[str] = []
        self.lines: list[str] = [""]  # the text alone, line by line
        self.sizes: list[float] = []  # what the open tags say about the size of text
        self.largest = 0.0
        self.hidden: list[bool] = []  # which open tags make text invisible
        self.unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in UNSEEN:
            self.unseen += 1
        if tag in BREAKS and (tag == "br" or self.lines[-1]):
            self.lines.append("")
        if tag not in KEPT or self.unseen or len(self.open) > 60:
            return
        given = "".join(
            f' {name}="{escape(value or "")}"'
            for name, value in dict(attrs).items()
            if name in ATTRIBUTES or (name == "href" and (value or "").startswith("https://"))
        )
        self.made.append(f"<{tag}{given}{'/' * (tag in EMPTY)}>")
        if tag not in EMPTY:
            self.open.append(tag)
            self.sizes.append(_size_of(dict(attrs)))
            self.hidden.append(bool(_HIDDEN.search(dict(attrs).get("style") or "")))

    def handle_endtag(self, tag: str) -> None:
        if tag in UNSEEN:
            self.unseen = max(0, self.unseen - 1)
        if tag in self.open:
            while True:
                last = self.open.pop()
                self.sizes.pop()
                self.hidden.pop()
                self.made.append(f"</{last}>")
                if last == tag:
                    break

    def handle_data(self, data: str) -> None:
        if self.unseen or any(self.hidden):
            return
        for row, part in enumerate(data.split("\n")):
            if row:
                self.made.append("<br/>")
                self.lines.append("")
            text = "".join(letter for letter in part if letter >= " " or letter == "\t")
            self.made.append(escape(text, quote=False))
            self.lines[-1] += text.replace("\u200b", "")
            if text.strip():
                self.largest = max(self.largest, next((size for size in reversed(self.sizes) if size), 0.0))


def _size_of(attributes: Mapping[str, str | None]) -> float:
    """The size of text in px that a tag sets; 0: none."""
    match = _SIZE.search(attributes.get("style") or "")
    return float(match[1]) if match else float(SIZES.get(attributes.get("size") or "", 0))


def cleaned(label: str, is_html: bool) -> tuple[str, tuple[str, ...]]:
    """A label as well-formed XHTML, and its lines of text."""
    html, lines, _ = _read(label, is_html)
    return html, lines


def _read(label: str, is_html: bool) -> tuple[str, tuple[str, ...], float]:
    """A label as well-formed XHTML, its lines of text, and the largest size that its tags set; 0: none."""
    reader = _Cleaner()
    reader.feed(label if is_html else escape(label, quote=False))
    reader.close()
    reader.made += [f"</{tag}>" for tag in reversed(reader.open)]
    lines = tuple(line for line in (line.strip() for line in reader.lines) if line)
    return ("".join(reader.made), lines, reader.largest) if lines else ("", (), 0.0)


@dataclass(frozen=True, slots=True)
class Label:
    """Text to set in a box. align and upright: where in the box; turn: degrees around its middle."""

    html: str
    lines: tuple[str, ...]
    box: Box
    style: Style
    align: str
    upright: str
    wraps: bool
    turn: float = 0.0
    largest: float = 0.0  # px of its largest text, if tags set it

    def ink(self) -> Box:
        """The approximate place where the text is visible."""
        size = max(number(self.style, "fontSize", 12), self.largest)
        is_bold = bool(int(number(self.style, "fontStyle")) & 1)
        width = max(font_metrics.measure(line, size, bold=is_bold) for line in self.lines)
        rows = len(self.lines)
        if self.wraps and width > self.box.width:
            rows, width = rows + int(width // max(self.box.width, size)), max(self.box.width, size)
        height = rows * size * 1.2
        x = {"left": self.box.x, "right": self.box.right - width}.get(
            self.align, self.box.centre[0] - width / 2
        )
        y = {"top": self.box.y, "bottom": self.box.bottom - height}.get(
            self.upright, self.box.centre[1] - height / 2
        )
        if self.turn % 180 == 90:
            middle_x, middle_y = self.box.centre
            return Box(middle_x - (y + height - middle_y), middle_y - (x + width - middle_x), height, width)
        return Box(x, y, width, height)

    def drawn(self, left: float, top: float) -> str:
        """The label in a picture that begins at a place."""
        x, width = self.box.x - left, max(1.0, self.box.width)
        y = {"top": self.box.y, "bottom": self.box.bottom}.get(self.upright, self.box.centre[1]) - top
        across = {"left": "flex-start", "right": "flex-end"}.get(self.align, "center")
        down = {"top": "flex-start", "bottom": "flex-end"}.get(self.upright, "center")
        outer = (
            f"display: flex; align-items: unsafe {down}; justify-content: unsafe {across}; width: {width:.2f}px; "
            f"height: 1px; padding-top: {y:.2f}px; margin-left: {x:.2f}px;"
        )
        body = (
            f'<foreignObject width="100%" height="100%" style="overflow: visible; text-align: left;">'
            f'<div xmlns="{_XHTML}" style="{outer}"><div style="font-size: 0px; text-align: {self.align};">'
            f'<div style="{self._font()}">{self.html}</div></div></div></foreignObject>'
        )
        if not self.turn:
            return body
        middle_x, middle_y = self.box.centre
        return f'<g transform="rotate({self.turn:g} {middle_x - left:.2f} {middle_y - top:.2f})">{body}</g>'

    def _font(self) -> str:
        marks = int(number(self.style, "fontStyle"))
        family = self.style.get("fontFamily", "")
        mono = any(word in family.lower() for word in ("courier", "mono", "consolas", "menlo"))
        size = max(1.0, min(1000.0, number(self.style, "fontSize", 12)))
        ground = colour(self.style, "labelBackgroundColor", otherwise="#ffffff")
        parts = {
            "display": "inline-block",
            "font-size": f"{size:g}px",
            "font-family": "monospace" if mono else "Helvetica",
            "color": colour(self.style, "fontColor", "default", TEXT[0]) or TEXT[0],
            "line-height": "1.2",
            "white-space": "normal" if self.wraps else "nowrap",
            "font-weight": "bold" if marks & 1 else "",
            "font-style": "italic" if marks & 2 else "",
            "text-decoration": " ".join(
                word for bit, word in ((4, "underline"), (8, "line-through")) if marks & bit
            ),
            "background-color": ground,
            "padding": f"0 {BESIDE}px" if ground else "",
        }
        return " ".join(f"{name}: {value};" for name, value in parts.items() if value)


def label_of(text: str, style: Style, area: Box, turn: float = 0.0) -> Label | None:
    """The label of a shape, in the part of the shape that is for text; None without text."""
    if is_on(style, "noLabel"):
        return None
    html, lines, largest = _read(text, is_on(style, "html"))
    if not html:
        return None
    align, upright = style.get("align", "center"), style.get("verticalAlign", "middle")
    beside, above = style.get("labelPosition", "center"), style.get("verticalLabelPosition", "middle")
    x, y = area.x, area.y
    x += {"left": -area.width, "right": area.width}.get(beside, 0.0)
    y += {"top": -area.height, "bottom": area.height}.get(above, 0.0)
    gap = number(style, "spacing", 2)
    left, right, top, bottom = (
        number(style, f"spacing{name}") for name in ("Left", "Right", "Top", "Bottom")
    )
    top, bottom = top + ABOVE * (upright == "top"), bottom + BELOW * (upright == "bottom")
    if style.get("overflow") in ("fill", "width"):
        gap = left = right = top = bottom = 0.0
    wraps = style.get("whiteSpace") == "wrap" or style.get("overflow") in ("fill", "width")
    x, width = x + gap + left, area.width - 2 * gap - left - right
    if wraps and gap:  # text has 2 px more than the room between its spacings
        x, width = x - {"left": 0, "right": 2}.get(align, 1), width + 2
    y, height = y + gap + top, area.height - 2 * gap - top - bottom
    return Label(
        html, lines, Box(x, y, max(1.0, width), max(1.0, height)), style, align, upright, wraps, turn, largest
    )
