"""Which parts of a plot become pictures, and at which resolution: prepares a matplotlib figure for SVG.

- An image keeps the resolution of its data unless that is finer than visible; each value is a sharp square.
- An artist with very many elements becomes a picture. Axes and text do not change.
- Colour-mapped artists are marked (marks.py).
- Adjacent cells and bands have crisp edges, so that no seams show, as in matplotlib's own pictures.

The figure is restored afterwards. This module does not know what is done with the SVG.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

from figmill.default_limits import MEGAPIXELS, RASTERISE
from figmill.kinds.plots import marks

DPI = 200.0  # for rasterised artists: two pixels of a sharp screen per px, or a good print
FEW = 1_000_000  # pixels that an image of data may always keep
LINES = 10  # points of a line that cost as much as one marker, because lines are simplified
DOTS = "data-figmill-dots"
WORDS = "data-figmill-words"

# Elements of one artist above which it becomes a picture, for the current figure; 0: never.
most_elements: ContextVar[int] = ContextVar("most_elements", default=RASTERISE)
# Pixels of all its pictures together.
most_pixels: ContextVar[float] = ContextVar("most_pixels", default=MEGAPIXELS * 1e6)


@contextmanager
def prepared(figure: Any) -> Iterator[None]:
    """While the context is open, the figure can be written as SVG."""
    from matplotlib.image import AxesImage, BboxImage, FigureImage

    artists = marks.artists_of(figure)
    dense = list(_dense(artists, most_elements.get()))
    images: list[Any] = [
        artist for artist in artists if isinstance(artist, AxesImage | BboxImage | FigureImage)
    ]
    groups = [*marks.marks(artists), *((artist, {DOTS: str(count)}) for artist, count in dense)]
    pictured = {artist.get_label() for artist in artists if artist.get_rasterized()} | {
        a.get_label() for a, _ in dense
    }
    groups += [(sign, {marks.MARK: marks.KEEP}) for sign in _signs_of(pictured, artists)]
    groups += [(artist, {WORDS: "yes"}) for artist in _painted_words(artists)]
    groups += [(artist, {"shape-rendering": "crispEdges"}) for artist in artists if _abuts(artist)]
    with ExitStack() as stack:
        stack.enter_context(marks.around(groups))
        for paper in (figure.patch, *(axes.patch for axes in figure.axes)):
            _lay_flat(paper, stack)
        for artist, _ in dense:
            stack.callback(artist.set_rasterized, artist.get_rasterized())
            artist.set_rasterized(True)
        painted = sum(1 for artist in artists if artist.get_rasterized())
        if (images or painted) and not any(isinstance(image, FigureImage) for image in images):
            dpi = _resolution(figure, painted)
            for image in images:
                if _is_sharp(image, dpi / figure.dpi, len(images)):
                    # Not resampled: viewers show each value as a square. NonUniformImage itself would refuse this.
                    stack.callback(AxesImage.set_interpolation, image, image.get_interpolation())
                    AxesImage.set_interpolation(image, "none")
            figure.dpi = max(figure.dpi, dpi)  # printing changes the dpi anyway, and its caller restores it
        yield


def _lay_flat(paper: Any, stack: ExitStack) -> None:
    """Remove xkcd's sketch and halo from a page or an axes background, so that it is recognised as one."""
    stack.callback(paper.set_sketch_params, *(paper.get_sketch_params() or ()))
    stack.callback(paper.set_path_effects, paper.get_path_effects())
    paper.set_sketch_params(None)
    paper.set_path_effects([])


def _abuts(artist: Any) -> bool:
    """Whether matplotlib draws an artist without antialiasing, as it does for cells and bands to avoid seams."""
    from matplotlib.collections import Collection, QuadMesh

    if isinstance(artist, QuadMesh):  # it has its own attribute for this
        return not getattr(artist, "_antialiased", True)
    return isinstance(artist, Collection) and not any(artist.get_antialiased())


def _resolution(figure: Any, painted: int) -> float:
    """Pixels per inch for this many pictures, each possibly as large as the figure."""
    width, height = figure.get_size_inches()
    return min(DPI, math.sqrt(most_pixels.get() / max(1.0, width * height * max(1, painted))))


def _is_sharp(image: Any, finer: float, count: int) -> bool:
    """Whether to write an image at the resolution of its data. finer: the dpi of pictures relative to the figure's."""
    from matplotlib.image import AxesImage

    if not isinstance(image, AxesImage) or image.get_interpolation() not in (
        "auto",
        "antialiased",
        "nearest",
    ):
        return False
    rows, columns = image.get_size()
    shown = image.get_window_extent()
    return bool(rows * columns <= max(FEW / count, abs(shown.width * shown.height) * finer**2))


def _dense(artists: list[Any], most: int) -> Iterator[tuple[Any, int]]:
    """Artists with more elements than `most`, and the largest of several that exceed it together."""
    if not most:
        return
    sized = ((elements(artist), place) for place, artist in enumerate(artists) if not artist.get_rasterized())
    counts = sorted((row for row in sized if row[0]), reverse=True)
    rest = sum(count for count, _ in counts)
    for count, place in counts:
        if count <= most and (rest <= 1.5 * most or count < most / 50):
            return
        rest -= count
        yield artists[place], count


def elements(artist: Any) -> int:
    """The approximate number of SVG elements that an artist takes."""
    import numpy as np
    from matplotlib.collections import Collection, QuadMesh
    from matplotlib.lines import Line2D

    if not isinstance(artist, Collection | Line2D) or not artist.get_visible():
        return 0
    if isinstance(artist, QuadMesh):
        rows, columns = np.shape(artist.get_coordinates())[:2]
        return int((rows - 1) * (columns - 1))
    if isinstance(artist, Collection):
        return max(len(artist.get_paths() or ()), len(np.atleast_2d(artist.get_offsets())))
    if isinstance(artist, Line2D):
        points = np.size(artist.get_xdata(orig=False))
        return int(points) if str(artist.get_marker()) not in ("None", "none", " ", "") else points // LINES
    return 0


def _signs_of(labels: set[Any], artists: list[Any]) -> Iterator[Any]:
    """Legend handles of artists with these labels: pictures keep their colours, so their handles must too."""
    from matplotlib.legend import Legend

    for legend in (artist for artist in artists if isinstance(artist, Legend)):
        for sign, text in zip(legend.legend_handles, legend.texts, strict=False):
            if text.get_text() in labels:
                yield sign


def _painted_words(artists: list[Any]) -> Iterator[Any]:
    """Text that becomes part of a picture, and axes that do so with all their content."""
    from matplotlib.axes import Axes
    from matplotlib.text import Text

    for artist in artists:
        if artist.get_rasterized() and artist.get_visible():
            has_words = isinstance(artist, Text) and artist.get_text().strip()
            if has_words or (isinstance(artist, Axes) and artist.axison):
                yield artist
