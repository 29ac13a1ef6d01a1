"""What a figure costs the browser that shows it: filters, masks, dashes and gradients, in about a second at most.

A short file can ask for a minute of painting: two hundred blurs in a chain, a million dashes. The prices are measured
in Chromium, drawing without a graphics card. They are rough, and meant for what is far beyond any drawing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise

from figmill.svg.document import BreachError, Draft, Node
from figmill.svg.geometry.display_list import Effect, Scene, Shape, bounds, drawn, rings
from figmill.svg.geometry.precision import view_box
from figmill.svg.geometry.text_layout import chunks
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import NUMBER, plain
from figmill.svg.xml.references import urls

MAX_STOPS = 1000  # of a gradient: a screen shows 256 steps of a colour
MAX_COST = 1000.0  # ms
DASH = 0.005  # ms
MASK = 10.0  # ms a megapixel, as all that follow
PRIMITIVES = {
    "feGaussianBlur": 40.0,
    "feDropShadow": 150.0,
    "feTurbulence": 500.0,
    "feDisplacementMap": 250.0,
    "feDiffuseLighting": 130.0,
    "feSpecularLighting": 130.0,
    "feComposite": 50.0,
    "feBlend": 50.0,
    "feTile": 10.0,
}
OTHER = 10.0
EACH = 0.1  # ms, of any effect, however small
NESTED = 4.0  # times as much for a filter within a filter
SHADED = 12.0  # of an area with a gradient
FLAT = 1.0  # of any other
MORPHOLOGY = 140.0
RADIUS = 8.0  # of feMorphology, for each px of its radius
KERNEL = 20.0  # of feConvolveMatrix, for each of its numbers
FUNCTIONS = {"blur": 40.0, "drop-shadow": 150.0}
FUNCTION = re.compile(r"([a-z-]+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", re.I)
LENGTH = re.compile(rf"(?<![A-Za-z0-9_#.])({NUMBER})(?:px)?(?![A-Za-z0-9%])")
SIGMAS = 3.0  # how far a blur reaches
WIDE = 200.0  # px of standard deviation, from which on browsers blur a smaller copy
FEW = 50  # shapes, that may all cover the picture
HOLDERS = vocabulary.words("pattern marker mask clipPath")
FARTHEST = 1e6  # px, at which a picture ends in any case

Box = tuple[float, float, float, float]  # left, top, right, bottom


def check_stops(draft: Draft) -> None:
    """Breach where a gradient has more steps than can be seen."""
    for node in draft.root.walk():
        if node.tag in ("linearGradient", "radialGradient") and len(node.children) > MAX_STOPS:
            count = sum(child.tag == "stop" for child in node.elements())
            if count > MAX_STOPS:
                raise BreachError(
                    node, f"a gradient of {count:,} stops; {MAX_STOPS:,} are more than can be seen"
                )


def check_cost(draft: Draft, _sheet: Sheet) -> None:
    """Breach where painting takes a browser much longer than a second."""
    nodes = draft.root.walk()
    said = set().union(*(node.attrib for node in nodes))
    is_small = len(nodes) < FEW and all(node.tag != "use" for node in nodes)
    if is_small and said.isdisjoint(("filter", "mask", "stroke-dasharray")):
        return
    costs = list(_costs(draft, nodes))
    whole = sum(cost for cost, _, _ in costs)
    if whole > MAX_COST:
        dearest, node, what = max(costs, key=lambda row: row[0])
        told = f"painting this figure takes a browser about {whole / 1000:,.0f} s" if whole > 2000 else (
            f"painting this figure takes a browser more than {MAX_COST / 1000:g} s")  # fmt: skip
        share = f"{dearest / whole:.0%} of it for {what}"
        raise BreachError(node, f"{told}, {share}; use fewer, smaller or less wide ones")


def _costs(draft: Draft, nodes: list[Node]) -> Iterator[tuple[float, Node, str]]:
    """Each thing that costs: ms, where it is written, and what it is."""
    view = view_box(draft.root)
    if view is None:
        return
    found = drawn(draft)
    if not found.whole and found.effects:
        yield math.inf, found.effects[0].node, "filters in a chain of <use> that is too long to be followed"
        return
    width, height = float(draft.root.attrib["width"]), float(draft.root.attrib["height"])
    px = max(width / view[2], height / view[3])
    for shape in found.shapes:
        if shape.dashes != "none":
            yield _dashes(shape) * DASH, shape.node, "its dashes"
    if len(found.shapes) >= FEW:
        yield from _of_areas(found, (width, height), px)
    yield from _of_effects(found, (width, height), px)
    yield from _within_resources(nodes, found, (width, height), px)


def _of_areas(found: Scene, size: tuple[float, float], px: float) -> Iterator[tuple[float, Node, str]]:
    """Areas that cover much of the picture, which is nothing unless there are thousands."""
    for shape in found.shapes:
        if not shape.fill:
            continue
        left, top, right, bottom = bounds(shape)
        area = min((right - left) * px, size[0]) * min((bottom - top) * px, size[1]) / 1e6
        yield area * (SHADED if len(shape.fill) > 1 else FLAT), shape.node, "areas that lie over each other"


def _dashes(shape: Shape) -> float:
    """How many dashes a line has."""
    numbers = [plain(word) for word in shape.dashes.replace(",", " ").split()]
    steps = [number for number in numbers if number is not None]
    period = sum(steps)
    if len(steps) < len(numbers) or period <= 0 or min(steps) < 0:
        return 0.0
    a, b, c, d, _, _ = shape.ctm
    scale = max(math.hypot(a, b), math.hypot(c, d))
    length = sum(math.dist(p, q) for ring in rings(shape) for p, q in pairwise(ring))
    return length / (period * scale) * max(1, len(steps) / 2) if scale > 0 else 0.0


def _of_effects(found: Scene, size: tuple[float, float], px: float) -> Iterator[tuple[float, Node, str]]:
    """Filters and masks where they are applied, outermost first: each needs more of what is inside of it."""
    around: list[tuple[Effect, float]] = []
    for effect in reversed(found.effects):
        while around and not _holds(around[-1][0], effect):
            around.pop()
        nested = bool(around)
        reach = around[-1][1] if nested else 0.0
        steps, spread, region = _steps(effect.node, found, px * _scale(effect))
        reach += spread
        across, tall = _extent(effect, found, region, size, px)
        area = (across + 2 * reach) * (tall + 2 * reach) / 1e6
        around.append((effect, reach))
        if "mask" in effect.node.attrib:
            yield EACH + MASK * min(across, size[0]) * min(tall, size[1]) / 1e6, effect.node, "its masks"
        if steps:
            count = f"the {len(steps)} steps of a filter" if len(steps) > 1 else "a filter"
            times = NESTED if nested else 1.0
            yield EACH + sum(steps) * area * times, effect.node, count


def _holds(outer: Effect, inner: Effect) -> bool:
    return all(
        mine[0] <= yours[0] and yours[1] <= mine[1]
        for mine, yours in ((outer.shapes, inner.shapes), (outer.texts, inner.texts))
    )


def _scale(effect: Effect) -> float:
    a, b, c, d, _, _ = effect.ctm
    return max(math.hypot(a, b), math.hypot(c, d))


def _steps(node: Node, found: Scene, px: float) -> tuple[list[float], float, Node | None]:
    """The price of each step of an element's filters (ms a megapixel), how far they reach (px), and the <filter>."""
    value = node.attrib.get("filter", "none")
    prices: list[float] = []
    spread = 0.0
    region: Node | None = None
    for target in urls("filter", value):
        region = found.ids.get(target)
        for part in region.walk()[1:] if region is not None else ():
            if part.tag in vocabulary.FILTERS and part.tag not in NO_STEPS:
                price, reach = _step(part, px)
                prices.append(price)
                spread += reach
    for name, inside in FUNCTION.findall(value):
        if name.lower() != "url":
            prices.append(FUNCTIONS.get(name.lower(), OTHER))
            numbers = [abs(float(number)) for number in LENGTH.findall(inside)]
            if name.lower() in FUNCTIONS and numbers:
                spread += SIGMAS * min(WIDE, max(numbers) * px)
    return prices, min(spread, FARTHEST), region


NO_STEPS = vocabulary.words(
    "feFuncA feFuncR feFuncG feFuncB feMergeNode feDistantLight fePointLight feSpotLight"
)


def _step(part: Node, px: float) -> tuple[float, float]:
    """Price and reach of one primitive. Its numbers are taken for px, also where they are meant in the shape's size."""
    numbers = {
        name: [
            abs(number)
            for word in part.attrib.get(name, "").replace(",", " ").split()
            if (number := plain(word))
        ]
        for name in ("stdDeviation", "radius", "order", "dx", "dy")
    }
    if part.tag in ("feGaussianBlur", "feDropShadow"):
        sigma = max(numbers["stdDeviation"], default=2.0 if part.tag == "feDropShadow" else 0.0) * px
        return PRIMITIVES[part.tag] if sigma else OTHER, SIGMAS * min(WIDE, sigma)
    if part.tag == "feMorphology":
        radius = min(WIDE, max(numbers["radius"], default=0.0) * px)
        return MORPHOLOGY + RADIUS * radius, radius
    if part.tag == "feConvolveMatrix":
        order = max(numbers["order"], default=3.0)
        return OTHER + KERNEL * min(order, 32.0) ** 2, order
    if part.tag == "feOffset":
        return OTHER, min(WIDE, max([*numbers["dx"], *numbers["dy"]], default=0.0) * px)
    if part.tag == "feMerge":
        return OTHER * len(part.children), 0.0
    return PRIMITIVES.get(part.tag, OTHER), 0.0


def _extent(
    effect: Effect, found: Scene, region: Node | None, size: tuple[float, float], px: float
) -> tuple[float, float]:
    """Width and height, in px, of the picture that an effect needs."""
    if region is not None and region.attrib.get("filterUnits") == "userSpaceOnUse":
        wanted = [plain(region.attrib.get(name, "")) for name in ("width", "height")]
        sides = [math.inf if side is None else side * _scale(effect) * px for side in wanted]
    else:
        boxes = list(_boxes(effect, found))
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


def _boxes(effect: Effect, found: Scene) -> Iterator[Box]:
    """The bounds, in units of the root, of what an effect is applied to."""
    for shape in found.shapes[slice(*effect.shapes)]:
        yield bounds(shape)
    for text in found.texts[slice(*effect.texts)]:
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
    nodes: list[Node], found: Scene, size: tuple[float, float], px: float
) -> Iterator[tuple[float, Node, str]]:
    """Filters and masks in a pattern, a marker or a mask: whole pictures, again for each use of it."""
    holders = [node for node in nodes if node.tag in HOLDERS]
    inside: dict[str, list[Node]] = {}
    for holder in holders:
        parts = [part for part in holder.walk()[1:] if not part.attrib.keys().isdisjoint(("filter", "mask"))]
        if parts and "id" in holder.attrib:
            inside[holder.attrib["id"]] = parts
    if not inside:
        return
    count = _counts(nodes, holders)
    for name, parts in inside.items():
        for part in parts:
            steps, spread, _ = _steps(part, found, px)
            area = (size[0] + 2 * spread) * (size[1] + 2 * spread) / 1e6
            price = sum(steps) + (MASK if "mask" in part.attrib else 0.0)
            yield price * area * count.get(name, 0), part, f"what is in <{found.ids[name].tag}>"


def _counts(nodes: list[Node], holders: list[Node]) -> dict[str, int]:
    """How often each resource is painted: for each reference to it, as often as what refers is painted itself."""
    inside: dict[Node, str] = {}  # the innermost resource around a node
    for holder in holders:
        inside |= dict.fromkeys(holder.walk()[1:], holder.attrib.get("id", ""))
    asked: dict[str, list[str | None]] = {}
    for node in nodes:
        for name, value in node.attrib.items():
            for target in urls(name, value):
                asked.setdefault(target, []).append(inside.get(node))
    known: dict[str, int] = {"": 0}  # what has no name is never painted

    def count(name: str) -> int:
        if name not in known:
            known[name] = sum(1 if by is None else count(by) for by in asked.get(name, ()))
        return known[name]

    return {name: count(name) for name in asked}
