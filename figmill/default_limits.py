"""What a figure may have, where its book's settings say nothing."""

from __future__ import annotations

RASTERISE = 50_000  # elements of one plot artist, above which it becomes a picture
MEGAPIXELS, PICTURE_BYTES = 4.0, 2_000_000  # of all pictures in a figure together
