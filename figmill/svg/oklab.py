"""OKLab of colours in sRGB: a few sums for each, where coloraide takes longer to load than a graph to draw.

The matrices and the transfer functions are those of CSS Color 4, "Sample code for Color Conversions". Parts of a colour
are 0 to 1.
"""

from __future__ import annotations

import math
from typing import TypeAlias

Triple: TypeAlias = tuple[float, float, float]
Matrix: TypeAlias = tuple[Triple, Triple, Triple]

_XYZ_OF_LINEAR: Matrix = (
    (506752 / 1228815, 87881 / 245763, 12673 / 70218),
    (87098 / 409605, 175762 / 245763, 12673 / 175545),
    (7918 / 409605, 87881 / 737289, 1001167 / 1053270),
)
_LINEAR_OF_XYZ: Matrix = (
    (12831 / 3959, -329 / 214, -1974 / 3959),
    (-851781 / 878810, 1648619 / 878810, 36519 / 878810),
    (705 / 12673, -2585 / 12673, 705 / 667),
)
_CONES_OF_XYZ: Matrix = (
    (0.8190224379967030, 0.3619062600528904, -0.1288737815209879),
    (0.0329836539323885, 0.9292868615863434, 0.0361446663506424),
    (0.0481771893596242, 0.2642395317527308, 0.6335478284694309),
)
_XYZ_OF_CONES: Matrix = (
    (1.2268798758459243, -0.5578149944602171, 0.2813910456659647),
    (-0.0405757452148008, 1.1122868032803170, -0.0717110580655164),
    (-0.0763729366746601, -0.4214933324022432, 1.5869240198367816),
)
_LAB_OF_CONES: Matrix = (
    (0.2104542683093140, 0.7936177747023054, -0.0040720430116193),
    (1.9779985324311684, -2.4285922420485799, 0.4505937096174110),
    (0.0259040424655478, 0.7827717124575296, -0.8086757549230774),
)
_CONES_OF_LAB: Matrix = (
    (1.0, 0.3963377773761749, 0.2158037573099136),
    (1.0, -0.1055613458156586, -0.0638541728258133),
    (1.0, -0.0894841775298119, -1.2914855480194092),
)


_ROUNDS = 4  # of rays, after which the error is far below a step of 1/255
_INSIDE = 1e-12  # distance from the surface of the cube


def of_srgb(parts: Triple) -> Triple:
    """Lightness, a and b of red, green and blue."""
    return of_linear(linear(parts))


def to_srgb(lab: Triple) -> Triple:
    """Red, green and blue of a colour; if sRGB does not have it, with as much chroma as sRGB allows, 0 to 1.

    Lightness and hue stay. The chroma is found by rays from the grey of this lightness to the surface of the cube,
    coloraide's method `raytrace`; after each, the point returns to its lightness and hue.
    """
    light, *hue = lab
    strength = math.hypot(*hue)
    if light >= 1 or light <= 0:
        return (1.0, 1.0, 1.0) if light >= 1 else (0.0, 0.0, 0.0)
    point = last = _to_linear(lab)
    if any(not 0 <= part <= 1 for part in point):
        grey = sum(_to_linear((light, 0.0, 0.0))) / 3
        origin = (grey, grey, grey)
        for turn in range(_ROUNDS):
            if turn:
                chroma = math.hypot(*of_linear(point)[1:])
                point = _to_linear((light, hue[0] / strength * chroma, hue[1] / strength * chroma))
            crossing = _crossing(origin, point)
            if crossing is None:
                point = last
                break
            if turn and all(_INSIDE < part < 1 + _INSIDE for part in point):
                origin = point
            point = last = crossing
    red, green, blue = (_encoded(min(1.0, max(0.0, part))) for part in point)
    return red, green, blue


def luminance(parts: Triple) -> float:
    """The relative luminance, Y of CIE XYZ."""
    return times(_XYZ_OF_LINEAR, linear(parts))[1]


def of_linear(parts: Triple) -> Triple:
    """Lightness, a and b of linear red, green and blue."""
    cones = times(_CONES_OF_XYZ, times(_XYZ_OF_LINEAR, parts))
    return times(_LAB_OF_CONES, (math.cbrt(cones[0]), math.cbrt(cones[1]), math.cbrt(cones[2])))


def linear(parts: Triple) -> Triple:
    """Red, green and blue without their transfer function."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return red, green, blue


def times(matrix: Matrix, vector: Triple) -> Triple:
    """A matrix times a vector."""
    x, y, z = vector
    first, second, third = (row[0] * x + row[1] * y + row[2] * z for row in matrix)
    return first, second, third


def _crossing(origin: Triple, point: Triple) -> Triple | None:
    """Where the ray from a point in the cube 0 to 1 through another leaves it; None: it has no direction."""
    far = math.inf
    is_short = True
    for start, end in zip(origin, point, strict=True):
        way = end - start
        is_short = is_short and abs(way) <= _INSIDE
        if way:
            far = min(far, max(-start / way, (1 - start) / way))
    if is_short:
        return None
    first, second, third = (start + (end - start) * far for start, end in zip(origin, point, strict=True))
    return first, second, third


def _to_linear(lab: Triple) -> Triple:
    cones = times(_CONES_OF_LAB, lab)
    return times(_LINEAR_OF_XYZ, times(_XYZ_OF_CONES, (cones[0] ** 3, cones[1] ** 3, cones[2] ** 3)))


def _encoded(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055
