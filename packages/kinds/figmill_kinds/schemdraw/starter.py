"""The first source that `new --kind schemdraw` writes."""

from __future__ import annotations

from figmill.kind import Starter

_SOURCE = b'''\
"""A low-pass filter."""

import schemdraw
import schemdraw.elements as elm

from figmill import Drawing


def draw(ohms: float = 1000, microfarads: float = 0.1) -> Drawing:
    """Facts: cutoff_hz. Parameters: the resistance in ohms, the capacity in microfarads."""
    with schemdraw.Drawing(show=False) as d:
        source = elm.SourceSin().up().label("Input")
        elm.Resistor().right().label(f"{ohms:g} \xce\xa9")
        elm.Dot()
        elm.Capacitor().down().toy(source.start).label(f"{microfarads:g} \xc2\xb5F", loc="bottom").hold()
        elm.Line().right().length(2)
        elm.Dot(open=True).label("Output", loc="right")
        elm.Line().at(source.start).right().tox(d.elements[3].end)
        elm.Ground()
    return Drawing(d, facts={"cutoff_hz": 1 / (2 * 3.141592653589793 * ohms * microfarads * 1e-6)})
'''

STARTER = Starter(
    ".py",
    _SOURCE,
    alt="A resistor, then a capacitor to ground: a filter that passes what is below {cutoff_hz:.0f} Hz.",
    more=("params: {ohms: 1000, microfarads: 0.1}", "expect: {elements: 8}"),
)
