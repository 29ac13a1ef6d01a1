"""The kind picture: a raster picture, such as a photo, becomes a figure of the same size.

Settling the figure decodes the picture and writes it again, like any picture in a drawing. This module does not know
how.
"""

from __future__ import annotations

import base64
import io
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from figmill.errors import AuthorError
from figmill.kind.job import Job, Raw, source
from figmill.model import Origin

FORMATS: Mapping[str, str] = MappingProxyType(
    {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
)
ORIENTATION, ON_ITS_SIDE = 0x0112, (5, 6, 7, 8)  # the EXIF tag for how the camera was held


def warm(fonts: Sequence[str]) -> None:
    """Load the library that reads pictures."""
    from PIL import Image

    Image.init()


def render(job: Job, root: Path) -> Raw:
    """The picture in an SVG of its size. Raises AuthorError if it cannot be read."""
    data = source(job, root)
    media, width, height = _look(data, job)
    href = f"data:{media};base64,{base64.b64encode(data).decode('ascii')}"
    size = f'width="{width}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}">'
    return Raw(f'{head}<image {size} href="{href}"/></svg>'.encode())


def _look(data: bytes, job: Job) -> tuple[str, int, int]:
    """The media type and the sides in px, upright."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of its size, which is checked when it is decoded
            image: Any = Image.open(io.BytesIO(data), formats=tuple(FORMATS))
    except MemoryError:
        raise
    except Exception:  # decoders raise anything for damaged files
        text = "it is not a readable PNG, JPEG or WebP; save it again"
        raise AuthorError(Origin(job.source), text) from None
    width, height = image.size
    return (FORMATS[image.format], *((height, width) if _is_on_its_side(image) else (width, height)))


def _is_on_its_side(image: Any) -> bool:
    """Whether viewers show it rotated by 90 degrees, which they never do with a PNG."""
    try:
        return image.format != "PNG" and image.getexif().get(ORIENTATION) in ON_ITS_SIDE
    except Exception:  # damaged Exif can raise anything
        return False
