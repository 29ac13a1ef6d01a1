"""How often to checkpoint: the share of time lost against the interval, and its minimum.

A checkpoint every T costs C / T of the time; a failure, every M on average, loses half an interval and a
restart R. Young (1974) found the best interval, sqrt(2 C M); Daly (2006) refined it for short M.

Failures at the rate that Llama 3's training met: 419 in 54 days on 16 384 GPUs (arXiv:2407.21783, section 3.3.4).

A classic script: plain pyplot, saved where the build says.
"""

import math
import os

import matplotlib.pyplot as plt
import numpy as np

from figmill_timelines.quantities import plural

CHECKPOINT = 2.0  # minutes to write one
RESTART = 8.0  # minutes to load one and warm up again
BETWEEN = 54 * 24 * 60 * 16_384 / 419  # minutes of one GPU between failures
COLOURS = {1024: "#4a90c4", 16_384: "#c87b2a"}
INKS = {1024: "#3e7aa5", 16_384: "#a66623"}  # the same, darker, for text
TICKS = [7.5, 15, 30, 60, 120, 240, 480]  # minutes


def lost(interval, failure):
    """The share of time that is not training."""
    return CHECKPOINT / interval + (interval / 2 + RESTART) / failure


intervals = np.geomspace(4, 480, 300)
fig, ax = plt.subplots(figsize=(7.6, 4.2))
fig.subplots_adjust(left=0.06, right=0.98, top=0.82, bottom=0.13)
for gpus, colour in COLOURS.items():
    failure = BETWEEN / gpus
    name = plural(gpus, "GPU")
    best = math.sqrt(2 * CHECKPOINT * failure)
    ax.plot(intervals, 100 * lost(intervals, failure), color=colour, linewidth=2)
    ax.plot(best, 100 * lost(best, failure), "o", color=colour, markersize=7, markeredgecolor="white")
    least = f"checkpoint every {best:.0f} min: {lost(best, failure):.1%} lost"
    ax.annotate(
        f"{name}\na failure every {failure / 60:.3g} h\n{least}",
        (best, 100 * lost(best, failure)),
        xytext=(0, 34),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=9,
        color=INKS[gpus],
    )
ax.set_xscale("log")
ax.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
ax.set_yticks([0, 20, 40, 60])
ax.minorticks_off()
ax.set_xlim(4, 480)
ax.set_ylim(0, 60)
ax.yaxis.set_major_formatter("{x:g}%")
ax.set_xlabel("Minutes between checkpoints", fontsize=8, color="#5a5a5a", labelpad=7)
ax.text(0, 1.04, "Time lost", transform=ax.transAxes, fontsize=8, color="#5a5a5a")
ax.tick_params(length=0, labelsize=8, colors="#5a5a5a", pad=5)
ax.spines[["top", "right", "left"]].set_visible(False)
ax.spines["bottom"].set_color("#5a5a5a")
ax.spines["bottom"].set_linewidth(0.6)
ax.grid(axis="y", color="#dfe3e8", linewidth=0.6)
ax.set_title(
    "Sixteen times the failures ask for four times the checkpoints",
    loc="left",
    fontsize=12,
    fontweight="bold",
    color="#2b2b2b",
    pad=30,
)
fig.savefig(os.environ["VISUAL_OUT_PATH"], format="svg")
