"""How much work a figure makes for a browser: filters, masks, dashes, gradients. Each has a bound.

A short file can demand a minute of painting: two hundred chained blurs, a million dashes. Areas, steps and dashes are
counted. A figure may reach one bound, or half of each of two. At a bound, Chromium needs a second or two without a
graphics card. No real drawing comes near a bound.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import chain, pairwise, starmap
from typing import TypeAlias

from figmill.late_dataclasses import dataclass
from figmill.svg.checks.filter_cost import steps_of
from figmill.svg.document import BreachError, Draft, Element
from figmill.svg.geometry.display_list import EFFECTS, drawn
from figmill.svg.geometry.outlines import Bounds
from figmill.svg.geometry.precision import view_box
from figmill.svg.geometry.scene import Effect, PaintedShape, Scene, bounds, rings
from figmill.svg.geometry.text_layout import chunks
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import plain
from figmill.svg.xml.references import urls

MAX_STOPS = 1000  # the most stops of a gradient: a screen shows 256 steps of a colour
SLACK = 1.25  # for published figures, whose amounts may shift with rounding and the page
ENOUGH = 60.0  # times the bounds; counting stops there


@dataclass(frozen=True, slots=True)
class PaintLimit:
    """The most of one thing that a figure may make a browser paint, and the name for it."""

    most: float
    what: str


FILTERS = PaintLimit(100, "megapixels of filter steps, each times its weight")
EFFECTS_AT_ALL = PaintLimit(10_000, "filters and masks")
MASKS = PaintLimit(100, "megapixels of masks")
LAYERS = PaintLimit(500, "megapixels of groups that are see-through or blended as a whole")  # 450 took 1.7 s
AREAS = PaintLimit(1000, "megapixels of areas that lie over each other")
DASHES = PaintLimit(200_000, "dashes")
OUTLINES = PaintLimit(12_500_000, "px of long outlines")  # a path of 32,000 sides across the view took 3.2 s
# 25 million took 1.3 s
ALONG = PaintLimit(20_000_000, "points of paths with words along them, for each run of words")
# The shapes and texts in one of these, for each use. A thousand on a thousand lines took 4 s in a marker, 4.5 s in a
# clip, 2 s in a pattern, 0.3 s in a mask.
AGAIN = {
    "marker": PaintLimit(250_000, "shapes in <marker>"),
    "clipPath": PaintLimit(250_000, "shapes in <clipPath>"),
    "pattern": PaintLimit(500_000, "shapes in <pattern>"),
    "mask": PaintLimit(1_000_000, "shapes in <mask>"),
}
FILLED = 0.375  # share of the cost of a stroked outline
SHADED = 12.0  # times the area: a gradient
NESTED = 2.0  # times a filter inside a filter
FEW = 50  # shapes that may each cover the whole picture
SHORT = 20_000  # characters of all paths together
MOST_WITHIN = 1_000_000  # shapes inside filters and masks, counted once per enclosing effect
MAX_STEPS = 200  # the most steps of a filter: drawing tools write about ten
HANDED_DOWN = vocabulary.words("fill stroke marker-start marker-end")
HOLDERS = vocabulary.words("pattern marker mask clipPath")
Amount: TypeAlias = tuple[PaintLimit, float, Element]


def check_stops(draft: Draft) -> None:
    """Raise BreachError for a gradient with too many stops or a filter with too many steps."""
    for node in draft.root.walk():
        if node.tag in ("linearGradient", "radialGradient") and len(node.children) > MAX_STOPS:
            count = sum(child.tag == "stop" for child in node.elements())
            if count > MAX_STOPS:
                raise BreachError(node, f"a gradient of {count:,} stops; at most {MAX_STOPS:,} are allowed")
        if node.tag == "filter":
            count = sum(part.tag in vocabulary.FILTERS for part in node.walk())
            if count > MAX_STEPS:
                raise BreachError(node, f"a filter of {count:,} steps; it may have {MAX_STEPS}")


def check_cost(draft: Draft, sheet: Sheet) -> None:
    """Raise BreachError if a figure makes a browser paint more than the bounds together allow."""
    nodes = draft.root.walk()
    attributes = set().union(*(node.attrib for node in nodes))
    is_small = len(nodes) < FEW and all(node.tag != "use" for node in nodes)
    is_short = sum(len(node.attrib.get(name, "")) for node in nodes for name in ("d", "points")) < SHORT
    if is_small and is_short and attributes.isdisjoint(("filter", "mask", "stroke-dasharray")):
        return  # it contains nothing expensive
    is_published = draft.root.attrib.get("aria-labelledby", "").startswith(f"{sheet.figure}-")
    limit = SLACK if is_published else 1.0
    whole = 0.0
    amounts: dict[PaintLimit, float] = {}
    most: dict[PaintLimit, tuple[float, Element]] = {}
    for bound, amount, node in _amounts(draft, nodes):
        whole += amount / bound.most
        amounts[bound] = amounts.get(bound, 0.0) + amount
        if bound not in most or amount > most[bound][0]:
            most[bound] = amount, node
        if whole > ENOUGH:
            break
    if whole > limit:
        bound = max(amounts, key=lambda bound: amounts[bound] / bound.most)
        raise BreachError(most[bound][1], _message(amounts, bound))


def _message(amounts: dict[PaintLimit, float], bound: PaintLimit) -> str:
    """The message: the amount nearest to its bound, or farthest above it."""
    amount, most = amounts[bound], f"{bound.most:,.0f}"
    if math.isinf(amount):
        excess = bound.what
    elif amount > ENOUGH * bound.most:
        excess = f"more than {ENOUGH * bound.most:,.0f} {bound.what}; the limit is {most}"
    elif amount > bound.most:
        excess = f"{amount:,.0f} {bound.what}; the limit is {most}"
    else:
        excess = f"{amount:,.0f} {bound.what}; the limit is {most} if nothing else is expensive"
    return f"painting this figure takes a browser too long: {excess}. Use fewer or smaller ones"


def _amounts(draft: Draft, nodes: list[Element]) -> Iterator[Amount]:
    """Everything that counts: its bound, the amount, and the element that causes it."""
    view = view_box(draft.root)
    if view is None:
        return
    scene = drawn(draft)
    if not scene.whole and scene.effects:
        yield _beyond("filters in a chain of <use> that is too long to follow", scene.effects[0].node)
        return
    width, height = float(draft.root.attrib["width"]), float(draft.root.attrib["height"])
    px = max(width / view[2], height / view[3])
    for shape in scene.shapes:
        if shape.dashes != "none":
            yield DASHES, _dashes(shape), shape.node
    yield from _of_effects(scene, (width, height), px)
    yield from _within_resources(nodes, scene, (width, height), px)
    if len(scene.shapes) >= FEW:
        yield from _of_areas(scene, (width, height), px)
    yield from _of_outlines(scene, (width, height), px)
    yield from _of_layers(scene, (width, height), px)
    yield from _of_words(nodes, scene)


def _beyond(what: str, node: Element) -> Amount:
    """An amount that cannot be counted, and is therefore above every bound."""
    return PaintLimit(1, what), math.inf, node


def _of_areas(scene: Scene, size: tuple[float, float], px: float) -> Iterator[Amount]:
    """Areas that cover much of the picture: cheap, unless there are thousands."""
    for shape in scene.shapes:
        if not shape.fill:
            continue
        left, top, right, bottom = bounds(shape)
        area = min((right - left) * px, size[0]) * min((bottom - top) * px, size[1]) / 1e6
        yield AREAS, area * (SHADED if len(shape.fill) > 1 else 1.0), shape.node


def _of_layers(scene: Scene, size: tuple[float, float], px: float) -> Iterator[Amount]:
    """Groups with opacity, and blended elements: each is painted separately first."""
    looks = 0
    for layer in scene.layers:
        looks += layer.shapes[1] - layer.shapes[0] + layer.texts[1] - layer.texts[0]
        if looks > MOST_WITHIN:
            yield _beyond(f"see-through groups around more than {MOST_WITHIN:,} shapes", layer.node)
            return
        across, tall = _extent(layer, scene, None, size, px)
        yield LAYERS, across * tall / 1e6, layer.node


def _of_words(nodes: list[Element], scene: Scene) -> Iterator[Amount]:
    """Text along a path: the browser measures the path for each run."""
    lengths: dict[str, int] = {}
    for node in nodes:
        if node.tag == "textPath":
            name = node.attrib.get("href", "")[1:]
            if name not in lengths:
                path = scene.ids.get(name)
                lengths[name] = len(path.attrib.get("d", "").split()) // 2 if path is not None else 0
            yield ALONG, lengths[name], node


def _of_outlines(scene: Scene, size: tuple[float, float], px: float) -> Iterator[Amount]:
    """The sides of shapes, each counted up to the diagonal of the view."""
    longest = math.hypot(*size)
    for shape in scene.shapes:
        share = (FILLED if shape.fill else 0.0) + (1.0 if shape.stroke else 0.0)
        left, top, right, bottom = bounds(shape)
        sides = (starmap(math.dist, pairwise(ring)) for ring in rings(shape))
        if px * math.hypot(right - left, bottom - top) <= longest:  # as long as this, each can be seen
            length = px * math.fsum(chain.from_iterable(sides))
        else:
            length = math.fsum(min(longest, px * side) for side in chain.from_iterable(sides))
        yield OUTLINES, share * length, shape.node


def _dashes(shape: PaintedShape) -> float:
    """The number of dashes of a line."""
    numbers = [plain(word) for word in shape.dashes.replace(",", " ").split()]
    steps = [number for number in numbers if number is not None]
    period = math.fsum(steps)
    if len(steps) < len(numbers) or period <= 0 or min(steps) < 0:
        return 0.0
    a, b, c, d, _, _ = shape.ctm
    scale = max(math.hypot(a, b), math.hypot(c, d))
    length = math.fsum(math.dist(p, q) for ring in rings(shape) for p, q in pairwise(ring))
    return length / (period * scale) * max(1, len(steps) / 2) if scale > 0 else 0.0


def _of_effects(scene: Scene, size: tuple[float, float], px: float) -> Iterator[Amount]:
    """Filters and masks where they are applied, outermost first: each widens the picture needed inside it."""
    around: list[tuple[Effect, float]] = []
    costs: dict[tuple[str, float], tuple[list[float], float, Element | None]] = {}
    looks = 0
    for effect in reversed(scene.effects):
        looks += effect.shapes[1] - effect.shapes[0] + effect.texts[1] - effect.texts[0]
        if looks > MOST_WITHIN:
            yield _beyond(f"filters and masks around more than {MOST_WITHIN:,} shapes", effect.node)
            return
        while around and not _holds(around[-1][0], effect):
            around.pop()
        nested = bool(around)
        reach = around[-1][1] if nested else 0.0
        key = effect.node.attrib.get("filter", "none"), px * _scale(effect)
        if key not in costs:
            costs[key] = steps_of(effect.node, scene, key[1])
        steps, spread, region = costs[key]
        reach += spread
        across, tall = _extent(effect, scene, region, size, px)
        area = (across + 2 * reach) * (tall + 2 * reach) / 1e6
        around.append((effect, reach))
        if "mask" in effect.node.attrib:
            yield EFFECTS_AT_ALL, 1, effect.node
            yield MASKS, min(across, size[0]) * min(tall, size[1]) / 1e6, effect.node
        if steps:
            yield EFFECTS_AT_ALL, len(steps), effect.node
            yield FILTERS, math.fsum(steps) * area * (NESTED if nested else 1.0), effect.node


def _holds(outer: Effect, inner: Effect) -> bool:
    return all(
        mine[0] <= yours[0] and yours[1] <= mine[1]
        for mine, yours in ((outer.shapes, inner.shapes), (outer.texts, inner.texts))
    )


def _scale(effect: Effect) -> float:
    a, b, c, d, _, _ = effect.ctm
    return max(math.hypot(a, b), math.hypot(c, d))


def _extent(
    effect: Effect, scene: Scene, region: Element | None, size: tuple[float, float], px: float
) -> tuple[float, float]:
    """Width and height in px of the picture that an effect needs."""
    if region is not None and region.attrib.get("filterUnits") == "userSpaceOnUse":
        wanted = [plain(region.attrib.get(name, "")) for name in ("width", "height")]
        sides = [math.inf if side is None else side * _scale(effect) * px for side in wanted]
    else:
        boxes = list(_boxes(effect, scene))
        if not boxes:
            return size
        left, top, right, bottom = (
            edge(box[n] for box in boxes) for n, edge in enumerate((min, min, max, max))
        )
        sides = [(right - left) * px, (bottom - top) * px]
        for n, name in enumerate(("width", "height")):
            sides[n] *= _fraction(region.attrib.get(name, "1.2")) if region is not None else 1.0
    return min(sides[0], size[0]), min(sides[1], size[1])


def _fraction(text: str) -> float:
    value = plain(text.removesuffix("%"))
    if value is None:
        return 1.2
    return max(0.0, value / 100 if text.endswith("%") else value)


def _boxes(effect: Effect, scene: Scene) -> Iterator[Bounds]:
    """The bounds, in root units, of an effect's content."""
    for shape in scene.shapes[slice(*effect.shapes)]:
        yield bounds(shape)
    for text in scene.texts[slice(*effect.texts)]:
        a, b, c, d, e, f = text.ctm
        for chunk in chunks(text.node, text.type):
            for run in chunk:
                high = run.type.size
                corners = [
                    (a * x + c * y + e, b * x + d * y + f)
                    for x in (run.left, run.left + run.width)
                    for y in (run.base - high, run.base + high / 2)
                ]
                xs, ys = zip(*corners, strict=True)
                yield min(xs), min(ys), max(xs), max(ys)


def _within_resources(
    nodes: list[Element], scene: Scene, size: tuple[float, float], px: float
) -> Iterator[Amount]:
    """The content of patterns, markers, masks and clips, once per use; each filter in it counts as a whole picture."""
    holders = {
        node.attrib["id"]: node
        for node in nodes
        if node.tag in HOLDERS and "id" in node.attrib and node.children
    }
    if not holders:
        return
    try:
        painted = _painted(nodes, scene)
    except RecursionError:
        yield _beyond("a chain of <use> that is too long to follow", next(iter(holders.values())))
        return
    costs: dict[str, tuple[list[float], float, Element | None]] = {}
    count = _counts(nodes, holders, scene, painted)
    for name, holder in holders.items():
        uses = count.get(name, 0.0)
        yield AGAIN[holder.tag], painted[holder] * uses, holder
        for part in holder.walk()[1:]:
            if not EFFECTS.isdisjoint(part.attrib):
                key = part.attrib.get("filter", "none")
                if key not in costs:
                    costs[key] = steps_of(part, scene, px)
                steps, spread, _ = costs[key]
                area = (size[0] + 2 * spread) * (size[1] + 2 * spread) / 1e6
                yield FILTERS, math.fsum(steps) * area * uses, part
                if "mask" in part.attrib:
                    yield MASKS, area * uses, part


def _painted(nodes: list[Element], scene: Scene) -> dict[Element, float]:
    """How many shapes and texts each element paints, including descendants and <use> targets."""
    counts: dict[Element, float] = {}

    def count(node: Element) -> float:
        if node not in counts:
            if node.tag in vocabulary.SHAPES or node.tag == "text":
                counts[node] = 1.0
            else:
                used = scene.ids.get(node.attrib.get("href", "")[1:]) if node.tag == "use" else None
                counts[node] = math.fsum(map(count, node.elements())) + (
                    count(used) if used is not None else 0.0
                )
        return counts[node]

    for node in reversed(nodes):  # descendants first
        count(node)
    return counts


def _counts(
    nodes: list[Element], holders: dict[str, Element], scene: Scene, painted: dict[Element, float]
) -> dict[str, float]:
    """How often each resource is painted: for each reference, as often as the referring element is painted."""
    inside: dict[Element, str] = {}  # the innermost resource around each node
    for node in nodes:
        if node.tag in HOLDERS:
            inside |= dict.fromkeys(node.walk()[1:], node.attrib.get("id", ""))
    # more than once because of <use>
    times: dict[Element, int] = Counter(shape.node for shape in scene.shapes)
    points: dict[Element, float] = {}  # including descendants
    often: dict[Element, int] = {}
    for node in reversed(nodes):
        below = node.elements()
        often[node] = max([times.get(node, 1), *(often[child] for child in below)])
        own = len(node.attrib.get("d", node.attrib.get("points", "")).split()) / 2
        points[node] = own * times.get(node, 1) + math.fsum(points[child] for child in below)
    uses: dict[str, list[tuple[float, str | None]]] = {}
    for node in nodes:
        for name, value in node.attrib.items():
            for target in urls(name, value):
                if target in holders:
                    if name == "marker-mid":
                        weight = max(1.0, points[node])
                    elif name in HANDED_DOWN:
                        weight = max(1.0, painted[node] * often[node])
                    else:
                        weight = often[node]
                    uses.setdefault(target, []).append((weight, inside.get(node)))
    counts: dict[str, float] = {"": 0.0}  # a resource without an id is never painted

    def count(name: str) -> float:
        if name not in counts:
            counts[name] = math.fsum(
                weight * (1.0 if by is None else count(by)) for weight, by in uses.get(name, ())
            )
        return counts[name]

    return {name: count(name) for name in uses}
