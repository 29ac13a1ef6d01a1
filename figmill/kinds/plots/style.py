"""The look of plots in the colours of the palette: `figmill.style()` in a script, or `cycle = "book"` in the settings.

Lines take the palette's own colours, so a book with a palette of its own gets it, and the dark picture has the dark
ones. Each line also has other dashes than its neighbours, for readers who cannot tell the colours apart.
"""

from __future__ import annotations

from typing import Any

from figmill.palette import GRID, MUTED, ROLES, TEXT

# Neighbours differ most; red comes last, because it means an error elsewhere.
ORDER = ("compute", "routing", "data", "accent", "neutral", "error")
DASHES = ("-", "--", "-.", ":", (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)))

LOOK: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED[0],
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.labelcolor": MUTED[0],
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": TEXT[0],
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "grid.color": GRID[0],
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "text.color": TEXT[0],
    "xtick.color": MUTED[0],
    "ytick.color": MUTED[0],
    "ytick.major.size": 0,
    "ytick.minor.size": 0,
}


def style() -> None:
    """Draw what follows in the look of the book: its colours, a pale grid, no frame. Works outside a build, too."""
    import matplotlib

    matplotlib.rcParams.update(LOOK)
    matplotlib.rcParams["axes.prop_cycle"] = book_cycle()


def book_cycle() -> Any:
    """The colours and dashes of lines, one after the other."""
    from cycler import cycler

    line = {role.name: role.line for role in ROLES}
    colours = [line[name] for name in ORDER]
    # the second time, each colour has other dashes
    return cycler(color=colours * 2) + cycler(linestyle=[*DASHES, *DASHES[3:], *DASHES[:3]])
