"""`remove`: plain images in place of figmill's figures, in the pages and in files of their own. Nothing is deleted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from figmill import config, fastpath
from figmill.commands.environment import root_of
from figmill.config import Options
from figmill.errors import ToolError, did_you_mean
from figmill.fastpath import ONLY_PAGES, PAGES
from figmill.host import files
from figmill.integrations import figures, lookup, plain_pages
from figmill.integrations.figures import Catalogue
from figmill.integrations.lookup import Missing, Target
from figmill.integrations.plain_pages import Plain, PlainFigure
from figmill.paths import relative
from figmill.store.memory import Memory
from figmill.streams import say


@click.command("remove")
@click.argument("given", metavar="ID|PAGE|FOLDER...", nargs=-1, required=True)
@click.option("--into", metavar="DIR", help="Where the plain images go; default: images/ beside the pages.")
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@click.pass_obj
def command(root: Path | None, given: tuple[str, ...], into: str | None, dry_run: bool) -> int:
    """Turn figures back into plain images, in pages without figmill.

    ID is a question or a figure: all pages are changed. PAGE and FOLDER: all figures in these pages. Facts become
    plain numbers. Questions and sources stay.
    """
    book = root_of(root)
    options = config.load(book)
    catalogue = figures.load(book / ("build" if options.in_place else options.output))
    places = [name for name in given if name.endswith(PAGES) or os.path.isdir(name)]
    labels = {label for name in given if name not in places for label in _labels(book, catalogue, name)}
    pages = _pages(book, options, places)
    folder = into or f"{_top(options, places, book)}/images".removeprefix("./")
    wanted = labels if not places else {*labels, *catalogue.figures}
    code, shown, changes = 0, set(labels), list[tuple[str, str, str]]()
    for name, text in pages.items():
        plain = _plain(catalogue, wanted, name, folder)
        new, left = plain_pages.without_figures(name, text, plain)
        say([f"{name}:{line}: still names a figure; change it by hand" for line in left])
        code |= bool(left)
        if new != text:
            shown |= {label for label in plain.figures if label in text}
            changes.append((name, text, new))
    written = {
        target: data for label in sorted(shown) for target, data in _pictures(book, catalogue, label, folder)
    }
    for target, data in written.items():
        if not dry_run:
            files.own_folder(book, folder)
            files.create(str(book / target), data)
        say([f"{'would write' if dry_run else 'wrote'} {target}"])
    for name, text, new in changes:
        _write_page(book, name, text, new, dry_run)
    say(_needless(book, options, labels))
    return code


def _labels(book: Path, catalogue: Catalogue, name: str) -> list[str]:
    """The figure of this label, or all of the question with this id. Raises ToolError if there are none."""
    if name in catalogue.figures:
        return [name]
    built = (entry.published for entry in Memory(book).ledger().entries.values())
    labels = [figure.label for figure in built if figure.id == name and figure.label in catalogue.figures]
    if not labels:
        raise ToolError(f"there is no built figure '{name}'{did_you_mean(name, catalogue.figures)}")
    return labels


def _pages(book: Path, options: Options, places: Sequence[str]) -> dict[str, str]:
    """The texts of the pages by their path in the book: of these places, or of the whole book."""
    real = Path(files.real(book))
    inside = [Path(files.real(name)).relative_to(real).as_posix() for name in places]
    folders = [name for name in inside if not name.endswith(PAGES)] if places else ["."]
    rows = fastpath.rows(str(book), [f"{name}{ONLY_PAGES}" for name in folders]) if folders else []
    names = dict.fromkeys((*(name for name in inside if name.endswith(PAGES)), *(path for path, *_ in rows)))
    output = f"{options.output}/"
    texts = {
        name: files.read(book / name).decode("utf-8", "surrogateescape")
        for name in names
        if not name.startswith(output)
    }
    return {name: text for name, text in texts.items() if "figmill" in text}


def _top(options: Options, places: Sequence[str], book: Path) -> str:
    """The folder of the pages."""
    if places:
        place = relative(places[0], book)
        return place.rpartition("/")[0] or "." if place.endswith(PAGES) else place
    folders = options.page_folders or ((config.DOCS,) if (book / config.DOCS).is_dir() else (".",))
    return folders[0]


def _plain(catalogue: Catalogue, labels: set[str], name: str, folder: str) -> Plain:
    """The figures as a page shows them without figmill."""
    start = os.path.dirname(name) or "."

    def text(target: Target) -> str | None:
        answer = lookup.say(catalogue, target)
        return None if isinstance(answer, Missing) else answer

    plain = {
        label: PlainFigure(
            figure.alt,
            figure.caption,
            figure.title,
            plain_pages.address(relative(f"{folder}/{label}.svg", start)),
        )
        for label, figure in catalogue.figures.items()
        if label in labels
    }
    return Plain(plain, text)


def _write_page(book: Path, name: str, before: str, after: str, dry_run: bool) -> None:
    old, new = (text.encode("utf-8", "surrogateescape") for text in (before, after))
    if not dry_run and not files.rewrite(str(book / name), old, new):
        raise ToolError(f"{name} was changed meanwhile; run this again", code=1)
    say([f"{'would change' if dry_run else 'changed'} {name}"])


def _pictures(book: Path, catalogue: Catalogue, label: str, folder: str) -> Iterator[tuple[str, bytes]]:
    """The SVGs of a figure that are to be written. Raises ToolError if another file has one of the names."""
    for picture in catalogue.figures[label].pictures:
        if picture.format != "svg":
            continue
        target = f"{folder}/{label}{'.dark' if picture.theme == 'dark' else ''}.svg"
        data = figures.read(catalogue.folder, picture.path)
        path = book / target
        if not path.exists():
            yield target, data
        elif files.read(path) != data:
            raise ToolError(f"{target} already exists; choose another folder with --into")


def _needless(book: Path, options: Options, labels: set[str]) -> Iterator[str]:
    """What no page needs any more, and the author may delete."""
    names: Mapping[str, None] = dict.fromkeys(
        path
        for path, *_ in fastpath.rows(str(book), list(options.questions))
        if path.rpartition("/")[2].removesuffix(".yaml") in labels
    )
    for name in names:
        yield f"{name} and its sources stay; delete them when you no longer need them, then run `figmill clean`"
