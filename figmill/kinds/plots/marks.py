"""Marks in matplotlib's SVG: what is colour-mapped, and which lines carry nothing by themselves.

Only matplotlib knows which colours are data. It is asked while it draws, and its answer stands in the drawing as an
attribute of a group around the artist; `svg/passes/keeps.py` reads it. Unaware of themes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

MARK = "data-figmill-colours"
KEEP, FILLS, QUIET = "keep", "keep-fills", "quiet"
MANY = 24  # colours of one artist: more of them are a scale, however they were chosen

Attributes = Mapping[str, str]


@contextmanager
def around(groups: Iterable[tuple[Any, Attributes]]) -> Iterator[None]:
    """While this holds, each artist is drawn within a group that has these attributes."""
    with ExitStack() as stack:
        for artist, attributes in groups:
            stack.enter_context(_wrapped(artist, attributes))
        yield


@contextmanager
def _wrapped(artist: Any, attributes: Attributes) -> Iterator[None]:
    plain: Callable[..., Any] = artist.draw

    def draw(renderer: Any, *args: Any, **options: Any) -> Any:
        _end_picture(renderer)
        writer = getattr(
            renderer, "writer", None
        )  # none where this is part of a picture, or is only measured
        if writer is None:
            return plain(renderer, *args, **options)
        writer.start("g", attrib=dict(attributes))
        try:
            return plain(renderer, *args, **options)
        finally:
            _end_picture(renderer)
            writer.end("g")

    draw._supports_rasterization = getattr(plain, "_supports_rasterization", False)  # type: ignore[attr-defined]
    had = artist.__dict__.get("draw")
    artist.draw = draw
    try:
        yield
    finally:
        if had is None:
            del artist.draw
        else:
            artist.draw = had


def _end_picture(renderer: Any) -> None:
    """Write the picture that is under way, which matplotlib does no sooner than something else is drawn."""
    if getattr(renderer, "_rasterizing", False) and renderer._raster_depth == 0:
        renderer.stop_rasterizing()
        renderer._rasterizing = False


def marks(figure: Any) -> Iterator[tuple[Any, Attributes]]:
    """Each artist of a figure that is to be marked."""
    from matplotlib.axes import Axes
    from matplotlib.collections import Collection
    from matplotlib.legend import Legend
    from matplotlib.patches import FancyArrowPatch

    maps: list[Any] = []
    legends: list[Any] = []
    everything: list[Any] = figure.findobj(include_self=False)
    for artist in everything:
        if isinstance(artist, Collection):
            mode = colours_of(artist)
            if mode:
                yield artist, {MARK: mode}
            if artist.get_array() is not None:
                maps.append(artist)
        elif isinstance(artist, Axes):
            bar: Any = getattr(artist, "_colorbar", None)
            if bar is not None:
                yield from ((part, {MARK: KEEP}) for part in _bar(bar))
            if artist.name != "rectilinear":
                yield from (
                    (part, {MARK: QUIET}) for axis in artist._axis_map.values() for part in _lines(axis)
                )
        elif isinstance(artist, Legend):
            legends.append(artist)
    for axes in {artist.axes for artist in maps}:
        scale = _scale(artist for artist in maps if artist.axes is axes)
        signs = [handle for legend in legends if legend.axes is axes for handle in legend.legend_handles]
        arrows = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]  # of streamplot
        yield from ((sign, {MARK: KEEP}) for sign in (*signs, *arrows) if _face(sign) in scale)


def _lines(axis: Any) -> Iterator[Any]:
    """What draws the grid and the frame of an axis, which those of three dimensions do by parts of their own."""
    yield axis
    for name in ("gridlines", "pane"):
        part = getattr(axis, name, None)
        if part is not None:
            yield part


def colours_of(collection: Any) -> str:
    """What of a collection's colours is data: all, its fills, or nothing."""
    from matplotlib.colors import to_rgba_array
    from matplotlib.contour import ContourSet

    if collection.get_array() is None:
        faces = collection.get_facecolor()
        return FILLS if len(faces) > MANY and len({tuple(face[:3]) for face in faces}) > MANY else ""
    if isinstance(collection, ContourSet):
        return KEEP if collection.filled or collection.colors is None else ""
    if collection._face_is_mapped is None:  # as a rule matplotlib finds out when it draws
        collection._set_mappable_flags()
    lines = collection._edgecolors  # "face", where they follow the fills
    if collection._edge_is_mapped or isinstance(lines, str) or not to_rgba_array(lines)[:, 3].any():
        return KEEP
    return FILLS if collection._face_is_mapped else ""


def _bar(bar: Any) -> Iterator[Any]:
    """The parts of a colour bar that show the scale. Its outline and its words are none of them."""
    if bar.solids is not None:
        yield bar.solids
    yield from (*bar.solids_patches, *bar._extend_patches, *bar.lines)


def _scale(maps: Iterable[Any]) -> set[str]:
    """The colours of scales, but for black and white, which anything may have."""
    from matplotlib.colors import to_hex

    colours = {to_hex(row) for each in maps for row in each.get_cmap()(range(each.get_cmap().N))}
    return colours - {"#000000", "#ffffff"}


def _face(artist: Any) -> str:
    from matplotlib.colors import is_color_like, to_hex

    ask = getattr(artist, "get_markerfacecolor", None) or getattr(artist, "get_facecolor", None)
    face: Any = ask() if ask is not None else None
    return to_hex(face) if is_color_like(face) else ""
