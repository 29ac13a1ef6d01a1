"""`embed`: a figure as text to paste into a page."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from figmill import config
from figmill.commands.environment import root_of
from figmill.errors import ToolError
from figmill.integrations import figures, page
from figmill.integrations.markup import FACTS, FORMATS, Paste
from figmill.integrations.page import Missing, Target
from figmill.streams import complain, hand_over


@click.command("embed")
@click.argument("id_", metavar="ID")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="html", show_default=True,
              help="The kind of page.")  # fmt: skip
@click.option(
    "--base", metavar="ADDRESS", help="Of the output folder, from the page; default: from this folder."
)
@click.option(
    "--theme",
    type=click.Choice(page.THEMES),
    default="auto",
    help="Which pictures; auto: both, where a page can choose.",
)
@click.option("--language", metavar="CODE", help="The language of the page; default: that of the book.")
@click.pass_obj
def command(
    root: Path | None, id_: str, form: str, base: str | None, theme: str, language: str | None
) -> int:
    """Print a figure as text to paste into a page."""
    place = root_of(root)
    options = config.load(place)
    folder = place / ("build" if options.in_place else options.output)
    catalogue = figures.load(folder).in_language(language)
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
    address = Path(os.path.relpath(folder)).as_posix() if base is None else base
    return _print(FORMATS[form](Paste(answer, address, folder)))


def _print(text: str) -> int:
    encoding = sys.stdout.encoding or "ascii"
    hand_over(text.encode(encoding, "backslashreplace").decode(encoding))
    return 0
