"""Drawings whose text is lost on readers who cannot see it: many words, a short alt text, no description. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from figmill.publish.finalise import Settled
from figmill.publish.made_alt import labels

MANY = 20  # different labels of a drawing
SAID = 0.5  # the share of them that its alt text and caption should contain
_LETTERS = re.compile(r"[^\W\d_]{2,}")


def findings(settled: Settled) -> Iterator[str]:
    """The message about a figure without tables."""
    if settled.described:
        return
    texts = {label.casefold() for label in labels(settled.pages[0].svg) if _LETTERS.search(label)}
    prose = f"{settled.alt} {settled.caption or ''}".casefold()
    unsaid = [label for label in texts if label not in prose]
    if len(texts) >= MANY and len(unsaid) > SAID * len(texts):
        yield (
            f"the drawing has {len(texts)} labels, and its alt text and caption contain {len(texts) - len(unsaid)}; "
            "say the rest under `describe`, for readers who cannot see it"
        )
