"""How a figure of matplotlib is printed as SVG: what becomes a picture, at which resolution, and with which marks.

- An image keeps the resolution of its data where that is not beyond what can be seen; each value is a sharp square.
- An artist of very many elements becomes a picture. Axes and words stay as they are.
- What is colour-mapped is marked (marks.py).
- What abuts without a seam in matplotlib's own pictures does so here: cells and bands are drawn with crisp edges.

The figure is as it was afterwards. Unaware of what is done with the SVG.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

from figmill.kinds.plots import marks

DPI = 200.0  # of what becomes a picture: two pixels of a sharp screen for each px, or a good print
PIXELS = 4_000_000  # of all pictures in a figure, which its settling allows as well
FEW = 1_000_000  # pixels that an image of data may always have
LINES = 10  # a line of so many points takes as much as one marker, for it is simplified
DOTS = "data-figmill-dots"
WORDS = "data-figmill-words"

# Elements of one artist above which it becomes a picture; 0: never. Of the figure that is drawn now.
most_elements: ContextVar[int] = ContextVar("most_elements", default=50_000)


@contextmanager
def prepared(figure: Any) -> Iterator[None]:
    """While this holds, the figure is ready to be printed."""
    from matplotlib.image import FigureImage, _ImageBase

    artists = marks.artists_of(figure)
    dense = list(_dense(artists, most_elements.get()))
    images: list[Any] = [artist for artist in artists if isinstance(artist, _ImageBase)]
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
                    stack.callback(setattr, image, "_interpolation", image._interpolation)
                    image._interpolation = "none"  # as it is: readers show each value as a square
            figure.dpi = max(figure.dpi, dpi)  # which printing itself changes, and its caller restores
        yield


def _lay_flat(paper: Any, stack: ExitStack) -> None:
    """A page, or the ground of axes, has straight sides and no halo in the style of xkcd too: so it is known."""
    stack.callback(paper.set_sketch_params, *(paper.get_sketch_params() or ()))
    stack.callback(paper.set_path_effects, paper.get_path_effects())
    paper.set_sketch_params(None)
    paper.set_path_effects([])


def _abuts(artist: Any) -> bool:
    """Whether matplotlib draws it without smoothing, as it does with cells and bands, to show no seams between them."""
    from matplotlib.collections import Collection, QuadMesh

    if isinstance(artist, QuadMesh):  # which has a word of its own for it
        return not getattr(artist, "_antialiased", True)
    return isinstance(artist, Collection) and not any(artist.get_antialiased())


def _resolution(figure: Any, painted: int) -> float:
    """Pixels an inch for this many pictures, each perhaps as large as the figure."""
    width, height = figure.get_size_inches()
    return min(DPI, math.sqrt(PIXELS / max(1.0, width * height * max(1, painted))))


def _is_sharp(image: Any, finer: float, count: int) -> bool:
    """Whether an image is to be written at the resolution of its data. finer: by how much pictures are, on a side."""
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
    """The artists with more elements than that, and the largest of several that have too many together."""
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
    """How many elements an artist takes in an SVG, about."""
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
    """What stands in legends for artists of these labels: a picture keeps its colours, and so must its sign."""
    from matplotlib.legend import Legend

    for legend in (artist for artist in artists if isinstance(artist, Legend)):
        for sign, words in zip(legend.legend_handles, legend.texts, strict=False):
            if words.get_text() in labels:
                yield sign


def _painted_words(artists: list[Any]) -> Iterator[Any]:
    """Words that become part of a picture by themselves, and axes that do with all that is in them."""
    from matplotlib.axes import Axes
    from matplotlib.text import Text

    for artist in artists:
        if artist.get_rasterized() and artist.get_visible():
            has_words = isinstance(artist, Text) and artist.get_text().strip()
            if has_words or (isinstance(artist, Axes) and artist.axison):
                yield artist
