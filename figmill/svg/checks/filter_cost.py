"""How much work a filter makes for a browser: a weight for each of its steps, and how far they reach.

A step of weight 1 paints each pixel once. Knows nothing of the elements that use a filter.
"""

from __future__ import annotations

import re

from figmill.svg.document import Element
from figmill.svg.geometry.scene import Scene
from figmill.svg.xml import vocabulary
from figmill.svg.xml.numbers import NUMBER, plain
from figmill.svg.xml.references import urls

LIGHT = 1.0  # feBlend, feColorMatrix, feComposite, feOffset, feTile and every step not named here
WEIGHTS = {
    "feGaussianBlur": 2.0,
    "feDropShadow": 4.0,
    "feDisplacementMap": 4.0,
    "feDiffuseLighting": 8.0,
    "feSpecularLighting": 8.0,
    "feTurbulence": 20.0,
}
RADIUS = 0.75  # for feMorphology, per px of its radius
KERNEL = 1.0  # for feConvolveMatrix, per number of its kernel
FUNCTIONS = {"blur": WEIGHTS["feGaussianBlur"], "drop-shadow": WEIGHTS["feDropShadow"]}
FUNCTION = re.compile(r"([a-z-]+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", re.I)
LENGTH = re.compile(rf"(?<![A-Za-z0-9_#.])({NUMBER})(?:px)?(?![A-Za-z0-9%])")
SIGMAS = 3.0  # standard deviations that a blur reaches
WIDE = 200.0  # px of standard deviation; above it browsers blur a smaller copy
FARTHEST = 1e6  # px; no picture is larger
SOURCES = vocabulary.words("feFlood feTurbulence")
TWO = vocabulary.words("feBlend feComposite feDisplacementMap")
GIVEN = vocabulary.words("SourceGraphic SourceAlpha BackgroundImage BackgroundAlpha FillPaint StrokePaint")
NO_STEPS = vocabulary.words(
    "feFuncA feFuncR feFuncG feFuncB feMergeNode feDistantLight fePointLight feSpotLight"
)


def steps_of(node: Element, scene: Scene, px: float) -> tuple[list[float], float, Element | None]:
    """The weight of each step of an element's filters, their reach (px), and the <filter> element."""
    value = node.attrib.get("filter", "none")
    weights: list[float] = []
    spread = 0.0
    region: Element | None = None
    for target in urls("filter", value):
        region = scene.ids.get(target)
        parts = [
            part
            for part in (region.walk()[1:] if region is not None else ())
            if part.tag in vocabulary.FILTERS and part.tag not in NO_STEPS
        ]
        for part, times in zip(parts, _runs(parts), strict=True):
            weight, reach = _step(part, px)
            weights.append(weight * times)
            spread += reach
    for name, inside in FUNCTION.findall(value):
        if name.lower() != "url":
            weights.append(FUNCTIONS.get(name.lower(), LIGHT))
            numbers = [abs(float(number)) for number in LENGTH.findall(inside)]
            if name.lower() in FUNCTIONS and numbers:
                spread += SIGMAS * min(WIDE, max(numbers) * px)
    return weights, min(spread, FARTHEST), region


def _runs(parts: list[Element]) -> list[float]:
    """How often each step of a filter runs: once per use. A chain that uses each result twice doubles quickly."""
    results: dict[str, int] = {}
    sources: list[list[int]] = []
    for at, part in enumerate(parts):
        if part.tag in SOURCES:
            wanted: list[str | None] = []
        elif part.tag == "feMerge":
            wanted = [child.attrib.get("in") for child in part.elements()]
        else:
            wanted = [part.attrib.get(name) for name in ("in", "in2")[: 1 + (part.tag in TWO)]]
        sources.append(
            [
                results.get(name or "", at - 1)
                for name in wanted
                if name not in GIVEN and (name in results or at)
            ]
        )
        if "result" in part.attrib:
            results[part.attrib["result"]] = at
    counts = [0.0] * len(parts)
    counts[-1:] = [1.0] * len(counts[-1:])
    for at in range(len(parts) - 1, -1, -1):
        counts[at] = min(max(1.0, counts[at]), 1e100)
        for before in sources[at]:
            counts[before] += counts[at]
    return counts


def _step(part: Element, px: float) -> tuple[float, float]:
    """Weight and reach of one primitive. Numbers count as px, even if they are fractions of the shape's size."""
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
        return WEIGHTS[part.tag] if sigma else LIGHT, SIGMAS * min(WIDE, sigma)
    if part.tag == "feMorphology":
        radius = min(WIDE, max(numbers["radius"], default=0.0) * px)
        return LIGHT + RADIUS * radius, radius
    if part.tag == "feConvolveMatrix":
        order = max(numbers["order"], default=3.0)
        return LIGHT + KERNEL * min(order, 32.0) ** 2, order
    if part.tag == "feOffset":
        return LIGHT, min(WIDE, max([*numbers["dx"], *numbers["dy"]], default=0.0) * px)
    if part.tag == "feMerge":
        return LIGHT * len(part.children), 0.0
    return WEIGHTS.get(part.tag, LIGHT), 0.0
