"""The options that several commands share."""

from __future__ import annotations

import os
from pathlib import Path

import click

from figmill.commands.environment import cores
from figmill.config.demand import MODES, SANDBOX

ROOT = click.option(
    "--root",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The book; default: the nearest folder upwards that has questions/.",
)
IDS = click.option(
    "--id", "ids", multiple=True, metavar="ID", help="Only this question; repeatable; a glob is allowed."
)
JOBS = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1, 512),
    default=cores,
    metavar="N",
    help="The number of processes; default: one per core.",
)
COLOR = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    help="When to print in colour; default: auto.",
)


def _demand(context: click.Context, option: click.Parameter, mode: str | None) -> None:
    """Set it in the environment, which all code that loads settings reads, and which child processes inherit."""
    if mode is not None:
        os.environ[SANDBOX] = mode


SANDBOXED = click.option(
    "--sandbox",
    type=click.Choice(MODES),
    expose_value=False,
    callback=_demand,
    help=f"Whether scripts run in bubblewrap: if it works, always, or never; overrides the settings and ${SANDBOX}.",
)
FORMATS = click.Choice(["text", "json", "github", "sarif"])
BUILD_FORMATS = click.Choice(["text", "json", "github", "sarif", "markdown"])
