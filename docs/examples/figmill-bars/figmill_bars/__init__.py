"""What this package adds to figmill. What draws is in draw.py, which only drawing processes load."""

from figmill.checks import Check
from figmill.kind import Kind, Starter


class Bars(Kind):
    """Bars as tall as the numbers in a text file."""

    module = "figmill_bars.draw"
    suffixes = (".bars",)
    fences = ("bars",)
    counts = ("bars",)
    starter = Starter(
        ".bars",
        b"20\n50\n80\n",
        alt="Three bars; the third server has four times the load of the first.",
        more=("expect: {bars: 3}",),
    )


MANY_BARS = Check(
    "more bars than a reader can compare",
    level="warn",
    always=True,
    function="figmill_bars.checks:many_bars",
)
