"""Marks in matplotlib's SVG: colour-mapped artists, and lines without a meaning of their own.

Only matplotlib knows which colours are data. It is queried during drawing, and the result becomes an attribute of a
group around the artist; `svg/passes/keeps.py` reads it. Knows nothing of themes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

MARK = "data-figmill-colours"
KEEP, FILLS, QUIET = "keep", "keep-fills", "quiet"
MANY = 24  # colours of one artist: with more, they are a scale, however they were chosen

Attributes = Mapping[str, str]


@contextmanager
def around(groups: Iterable[tuple[Any, Attributes]]) -> Iterator[None]:
    """While the context is open, each artist is drawn inside a group with these attributes."""
    with ExitStack() as stack:
        for artist, attributes in groups:
            stack.enter_context(_wrapped(artist, attributes))
        yield


@contextmanager
def _wrapped(artist: Any, attributes: Attributes) -> Iterator[None]:
    plain: Callable[..., Any] = artist.draw

    def draw(renderer: Any, *args: Any, **options: Any) -> Any:
        _end_picture(renderer)
        writer = getattr(renderer, "writer", None)  # None inside a picture, and while measuring
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
    """Write the pending picture, which matplotlib otherwise delays until something else is drawn."""
    if getattr(renderer, "_rasterizing", False) and renderer._raster_depth == 0:
        renderer.stop_rasterizing()
        renderer._rasterizing = False


def artists_of(figure: Any) -> list[Any]:
    """All artists of a figure except the ticks of its axes, which are the most and irrelevant here."""
    from matplotlib.axis import Axis

    artists: list[Any] = []
    waiting = [figure]
    while waiting:
        for child in waiting.pop().get_children():
            artists.append(child)
            if not isinstance(child, Axis):
                waiting.append(child)
    return artists


def marks(artists: Iterable[Any]) -> Iterator[tuple[Any, Attributes]]:
    """The figure's artists to mark, each with its mark."""
    from matplotlib.axes import Axes
    from matplotlib.collections import Collection
    from matplotlib.legend import Legend
    from matplotlib.patches import FancyArrowPatch

    maps: list[Any] = []
    legends: list[Any] = []
    for artist in artists:
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
        arrows = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]  # streamplot's
        yield from ((sign, {MARK: KEEP}) for sign in (*signs, *arrows) if _face(sign) in scale)


def _lines(axis: Any) -> Iterator[Any]:
    """The artists that draw the grid and frame of an axis; 3-D axes have separate parts for these."""
    yield axis
    for name in ("gridlines", "pane"):
        part = getattr(axis, name, None)
        if part is not None:
            yield part


def colours_of(collection: Any) -> str:
    """Which colours of a collection are data: all, only its fills, or none."""
    from matplotlib.colors import to_rgba_array
    from matplotlib.contour import ContourSet

    if collection.get_array() is None:
        faces = collection.get_facecolor()
        return FILLS if len(faces) > MANY and len({tuple(face[:3]) for face in faces}) > MANY else ""
    if isinstance(collection, ContourSet):
        return KEEP if collection.filled or collection.colors is None else ""
    if collection._face_is_mapped is None:  # matplotlib usually decides this only when it draws
        collection._set_mappable_flags()
    lines = collection._edgecolors  # the string "face" if they follow the fills
    if collection._edge_is_mapped or isinstance(lines, str) or not to_rgba_array(lines)[:, 3].any():
        return KEEP
    return FILLS if collection._face_is_mapped else ""


def _bar(bar: Any) -> Iterator[Any]:
    """The parts of a colour bar that show the scale, without its outline and text."""
    if bar.solids is not None:
        yield bar.solids
    yield from (*bar.solids_patches, *bar._extend_patches, *bar.lines)


def _scale(maps: Iterable[Any]) -> set[str]:
    """The colours of scales, except black and white, which anything may have."""
    from matplotlib.colors import to_hex

    colours = {to_hex(row) for each in maps for row in each.get_cmap()(range(each.get_cmap().N))}
    return colours - {"#000000", "#ffffff"}


def _face(artist: Any) -> str:
    from matplotlib.colors import is_color_like, to_hex

    ask = getattr(artist, "get_markerfacecolor", None) or getattr(artist, "get_facecolor", None)
    face: Any = ask() if ask is not None else None
    return to_hex(face) if is_color_like(face) else ""
