"""Flex containers of one line, which draw.io and web pages use to centre labels (CSS Flexbox 1, section 9)."""

from __future__ import annotations

import math

from figmill.svg.html.blocks import Flow, LabelLayout, anonymous
from figmill.svg.html.boxes import BoxContent, CssBox, LaidBox

START = ("normal", "flex-start", "start", "left", "stretch", "self-start")
END = ("flex-end", "end", "right", "self-end")


def items(box: CssBox) -> list[CssBox]:
    """The children as flex items; text between them is wrapped in an anonymous box."""
    children: list[CssBox] = []
    inline: list[BoxContent] = []
    for child in (*box.children, None):
        if isinstance(child, CssBox) or child is None:
            if any(not hasattr(part, "text") or part.text.strip() for part in inline):
                children.append(anonymous(inline, box.style))
            inline = []
        if isinstance(child, CssBox):
            children.append(child)
        elif child is not None:
            inline.append(child)
    return children


def limits(layout: LabelLayout, box: CssBox) -> tuple[float, float]:
    widths = [layout.limits(item) for item in _once(box)]
    gaps = box.style.gap * max(0, len(widths) - 1)
    if box.style.is_column:
        return max((low for low, _ in widths), default=0.0), max((high for _, high in widths), default=0.0)
    return math.fsum(low for low, _ in widths) + gaps, math.fsum(high for _, high in widths) + gaps


def _once(box: CssBox) -> list[CssBox]:
    """Replace the children by the flex items, so that the items are made only once."""
    box.children = list(items(box))
    return [child for child in box.children if isinstance(child, CssBox)]


def lay(layout: LabelLayout, box: CssBox, width: float, height: float | None) -> Flow:
    """Lay out the items in a row or a column."""
    flow = (_column if box.style.is_column else _row)(layout, box, width, height)
    for _, y, laid in flow.parts:
        if isinstance(laid, LaidBox) and laid.first is not None:
            flow.first, flow.last = y + laid.first, y + (laid.last or laid.first)
            break
    return flow


def _row(layout: LabelLayout, box: CssBox, width: float, height: float | None) -> Flow:
    style, parts = box.style, _once(box)
    gaps = style.gap * max(0, len(parts) - 1)
    bounds = [layout.limits(item) for item in parts]
    wished = [_wished(item, high, width) for item, (_, high) in zip(parts, bounds, strict=True)]
    free = width - gaps - math.fsum(wished)
    growing = math.fsum(item.style.flex_grow for item in parts)
    if free > 0 and growing:
        wished = [
            wish + free * item.style.flex_grow / growing for wish, item in zip(wished, parts, strict=True)
        ]
    elif free < 0:
        slack = [max(0.0, wish - low) for wish, (low, _) in zip(wished, bounds, strict=True)]
        part = min(1.0, -free / math.fsum(slack)) if math.fsum(slack) else 0.0
        wished = [wish - part * less for wish, less in zip(wished, slack, strict=True)]
    laid_items = []
    for item, wish in zip(parts, wished, strict=True):
        margin = item.style.margin
        around = math.fsum(0.0 if edge is None else edge.of(width) for edge in (margin.left, margin.right))
        laid_items.append(layout.box(item, width, height, max(0.0, wish - around)))
    tall = max((laid.top + laid.height + laid.bottom for laid in laid_items), default=0.0)
    line = tall if height is None else height
    x, between = _spread(style.justify_content, width - gaps - math.fsum(wished), len(laid_items))
    flow = Flow(height=tall)
    for item, laid, wish in zip(parts, laid_items, wished, strict=True):
        word = style.align_items if item.style.align_self == "auto" else item.style.align_self
        free_up = line - laid.top - laid.height - laid.bottom
        margin = item.style.margin
        if margin.top is None or margin.bottom is None:
            word = (
                "center"
                if margin.top is None and margin.bottom is None
                else "end"
                if margin.top is None
                else "start"
            )
        share = 0.5 if word == "center" else 1.0 if word in END else 0.0
        ahead = 0.0 if margin.left is None and margin.right is None else laid.left
        flow.parts.append((x + ahead, share * free_up + laid.top, laid))
        x += wish + between + style.gap
    return flow


def _wished(item: CssBox, most: float, width: float) -> float:
    size = item.style.width
    if size is not None and not isinstance(size, str) and size.share:
        return size.of(width)
    return most


def _column(layout: LabelLayout, box: CssBox, width: float, height: float | None) -> Flow:
    style, parts = box.style, _once(box)
    laid_items = []
    for item in parts:
        word = style.align_items if item.style.align_self == "auto" else item.style.align_self
        is_wide = word in ("normal", "stretch") and item.style.width is None
        laid_items.append((word, layout.box(item, width, None) if is_wide else layout.shrunk(item, width)))
    tall = math.fsum(laid.top + laid.height + laid.bottom for _, laid in laid_items) + style.gap * max(
        0, len(laid_items) - 1
    )
    free = 0.0 if height is None else height - tall
    y, between = _spread(style.justify_content, free, len(laid_items))
    flow = Flow(height=tall)
    for word, laid in laid_items:
        share = 0.5 if word == "center" else 1.0 if word in END else 0.0
        x = share * (width - laid.left - laid.width - laid.right)
        flow.parts.append((x + laid.left, y + laid.top, laid))
        y += laid.top + laid.height + laid.bottom + between + style.gap
    return flow


def _spread(word: str, free: float, count: int) -> tuple[float, float]:
    """The position of the first item, and the extra space between two items."""
    if word == "center":
        return free / 2, 0.0
    if word in END:
        return free, 0.0
    if word == "space-between" and count > 1:
        return 0.0, max(0.0, free) / (count - 1)
    if word == "space-around" and count:
        return max(0.0, free) / count / 2, max(0.0, free) / count
    if word == "space-evenly":
        return max(0.0, free) / (count + 1), max(0.0, free) / (count + 1)
    return 0.0, 0.0
