"""Limits of a figure that a book can set. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass

from figmill.checks import ALT, CAPTION


@dataclass(frozen=True, slots=True)
class Limits:
    """The table `limits` of the settings.

    megapixels, picture_bytes: of all pictures in a figure together. alt, caption: characters, both as written and
    with facts filled in.
    """

    megapixels: float = 4.0
    picture_bytes: int = 2_000_000
    alt: int = ALT
    caption: int = CAPTION
