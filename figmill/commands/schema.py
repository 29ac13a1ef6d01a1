"""`schema`: the JSON Schema of a question file."""

from __future__ import annotations

import sys

import click

from figmill.book.schema import schema
from figmill.host.lines import as_json
from figmill.report.json_ import encodable
from figmill.streams import say


@click.command("schema")
def command() -> int:
    """Print the JSON Schema of a question file, for editors."""
    say([encodable(as_json(schema(), indent=2), sys.stdout.encoding)])
    return 0
