"""A divider of a voltage."""

import schemdraw
import schemdraw.elements as elm


def draw() -> schemdraw.Drawing:
    """A source of 10 V, two resistors between its poles, and the output between them."""
    with schemdraw.Drawing(show=False) as drawing:
        elm.SourceV().up().label("10 V")
        elm.Resistor().right().label("$R_1$")
        elm.Dot()
        with drawing.hold():
            elm.Line().right().length(1.5)
            elm.Dot(open=True).label("$U_{out}$", loc="right")
        elm.Resistor().down().label("$R_2$", loc="bottom")
        elm.Line().left()
        elm.Dot()
        elm.Ground()
    return drawing
