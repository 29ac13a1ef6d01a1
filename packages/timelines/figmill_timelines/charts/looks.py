"""The style of each kind of span in every figure: its role's colours, a mark, its name.

No difference rests on colour alone: idle time is hatched, backwards stand on a bar, weight gradients hang from
one, communication lies between two, and the second chunk is hollow. Idle time has no fill, so that it recedes on a
light page and on a dark one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from figmill_timelines.palette import PAGE, role


@dataclass(frozen=True, slots=True)
class CellLook:
    """How a cell looks.

    - fill, line: #rrggbb.
    - hatch: in matplotlib's notation.
    - bar: where it has a bar: "foot", "head", "both", None, "ticks" of a run of cells, or "rest", which draws a
      thin line alone.
    - edge, dash: the outline of a flat area, in points.
    - parts: the colours of a swatch that stands for several styles.
    """

    label: str
    fill: str
    line: str
    hatch: str | None = None
    bar: str | None = None
    edge: float | None = None  # None: not a flat area
    dash: tuple[float, ...] = ()
    parts: tuple[str, ...] = ()


def _look(label: str, name: str, hatch: str | None = None, bar: str | None = None) -> CellLook:
    colours = role(name)
    return CellLook(label, colours.fill, colours.line, hatch, bar)


WORK = {
    "forward": _look("Forward", "compute"),
    "backward": _look("Backward", "data", bar="foot"),
    "backward_input": _look("Input gradients", "data", bar="foot"),
    "backward_weight": _look("Weight gradients", "neutral", bar="head"),
    "compute": _look("Compute", "compute"),
    "communication": _look("Communication", "routing", bar="both"),
    "fetch": _look("Fetch", "data", bar="head"),
    "stall": _look("Stall", "routing", bar="foot"),
    "memory": _look("Copy", "neutral", bar="head"),
    "prefill": _look("Prefill", "routing", bar="head"),
    "recompute": _look("Prefill again", "error", bar="head"),
    "decode": _look("Decode", "compute"),
    "transfer": _look("Transfer", "neutral", bar="both"),
    "swap": _look("Copy of a cache", "neutral", bar="foot"),
    "large model": _look("Pass of the large model: tokens gained", "compute"),
    "kept draft": _look("Draft, kept", "data", bar="foot"),
    "rejected draft": _look("Draft, rejected", "error", bar="head"),
    "work": _look("Work that counts", "compute"),
    "work and checkpoints": CellLook(
        "Work and checkpoints", role("compute").fill, role("data").line, bar="foot"
    ),
    "checkpoint": _look("Checkpoint", "data", bar="both"),
    "lost work": _look("Lost work", "error", "////"),
    "restart": _look("Restart", "neutral", bar="head"),
    "all-gather": _look("All-gather", "routing", bar="both"),
    "reduce-scatter": _look("Reduce-scatter", "neutral", bar="head"),
    "curvature": _look("Curvature", "routing", bar="head"),
    "curvature of A": _look("Curvature of A", "routing", bar="head"),
    "curvature of B": _look("Curvature of B", "routing", bar="both"),
    "sync": _look("Synchronise", "neutral", bar="foot"),
    "inversion": _look("Inversion", "accent", bar="head"),
    "optimizer": _look("Optimiser", "accent", bar="foot"),
    "send": _look("Send", "routing", bar="head"),
    "receive": _look("Receive", "routing", bar="foot"),
    "unshard": _look("Unshard", "accent", bar="head"),
    "reshard": _look("Reshard", "accent", bar="foot"),
    "reduce gradients": _look("Reduce gradients", "accent", bar="both"),
    "other": _look("Other", "neutral"),
}


def _idle(label: str, name: str, hatch: str) -> CellLook:
    return CellLook(label, "none", role(name).line, hatch)


IDLE = {
    "warm-up": _idle("warm-up", "error", "//"),
    "dependency": _idle("waiting for a result", "error", "////"),
    "p2p": _idle("transfer", "routing", "----"),
    "waiting": _idle("waiting", "error", "////"),
    "tail": _idle("tail", "error", "\\\\"),
    # A lane that is idle while its device works: a thin line, so that only lost time is hatched.
    "beside": CellLook("another stream works", PAGE[0], role("neutral").line, bar="rest"),
}

BUBBLE = _idle("Idle", "error", "////")

IDLE_AREA = replace(BUBBLE, edge=0.0)
ODD_FORWARD = _look("Forward, odd chunk", "routing", bar="head")  # among cells too narrow for numbers
UPWARD_FORWARD = _look("Forward, up the pipeline", "routing", bar="head")


def of(kind: str) -> CellLook:
    """The style of a kind of work; an unknown kind is drawn as other work under its own name."""
    look = WORK.get(kind)
    if look is not None:
        return look
    other = WORK["other"]
    return CellLook(kind, other.fill, other.line)


# Kinds that a reader counts: two of them, one right after the other, keep the border between them.
COUNTED = frozenset({"restart"})
