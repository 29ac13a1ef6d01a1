"""`schema`: the JSON Schema of a question file, or of the params of one generator."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from figmill.book.schema import schema
from figmill.commands.environment import root_of
from figmill.commands.options import SANDBOXED
from figmill.config import load
from figmill.engine.processes import pool_of
from figmill.errors import ToolError
from figmill.host import files
from figmill.host.lines import as_json
from figmill.kind.job import Raw
from figmill.kinds import is_script
from figmill.kinds.scripts import parameter_limits, signature
from figmill.kinds.scripts.signature import Parameter, Signature
from figmill.lint.receipt import SCHEMA
from figmill.model import Json
from figmill.render.jobs import reading
from figmill.render.results import Drawn
from figmill.report.json_ import encodable
from figmill.store.disk import Disk
from figmill.streams import hand_over

SECONDS = 60.0  # for parsing a script


@click.command("schema")
@click.option(
    "--source", metavar="FILE", help="A generator of the book: print the schema of its params instead."
)
@click.option("--layout", is_flag=True, help="Print the schema of what `show --layout` prints instead.")
@SANDBOXED
@click.pass_obj
def command(root: Path | None, source: str | None, layout: bool) -> int:
    """Print the JSON Schema of a question file, or of a generator's params, for editors."""
    if layout and source is not None:
        raise click.UsageError("--source and --layout each print one schema; leave out one of them")
    if layout:
        document: Mapping[str, object] = SCHEMA
    else:
        document = schema() if source is None else of_source(root_of(root), source)
    hand_over(encodable(as_json(document, indent=2), sys.stdout.encoding))
    return 0


def of_source(root: Path, source: str) -> dict[str, Json]:
    """The schema of a generator's params. Raises AuthorError for a faulty script, ToolError if it has no draw()."""
    options = load(root)
    disk = Disk(root, allowed=options.own_words)
    data = disk.read(source, files.SOURCE) if is_script(source) else None
    if data is None:
        raise ToolError(
            f"--source {source}: no Python script of that name in the book; name it from the book's root"
        )
    with pool_of(root, options, 1) as pool:
        steps = [[reading(source, SECONDS, options.memory)]]
        (result,) = pool.draw_all([Raw(data)], steps)
    answer = result.answers[0] if isinstance(result, Drawn) else result.error
    if not isinstance(answer, tuple):
        raise answer
    draw = signature.decoded(answer[0], source)
    if draw is None:
        raise ToolError(f"--source {source}: it has no draw() that could take params")
    return of_params(draw)


_JSON_SCHEMA = {"text": "string", "list": "array", "mapping": "object"}  # the other types have the same names


def of_params(draw: Signature) -> dict[str, Json]:
    """A JSON Schema, draft 7, of the params that draw() takes, with their bounds."""
    return {
        "type": "object",
        "properties": {parameter.name: _schema_of(parameter) for parameter in draw.parameters},
        "required": [parameter.name for parameter in draw.parameters if parameter.required],
        "additionalProperties": draw.open_ended,
    }


def _schema_of(parameter: Parameter) -> dict[str, Json]:
    bounds: dict[str, Json] = dict(parameter_limits.schema(parameter.bounds))
    forms: list[Json] = [{"enum": list(parameter.choices)}] if parameter.choices else []
    kinds = dict.fromkeys(_JSON_SCHEMA.get(kind, kind) for kind in parameter.accepts)
    if kinds:
        items: dict[str, Json] = {"items": bounds} if bounds and "array" in kinds else {}
        forms.append({"type": list(kinds), **bounds, **items})  # bounds apply to numbers only
    if len(forms) > 1:
        return {"anyOf": forms}
    return next((form for form in forms if isinstance(form, dict)), {})
