"""`mdbook`: mdBook's preprocessor.

mdBook runs this, not the author: all chapters come in as JSON, and go out with their figures.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import click

from figmill.commands.environment import root_of
from figmill.errors import ToolError
from figmill.integrations.documents import mdbook
from figmill.integrations.opened import Opened, find, open_book
from figmill.streams import complain, hand_over

WEB = ("html",)  # the renderers that show HTML


@click.command("mdbook")
@click.argument("arguments", nargs=-1, metavar="[supports RENDERER]")
@click.pass_obj
def command(root: Path | None, arguments: tuple[str, ...]) -> int:
    """Put the figures into the chapters of mdBook, as its preprocessor."""
    if arguments:
        return 0 if arguments[0] == "supports" and arguments[1:] in [(name,) for name in WEB] else 1
    try:
        context, book = json.loads(sys.stdin.buffer.read())
        settings = context["config"].get("preprocessor", {}).get("figmill", {})
        opened = _opened(root, Path(context["root"]), settings)
        if isinstance(opened, Opened):
            opened = opened.in_language(context["config"]["book"].get("language"))
        messages = mdbook.with_figures(context, book, opened)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ToolError(
            "standard input is not a book of mdBook; mdBook runs this itself: add [preprocessor.figmill] to book.toml"
        ) from None
    errors = mdbook.unbuilt(messages)
    shown = [mdbook.line_of(message) for message in messages if mdbook.line_of(message) not in errors]
    for line in dict.fromkeys([*shown, *errors]):
        complain(f"figmill: {_short(line)}")
    if errors and settings.get("strict", True):
        return 1
    hand_over(json.dumps(book, separators=(",", ":")))
    return 0


def _opened(root: Path | None, folder: Path, settings: dict[str, object]) -> Opened | ToolError:
    """The book of figures, built: the one that an option or the settings name, or the nearest."""
    try:
        named = settings.get("root")
        place = root_of(root) if root is not None else find(folder, str(named) if named else None)
        return open_book(place, build=settings.get("build", True) is True)
    except ToolError as error:
        return error


def _short(line: str) -> str:
    here = f"{Path.cwd()}{os.sep}"
    return line.removeprefix(here)
