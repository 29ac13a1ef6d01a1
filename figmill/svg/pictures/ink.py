"""The ink of a raster picture: the pixels that hide the page behind it."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import TYPE_CHECKING

from figmill.svg.pictures.hrefs import HrefError, data_of, is_data

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

OPAQUE = 128  # alpha from which a pixel is ink
SIDE = 256  # pixels sampled along each side
LITTLE = 0.5  # share of the pixels: with less ink, a picture is not a background for text on it


def with_mask(data: bytes) -> tuple[Picture, Picture] | None:
    """A small copy of a picture, and the mask of its ink; None if it has no transparency. Raises OSError."""
    from PIL import Image  # loaded with the first picture

    with Image.open(io.BytesIO(data)) as picture:
        if picture.mode not in ("RGBA", "LA", "PA") and "transparency" not in picture.info:
            return None
        size = min(picture.width, SIDE), min(picture.height, SIDE)
        small = picture.convert("RGBA").resize(size, Image.Resampling.NEAREST)
    return small, small.getchannel("A").point(lambda alpha: 255 * (alpha >= OPAQUE))


@lru_cache(maxsize=64)
def is_ground(href: str) -> bool:
    """Whether a picture hides most of the page behind it, as a photo does and a layer of dots does not.

    href: the target of an <image>. A picture that cannot be read here counts as a photo.
    """
    if not is_data(href):
        return True
    try:
        masked = with_mask(data_of(href)[1])
    except (HrefError, OSError, ValueError):
        return True
    if masked is None:
        return True
    _, mask = masked
    return mask.histogram()[255] >= LITTLE * mask.width * mask.height
