"""Limits of a figure that a book can set. Standard library only."""

from __future__ import annotations

from figmill.checks import ALT, CAPTION
from figmill.default_limits import MEGAPIXELS, PICTURE_BYTES
from figmill.late_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The table `limits` of the settings.

    - megapixels, picture_bytes: of all pictures in a figure together.
    - alt, caption: characters, both as written and with facts filled in.
    """

    megapixels: float = MEGAPIXELS
    picture_bytes: int = PICTURE_BYTES
    alt: int = ALT
    caption: int = CAPTION
