"""Cumulative distributions of two systems, with the gap at one percentile."""

import numpy as np

from figmill import Drawing
from figmill.palette import role
from figmill_timelines.charts import xy_chart


def draw(percentile: float = 95) -> Drawing:
    """Facts: before_ms, after_ms, at that percentile."""
    random = np.random.default_rng(2)
    before, after = np.sort(random.gamma(3, 9, 400)), np.sort(random.gamma(3, 6, 400))
    share = np.arange(1, 401) / 400
    page = xy_chart.figure(6.0, 3.4)
    plot = xy_chart.axes(page, "The new cache helps every request", "Latency in ms", "Share of requests")
    facts = {}
    for name, times, colour, align in (
        ("before", before, "neutral", "left"),
        ("after", after, "compute", "right"),
    ):
        line = role(colour).line
        plot.step(times, share, color=line, linewidth=2, where="post")
        facts[f"{name}_ms"] = at = float(np.percentile(times, percentile))
        plot.plot([at], [percentile / 100], "o", color=line)
        away = (1.5, -0.07) if align == "left" else (-1.5, 0.06)
        xy_chart.note(plot, at + away[0], percentile / 100 + away[1], f"{name}: {at:.0f} ms", align=align)
    plot.axhline(percentile / 100, color=role("neutral").line, linewidth=0.8, linestyle=":")
    plot.set(xlim=(0, 85), ylim=(0, 1.08), yticks=[0, 0.25, 0.5, 0.75, 1])
    return Drawing(page, facts=facts)
