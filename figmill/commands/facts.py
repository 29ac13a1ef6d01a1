"""`facts`: the numbers that a built figure states, and where its parts are."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from figmill.checks import levels_alone
from figmill.commands.environment import root_of
from figmill.errors import ToolError, did_you_mean
from figmill.host.lines import as_json
from figmill.lint.drawings import findings, sheet_of
from figmill.model import Fact
from figmill.report.json_ import encodable
from figmill.store.disk import Disk
from figmill.store.memory import Memory
from figmill.streams import hand_over, say
from figmill.svg import layout_of

# The checks of where things are.
LAYOUT = frozenset(
    ("text-overflow", "text-overlap", "text-outside", "text-covered", "text-astray", "line-through-text", "loose-arrow",
     "edge-through-box", "short-arrow", "arrow-inside")
)  # fmt: skip


@click.command("facts")
@click.argument("id_", metavar="ID")
@click.argument("name", required=False)
@click.option("--layout", is_flag=True, help="Print its boxes, lines, labels and findings as well, as JSON.")
@click.pass_obj
def command(root: Path | None, id_: str, name: str | None, layout: bool) -> int:
    """Print the numbers that a built figure states: all as JSON, or one."""
    root = root_of(root)
    facts = facts_of(root, id_)
    if layout:
        if name is not None:
            raise click.UsageError("--layout prints the whole figure; leave out the name of the fact")
        hand_over(encodable(as_json(_layout_of(root, id_, facts)), sys.stdout.encoding))
        return 0
    if name is None:
        hand_over(encodable(as_json(facts), sys.stdout.encoding))
        return 0
    if name not in facts:
        names = ", ".join(facts) or "none"
        raise ToolError(f"{id_} states no fact '{name}'{did_you_mean(name, facts)}; it states: {names}")
    say([str(facts[name])])
    return 0


def _layout_of(root: Path, id_: str, facts: Mapping[str, Fact]) -> dict[str, Any]:
    """The boxes, lines and labels of a published figure, with its facts, and what is wrong with its layout."""
    published = next(e.published for e in Memory(root).ledger().entries.values() if e.published.label == id_)
    path = next(file.path for file in published.files if file.format == "svg")
    data = Disk(root).read(path)
    if data is None:
        raise ToolError(f"{path} is not there; build the book first")
    found = findings(path, data, levels_alone({}))
    rows = [
        {"check": one.check, "line": one.origin.line, "message": one.message}
        for one in found
        if one.check in LAYOUT
    ]
    return {"id": id_, **layout_of(data, sheet_of(frozenset())), "facts": dict(facts), "findings": rows}


def facts_of(root: Path, id_: str) -> Mapping[str, Fact]:
    """The facts of a figure, by id or by `<id>-<name>`. Raises ToolError if it has not been built."""
    ledger = Memory(root).ledger()
    facts = {entry.published.label: entry.published.facts for entry in ledger.entries.values()}
    if id_ not in facts:
        raise ToolError(f"no built figure '{id_}'{did_you_mean(id_, facts)}; build it first")
    return facts[id_]
