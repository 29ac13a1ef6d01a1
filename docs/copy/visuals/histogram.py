# A plain function of matplotlib.
import numpy as np
from matplotlib.figure import Figure

from figmill import Drawing


def draw(requests: int = 5000, median_ms: float = 20, spread: float = 0.6) -> Drawing:
    """A histogram of latencies with its median and its tail. Facts: p50_ms, p99_ms."""
    times = median_ms * np.exp(np.random.default_rng(1).normal(0, spread, requests))
    p50, p99 = np.percentile(times, [50, 99])
    figure = Figure(figsize=(6, 3.4), layout="constrained")
    plot = figure.subplots()
    plot.hist(times, bins=np.arange(0, 121, 4), color="#d4edda", edgecolor="#3d9e5a")
    top = plot.get_ylim()[1]
    for value, name in ((p50, "median"), (p99, "99th percentile")):
        plot.axvline(value, color="#a31f34", linewidth=1.4)
        plot.text(value + 2, top * 0.9, f"{name}: {value:.0f} ms")
    plot.set(xlim=(0, 122), xlabel="Latency in ms", ylabel="Requests")
    plot.set_title(f"One request in a hundred takes more than {p99:.0f} ms", loc="left")
    plot.spines[["top", "right"]].set_visible(False)
    return Drawing(figure, facts={"p50_ms": p50, "p99_ms": p99})
