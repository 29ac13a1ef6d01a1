"""The command line: `figmill [options of a build]`, or `figmill COMMAND`.

Unaware of the individual commands: the caller passes their table, and a module is imported on its command's first
use.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, TypeAlias

import click
from click.core import ParameterSource

from figmill import __version__
from figmill.commands import drawing
from figmill.commands.options import options
from figmill.engine.request import Request
from figmill.errors import ToolError, did_you_mean
from figmill.streams import complain

Load: TypeAlias = Callable[[str], click.Command]
Commands: TypeAlias = Mapping[str, tuple[str, str, str]]


def run(
    commands: Commands, former: Mapping[str, tuple[str, ...]], verbs: Mapping[str, str], load: Load
) -> int:
    """Parse the command line and run the command; returns the exit code. Raises what `guarded` handles.

    commands: each with its target, heading and line. former: the former names. verbs: what to type instead of the
    verbs of other programs. load: imports a command.
    """
    try:
        return (
            command_line(commands, former, verbs, load).main(prog_name="figmill", standalone_mode=False) or 0
        )
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
        self,
        *,
        listed: Commands,
        former: Mapping[str, tuple[str, ...]],
        verbs: Mapping[str, str],
        load: Load,
        **rest: Any,
    ) -> None:
        super().__init__(
            **rest, commands=[click.Command(name, help=about) for name, (_, _, about) in listed.items()]
        )
        self.listed, self.former, self.verbs, self.load = listed, former, verbs, load

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands first, which are what a reader looks for."""
        self.format_commands(context, formatter)
        click.Command.format_options(self, context, formatter)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands under their headings, each with its whole line."""
        width = max(map(len, self.listed), default=0)
        for heading in dict.fromkeys(heading for _, heading, _ in self.listed.values() if heading):
            with formatter.section(heading):
                formatter.write_dl(
                    [
                        (name.ljust(width), about)
                        for name, (_, of, about) in self.listed.items()
                        if of == heading
                    ]
                )

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, *rest = args
        if now := self.former.get(name):
            if "--format" not in now or sys.stdout.isatty():  # data may go into a file together with notices
                complain(f"figmill: `figmill {name}` is now `figmill {' '.join(now)}`")
            if name not in self.listed:  # `import` and `adopt` have arguments of their own
                name, *rest = *now, *rest
        if name not in self.listed and name[:1] != "-":
            raise ToolError(f"No such command '{name}'{self._advice(name)}")
        resolved, _, rest = super().resolve_command(context, [name, *rest])
        return resolved, self.load(name), rest

    def _advice(self, name: str) -> str:
        """What to type instead of a name that is not a command."""
        if instead := self.verbs.get(name.casefold()):
            return f"; type {instead}"
        shown = [command for command, (_, heading, _) in self.listed.items() if heading]
        return did_you_mean(name, (*shown, *self.former)) or "; `figmill --help` lists the commands"

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except OSError as error:
            raise _CarriedError(error) from None


def command_line(
    commands: Commands, former: Mapping[str, tuple[str, ...]], verbs: Mapping[str, str], load: Load
) -> click.Group:
    """The command with its options and all subcommands; nothing is loaded yet."""

    @click.group(
        cls=_Group,
        listed=commands,
        former=former,
        verbs=verbs,
        load=load,
        invoke_without_command=True,
        subcommand_metavar="[COMMAND]",
        epilog="`figmill COMMAND --help` shows the options of a command.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    @options(drawing.ROOT, drawing.ROOT_HIDDEN)
    @click.version_option(__version__, prog_name="figmill")
    @click.pass_context
    def group(context: click.Context, /, **given: Any) -> int:
        """Build the figures of a book: draw stale figures again, and leave the rest alone."""
        root: Path | None = given["root"]
        context.obj = root
        if context.invoked_subcommand is not None:
            context.default_map = {context.invoked_subcommand: _handed_on(context, load)}
            return 0
        return drawing.carry_out(Request(**given))

    return group


def _handed_on(context: click.Context, load: Load) -> dict[str, Any]:
    """The options before a command, as its defaults: `--id a show` means `show --id a`. Raises click.UsageError.

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
