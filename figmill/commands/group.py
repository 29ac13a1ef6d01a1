"""The command line: `figmill [options of a build]`, or `figmill COMMAND`.

Unaware of the individual commands: the caller passes their table, and a module is imported on its command's first
use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, TypeAlias

import click
from click.core import ParameterSource

from figmill import __version__, fastpath
from figmill.commands.options import BUILD_FORMATS, COLOR, IDS, JOBS, ROOT, SANDBOXED
from figmill.engine.request import Request
from figmill.fastpath import Seen
from figmill.formats import FORMATS, with_pixels
from figmill.streams import complain

Build: TypeAlias = Callable[[Request, Seen | None], int]

_PIXELS = " or ".join(with_pixels())


def run(
    helps: Mapping[str, str], load: Callable[[str], click.Command], load_build: Callable[[Request], Build]
) -> int:
    """Parse the command line and run the command; returns the exit code. Raises what `guarded` handles.

    helps: each command's name with its line in the help. load: imports a command. load_build: returns the function
    that carries out a request.
    """
    try:
        return command_line(helps, load, load_build).main(prog_name="figmill", standalone_mode=False) or 0
    except _CarriedError as carried:
        raise carried.error from None
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        text = StringIO()
        error.show(text)
        complain(*text.getvalue().splitlines())
        return error.exit_code
    except SystemExit:  # how click ends if the reader of its help has gone
        return 0


class _CarriedError(Exception):
    """Carries an OSError through click, which treats every broken pipe as that of standard output."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


class _Group(click.Group):
    """A group that imports a command when it is called. For the help, a stand-in with its line suffices."""

    def __init__(
        self, *, helps: Mapping[str, str], load: Callable[[str], click.Command], **rest: Any
    ) -> None:
        super().__init__(**rest, commands=[click.Command(name, help=line) for name, line in helps.items()])
        self.load = load

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, stand_in, rest = super().resolve_command(context, args)
        return name, self.load(name) if name else stand_in, rest

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except OSError as error:
            raise _CarriedError(error) from None


def command_line(
    helps: Mapping[str, str], load: Callable[[str], click.Command], load_build: Callable[[Request], Build]
) -> click.Group:
    """The command with its options and all subcommands; nothing is loaded yet."""

    @click.group(
        cls=_Group,
        helps=helps,
        load=load,
        invoke_without_command=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    @_build_options
    @click.pass_context
    def group(context: click.Context, /, **options: Any) -> int:
        """Build the figures of a book: draw stale figures again, and leave the rest alone."""
        root: Path | None = options["root"]
        context.obj = root
        if context.invoked_subcommand is not None:
            context.default_map = {context.invoked_subcommand: _handed_on(context, load)}
            return 0
        request = _checked(Request(**options))
        seen = None
        if request.asks_no_details:
            forms = frozenset(map(str, request.forms))
            is_fresh, seen = fastpath.answered(None if root is None else str(root), request.quiet, forms)
            if is_fresh:
                return 0
        return load_build(request)(request, seen)

    return group


def _handed_on(context: click.Context, load: Callable[[str], click.Command]) -> dict[str, Any]:
    """The options before a command, as its defaults: `--id a list` means `list --id a`. Raises click.UsageError.

    An option that the command does not have is an error; otherwise it would be ignored, as in `--dry-run clean`.
    """
    name = context.invoked_subcommand or ""
    parameters = {parameter.name for parameter in load(name).params}
    given = {
        parameter: value
        for parameter, value in context.params.items()
        if parameter != "root" and context.get_parameter_source(parameter) is ParameterSource.COMMANDLINE
    }
    for parameter in given.keys() - parameters:
        flag = next(option.opts[0] for option in context.command.params if option.name == parameter)
        raise click.UsageError(f"{flag} does not go with `{name}`; `figmill {name} --help` lists what does")
    return given


def _build_options(function: Callable[..., int]) -> Callable[..., int]:
    """The options of a build, in the order of the help."""
    options = (
        ROOT,
        IDS,
        click.option(
            "--dry-run",
            is_flag=True,
            help="Show what would change, and why; with -v, also the diffs. Publish nothing.",
        ),
        click.option(
            "--check", is_flag=True, help="Like --dry-run without the diffs; exit 3 if anything would change."
        ),
        click.option(
            "--against",
            metavar="REF",
            help="With --dry-run or --check: compare with the book at that git commit, whose figures are "
            "kept in .figmill/commits/.",
        ),
        click.option(
            "--report",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="With --dry-run, --check or --against: write an HTML page that shows each change.",
        ),
        click.option(
            "--pictures",
            type=click.Path(file_okay=False, path_type=Path),
            metavar="FOLDER",
            help="With --format markdown or --summary: write each picture there, before, after and merged.",
        ),
        click.option(
            "--summary",
            is_flag=True,
            help="Write the changes as Markdown to the step summary of a CI job ($GITHUB_STEP_SUMMARY).",
        ),
        click.option(
            "--ignore-invisible", is_flag=True, help="With --check: ignore changes that nobody can see."
        ),
        click.option("--force", is_flag=True, help="Draw every figure again, even if it is fresh."),
        JOBS,
        SANDBOXED,
        click.option("--watch", is_flag=True, help="Build now, and again after every change."),
        click.option(
            "--scheduler",
            metavar="ADDR",
            help="Draw on the Dask cluster at this address, such as tcp://HOST:8786.",
        ),
        click.option(
            "--to",
            type=click.Choice(list(FORMATS)),
            multiple=True,
            help="Also write each figure in this format; repeatable; svg goes with --ink grey.",
        ),
        click.option(
            "--ink",
            type=click.Choice(["colour", "grey"]),
            default="colour",
            show_default=True,
            help="With --to: grey makes files for printers without colour, in which roles stay distinct.",
        ),
        click.option(
            "--scale",
            type=click.FloatRange(0.1, 16),
            metavar="N",
            help=f"With --to {_PIXELS}: pixels for each px of the figure, 0.1 to 16; default: 1.",
        ),
        click.option("--strict", is_flag=True, help="Treat warnings as errors."),
        click.option("--explain", is_flag=True, help="For each figure, say why it is fresh or stale."),
        click.option(
            "--format",
            "form",
            type=BUILD_FORMATS,
            default="text",
            show_default=True,
            help="The format of the report.",
        ),
        click.option("--quiet", "-q", is_flag=True, help="Print only failures and warnings."),
        click.option(
            "--verbose",
            "-v",
            is_flag=True,
            help="Print every warning, and what the figures' scripts printed.",
        ),
        COLOR,
        click.version_option(__version__, prog_name="figmill"),
    )
    for option in reversed(options):
        function = option(function)
    return function


def _checked(request: Request) -> Request:
    """The request, if its options are compatible. Raises click.UsageError."""
    compares = request.dry_run or request.check
    if request.watch and compares:
        raise click.UsageError("--watch builds; it does not go with --dry-run or --check")
    if request.ignore_invisible and not request.check:
        raise click.UsageError("--ignore-invisible goes with --check")
    if request.report is not None and request.watch:
        raise click.UsageError("--report shows one build; leave --watch out")
    if request.pictures is not None and request.form != "markdown" and not request.summary:
        raise click.UsageError("--pictures goes with --format markdown or --summary, which refer to them")
    if request.against and not compares:
        raise click.UsageError("--against goes with --dry-run or --check")
    if request.scale is not None and not any(FORMATS[name].has_pixels for name in request.to):
        raise click.UsageError(f"--scale goes with --to {_PIXELS}; other formats have the size of the figure")
    if request.ink == "grey" and not request.to:
        raise click.UsageError("--ink grey goes with --to; name the formats, as in --to pdf --ink grey")
    if request.ink != "grey" and (
        only := next((name for name in request.to if FORMATS[name].is_only_grey), "")
    ):
        raise click.UsageError(f"every build writes {only} files in colour; --to {only} goes with --ink grey")
    if request.against and request.to:
        raise click.UsageError("--against compares only SVGs; leave --to out")
    return request
