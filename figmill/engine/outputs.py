"""What a figure publishes: its files with their bytes, and its entry in the ledger. Pure, and unaware of the book.

The outputs of a figure that is gone are orphans: `book_state.py` finds them, and the command `clean` removes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from figmill.book.explore.pictures import NARROW, further
from figmill.book.resolve import PAGES_FOLDER
from figmill.config import Options
from figmill.engine.drawing.exploration import (
    exploration,
    in_its_language,
    in_other_languages,
    placed_pages,
)
from figmill.engine.drawing.outcome import Built, Skipped
from figmill.engine.plan import target
from figmill.model import (
    DataFile,
    Description,
    Edition,
    Exploration,
    File,
    Inputs,
    Published,
    Visual,
)
from figmill.publish import data_files, export_plan
from figmill.publish.finalise import Page
from figmill.store.ledger import Entry


def outputs(built: Built, options: Options) -> Iterator[tuple[str, bytes]]:
    """The bytes of each file with its path. A hand drawing that is its own output is checked, never rewritten."""
    for pages in placed_pages(built, partial(output_path, options=options)):
        for page in pages:
            if page.is_own and page.path != built.step.visual.source:
                yield page.path, page.page.svg
    for edition in (built, *in_other_languages(built)):
        for file, data in _data_files(edition, options):
            yield file.path, data


def _data_files(built: Built, options: Options) -> Iterator[tuple[DataFile, bytes]]:
    """The figure's data files. They never lie beside sources, where they might be taken for sources."""
    visual = built.step.visual
    if options.descriptions == "none" or visual.describe is False:
        return iter(())
    stem = visual.output.removesuffix(".svg").rpartition("/")[2]
    return data_files.files_of(built.settled.tables, f"{page_folder(options)}/{visual.track}/{stem}")


def page_folder(options: Options) -> str:
    """Where the manifest and the gallery lie."""
    return PAGES_FOLDER if options.in_place else options.output


def _description(built: Built, options: Options) -> Description | None:
    """A figure's long description, as it is published."""
    tables = tuple(file for file, _ in _data_files(built, options))
    if options.descriptions == "none" or not (tables or built.settled.described):
        return None
    return Description(options.descriptions == "details", built.settled.described, tables)


def output_path(visual: Visual, theme: str, options: Options) -> str:
    light = target(visual, options)
    return light if theme == "light" else f"{light.removesuffix('.svg')}.{theme}.svg"


def targets(visual: Visual, options: Options) -> set[str]:
    """Every path that a figure may write, whether or not it could be built."""
    shown = (visual, *further(visual))
    return {output_path(picture, theme, options) for picture in shown for theme in ("light", *visual.themes)}


def published(outcome: Skipped | Built, options: Options) -> Published | None:
    """The published form of a figure: its texts, facts and files."""
    if isinstance(outcome, Built):
        return entry_of(outcome, options).published
    return outcome.step.entry.published if outcome.step.entry else None


def entry_of(built: Built, options: Options) -> Entry:
    """A figure's entry in the ledger."""
    step, settled, visual = built.step, built.settled, built.step.visual
    files = tuple(_file(visual, page, step.declared, options) for page in settled.pages)
    published = Published(
        visual.id,
        visual.name,
        visual.track,
        visual.title,
        visual.kind,
        visual.source,
        settled.alt,
        settled.caption,
        settled.facts,
        files,
        exploration_of(built, options),
        None if visual.fence is None else visual.at().line,
        None if visual.fence is None else visual.fence.key,
        _description(built, options),
        _narrow_files(built, options),
        _editions(built, options),
    )
    return Entry(visual.at().path, step.drawn_from, built.traced, step.settling, published, settled.warnings)


def _editions(built: Built, options: Options) -> tuple[Edition, ...]:
    """The figure in each of its other languages."""
    return tuple(_edition(edition, options) for edition in in_other_languages(built))


def _edition(built: Built, options: Options) -> Edition:
    step, settled, visual = built.step, built.settled, built.step.visual
    into = visual.translation
    assert into is not None
    return Edition(
        into.language,
        visual.title,
        settled.alt,
        settled.caption,
        into.decimal,
        into.group,
        into.is_rtl,
        tuple(_file(visual, page, step.declared, options) for page in settled.pages),
        exploration_of(built, options),
        _description(built, options),
        _narrow_files(built, options),
    )


def exploration_of(built: Built, options: Options) -> Exploration | None:
    """The pictures between which a reader chooses."""
    return exploration(built, partial(output_path, options=options))


def _narrow_files(built: Built, options: Options) -> tuple[File, ...]:
    """The files of its form for narrow screens; none if it has none."""
    if all(NARROW not in picture.step.visual.explored for picture in (built, *built.variants)):
        return ()
    built = in_its_language(built)
    pages = placed_pages(built, partial(output_path, options=options))
    forms = zip((built, *built.variants), pages, strict=True)
    return tuple(
        page.file for picture, own in forms if NARROW in picture.step.visual.explored for page in own
    )


def _file(visual: Visual, page: Page, declared: Inputs, options: Options) -> File:
    path = output_path(visual, page.theme, options)
    in_place = path == visual.source
    digest = dict(declared.rows)[path] if in_place else page.sha256
    return File(page.theme, "svg", path, digest, page.width, page.height, page.smallest)


LONGEST_BEGIN = 4096  # bytes within which the root tag of a published SVG ends
_BEGIN = re.compile(
    rb'<svg xmlns="http://www\.w3\.org/2000/svg"[^<>]* role="img" aria-labelledby="[^<>"]+-(?:light|dark)-1\b'
)


def is_published(svg: bytes) -> bool:
    """Whether an SVG that begins with these bytes has the published form."""
    return _BEGIN.match(svg) is not None


def paths(entry: Entry | None) -> set[str]:
    """The outputs of a figure that we wrote."""
    if entry is None:
        return set()
    return {file.path for file in entry.published.all_files} - {entry.published.source}


def all_files(entry: Entry) -> tuple[File | DataFile, ...]:
    """All published files of a figure: its SVGs and their exports."""
    return (*entry.published.all_files, *(export.file for export in entry.exports))


def published_of(entry: Entry) -> Published:
    """A figure as in the manifest, with its exports."""
    return export_plan.shown(entry) if entry.exports else entry.published
