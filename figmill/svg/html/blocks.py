"""Lays out boxes: blocks below each other, inline blocks shrunk to fit, list items with their markers.

CSS 2.1, chapters 8 to 10, as far as labels need it. flex.py and tables.py lay out flex boxes and tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from figmill.font_metrics import measure
from figmill.late_dataclasses import dataclass
from figmill.svg.html.boxes import BoxContent, Bullet, CssBox, LaidBox, LaidPart, LineBox, LinePiece, Plate
from figmill.svg.html.css.style import ComputedStyle, Edges, below
from figmill.svg.html.css.values import Size, px
from figmill.svg.html.elements import NESTED_BULLETS
from figmill.svg.html.lines import limits, set_lines
from figmill.svg.html.paragraph import Paragraph, ParagraphWriter, extent

SHRINKS = frozenset(("inline-block", "inline-flex", "inline-table", "table", "table-cell"))
LEAST_BULLET = 8.0  # px between a bullet and its text, added to what the font requires


@dataclass(slots=True)
class Flow:
    """The content of a box: its height, its baselines, and the margins that collapse through the box."""

    height: float = 0.0
    first: float | None = None
    last: float | None = None
    parts: list[tuple[float, float, LaidPart]] = field(default_factory=list)
    top: float = 0.0
    bottom: float = 0.0


class LabelLayout:
    """Lays out the boxes of one label; each is measured once."""

    def __init__(self, inner: Mapping[str, Inner], natural: Mapping[str, Natural]) -> None:
        """inner, natural: by `display`, how content other than normal flow is laid out and measured."""
        self.inner = inner
        self.natural = natural
        self._limits: dict[CssBox, tuple[float, float]] = {}
        self._groups: dict[CssBox, list[CssBox | Paragraph]] = {}

    # Intrinsic widths.

    def limits(self, box: CssBox) -> tuple[float, float]:
        """Minimum and maximum width of the margin box."""
        if box not in self._limits:
            self._limits[box] = self._measured(box)
        return self._limits[box]

    def _measured(self, box: CssBox) -> tuple[float, float]:
        style = box.style
        extra = _across(style.padding) + style.borders[1].width + style.borders[3].width
        around = _across(style.margin)
        width = style.width
        if isinstance(width, Size) and not width.share:
            inside = width.px - extra if style.is_border_box else width.px
            least = most = max(0.0, inside)
        else:
            least, most = self.natural.get(style.display, LabelLayout.flow_limits)(self, box)
        low, high = style.min_size[0], style.max_size[0]
        border = extra if style.is_border_box else 0.0
        if high is not None and not high.share:
            least, most = (min(value, max(0.0, high.px - border)) for value in (least, most))
        if low is not None and not low.share:
            least, most = (max(value, low.px - border) for value in (least, most))
        return least + extra + around, most + extra + around

    def flow_limits(self, box: CssBox) -> tuple[float, float]:
        least = most = 0.0
        for part in self.groups(box):
            low, high = limits(part, self.limits) if isinstance(part, Paragraph) else self.limits(part)
            least, most = max(least, low), max(most, high)
        return least, most

    def groups(self, box: CssBox) -> list[CssBox | Paragraph]:
        """The content of a box: blocks, and a paragraph for each run of inline content between them."""
        if box not in self._groups:
            parts: list[CssBox | Paragraph] = []
            inline: list[BoxContent] = []
            for child in (*box.children, None):
                if child is not None and not (isinstance(child, CssBox) and child.is_block):
                    inline.append(child)
                    continue
                if inline:
                    paragraph = ParagraphWriter(box.style).write(inline)
                    if not paragraph.is_blank:
                        parts.append(paragraph)
                    inline = []
                if isinstance(child, CssBox):
                    parts.append(child)
            self._groups[box] = parts
        return self._groups[box]

    # Boxes in the room available to them.

    def shrunk(self, box: CssBox, room: float) -> LaidBox:
        """A box shrunk to fit its content: an inline block, for example."""
        least, most = self.limits(box)
        around = _across(box.style.margin)
        return self.box(box, room, None, min(max(least, room), most) - around)

    def box(self, box: CssBox, room: float, height: float | None, forced: float | None = None) -> LaidBox:
        """Lay out a border box. room: the content width around it; height: the content height around it, if known.

        forced: the width of the border box, if it is already decided.
        """
        style = box.style
        edges = Edges(*(Size(_of(edge, room)) for edge in _all(style.padding)))
        borders = style.borders
        left, right = px(edges.left) + borders[3].width, px(edges.right) + borders[1].width
        upper, lower = px(edges.top) + borders[0].width, px(edges.bottom) + borders[2].width
        outer = self._width(box, room, left + right) if forced is None else forced
        inside = max(0.0, outer - left - right)
        tall = _definite(style.height, height)
        if tall is not None and style.is_border_box:
            tall = max(0.0, tall - upper - lower)
        flow = self.inner.get(style.display, LabelLayout.flow)(self, box, inside, tall)
        content = flow.height
        is_apart = style.display not in ("block", "list-item") or style.clips_overflow
        if is_apart or upper:
            content += flow.top
        if is_apart or lower or tall is not None:
            content += flow.bottom
        offset = upper + (flow.top if is_apart or upper else 0.0)
        whole = (content if tall is None else tall) + upper + lower
        border = 0.0 if style.is_border_box else upper + lower
        if (high := _definite(style.max_size[1], height)) is not None:
            whole = min(whole, high + border)
        if (low := _definite(style.min_size[1], height)) is not None:
            whole = max(whole, low + border)
        laid = LaidBox(outer, whole, clips=style.clips_overflow)
        laid.first = None if flow.first is None else flow.first + offset
        laid.last = None if flow.last is None else flow.last + offset
        if style.is_visible:
            laid.parts.append((0.0, 0.0, Plate(outer, whole, style)))
        laid.parts += [(x + left, y + offset, part) for x, y, part in flow.parts]
        if box.marker is not None:
            _mark(laid, box, left)
        self._margins(laid, box, room, is_apart, bool(upper), bool(lower) or tall is not None, flow)
        return laid

    def _width(self, box: CssBox, room: float, extra: float) -> float:
        """The width of the border box by its own style."""
        style = box.style
        margins = _across(style.margin, room)
        if isinstance(style.width, Size):
            width = max(0.0, style.width.of(room)) + (0.0 if style.is_border_box else extra)
        elif style.width is not None or style.display in SHRINKS:
            least, most = (value - _across(style.margin) for value in self.limits(box))
            free = room - margins
            width = {"max-content": most, "min-content": least}.get(
                str(style.width), min(max(least, free), most)
            )
        else:
            width = max(0.0, room - margins)
        border = 0.0 if style.is_border_box else extra
        if style.max_size[0] is not None:
            width = min(width, style.max_size[0].of(room) + border)
        if style.min_size[0] is not None:
            width = max(width, style.min_size[0].of(room) + border)
        return max(width, extra)

    def _margins(
        self, laid: LaidBox, box: CssBox, room: float, is_apart: bool, upper: bool, lower: bool, flow: Flow
    ) -> None:
        margin = box.style.margin
        laid.top, laid.bottom = _of(margin.top, room), _of(margin.bottom, room)
        if not is_apart:
            laid.top = laid.top if upper else collapsed(laid.top, flow.top)
            laid.bottom = laid.bottom if lower else collapsed(laid.bottom, flow.bottom)
        laid.left, laid.right = _of(margin.left, room), _of(margin.right, room)
        free = room - laid.width - laid.left - laid.right
        if margin.left is None and margin.right is None:
            laid.left = laid.right = max(0.0, free / 2)
        elif margin.left is None:
            laid.left = max(0.0, free)

    def flow(self, box: CssBox, width: float, height: float | None) -> Flow:
        """Lay out blocks and paragraphs below each other."""
        content = Flow()
        pending: float | None = None  # the margin below the last part; None before the first
        for part in self.groups(box):
            laid = (
                set_lines(part, width, self.shrunk)
                if isinstance(part, Paragraph)
                else self.box(part, width, height)
            )
            if pending is None:
                content.top = laid.top
            else:
                content.height += collapsed(pending, laid.top)
            x = laid.left
            if (
                box.style.text_align == "-webkit-center"
                and isinstance(part, CssBox)
                and part.style.display == "table"
            ):
                x = max(0.0, (width - laid.width) / 2)
            content.parts.append((x, content.height, laid))
            for name in ("first", "last"):
                base = getattr(laid, name)
                if base is not None and (name == "last" or content.first is None):
                    setattr(content, name, base + content.height)
            content.height += laid.height
            pending = laid.bottom
        content.bottom = pending or 0.0
        return content


Inner = Callable[[LabelLayout, CssBox, float, "float | None"], Flow]
Natural = Callable[[LabelLayout, CssBox], "tuple[float, float]"]


def collapsed(upper: float, lower: float) -> float:
    """Two adjoining margins, collapsed (CSS 2.1, 8.3.1)."""
    return max(upper, lower, 0.0) + min(upper, lower, 0.0)


def anonymous(content: list[BoxContent], style: ComputedStyle) -> CssBox:
    """An anonymous box around content without a box of its own."""
    return CssBox(replace(below(style), display="block"), content)


def _all(edges: Edges) -> tuple[Size | None, ...]:
    return edges.top, edges.right, edges.bottom, edges.left


def _of(edge: Size | None, whole: float) -> float:
    return 0.0 if edge is None else edge.of(whole)


def _across(edges: Edges, whole: float = 0.0) -> float:
    return _of(edges.left, whole) + _of(edges.right, whole)


def _definite(length: Size | None, whole: float | None) -> float | None:
    if length is None or (length.share and whole is None):
        return None
    return max(0.0, length.of(whole or 0.0))


def _mark(laid: LaidBox, box: CssBox, left: float) -> None:
    """The marker of a list item, placed outside its text as in Chromium."""
    style, marker = box.style, box.marker or ""
    up, down = extent(style)
    base = laid.first if laid.first is not None else up
    if marker in NESTED_BULLETS:
        share = up * 2 // 3
        width = (share + 1) // 2
        laid.parts.append(
            (left - share - LEAST_BULLET, base - up + 3 * (up - share) // 2, Bullet(marker, width, style))
        )
        return
    width = measure(marker, style.font_size, style.bold, style.italic, style.mono)
    gap = measure(" ", style.font_size, style.bold, style.italic, style.mono)
    piece = LinePiece(marker, style, 0.0, None)
    laid.parts.insert(0, (left - width - gap, base, LineBox((piece,), width, "end")))
    if laid.first is None:
        laid.height = max(laid.height, up + down)
