"""Checks of figures with bars."""

from collections.abc import Iterator

from figmill.checks import CheckedFigure

MOST = 20


def many_bars(figure: CheckedFigure) -> Iterator[str]:
    """A finding for more bars than a reader can compare."""
    bars = figure.facts.get("bars")
    if figure.kind == "bars" and isinstance(bars, int) and bars > MOST:
        yield f"{bars} bars; a reader compares at most {MOST}"
