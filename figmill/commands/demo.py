"""`demo`: a small book of figures in a new folder, drawn at once, for a first look."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from figmill import config
from figmill.agents import SKILL
from figmill.commands import build
from figmill.commands.environment import cores
from figmill.engine.load import look
from figmill.engine.request import Request
from figmill.errors import ToolError
from figmill.host import files
from figmill.scaffold.demo import demo
from figmill.streams import say


@click.command("demo")
@click.argument("folder", default="figmill-demo", type=click.Path(file_okay=False, path_type=Path))
@click.option("--open", "opens", is_flag=True, help="Also show the figures in your browser.")
def command(folder: Path, opens: bool) -> int:
    """Draw a small book of figures in a new folder, to look at."""
    if folder.exists() and any(folder.iterdir()):
        raise ToolError(f"{folder} is not empty; name another folder, as in `figmill demo my-figures`")
    try:
        root = Path(files.own_folder(folder.absolute().parent, folder.name))
    except OSError as error:
        raise ToolError(f"{folder} cannot be made: {error.strerror}") from None
    disk = look(root, config.load(root, is_new=True)).disk
    for change in demo():
        disk.create(change.target, change.after or b"")
    code = build.run(Request(root=root, jobs=cores()))
    page = root / "build/index.html"
    say(
        [
            f"next: change {folder / 'visuals/requests.dot'}, and run `figmill` in {folder}",
            f"for agents: {SKILL}",
        ]
    )
    if opens and code == 0:
        webbrowser.open(page.as_uri())
    return code
