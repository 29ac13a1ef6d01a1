"""The hockey stick of an M/M/1 queue: response time grows with load until an SLO breaks."""

from __future__ import annotations

import numpy as np
from matplotlib.ticker import FixedLocator

from figmill import Drawing
from figmill.palette import TEXT, role
from figmill.timelines import chart, gantt, queueing
from figmill.timelines.bounds import within
from figmill.timelines.quantities import count, rescaled, significant, time
from figmill.timelines.titles import percent, titled


def draw(
    service_per_s: float = 100, slo_ms: float = 200, percentile: float = 0.99, title: str = ""
) -> Drawing:
    """Facts: crossing_utilisation, crossing_per_s, mean_at_crossing_ms, tail_over_mean, idle_mean_ms.

    service_per_s: requests that the server can serve, 0.001 to 1e9. slo_ms: the limit of the percentile, which an
    idle server must be able to meet. percentile: 0.5 to 0.9999. title: what to see.
    """
    within(0.001, 1e9, service_per_s=service_per_s)
    within(0.5, 0.9999, percentile=percentile)
    within(1e-6, 1e9, slo_ms=slo_ms)
    crossing = queueing.highest_load(service_per_s, slo_ms / 1000, percentile)
    top = 2.5 * slo_ms
    load = 1 - np.geomspace(1, 0.002, 200)  # dense where the curve bends
    mean = [1000 * queueing.mean_response(x * service_per_s, service_per_s) for x in load]
    tail = [1000 * queueing.percentile_response(x * service_per_s, service_per_s, percentile) for x in load]
    at, name = crossing / service_per_s, f"P{100 * percentile:g}"
    mean_there = 1000 * queueing.mean_response(crossing, service_per_s)

    facts = {
        "crossing_utilisation": at,
        "crossing_per_s": crossing,
        "mean_at_crossing_ms": mean_there,
        "tail_over_mean": slo_ms / mean_there,
        "idle_mean_ms": mean[0],
    }
    promise = time(slo_ms, "ms")
    heading = titled(title, f"The {promise} promise breaks at {percent(at)} load, not at 100%", facts)
    factor, unit = rescaled(top, "ms")
    page = chart.figure()
    plot = chart.axes(page, heading, "Utilisation of the server", f"Response time in {unit}")
    plot.set(xlim=(0, 1), ylim=(0, top))
    plot.yaxis.set_major_locator(FixedLocator([tick / factor for tick in gantt.ticks(top * factor, most=6)]))
    plot.yaxis.set_major_formatter(lambda value, _: significant(value * factor, 6))
    plot.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    error, compute, data, accent = (role(n) for n in ("error", "compute", "data", "accent"))
    broken = plot.axvspan(at, 1, facecolor=error.fill, edgecolor=error.line, hatch="//", linewidth=0)
    broken.set_hatch_linewidth(0.45)
    plot.plot(load, tail, color=compute.line, linewidth=2)
    plot.plot(load, mean, color=data.line, linewidth=2, linestyle=(0, (5, 2)))
    plot.plot([0, 1], [slo_ms, slo_ms], color=accent.line, linewidth=1.2)
    plot.plot([at, at], [0, slo_ms], color=accent.line, linewidth=0.8, linestyle=(0, (2, 2)))
    plot.plot([at], [slo_ms], marker="o", markersize=6, color=accent.line, markeredgecolor="#ffffff")
    gap = 0.035 * top
    chart.note(plot, 0.01, slo_ms + gap, f"SLO: {name} at most {promise}", accent.line)
    chart.note(
        plot,
        at - 0.015,
        slo_ms + gap,
        f"{significant(crossing, zeros=True)} of {count(service_per_s)} requests/s",
        accent.line,
        "right",
    )
    half = int(np.searchsorted(load, 0.5))
    chart.note(plot, 0.5, tail[half] + 1.3 * gap, name, TEXT[0], "right")
    chart.note(plot, 0.5, mean[half] + gap, "mean", TEXT[0], "right")
    return Drawing(page, facts)
