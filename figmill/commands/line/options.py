"""The options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

ROOT = click.option(
    "--root",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The book; default: the nearest folder upwards that has questions/.",
)
JOBS = click.option(
    "--jobs", "-j", type=click.IntRange(1, 512), metavar="N", help="Processes; default: the cores."
)
COLOR = click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour; default: auto."
)
FORMATS = click.Choice(["text", "json", "github", "sarif"])
