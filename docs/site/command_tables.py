"""The commands and their options, as click knows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pkgutil import resolve_name
from typing import Any

import click
from cells import UNSET, choice, code, sentence, shown, table
from examples import shell

from figmill import cli
from figmill.commands.group import command_line


def commands() -> Iterator[str]:
    group = command_line({}, {}, {}, _nothing)
    context = click.Context(group, info_name="figmill")
    yield "## figmill\n"
    yield f"{group.help}\n"
    yield _options(group, context)
    yield "`figmill` also takes the options of `build`, `diff` and `export`, and `--watch`.\n"
    yield shell("")
    for name, (target, _, about) in cli.COMMANDS.items():
        command: click.Command = resolve_name(target)
        inner = click.Context(command, info_name=name, parent=context)
        words = " ".join(command.collect_usage_pieces(inner))
        yield f"## {name}\n"
        yield f"{about}\n"
        yield f"```\nfigmill {name} {words}\n```\n"
        yield _options(command, inner)
        yield shell(name)
    yield "## Former names\n"
    yield "They still work.\n"
    for name, now in cli.FORMER.items():  # each has its heading, because pages link to it
        yield f"### {name}\n"
        yield f"Now `figmill {' '.join(now)}`.\n"


def _nothing(*_: Any) -> Any:
    raise AssertionError("nothing is run here")


def _options(command: click.Command, context: click.Context) -> str:
    """The table of the options in its help. Only the first command lists `--help`, which all have."""
    rows = []
    for option in command.get_params(context):
        if (
            isinstance(option, click.Option)
            and not option.hidden
            and ("--help" not in option.opts or context.parent is None)
        ):
            about, default = _split(option)
            flags = ", ".join(map(code, option.opts))
            rows.append((flags, _value(option, context), default, about))
    return table(("option", "value", "default", "what it does"), rows) if rows else ""


def _value(option: click.Option, context: click.Context) -> str:
    if option.is_flag or option.count:
        return UNSET
    if isinstance(option.type, click.Choice):
        return choice(option.type.choices)
    if isinstance(option.type, click.IntRange | click.FloatRange):
        return f"a number from {option.type.min:g} to {option.type.max:g}"
    return code(option.make_metavar(context))


def _split(option: click.Option) -> tuple[str, str]:
    """(what an option does, its default); some help texts state the default in words."""
    match = re.fullmatch(r"(.*?)[;.] default: (.*)\.", option.help or "", re.DOTALL)
    if match:
        return sentence(match[1]), shown(match[2])
    return sentence(option.help or ""), shown(option.default if isinstance(option.default, str) else "")
