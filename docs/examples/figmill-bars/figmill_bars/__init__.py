"""The rows that this package adds to figmill's tables. What draws is in draw.py, which only drawing processes load."""

from figmill.checks import Check
from figmill.kinds import Kind, Starter

STARTER = Starter(
    ".bars",
    b"20\n50\n80\n",
    alt="Three bars; the third server has four times the load of the first.",
    more=("expect: {bars: 3}",),
)
KIND = Kind(
    "figmill_bars.draw",
    suffixes=(".bars",),
    fences=("bars",),
    counts=("bars",),
    starter="figmill_bars:STARTER",
)
MANY_BARS = Check(
    "more bars than a reader can compare",
    level="warn",
    always=True,
    function="figmill_bars.checks:many_bars",
)
