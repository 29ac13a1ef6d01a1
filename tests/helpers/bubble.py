"""A script that states the facts of a pipeline and draws a graph, which takes less time than a chart of it."""

BUBBLE = """\
from figmill import Drawing


def draw(devices: int = 4, microbatches: int = 4, schedule: str = "gpipe") -> Drawing:
    makespan = 2.0 * (microbatches + devices - 1)
    facts = {
        "makespan": makespan,
        "bubble_fraction": (devices - 1) / (microbatches + devices - 1),
        "idle_time": devices * (makespan - 2 * microbatches),
    }
    return Drawing(f"digraph {{ {schedule} -> {devices} }}", facts=facts)
"""
