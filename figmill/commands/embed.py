"""`embed`: a figure as text to paste into a page."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from figmill import config
from figmill.commands.environment import root_of
from figmill.errors import ToolError
from figmill.host import files
from figmill.integrations import figures, links, page, template_data
from figmill.integrations.page import Embedding, Missing, Target
from figmill.integrations.paste import FACTS, FORMATS, Paste
from figmill.integrations.relative_address import way
from figmill.streams import complain, hand_over, say


@click.command("embed")
@click.argument("id_", metavar="ID", required=False)
@click.option(
    "--all",
    "is_all",
    is_flag=True,
    help="Print all figures and facts, as JSON for Hugo and Jekyll, or as LaTeX.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="html",
    show_default=True,
    help="The kind of page.",
)
@click.option(
    "--base",
    metavar="ADDRESS",
    help="The path from the page to the output folder; default: from this folder.",
)
@click.option(
    "--theme",
    type=click.Choice(page.THEMES),
    default="auto",
    help="Which pictures to show; auto: both, if a page can choose.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --all: write this file, and the folder for it, instead of printing.",
)
@click.option("--language", metavar="CODE", help="The language of the page; default: that of the book.")
@click.pass_obj
def command(
    root: Path | None,
    id_: str | None,
    is_all: bool,
    form: str,
    base: str | None,
    theme: str,
    output: Path | None,
    language: str | None,
) -> int:
    """Print a figure as text to paste into a page."""
    if is_all is (id_ is not None):
        raise ToolError("name a figure, or use --all")
    if output is not None and not is_all:
        raise ToolError("--output is for --all; one figure is printed")
    place = root_of(root)
    options = config.load(place)
    folder = place / ("build" if options.in_place else options.output)
    catalogue = figures.load(folder).of_book(options.language, dict(options.words)).in_language(language)
    if id_ is None:
        document = template_data.ALL[_known(form)](catalogue, base)
        answers = (page.show(catalogue, Target(label)) for label in catalogue.figures)
        _tell_of_links([answer for answer in answers if isinstance(answer, Embedding)], folder)
        if output is None:
            hand_over(document)
        else:
            _write(output, document)
        return 0
    target = page.target(f"{page.SCHEME}{id_.removeprefix(page.SCHEME)}") or Target(id_)
    if target.fact is not None:
        text = page.say(catalogue, target)
        if isinstance(text, Missing):
            raise ToolError(text.message)
        return _print(FACTS[form](text))
    answer = page.show(catalogue, target, theme=theme)
    if isinstance(answer, Missing):
        raise ToolError(answer.message)
    if answer.doubt:
        complain(f"figmill: {answer.doubt}")
    _tell_of_links([answer], folder)
    address = way(folder) if base is None else base
    return _print(FORMATS[form](Paste(answer, address, folder)))


def _tell_of_links(answers: list[Embedding], folder: Path) -> None:
    """Say of which figures no reader can follow the links: the text to paste shows images."""
    if labels := [answer.label for answer in answers if links.of(folder, answer)]:
        complain(f"figmill: {links.dead(labels, links.NOT_HERE)}")


def _write(path: Path, text: str) -> None:
    """Write UTF-8, although the shell may use another encoding for a command's output."""
    try:
        files.own_folder(path.parent)
        files.replace_ours(os.fspath(path), text.encode(), template_data.is_one)
    except OSError as error:
        raise ToolError(f"--output {path.as_posix()}: {error.strerror or error}") from None
    say([f"wrote {path.as_posix()}"])


def _known(form: str) -> str:
    if form not in template_data.ALL:
        raise ToolError(f"--all is for --format {' or '.join(template_data.ALL)}, not {form}")
    return form


def _print(text: str) -> int:
    encoding = sys.stdout.encoding or "ascii"
    hand_over(text.encode(encoding, "backslashreplace").decode(encoding))
    return 0
