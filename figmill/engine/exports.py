"""The exports of a build: which are due, and the bytes of each. Writes nothing."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace

from figmill.engine.book_state import BookState
from figmill.engine.request import Progress
from figmill.errors import AuthorError, held
from figmill.kind.job import Raw
from figmill.model import Form, Visual
from figmill.publish import export_plan
from figmill.publish.export_plan import Wanted
from figmill.publish.exporting import SMALL_PRINT, Exported, exported, exporting
from figmill.publish.finalise import Settled
from figmill.publish.settling import settling, unpacked
from figmill.render.pool import Pool
from figmill.render.protocol import Shared
from figmill.render.results import NotDrawn, Result
from figmill.report.model import Row, Status
from figmill.store.ledger import Entry, key

TOGETHER = 64  # exports whose SVGs are held in memory at a time


def due(
    state: BookState,
    entries: Mapping[str, Entry],
    forms: Sequence[Form],
    rows: Mapping[str, Row] | None = None,
    *,
    force: bool = False,
) -> list[Wanted]:
    """The exports of the requested figures in these forms that are missing or outdated; with `force`, all of them.

    rows: so far; what is not drawn is not exported.
    """
    if not forms:
        return []
    shared = export_plan.shared(state.options, state.disk.root)
    wants: list[Wanted] = []
    for step in state.requested:
        name = key(step.visual)
        if rows is None or rows[name].status not in (Status.FAILED, Status.LEFT):
            wants += export_plan.wanted(
                step.visual,
                entries[name],
                step.entry,
                forms,
                shared,
                state.options,
                state.disk.digest,
                force=force,
            )
    return [want for want in wants if want.reasons]


def exports(
    wants: list[Wanted],
    state: BookState,
    entries: Mapping[str, Entry],
    pages: Mapping[str, bytes],
    pool: Pool,
    progress: Progress,
) -> Generator[tuple[Wanted, Exported | AuthorError], None, None]:
    """Each export, or the error that prevented it. pages: SVGs that are not on the disk yet."""
    options, disk = state.options, state.disk
    taken = export_plan.files_drawn_from(state.book.visuals, entries.values()) if options.in_place else set()
    fonts = [disk.root / name for name in options.fonts]
    in_place = [
        want.visual for want in wants if want.svg.path == want.visual.source and want.path not in taken
    ]
    drawings = _as_published(in_place, state, pool)
    free: list[Wanted] = []
    for want in wants:
        drawing = drawings.get(want.svg.path)
        if want.path in taken:
            yield want, want.error(f"it would overwrite {want.path}, which a figure is drawn from")
        elif isinstance(drawing, AuthorError):
            yield want, want.error(drawing.message)
        else:
            free.append(want)
    unwritten = {**pages, **{path: svg for path, svg in drawings.items() if isinstance(svg, bytes)}}
    for start in range(0, len(free), TOGETHER):
        batch: list[Wanted] = []
        raws: list[Raw] = []
        for want in free[start : start + TOGETHER]:
            try:
                raws.append(Raw(unwritten.get(want.svg.path) or disk.read(want.svg.path) or b""))
                batch.append(want)
            except AuthorError as error:
                yield want, want.error(error.message)
        then = [
            [
                exporting(
                    want.visual,
                    want.form,
                    fonts,
                    options.memory,
                    want.page,
                    options.palette,
                    options.language,
                )
            ]
            for want in batch
        ]
        with closing(pool.draw_all(raws, then)) as results:
            for done, (want, result) in enumerate(zip(batch, results, strict=True), start + 1):
                progress(done, len(free), want.path)
                yield want, _export_of(want, result)


def _export_of(want: Wanted, result: Result) -> Exported | AuthorError:
    if isinstance(result, NotDrawn):
        return want.error(result.error.message)
    product = exported(result.answers[0])
    if isinstance(product, str):
        return want.error(product)
    print_ = [(SMALL_PRINT, want.small_print)] if want.small_print else []
    return replace(product, findings=(*product.findings, *print_))


def _as_published(visuals: Sequence[Visual], state: BookState, pool: Pool) -> dict[str, bytes | AuthorError]:
    """The normal form of hand drawings that are their own output, and so never written; by path."""
    pages: dict[str, bytes | AuthorError] = {}
    raws: dict[str, tuple[Visual, Raw]] = {}
    for visual in visuals:
        try:
            raws[visual.source] = visual, Raw(state.disk.read(visual.source) or b"")
        except AuthorError as error:
            pages[visual.source] = error
    options = Shared(state.options)
    root = str(state.disk.root)
    then = [[settling(visual, options, root)] for visual, _ in raws.values()]
    with closing(pool.draw_all([raw for _, raw in raws.values()], then)) as results:
        for (visual, raw), result in zip(raws.values(), results, strict=True):
            pages[visual.source] = _light(visual, raw, result)
    return pages


def _light(visual: Visual, raw: Raw, result: Result) -> bytes | AuthorError:
    """The light form of a settled drawing, or the error that prevented it."""
    if isinstance(result, NotDrawn):
        return result.error
    try:
        (answer,) = result.answers
        if isinstance(answer, AuthorError):
            return answer
        settled = unpacked(answer, visual, raw.facts)
        if not isinstance(settled, Settled):
            return settled[0]
        return next(page.svg for page in settled.pages if page.theme == "light")
    except Exception as error:
        return held(visual.at(), "reading what is to be exported", error)
