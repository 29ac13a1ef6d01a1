"""A raster picture, decoded by pillow and re-encoded: as PNG, or as JPEG if it was a photo. Pure.

Only pixels of the file survive: no metadata, profile, further frames, or data after its end. The same pixels give the
same bytes, and re-encoding a result gives the same bytes again.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING, Any

from figmill.late_dataclasses import dataclass
from figmill.svg.pictures.jpeg import bare
from figmill.svg.spec import PictureError

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "WEBP")
MOST = 50_000_000  # pixels decoded per picture
ORIENTATION = 0x0112  # the Exif tag
QUALITY = 90  # the quality of re-encoded JPEGs
COLOURS = 256  # of a palette
MANY = 20_000  # colours, from which an opaque picture counts as a photo

# Signatures of other formats, with their names.
SIGNS = (
    (b"GIF8", "a GIF"),
    (b"BM", "a BMP"),
    (b"II*\0", "a TIFF"),
    (b"MM\0*", "a TIFF"),
    (b"%PDF", "a PDF"),
    (b"\0\0\x01\0", "an icon"),
    (b"8BPS", "a Photoshop file"),
    (b"\xff\x0a", "a JPEG XL"),
    (b"\0\0\0\x0cJXL ", "a JPEG XL"),
    (b"\0\0\0\x0cjP  ", "a JPEG 2000"),
    (b"%!PS", "PostScript"),
)


@dataclass(frozen=True, slots=True)
class RasterSource:
    """A picture whose header was read: its format, and its sides in pixels."""

    data: bytes
    format: str
    width: int
    height: int
    frames: int


@dataclass(frozen=True, slots=True)
class EncodedPicture:
    """A picture as published."""

    data: bytes
    mime: str
    width: int
    height: int


def look(data: bytes) -> RasterSource:
    """The format and size of a picture, read before anything is decoded. Raises PictureError."""
    image = _open(data)
    width, height = image.size
    if width * height > MOST:
        raise PictureError(
            f"has {width:,} x {height:,} pixels; at most {MOST // 10**6} megapixels are read: save it smaller"
        )
    if _orientation(image) in (5, 6, 7, 8):  # rotated by 90 degrees
        width, height = height, width
    return RasterSource(data, image.format or "", width, height, getattr(image, "n_frames", 1))


def write(source: RasterSource, share: float, small: bool = False) -> EncodedPicture:
    """Re-encode the picture, each side scaled by `share`. small: encode photos as JPEG, in whatever format they were.

    Raises PictureError.
    """
    image, is_plain = _decoded(source.data)
    if share < 1:
        sides = max(1, int(image.width * share)), max(1, int(image.height * share))
        image = image.resize(sides, resample=_lanczos())
    elif (
        source.format == "JPEG"
        and is_plain
        and (data := bare(source.data)) is not None
        and _is_whole(data, image)
    ):
        return EncodedPicture(data, "image/jpeg", image.width, image.height)
    has_loss = source.format == "JPEG" or (source.format == "WEBP" and source.data[12:16] == b"VP8 ")
    if image.mode in ("RGB", "L") and (has_loss or (small and _is_photo(image))):
        return EncodedPicture(_jpeg(image), "image/jpeg", image.width, image.height)
    return EncodedPicture(_png(image), "image/png", image.width, image.height)


def _orientation(image: Image) -> int:
    """The Exif orientation, 1 to 8. A PNG would have to be decoded first, and viewers never rotate it."""
    if image.format == "PNG":
        return 1
    try:
        return int(image.getexif().get(ORIENTATION, 1))
    except Exception:  # damaged Exif can raise anything
        return 1


def _open(data: bytes) -> Image:
    from PIL import Image

    other = next((what for sign, what in SIGNS if data.startswith(sign)), None)
    if data[4:8] == b"ftyp":
        other = "an AVIF or HEIC"
    if other is not None:
        raise PictureError(f"is {other}; save it as PNG or JPEG")
    if not data:
        raise PictureError("is empty")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its warning about size; `look` checks the size itself
            return Image.open(io.BytesIO(data), formats=FORMATS)
    except Image.DecompressionBombError:
        raise PictureError(f"has more than {MOST // 10**6} megapixels; save it smaller") from None
    except MemoryError:
        raise
    except Exception:  # decoders raise anything for damaged files
        raise PictureError("is not a readable PNG, JPEG or WebP; save it again") from None


def _decoded(data: bytes) -> tuple[Image, bool]:
    """The pixels as L, LA, RGB or RGBA, upright and in sRGB; and whether the picture was already like that."""
    from PIL import ImageOps

    image = _open(data)
    try:
        image.load()
        upright = image if _orientation(image) == 1 else ImageOps.exif_transpose(image)
        plain = _in_srgb(_in_plain_mode(upright), image.info.get("icc_profile"))
    except MemoryError:
        raise
    except Exception:
        raise PictureError("is cut short or damaged; save it again") from None
    return _without_idle_channels(plain), plain is image


def _in_plain_mode(image: Image) -> Image:
    if image.mode in ("L", "LA", "RGB", "RGBA"):
        if "transparency" not in image.info:
            return image
        return image.convert("RGBA")
    if image.mode.startswith("I"):  # 16 bits
        return image.point(lambda value: value / 256).convert("L")
    if image.mode == "1":
        return image.convert("L")
    if image.mode in ("P", "PA", "La", "RGBa"):
        return image.convert("RGBA")
    return image.convert("RGB")


def _in_srgb(image: Image, profile: bytes | None) -> Image:
    """The picture converted to sRGB if its profile names another space."""
    if not profile or b"sRGB" in profile or b"s\0R\0G\0B" in profile or image.mode not in ("RGB", "RGBA"):
        return image
    from PIL import ImageCms

    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        converted = ImageCms.profileToProfile(image, source, ImageCms.createProfile("sRGB"))
    except (ImageCms.PyCMSError, OSError, ValueError):
        return image  # as browsers do if they cannot read a profile
    return converted or image


def _without_idle_channels(image: Image) -> Image:
    """The picture without an alpha channel that is opaque throughout."""
    if image.mode in ("RGBA", "LA") and image.getextrema()[-1] == (255, 255):
        return image.convert(image.mode[:-1])
    return image


def _is_whole(data: bytes, image: Image) -> bool:
    """Whether a JPEG without its metadata decodes to the same pixels."""
    try:
        again = _open(data)
        again.load()
    except (PictureError, OSError):
        return False
    return again.size == image.size and again.mode == image.mode and again.tobytes() == image.tobytes()


def _is_photo(image: Image) -> bool:
    return image.mode == "RGB" and image.getcolors(MANY) is None


def _jpeg(image: Image) -> bytes:
    out = io.BytesIO()
    image.save(out, format="JPEG", quality=QUALITY, optimize=True, subsampling="4:2:0")
    return bare(out.getvalue()) or out.getvalue()


def _png(image: Image) -> bytes:
    """The PNG of a picture: with an exact palette of its own order if it has few colours, otherwise as channels."""
    from PIL import Image as Images

    out = io.BytesIO()
    options: dict[str, Any] = {"format": "PNG", "compress_level": 6}
    colours = image.getcolors(COLOURS) if image.mode in ("RGB", "RGBA") else None
    if colours is None:
        Images.frombytes(image.mode, image.size, image.tobytes()).save(out, **options)
        return out.getvalue()
    import numpy as np

    channels = len(image.mode)
    pixels = np.frombuffer(image.tobytes(), np.uint8).reshape(-1, channels)
    whole: Any = np.zeros(len(pixels), np.uint32)
    for channel in range(channels):
        whole = (whole << 8) | pixels[:, channel]
    values, places = np.unique(whole, return_inverse=True)
    rows = [int(value).to_bytes(channels) for value in values]
    indexed = Images.frombytes("P", image.size, places.astype(np.uint8).tobytes())
    indexed.putpalette(b"".join(row[:3] for row in rows))
    if channels == 4:
        options["transparency"] = bytes(row[3] for row in rows)
    indexed.save(out, **options)
    return out.getvalue()


def _lanczos() -> Any:
    from PIL import Image

    return Image.Resampling.LANCZOS
