"""`schema`: the JSON Schema of a question file."""

from __future__ import annotations

import click

from figmill.book.schema import schema
from figmill.commands.environment import say_json
from figmill.host.lines import as_json


@click.command("schema")
def command() -> int:
    """The JSON Schema of a question file, for an editor's completion."""
    say_json(as_json(schema(), indent=2))
    return 0
