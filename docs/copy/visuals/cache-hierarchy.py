"""How far away memory is: the latency of each level, on a scale of powers of ten."""

from figmill import Drawing
from figmill.palette import role
from figmill_timelines.charts import xy_chart

# Level, its size, a read in ns, its role.
LEVELS = (
    ("L1 cache", "48 kB", 1.2, "compute"),
    ("L2 cache", "2 MB", 4, "compute"),
    ("L3 cache", "36 MB", 20, "compute"),
    ("Memory", "64 GB", 90, "data"),
    ("SSD", "2 TB", 80_000, "routing"),
    ("Disk", "16 TB", 8_000_000, "routing"),
)


def shown(ns: float) -> str:
    """12 ns, 80 µs, 8 ms."""
    for unit, size in (("ms", 1e6), ("µs", 1e3), ("ns", 1)):
        if ns >= size:
            return f"{ns / size:g} {unit}"
    return f"{ns:g} ns"


def draw() -> Drawing:
    """Facts: disk_over_memory."""
    page = xy_chart.figure(6.0, 3.4)
    plot = xy_chart.axes(
        page, "Each level is larger and slower", "Time of a read in ns", box=(1.6, 0.6, 3.9, 2.2)
    )
    plot.grid(False)
    for row, (_, _, ns, name) in enumerate(LEVELS):
        colours = role(name)
        plot.barh(row, ns, left=0.3, height=0.62, color=colours.fill, edgecolor=colours.line)
        xy_chart.note(plot, ns * 1.6, row, shown(ns))
    plot.set(xscale="log", xlim=(0.3, 3e8), yticks=range(len(LEVELS)))
    plot.set_yticklabels([f"{name}, {size}" for name, size, _, _ in LEVELS])
    plot.invert_yaxis()
    plot.minorticks_off()
    times = {name: ns for name, _, ns, _ in LEVELS}
    return Drawing(page, facts={"disk_over_memory": times["Disk"] / times["Memory"]})
