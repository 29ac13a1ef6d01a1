"""The options that several commands share, by parameter. Those of a build are named like the fields of `Request`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import click

from figmill.commands.environment import cores
from figmill.config.demand import MODES, SANDBOX
from figmill.formats import FORMATS as EXPORTS
from figmill.formats import with_pixels

Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

FORMATS = click.Choice(["text", "json", "github", "sarif"])
BUILD_FORMATS = click.Choice([*FORMATS.choices, "markdown"])
PIXELS = " or ".join(with_pixels())


def _demand(context: click.Context, option: click.Parameter, mode: str | None) -> None:
    """Set it in the environment, which all code that loads settings reads, and which child processes inherit."""
    if mode is not None:
        os.environ[SANDBOX] = mode


# The px in each unit of a width.
UNITS = MappingProxyType({"px": 1.0, "": 1.0, "mm": 96 / 25.4, "cm": 960 / 25.4, "in": 96.0, "pt": 96 / 72})
_LENGTH = re.compile(r"(\d+(?:\.\d+)?) ?([a-z]*)")


def _in_px(context: click.Context, option: click.Parameter, text: str | None) -> float | None:
    """A length in px. Raises click.BadParameter."""
    if text is None:
        return None
    match = _LENGTH.fullmatch(text)
    if match is None or match[2] not in UNITS or not float(match[1]):
        raise click.BadParameter("write a length such as 112mm, 4.5in or 800px", context, option)
    return float(match[1]) * UNITS[match[2]]


_option = partial(partial, click.option)
OPTIONS: Mapping[str, Callable[..., Decorator]] = MappingProxyType(
    {
        "root": _option(
            "--root",
            type=click.Path(file_okay=False, path_type=Path),
            metavar="DIR",
            help="The book; default: the nearest folder with questions/.",
        ),
        "ids": _option(
            "--id",
            "ids",
            multiple=True,
            metavar="ID",
            help="Only this question; repeatable; a glob is allowed.",
        ),
        "dry_run": _option(
            "--dry-run", is_flag=True, help="Show what would change, and why; publish nothing."
        ),
        "check": _option(
            "--check", is_flag=True, help="Like --dry-run, in short; exit 3 if anything would change."
        ),
        "against": _option(
            "--against",
            metavar="REF",
            help="With --dry-run or --check: compare with the book at that git commit, whose figures are "
            "kept in .figmill/commits/.",
        ),
        "report": _option(
            "--report",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Write an HTML page that shows each change.",
        ),
        "pictures": _option(
            "--pictures",
            type=click.Path(file_okay=False, path_type=Path),
            metavar="FOLDER",
            help="With --format markdown or --summary: write each picture there, before, after and merged.",
        ),
        "summary": _option(
            "--summary",
            is_flag=True,
            help="Write the changes as Markdown to the step summary of a CI job ($GITHUB_STEP_SUMMARY).",
        ),
        "ignore_invisible": _option(
            "--ignore-invisible", is_flag=True, help="Ignore changes that nobody can see."
        ),
        "force": _option("--force", is_flag=True, help="Draw every figure again, even if it is fresh."),
        "jobs": _option(
            "--jobs",
            "-j",
            type=click.IntRange(1, 512),
            default=cores,
            metavar="N",
            help="Processes; default: one per core.",
        ),
        "sandbox": _option(
            "--sandbox",
            type=click.Choice(MODES),
            expose_value=False,
            callback=_demand,
            help="Whether scripts run in bubblewrap: auto uses it where it works, require runs no script without it, "
            f"off never uses it; overrides the settings and ${SANDBOX}.",
        ),
        "watch": _option("--watch", is_flag=True, help="Build now, and again after every change."),
        "scheduler": _option(
            "--scheduler",
            metavar="ADDR",
            help="Draw on the Dask cluster at this address, such as tcp://HOST:8786.",
        ),
        "to": _option(
            "--to",
            type=click.Choice(list(EXPORTS)),
            multiple=True,
            help="Also write each figure in this format; repeatable; svg goes with --ink grey.",
        ),
        "ink": _option(
            "--ink",
            type=click.Choice(["colour", "grey"]),
            default="colour",
            show_default=True,
            help="With --to: grey makes files for printers without colour, in which roles stay distinct.",
        ),
        "scale": _option(
            "--scale",
            type=click.FloatRange(0.1, 16),
            metavar="N",
            help=f"With --to {PIXELS}: pixels for each px of the figure, 0.1 to 16; default: 1.",
        ),
        "width": _option(
            "--width",
            callback=_in_px,
            metavar="LENGTH",
            help="With --to: wider figures shrink to it, such as 112mm, 4.5in or 800px.",
        ),
        "strict": _option("--strict", is_flag=True, help="Treat warnings as errors."),
        "explain": _option("--explain", is_flag=True, help="For each figure, say why it is fresh or stale."),
        "form": _option(
            "--format",
            "form",
            type=BUILD_FORMATS,
            metavar="FORMAT",
            default="text",
            help=f"{', '.join(BUILD_FORMATS.choices[:-1])} or {BUILD_FORMATS.choices[-1]}; default: text.",
        ),
        "quiet": _option("--quiet", "-q", is_flag=True, help="Print only failures and warnings."),
        "verbose": _option(
            "--verbose", "-v", is_flag=True, help="Print all warnings, and what scripts printed."
        ),
        "color": _option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            help="When to print in colour; default: auto.",
        ),
    }
)
ROOT, IDS, JOBS, SANDBOXED, COLOR = (OPTIONS[name]() for name in ("root", "ids", "jobs", "sandbox", "color"))


def options(shown: Sequence[str], hidden: Sequence[str] = (), required: Sequence[str] = ()) -> Decorator:
    """The decorator that gives a command these options, in this order; the hidden ones are not in its help."""

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in reversed((*shown, *hidden)):
            function = OPTIONS[name](hidden=name in hidden, required=name in required)(function)
        return function

    return decorated
