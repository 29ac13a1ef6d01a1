"""`facts`: the numbers that a built figure states, and where its parts are."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from figmill import config
from figmill.checks import levels_alone
from figmill.commands.environment import root_of
from figmill.errors import ToolError, did_you_mean
from figmill.host.lines import as_json
from figmill.lint.drawings import findings, sheet_of
from figmill.model import Published
from figmill.publish.placeholders import short
from figmill.report.json_ import encodable
from figmill.store.disk import Disk
from figmill.store.memory import Memory
from figmill.streams import hand_over, say
from figmill.svg import layout_of

# The checks of where things are.
LAYOUT = frozenset(
    (
        "text-overflow",
        "text-overlap",
        "text-outside",
        "text-covered",
        "text-astray",
        "line-through-text",
        "loose-arrow",
        "edge-through-box",
        "short-arrow",
        "arrow-inside",
    )
)


@click.command("facts")
@click.argument("id_", metavar="ID")
@click.argument("name", required=False)
@click.option("--layout", is_flag=True, help="Print its boxes, lines, labels and findings as well, as JSON.")
@click.pass_obj
def command(root: Path | None, id_: str, name: str | None, layout: bool) -> int:
    """Print the numbers that a built figure states: all as JSON, or one."""
    root = root_of(root)
    published = _built(root, id_)
    facts = published.facts
    if layout:
        if name is not None:
            raise click.UsageError("--layout prints the whole figure; leave out the name of the fact")
        hand_over(encodable(as_json(_layout_of(root, published)), sys.stdout.encoding))
        return 0
    if name is None:
        hand_over(encodable(as_json(facts), sys.stdout.encoding))
        return 0
    if name not in facts:
        names = short(", ".join(facts)) or "none"
        raise ToolError(f"{id_} states no fact '{name}'{did_you_mean(name, facts)}; it states: {names}")
    say([str(facts[name])])
    return 0


def _built(root: Path, id_: str) -> Published:
    """A built figure, by id or by `<id>-<name>`. Raises ToolError if it has not been built."""
    built = {entry.published.label: entry.published for entry in Memory(root).ledger().entries.values()}
    if id_ not in built:
        raise ToolError(f"no built figure '{id_}'{did_you_mean(id_, built)}; build it first")
    return built[id_]


def _layout_of(root: Path, figure: Published) -> dict[str, Any]:
    """The boxes, lines and labels of a published figure, with its facts, and what is wrong with its layout."""
    path = next(file.path for file in figure.files if file.format == "svg")
    data = Disk(root, allowed=config.load(root).own_words).read(path)
    if data is None:
        raise ToolError(f"{path} is not there; build the book first")
    rows = [
        {"check": finding.check, "line": finding.origin.line, "message": finding.message}
        for finding in findings(path, data, levels_alone({}))
        if finding.check in LAYOUT
    ]
    layout = layout_of(data, sheet_of(frozenset()))
    return {"id": figure.label, **layout, "facts": dict(figure.facts), "findings": rows}
