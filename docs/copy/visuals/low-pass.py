"""A low-pass filter and its cut-off frequency."""

from math import pi

import schemdraw
import schemdraw.elements as elm

from figmill import Drawing


def draw(ohms: float = 1000, microfarads: float = 0.1) -> Drawing:
    """Facts: cutoff_hz."""
    with schemdraw.Drawing(show=False) as d:
        source = elm.SourceSin().up().label("$V_{in}$")
        elm.Resistor().right().label(f"{ohms:g} Ω")
        corner = elm.Dot()
        capacitor = elm.Capacitor().down().toy(source.start).label(f"{microfarads:g} µF", loc="bottom")
        elm.Line().at(corner.center).right().length(2)
        elm.Dot(open=True).label("$V_{out}$", loc="right")
        elm.Line().at(source.start).right().tox(capacitor.end)
        elm.Ground()
    return Drawing(d, facts={"cutoff_hz": 1 / (2 * pi * ohms * microfarads * 1e-6)})
