"""The words of the command line: read, checked, and handed to what carries them out."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path
from typing import Any

import click

from figmill import __version__
from figmill.commands.build import Order, Progress, carry_out, cores, look_of, root_of, say_json
from figmill.errors import ToolError
from figmill.host import lines
from figmill.host.lines import shown, shown_lines
from figmill.kinds import KINDS
from figmill.streams import complain, say


def run() -> int:
    """The exit code of the command. Raises what `guarded` is there for."""
    try:
        return command.main(standalone_mode=False) or 0
    except _CarriedError as carried:
        raise carried.error from None
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        told = StringIO()
        error.show(told)
        complain(*shown_lines(told.getvalue()))
        return error.exit_code
    except SystemExit:  # click's own, where nobody reads its help to the end
        return 0


class _CarriedError(Exception):
    """An OSError on its way through click, which takes any broken pipe for that of standard output."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


class _Group(click.Group):
    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except OSError as error:
            raise _CarriedError(error) from None


ROOT = click.option("--root", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
                    help="The book; default: the nearest folder upwards that has questions/.")  # fmt: skip


@click.group(
    cls=_Group, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@ROOT
@click.option(
    "--id", "ids", multiple=True, metavar="ID", help="Only this question; repeatable; a glob is allowed."
)
@click.option("--dry-run", is_flag=True, help="Show what would change, why, and the diffs; write nothing.")
@click.option("--check", is_flag=True, help="The same without the diffs; exit 3 if anything would change.")
@click.option(
    "--against", metavar="REF", help="With --dry-run or --check: compare with the book at that git commit."
)
@click.option("--force", is_flag=True, help="Take nothing for fresh.")
@click.option("--jobs", "-j", type=click.IntRange(1, 512), metavar="N", help="Processes; default: the cores.")
@click.option("--watch", is_flag=True, help="Build, then again at every change.")
@click.option("--scheduler", metavar="ADDR", help="Draw on the Dask cluster there, tcp://HOST:8786 say.")
@click.option("--to", type=click.Choice(["png", "pdf"]), multiple=True,
              help="Beside each SVG, this form of it, too; repeatable.")  # fmt: skip
@click.option("--scale", type=click.FloatRange(0.1, 16), metavar="N",
              help="Pixels of a PNG for each px of its figure, 0.1 to 16; default: 1.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Warnings are errors.")
@click.option("--explain", is_flag=True, help="For each figure, why it is fresh or stale.")
@click.option("--format", "form", type=click.Choice(["text", "json", "github", "sarif"]), default="text",
              show_default=True, help="How the report is written.")  # fmt: skip
@click.option("--quiet", "-q", is_flag=True, help="Only failures and warnings.")
@click.option("--verbose", "-v", is_flag=True, help="Also what the figures' scripts printed.")
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour; default: auto."
)
@click.version_option(__version__, prog_name="figmill")
@click.pass_context
def command(context: click.Context, /, **options: Any) -> int:
    """Build the figures of a book: what is stale is drawn anew, the rest is left alone."""
    context.obj = options["root"]
    if context.invoked_subcommand is not None:
        return 0
    if options["watch"] and (options["dry_run"] or options["check"]):
        raise click.UsageError("--watch builds; it does not go with --dry-run or --check")
    if options["against"] and not (options["dry_run"] or options["check"]):
        raise click.UsageError("--against goes with --dry-run or --check")
    if options["scale"] is not None and "png" not in options["to"]:
        raise click.UsageError("--scale goes with --to png; a PDF has the size of its figure, and no pixels")
    if options["against"] and options["to"]:
        raise click.UsageError(
            "--against compares SVGs, which all that --to makes is made of; leave --to out"
        )
    return carry_out(Order(**options))


@command.command("list")
@click.pass_obj
def list_(root: Path | None) -> int:
    """Every figure with its kind, its source and its output."""
    from figmill import config
    from figmill.engine.load import look
    from figmill.engine.plan import target
    from figmill.engine.request import Request

    root = root_of(root)
    options = config.load(root)
    book = look(root, options, Request()).book
    rows = [tuple(map(shown, (v.label, v.kind, v.source, target(v, options)))) for v in book.visuals]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    say(
        "  ".join([*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[3]])
        for row in rows
    )
    complain(*(shown(str(problem.error)) for problem in book.problems))
    return 1 if book.problems else 0


@command.command()
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@click.pass_obj
def clean(root: Path | None, dry_run: bool) -> int:
    """Remove the outputs of figures that are no more."""
    from figmill import config
    from figmill.commands.small import clean as clean_

    root = root_of(root)
    removed = clean_(root, config.load(root), write=not dry_run)
    verb = "would remove" if dry_run else "removed"
    say([shown(f"{verb}  {path}") for path in removed] or ["nothing to remove"])
    return 0


FORMAT = click.option("--format", "form", type=click.Choice(["text", "json", "github", "sarif"]), default="text",
                      show_default=True, help="How the findings are written.")  # fmt: skip


@command.command()
@click.option("--id", "ids", multiple=True, metavar="ID", help="Only this question; repeatable; a glob.")
@click.option("--twice", is_flag=True, help="Draw each figure once more, and tell those that differ.")
@click.option("--jobs", "-j", type=click.IntRange(1, 512), metavar="N", help="Processes; default: the cores.")
@click.option("--strict", is_flag=True, help="Exit 1 where anything is found.")
@FORMAT
@click.option("--quiet", "-q", is_flag=True, help="No progress.")
@click.option("--verbose", "-v", is_flag=True, help="Also what a figure's exceptions let pass.")
@click.option(
    "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour; default: auto."
)
@click.pass_obj
def lint(root: Path | None, /, **options: Any) -> int:
    """What readers may stumble over: every check on every figure; builds nothing."""
    from figmill import config
    from figmill.engine.request import Request
    from figmill.lint.lint import lint as lint_
    from figmill.report import findings

    root = root_of(root)
    request = Request(ids=options["ids"], jobs=options["jobs"] or cores(), strict=options["strict"])
    with Progress(options["form"] == "text" and not options["quiet"]) as progress:
        found = lint_(root, config.load(root), request, options["twice"], progress)
    form = options["form"]
    if form == "json":
        say_json(findings.as_json(found))
    elif form == "sarif":
        say_json(findings.as_sarif(found))
    elif form == "github":
        say(findings.github_lines(found))
    else:
        say(findings.text_lines(found, look_of(sys.stdout, options["color"], options["verbose"])))
    return found.code


@command.command()
@click.argument("id_", metavar="ID")
@click.argument("name", required=False)
@click.pass_obj
def facts(root: Path | None, id_: str, name: str | None) -> int:
    """The numbers that a built figure states: all of them as JSON, or one."""
    from figmill.commands.small import facts_of

    root = root_of(root)
    found = facts_of(root, id_)
    if name is None:
        say_json(lines.as_json(found))
        return 0
    if name not in found:
        from figmill.errors import did_you_mean

        stated = ", ".join(found) or "none"
        raise ToolError(f"{id_} states no fact '{name}'{did_you_mean(name, found)}; it states: {stated}")
    say([shown(str(found[name]))])
    return 0


@command.command()
def schema() -> int:
    """The JSON Schema of a question file, for an editor's completion."""
    from figmill.book.schema import schema as schema_

    say_json(lines.as_json(schema_(), indent=2))
    return 0


@command.command()
@click.argument("id_", metavar="ID")
@click.option("--kind", type=click.Choice(list(KINDS)), help="May be left out with --from.")
@click.option("--from", "generator", metavar="NAME", help="Begin with one of figmill's own generators.")
@click.option("--track", help="Default: the folder that the id begins with, else global.")
@click.pass_obj
def new(root: Path | None, id_: str, kind: str | None, generator: str | None, track: str | None) -> int:
    """A question and its source, ready to build."""
    from figmill.commands.small import new as new_
    from figmill.scaffold import generators

    if generator is None and kind is None:
        raise click.UsageError(
            f"say what draws it: --kind {' or --kind '.join(KINDS)}, or --from a generator"
        )
    drawn_by = generators.find(generator).kind if generator else kind
    if kind not in (None, drawn_by):
        raise click.UsageError(f"{generator} draws figures of kind {drawn_by}, not {kind}")
    try:
        place = root_of(root)
    except ToolError:  # not in a book yet
        place = Path.cwd()
    say([f"wrote {path}" for path in map(shown, new_(place, id_, drawn_by or "", track, generator))])
    return 0
