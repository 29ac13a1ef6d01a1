"""`facts`: the numbers that a built figure states."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from figmill.commands.environment import root_of
from figmill.errors import ToolError, did_you_mean
from figmill.host.lines import as_json
from figmill.model import Fact
from figmill.report.json_ import encodable
from figmill.store.memory import Memory
from figmill.streams import hand_over, say


@click.command("facts")
@click.argument("id_", metavar="ID")
@click.argument("name", required=False)
@click.pass_obj
def command(root: Path | None, id_: str, name: str | None) -> int:
    """Print the numbers that a built figure states: all as JSON, or one."""
    facts = facts_of(root_of(root), id_)
    if name is None:
        hand_over(encodable(as_json(facts), sys.stdout.encoding))
        return 0
    if name not in facts:
        names = ", ".join(facts) or "none"
        raise ToolError(f"{id_} states no fact '{name}'{did_you_mean(name, facts)}; it states: {names}")
    say([str(facts[name])])
    return 0


def facts_of(root: Path, id_: str) -> Mapping[str, Fact]:
    """The facts of a figure, by id or by `<id>-<name>`. Raises ToolError if it has not been built."""
    ledger = Memory(root).ledger()
    facts = {entry.published.label: entry.published.facts for entry in ledger.entries.values()}
    if id_ not in facts:
        raise ToolError(f"no built figure '{id_}'{did_you_mean(id_, facts)}; build it first")
    return facts[id_]
