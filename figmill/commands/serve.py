"""`watch`: a build after every change, with the figures as live pages in a browser of this machine."""

from __future__ import annotations

import os
import sys
import webbrowser
from contextlib import suppress
from pathlib import Path
from socket import socket
from types import ModuleType
from typing import Any

import click

from figmill import config
from figmill.commands.drawing import carry_out, refuse_contradictions
from figmill.commands.environment import root_of
from figmill.commands.options import options
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
        raise ToolError(
            f"watch needs the package {package}: pip install 'figmill[serve]', or use --no-page"
        ) from None
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


@click.command("watch")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="The port; default: any that is free.",
)
@click.option("--no-open", is_flag=True, help="Open no browser; the address is the first line of output.")
@click.option("--no-page", is_flag=True, help="Serve no page: only build, and print what was built.")
@click.option(
    "--editor",
    type=click.Choice([*EDITORS, "none"]),
    help="The editor that a click on file:line opens; default: $VISUAL, $EDITOR.",
)
@options(
    ("ids", "jobs", "sandbox", "strict", "quiet", "verbose", "color"),
    ("force", "explain", "form", "scheduler", "to", "ink", "scale", "width"),
)
@click.pass_obj
def command(
    root: Path | None, /, port: int, no_open: bool, no_page: bool, editor: str | None, **given: Any
) -> int:
    """Build after every change, and show the figures in a browser.

    The page is for this machine only. It shows every change at once, and has a control for each parameter.
    """
    request = Request(root=root, watch=no_page, **given)
    if no_page:
        return carry_out(request)
    refuse_contradictions(request)
    if request.form != "text":
        raise click.UsageError(f"--format {request.form} goes with --no-page")
    return _serve(request, port, no_open, editor)


def _serve(request: Request, port: int, no_open: bool, editor: str | None) -> int:
    """Build, and serve the live pages, until interrupted."""
    server = _server()
    place = root_of(request.root)
    settings = config.load(place)  # reports errors in the settings before anything starts

    def load() -> Options:
        nonlocal settings
        settings = config.load(place)
        return settings

    taken, keys = _door(server, place, port)

    def ready() -> None:
        say([keys.address])
        if not request.quiet:
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
        wrong = [*problem_lines(report, style_of(sys.stderr, request.color, request.verbose))]
        # Print only what is new: the log may be a file of the book, and then each line in it is another change.
        if last == wrong and not update.looked_at and not update.removed:
            return
        last = wrong
        complain(*wrong)
        if not request.quiet:
            say(build_lines(report, style_of(sys.stdout, request.color, request.verbose, request.explain)))

    opener = editor_of(os.environ) if editor is None else None if editor == "none" else editor
    with taken, Resident(place, load, request) as resident:
        server.serve(
            resident,
            taken,
            keys,
            watching=server.Watching(lambda path: concerns(path, place, settings), await_content),
            report=print_news,
            ready=ready,
            editor=opener,
        )
    return 0
