"""Colours: parse CSS Color 4 values, measure them and change them. All colour science is here.

Few viewers other than browsers know `oklch()`, and every contrast check needs a number. Colours outside sRGB are mapped
into it as in CSS Color 4, section 13.2: lightness and hue stay, chroma is reduced. Mixtures are computed in the space
that they name. Contrast is that of WCAG 2.1, distance that of OKLab. Knows nothing of drawings or of the palette.
"""

from __future__ import annotations

import math
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import tinycss2
import tinycss2.color4

from figmill.svg import oklab

if TYPE_CHECKING:
    from coloraide import Color

Tone: TypeAlias = tuple[str, float]  # #rrggbb and alpha

MIX = "color-mix("
MAX_NESTED = 8  # levels of mixtures in mixtures
WIDE = re.compile(r"\b(?:lab|lch|oklab|oklch|color)\(", re.I)
# Paints that are not colours themselves. icc-color() follows a colour, for printers.
OTHERS = re.compile(
    r"none|currentcolor|context-(?:fill|stroke)|inherit|initial|unset|revert(?:-layer)?|.* icc-color\(.*",
    re.S,
)
NO_ALPHA = re.compile(r"/\s*none\s*\)", re.I)  # `none` means 0: transparent
FARTHEST = 1000.0  # limit of a coordinate in its own space: far outside all visible colours


@cache
def color_class() -> type[Color]:
    """coloraide's Color, imported with the first colour that needs it."""
    from coloraide import Color

    return Color


@lru_cache(maxsize=4096)
def srgb(text: str) -> tuple[float, float, float, float] | None:
    """Red, green, blue (0 to 1) and alpha of a CSS colour; None for anything else, currentcolor included."""
    text = NO_ALPHA.sub("/ 0)", text.strip().lower())
    if text.startswith(MIX):
        return mixed(text)
    try:
        colour = tinycss2.color4.parse_color(text)
    except ValueError:  # raised by a function without arguments
        return None
    if colour is None or isinstance(colour, str):
        return None
    if WIDE.match(text):
        return _wide(text, colour.alpha)
    red, green, blue = (max(0.0, min(1.0, part)) for part in colour.to("srgb").coordinates)
    return red, green, blue, float(colour.alpha)


def _wide(text: str, alpha: float) -> tuple[float, float, float, float] | None:
    try:
        colour = color_class()(text)
    except ValueError:
        return None
    channels = [max(-FARTHEST, min(FARTHEST, part)) for part in colour.coords(nans=False)]
    fitted = color_class()(colour.space(), channels).fit("srgb", method="oklch-chroma").convert("srgb")
    red, green, blue = (max(0.0, min(1.0, part)) for part in fitted.coords(nans=False))
    return red, green, blue, float(alpha)


@lru_cache(maxsize=1024)
def mixed(text: str, current: str = "", depth: int = 0) -> tuple[float, float, float, float] | None:
    """The colour of a color-mix() (CSS Color 5, section 2) as srgb() has it; None if it is invalid.

    current: the value of currentcolor; without it, a mixture with currentcolor is invalid.
    """
    function = next(iter(tinycss2.parse_component_value_list(text)), None)
    if depth > MAX_NESTED or function is None or function.type != "function":
        return None
    parts = _split(function.arguments)
    how = [token.lower_value for token in parts[0] if token.type == "ident"]
    shares = [_share(part) for part in parts[1:]]
    colours = [_ingredient(part, current, depth) for part in parts[1:]]
    if len(colours) != 2 or None in colours or len(how) < 2 or how[0] != "in":
        return None
    share = shares[0] if shares[0] is not None else 1 - shares[1] if shares[1] is not None else 0.5
    rest = shares[1] if shares[1] is not None else 1 - share
    if not (0 <= share <= 1 and 0 <= rest <= 1 and share + rest > 0):
        return None
    space, hue = SPACES.get(how[1], how[1]), how[2] if how[3:] == ["hue"] else "shorter"
    try:
        mixture = color_class().mix(colours[0], colours[1], rest / (share + rest), space=space, hue=hue)
    except (ValueError, KeyError, AttributeError):
        return None
    red, green, blue = mixture.fit("srgb", method="oklch-chroma").convert("srgb").coords(nans=False)
    return red, green, blue, mixture.alpha(nans=False) * min(1.0, share + rest)


SPACES = {"xyz": "xyz-d65"}


def _split(tokens: list[Any]) -> list[list[Any]]:
    """A list of tokens, split at its commas."""
    parts: list[list[Any]] = [[]]
    for token in tokens:
        if token == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _share(part: list[Any]) -> float | None:
    return next((token.value / 100 for token in part if token.type == "percentage"), None)


def _ingredient(part: list[Any], current: str, depth: int) -> Any:
    """One colour of a mixture; None if it is not a colour."""
    text = tinycss2.serialize([token for token in part if token.type != "percentage"]).strip().lower()
    text = current if text == "currentcolor" else text
    if text.startswith(MIX):
        inner = mixed(text, current, depth + 1)
        return None if inner is None else color_class()("srgb", inner[:3], inner[3])
    try:
        return color_class()(NO_ALPHA.sub("/ 0)", text))
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def is_paint(text: str) -> bool:
    """Whether viewers understand this paint; otherwise they use the inherited one."""
    lowered = text.strip().lower()
    if lowered.startswith("url("):  # may be followed by a fallback paint
        rest = lowered.partition(")")[2].strip()
        return not rest or is_paint(rest)
    if lowered.startswith(MIX):
        return mixed(lowered, "#000000") is not None
    return OTHERS.fullmatch(lowered) is not None or srgb(lowered) is not None


GREY = 0.02  # OKLCH chroma below which a colour counts as grey
HUELESS = 1e-6  # chroma below which a hue is an error of rounding


EXACT = re.compile(
    r"#[0-9a-f]{3}|#[0-9a-f]{6}|[a-z]+|rgb\(\s*[0-9]{1,3}\s*[, ]\s*[0-9]{1,3}\s*[, ]\s*[0-9]{1,3}\s*\)"
)


CURRENT = "currentColor"


def is_current(text: str) -> bool:
    """Whether a value is the keyword for the colour of `color`, in any case."""
    return len(text) == len(CURRENT) and text.lower() == CURRENT.lower()


@lru_cache(maxsize=1 << 16)
def canonical(text: str) -> str:
    """An opaque colour as #rrggbb if that is exactly the same colour; any other text unchanged.

    The keyword currentColor gets its capital letter, without which some viewers do not recognise it.
    """
    lowered = text.strip().lower()
    if is_current(lowered):
        return CURRENT
    if not EXACT.fullmatch(lowered):
        return text
    colour = srgb(lowered)
    if colour is None or colour[3] != 1:
        return text
    red, green, blue = (round(part * 255) for part in colour[:3])
    return f"#{red:02x}{green:02x}{blue:02x}"


@lru_cache(maxsize=1 << 16)
def rgb(text: str) -> oklab.Triple:
    """Red, green and blue (0 to 1) of an opaque colour. Raises ValueError for anything else."""
    parts = srgb(text)
    if parts is None:
        raise ValueError(f"'{text}' is not a colour")
    return parts[:3]


@lru_cache(maxsize=1 << 16)
def lab(text: str) -> oklab.Triple:
    """Lightness, a and b of OKLab."""
    return oklab.of_srgb(rgb(text))


def lightness(text: str) -> float:
    return lab(text)[0]


def chroma(text: str) -> float:
    return math.hypot(*lab(text)[1:])


@lru_cache(maxsize=8192)
def moved_to(text: str, light: float, saturation: float | None = None) -> str:
    """The colour with this lightness and chroma (OKLCH); hue is kept, chroma limited to what sRGB allows."""
    _, *hue = lab(text)
    strength = math.hypot(*hue)
    if saturation is not None:
        hue = [part * saturation / strength for part in hue] if strength > HUELESS else [saturation, 0.0]
    return "#{:02x}{:02x}{:02x}".format(
        *(round(255 * part) for part in oklab.to_srgb((light, hue[0], hue[1])))
    )


@lru_cache(maxsize=1 << 16)
def luminance(text: str) -> float:
    return oklab.luminance(rgb(text))


@lru_cache(maxsize=16384)
def contrast(first: str, second: str) -> float:
    """The contrast ratio of WCAG 2.1."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


@lru_cache(maxsize=8192)
def distance(first: str, second: str) -> float:
    """The OKLab distance of two colours; 0.02 is just noticeable."""
    return math.dist(lab(first), lab(second))


HEX = frozenset("0123456789abcdefABCDEF")


@lru_cache(maxsize=1 << 16)
def tone(text: str) -> Tone | None:
    """A colour value as #rrggbb and alpha; None for anything else, currentcolor included."""
    if len(text) == 7 and text[0] == "#" and set(text[1:]) <= HEX:
        return text.lower(), 1.0
    colour = srgb(text)
    if colour is None:
        return None
    red, green, blue = (round(part * 255) for part in colour[:3])
    return f"#{red:02x}{green:02x}{blue:02x}", colour[3]


def with_alpha_of(old: str, colour: str) -> str:
    """The colour as an attribute value, with the alpha of the old value."""
    before = tone(old)
    if before is None or before[1] >= 1:
        return colour
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {before[1]:.4g})"
