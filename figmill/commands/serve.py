"""`serve`: the figures of the book as live pages in a browser of this machine."""

from __future__ import annotations

import os
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from socket import socket
from types import ModuleType

import click

from figmill import config
from figmill.commands.environment import root_of
from figmill.commands.options import JOBS, SANDBOXED
from figmill.commands.terminal import style_of
from figmill.commands.watch import await_content, concerns
from figmill.config import Options
from figmill.engine.request import Request
from figmill.engine.resident.builder import Resident
from figmill.engine.resident.views import Update
from figmill.errors import ToolError
from figmill.report.text import StyledLine, build_lines, problem_lines
from figmill.serve import session
from figmill.serve.guard import Keys
from figmill.serve.pages.places import EDITORS, editor_of
from figmill.streams import complain, say


def _server() -> ModuleType:
    """The server, which needs the packages of an extra. Raises ToolError if one is not installed."""
    try:
        from figmill.serve import server
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == "figmill":
            raise
        raise ToolError(f"serve needs the package {package}: pip install 'figmill[serve]'") from None
    return server


def _door(server: ModuleType, root: Path, port: int) -> tuple[socket, Keys]:
    """The socket to listen on, and the keys: those of the last run if its port is free, so that open tabs keep working.

    port: 0 for any. Raises ToolError.
    """
    last = session.kept(root)
    is_taken = False
    if last is not None and port in (0, last.port):
        try:
            return server.listening(last.port), last
        except ToolError:
            if port:
                raise
            is_taken = True  # another server of this book is running, and these are its keys
    taken = server.listening(port)
    keys = Keys.fresh(taken.getsockname()[1])
    if not is_taken:
        with suppress(OSError):  # then the next server has other keys
            session.keep(root, keys)
    return taken, keys


@click.command("serve")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="The port; default: any that is free.",
)
@click.option("--no-open", is_flag=True, help="Open no browser; the address is the first line of output.")
@click.option(
    "--editor",
    type=click.Choice([*EDITORS, "none"]),
    help="The editor that a click on file:line opens; default: $VISUAL, $EDITOR.",
)
@JOBS
@SANDBOXED
@click.option("--quiet", "-q", is_flag=True, help="Print only the address, failures and warnings.")
@click.pass_obj
def command(root: Path | None, port: int, no_open: bool, editor: str | None, jobs: int, quiet: bool) -> int:
    """Show the figures in a browser, and every change at once, with a control for each parameter."""
    server = _server()
    place = root_of(root)
    options = config.load(place)  # reports errors in the settings before anything starts

    def load() -> Options:
        nonlocal options
        options = config.load(place)
        return options

    taken, keys = _door(server, place, port)

    def ready() -> None:
        say([keys.address])
        if not quiet:
            complain(f"serving {place} to this machine only; press Ctrl-C to stop")
        if not no_open:
            webbrowser.open(keys.address)

    last: list[StyledLine] | None = None  # the problems at the last print

    def print_news(update: Update | None, trouble: str) -> None:
        nonlocal last
        if update is None:
            complain(trouble)
            return
        report = update.report
        wrong = [*problem_lines(report, style_of(sys.stderr, "auto", False))]
        # Print only what is new: the log may be a file of the book, and then each line in it is another change.
        if last == wrong and not update.looked_at and not update.removed:
            return
        last = wrong
        complain(*wrong)
        if not quiet:
            say(build_lines(report, style_of(sys.stdout, "auto", False)))

    opener = editor_of(os.environ) if editor is None else None if editor == "none" else editor
    with taken, Resident(place, load, Request(jobs=jobs)) as resident:
        server.serve(
            resident,
            taken,
            keys,
            watching=server.Watching(lambda path: concerns(path, place, options), await_content),
            report=print_news,
            ready=ready,
            editor=opener,
        )
    return 0
