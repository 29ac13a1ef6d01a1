"""The logs of five Raft servers; which entries are committed."""

from matplotlib.patches import Rectangle

from figmill import Drawing
from figmill.palette import role
from figmill_timelines.charts import xy_chart

# The term of each entry, server by server.
LOGS = ([1, 1, 2, 3, 3, 3], [1, 1, 2, 3], [1, 1, 2, 3, 3, 3], [1, 1], [1, 1, 2, 3, 3])
ROLES = {1: "compute", 2: "data", 3: "routing"}


def draw() -> Drawing:
    """Facts: committed."""
    committed = sorted(map(len, LOGS))[len(LOGS) // 2]  # as many as a majority has
    page = xy_chart.figure(6.0, 3.2)
    plot = xy_chart.axes(page, f"A majority has entry {committed}, so it is committed", "Index in the log")
    plot.grid(False)
    for row, log in enumerate(LOGS):
        for index, term in enumerate(log):
            colours = role(ROLES[term])
            plot.add_patch(Rectangle((index + 0.55, row - 0.35), 0.9, 0.7, fc=colours.fill, ec=colours.line))
            xy_chart.note(plot, index + 1, row, f"term {term}", align="center", size=9)
    plot.axvline(committed + 0.5, color=role("accent").line, linewidth=1.6, linestyle="--")
    names = ["leader", "follower 1", "follower 2", "follower 3", "follower 4"]
    plot.set(xlim=(0.4, 6.6), ylim=(4.6, -0.6), xticks=range(1, 7), yticks=range(5), yticklabels=names)
    return Drawing(page, facts={"committed": committed})
