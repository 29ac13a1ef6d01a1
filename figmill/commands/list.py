"""`list`: the figures of a book."""

from __future__ import annotations

from pathlib import Path

import click

from figmill import config
from figmill.commands.environment import root_of
from figmill.commands.options import IDS
from figmill.engine.load import look
from figmill.engine.plan import target
from figmill.engine.request import Request
from figmill.host.lines import shown
from figmill.streams import complain, say


@click.command("list")
@IDS
@click.pass_obj
def command(root: Path | None, ids: tuple[str, ...]) -> int:
    """List every figure with its kind, its source and its output."""
    root = root_of(root)
    options = config.load(root)
    request = Request(ids=ids)
    state = look(root, options, request)
    visuals = [step.visual for step in state.requested(request)]
    problems = [problem for problem in state.book.problems if request.wants(problem.id)]
    rows = [tuple(map(shown, (v.label, v.kind, v.source, target(v, options)))) for v in visuals]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    say(
        "  ".join([*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[3]])
        for row in rows
    )
    complain(*(str(problem.error) for problem in problems))
    return 1 if problems else 0
