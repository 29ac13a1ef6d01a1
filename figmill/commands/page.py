"""`page`: put figures into a document of a host that is not written in Python.

The host runs this, not the author: it writes a request to standard input, and reads the answer.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from figmill.commands.environment import root_of
from figmill.integrations.documents.answer import answered
from figmill.integrations.documents.request import dumps, loads
from figmill.streams import hand_over


@click.command("page")
@click.option(
    "--json", "is_json", is_flag=True, required=True, help="Read and print JSON, the only format so far."
)
@click.pass_obj
def command(root: Path | None, is_json: bool) -> int:
    """Answer a program that makes pages, such as pandoc: put the figures into one document."""
    request = loads(sys.stdin.buffer.read())
    answer = answered(request, None if root is None else root_of(root))
    hand_over(dumps(answer))
    return 0
