"""How much a figure may hold, as far as a book may say so. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The table `limits` of the settings. megapixels, picture_bytes: of all pictures in a figure together."""

    megapixels: float = 4.0
    picture_bytes: int = 2_000_000
