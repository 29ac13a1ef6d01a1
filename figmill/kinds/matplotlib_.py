"""The kind matplotlib: a generator's Figure, or the file that a whole script saved, becomes matplotlib's own SVG.

It runs only in a worker, because it changes the process. It knows nothing of YAML or of the normal form.
"""

from __future__ import annotations

import ast
import gc
import io
import os
import sys
from collections.abc import Sequence
from functools import wraps
from pathlib import Path
from typing import Any

from figmill.errors import AuthorError, did_you_mean
from figmill.host.temporary import temporary_folder
from figmill.kind import formulas, notebook, script, script_figures, typefaces
from figmill.kind.job import Job, Raw, source
from figmill.kind.vega import VegaError
from figmill.kinds.plots import as_tables, boxes, grids, halos, mathtext, measures, rasterising, style, words
from figmill.kinds.plots.returned import NotTakenError, figure_of
from figmill.model import FigureTable, Origin

# Without date and version, which differ between runs and machines.
METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


def warm(fonts: Sequence[str]) -> None:
    """Import what every figure needs, and draw one figure, so that forked children find everything loaded."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.backends.backend_agg
    import matplotlib.backends.backend_svg
    import matplotlib.pyplot as plt
    import numpy.random  # noqa: F401 - for the seed that every script is given

    typefaces.register_with_matplotlib(Path(name) for name in fonts)
    settle_matplotlib()
    _defaults()
    gc.freeze()  # the loaded libraries stay; the collector only visits what the figure leaves behind
    figure, axes = plt.subplots()
    axes.plot([1, 2], label="a")
    axes.set_title(r"$\mu_0$ 1")
    axes.legend()
    figure.savefig(io.BytesIO(), format="svg", bbox_inches="tight")
    plt.close(figure)
    close_fonts()


def close_fonts() -> None:
    """Close all open fonts: forked children would share a font's file position."""
    from matplotlib import font_manager
    from matplotlib import mathtext as set_formulas

    set_formulas.MathTextParser._parse_cached.cache_clear()  # type: ignore[attr-defined]
    formulas.forget_symbols()
    font_manager._get_font.cache_clear()  # type: ignore[attr-defined]
    gc.collect()


def settle_matplotlib() -> None:
    """Patch how matplotlib writes SVG, once per process, regardless of what a script sets later.

    - figmill's fonts become defaults, so that rcdefaults() and the style "default" restore them.
    - Text is written as text. Formulas with characters that readers' fonts lack (kind/formulas.py) are drawn as
      paths.
    - Grid lines are not clipped: those at the ends of an axis keep their weight.
    - Colour bars are drawn as shapes, never as an image.
    - Figures that a script shows or saves are recorded (kind/script_figures.py).
    """
    import matplotlib
    from matplotlib.backends import backend_svg
    from matplotlib.colorbar import Colorbar

    matplotlib.rcParamsDefault.update(typefaces.RC)
    canvas: Any = backend_svg.FigureCanvasSVG
    renderer: Any = backend_svg.RendererSVG
    bar: Any = Colorbar
    print_svg, write_text, add_solids = canvas.print_svg, renderer._draw_text_as_text, bar._add_solids
    draw_path = renderer.draw_path

    @wraps(print_svg)  # matplotlib inspects the signature
    def pinned(self: Any, *args: Any, **options: Any) -> Any:
        with matplotlib.rc_context(typefaces.PINNED), rasterising.prepared(self.figure):
            return print_svg(self, *args, **options)

    def as_text(
        self: Any, gc: Any, x: Any, y: Any, s: Any, prop: Any, angle: Any, ismath: Any, *more: Any
    ) -> None:
        boxes.note_text(self, gc, x, y, s, prop, angle, ismath)
        if ismath and mathtext.has_rare_signs(self, s, prop):
            self._draw_text_as_path(gc, x, y, s, prop, angle, ismath, *more)
        elif ismath:
            mathtext.write(self, gc, x, y, s, prop, angle)
        else:
            write_text(self, gc, x, y, s, prop, angle, ismath, *more)

    @wraps(draw_path)
    def path(self: Any, gc: Any, path: Any, transform: Any, *more: Any, **options: Any) -> None:
        boxes.note_path(gc, path, transform)
        draw_path(self, gc, path, transform, *more, **options)

    def solids(self: Any, *args: Any) -> None:
        add_solids(self, *args)
        if self.solids is not None:
            self.solids.set_edgecolor("face")  # otherwise the page shows through between neighbouring shapes

    canvas.print_svg = pinned
    renderer._draw_text_as_text = as_text
    renderer.draw_path = path
    grids.settle()
    halos.settle()
    measures.settle()
    words.settle()
    script_figures.settle()
    bar._add_solids = solids
    bar.n_rasterize = sys.maxsize


def _defaults(cycle: str = "matplotlib") -> None:
    """Reset matplotlib to its own defaults with figmill's fonts, regardless of this machine's matplotlibrc.

    cycle: "book" gives lines the colours of the palette.
    """
    import matplotlib

    matplotlib.rcdefaults()
    matplotlib.rcParams.update(typefaces.RC)
    matplotlib.rcParams.update(typefaces.PINNED)
    if cycle == "book":
        matplotlib.rcParams["axes.prop_cycle"] = style.book_cycle()


def render(job: Job, root: Path) -> Raw:
    """The SVG of one figure. Raises AuthorError at the author's line."""
    _defaults(job.cycle)
    rasterising.most_elements.set(job.rasterise)
    rasterising.most_pixels.set(job.megapixels * 1e6)
    return _drawn(job, root) if job.entry == "draw" else _saved(job, root)


def _drawn(job: Job, root: Path) -> Raw:
    from matplotlib.transforms import Bbox

    returned = script.run_draw(job, root)
    drawing = returned.drawing
    at = Origin(job.source, returned.line)
    try:
        with script.blamed(job, root):
            figure = figure_of(drawing.figure, job.seed)
    except (NotTakenError, VegaError) as error:
        raise AuthorError(at, str(error)) from None
    facts = script.checked_facts(drawing.facts, job, returned.line)
    own = script.checked_tables(drawing.tables, job, returned.line)
    if isinstance(figure, bytes):
        return Raw(figure, facts, tables=own)
    says_its_size = boxes.says_its_size(figure)
    with boxes.noting() as extent:
        svg = _svg(figure, at) if says_its_size else _svg(figure, at, bbox_inches="tight")
    box = extent.grown(*boxes.size_of(svg))
    tables = words.translated(own or as_tables.tables_of(figure))
    if box is None:
        return Raw(svg, facts, tables=tables)
    grown = Bbox.from_extents(*box)
    # Some artists do not tell matplotlib how large they are, such as the key of a quiver plot.
    if not says_its_size:
        grown = grown.translated(*boxes.corner_of_tight(figure))
    return Raw(_svg(figure, at, bbox_inches=grown), facts, tables=tables)


def _saved(job: Job, root: Path) -> Raw:
    """The file that a whole script saved at VISUAL_OUT_PATH, else the figure that it showed, saved or left open."""
    path = str(root / job.source)
    with temporary_folder() as folder:
        out = Path(folder) / "figure.svg"
        os.environ["VISUAL_OUT_PATH"] = str(out)
        tables_of_svg: dict[bytes, tuple[FigureTable, ...]] = {}  # what is drawn in an SVG

        def drawn(figure: Any) -> bytes:
            svg = _svg(figure, Origin(job.source, script_figures.line_in(path)), bbox_inches="tight")
            tables_of_svg[svg] = as_tables.tables_of(figure)
            return svg

        collection = script_figures.Collection(
            job.figure,
            drawn,
            lambda: script_figures.line_in(path),
            own=str(out),
            root=os.path.realpath(root) + os.sep,
        )
        with script_figures.collecting(collection):
            if notebook.is_notebook(job.source):
                _run_notebook(job, root, collection)
            else:
                script.run_script(job, root)
            if out.exists():
                tables = as_tables.tables_of(collection.saved)
                return Raw(_is_svg(out.read_bytes(), job), tables=words.translated(tables))
            collection.end_open(close=False)
    try:
        svg = collection.chosen()
    except script_figures.NotOneError as error:
        raise AuthorError(Origin(job.source, error.line), str(error)) from None
    if svg is None:
        raise AuthorError(
            Origin(job.source),
            "it shows and saves no figure, and leaves none open; end it with `plt.show()`, "
            f"or define draw() that returns the figure{_like_draw(job, root)}",
        )
    return Raw(svg, tables=words.translated(tables_of_svg[svg]))


def _like_draw(job: Job, root: Path) -> str:
    """`; did you mean that by 'drw' in line 3?` for a function with a similar name; else empty."""
    body = ast.parse(source(job, root)).body if job.source.endswith(".py") else []
    near = (node for node in body if isinstance(node, ast.FunctionDef) and did_you_mean(node.name, ["draw"]))
    return next((f"; did you mean that by '{node.name}' in line {node.lineno}?" for node in near), "")


def _run_notebook(job: Job, root: Path, collection: script_figures.Collection) -> None:
    """Run a notebook up to the cell with the wanted tag. Each cell ends its figures, as in Jupyter."""
    for cell in script.run_cells(job, root):
        collection.end_open(close=True)
        if job.figure and job.figure in collection.cell:
            break
        collection.cell = cell.tags


def _is_svg(data: bytes, job: Job) -> bytes:
    if b"<svg" not in data[:4096]:
        what = "a PNG" if data.startswith(b"\x89PNG") else "a PDF" if data.startswith(b"%PDF") else "no SVG"
        raise AuthorError(
            Origin(job.source), f"the file that it saved at VISUAL_OUT_PATH is {what}; use format='svg'"
        )
    return data


def _svg(figure: Any, at: Origin, **options: Any) -> bytes:
    """Save a figure as SVG. An error here (bad mathtext, say) is the author's, not the machine's."""
    buffer = io.BytesIO()
    try:
        figure.savefig(buffer, format="svg", metadata=METADATA, **options)
    except MemoryError:
        raise
    except Exception as error:
        first, *rest = str(error).strip().splitlines() or [type(error).__name__]
        if rest and rest[-1].startswith("Parse"):
            first, rest = f"the formula '{first}': {rest[-1].partition(': ')[2]}", []
        elif "latex could not be found" in first:
            first = "text.usetex needs LaTeX, which figmill does not run; without it, $...$ is set by matplotlib itself"
        raise AuthorError(
            at, f"matplotlib cannot draw {'this: ' * (not first.startswith('the '))}{first}", "\n".join(rest)
        ) from None
    return buffer.getvalue()
