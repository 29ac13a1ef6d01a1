"""The reference in docs/reference/ is what the tables of the code say, and the tables are what the readers do."""

from __future__ import annotations

import importlib.util
import re
import shlex
import tomllib
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

import click
import pytest
from helpers.book import REPOSITORY, Space
from helpers.cases import cases

from figmill import cli
from figmill.commands.group import command_line
from figmill.config import Options, load
from figmill.config.figure_limits import Limits
from figmill.config.readers import WrongError
from figmill.config.settings import LIMITS, SETTINGS

SCRIPT = REPOSITORY / "docs/site/reference.py"
EVERY = {**SETTINGS, **LIMITS}


@pytest.fixture
def reference(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(SCRIPT.parent)
    spec = importlib.util.spec_from_file_location("reference", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_what_the_tables_say(reference: ModuleType) -> None:
    pages = {path.stem: path.read_text(encoding="utf-8") for path in reference.OUT.glob("*.md")}
    assert pages.keys() >= reference.PAGES.keys()
    old = [name for name in reference.PAGES if pages[name] != reference.page(name)]
    assert old == [], "python docs/site/reference.py writes them"


def test_an_old_page_is_told(
    reference: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reference.OUT = tmp_path  # type: ignore[attr-defined]
    assert reference.main([]) == 0
    assert reference.main(["--check"]) == 0
    page = tmp_path / "settings.md"
    page.write_text(page.read_text("utf-8").replace("`60`", "`61`"), encoding="utf-8")
    capsys.readouterr()
    assert reference.main(["--check"]) == 1
    assert capsys.readouterr().out == "docs/reference/settings.md: is old; run make docs\n"
    assert "`61`" in page.read_text("utf-8"), "a check writes nothing"


def test_each_setting_has_its_row() -> None:
    assert [*SETTINGS, "kinds"] == [each.name for each in fields(Options)]
    assert list(LIMITS) == [each.name for each in fields(Limits)]
    for setting in EVERY.values():
        assert setting.type
        assert re.fullmatch(r"[A-Z].*\.", setting.about)


def test_the_examples_are_settings(reference: ModuleType, space: Space) -> None:
    space.write({"figmill.toml": reference.examples(), "chapters/a": "", "docs/a": "", "handbook/a": ""})
    options = load(space.root)
    plain = Options()
    assert {
        each.name for each in fields(Options) if getattr(options, each.name) == getattr(plain, each.name)
    } == set()
    assert {
        each.name
        for each in fields(Limits)
        if getattr(options.limits, each.name) == getattr(plain.limits, each.name)
    } == set()


@cases("name", EVERY)
def test_the_bounds_that_a_type_states_hold(name: str) -> None:
    read, bounds = EVERY[name].read, EVERY[name].type
    for least, most in re.findall(r"from (\d+) to (\d+)", bounds):
        assert [read(int(least)), read(int(most))] == [int(least), int(most)]
        for wrong in (int(least) - 1, int(most) + 1):
            with pytest.raises(WrongError):
                read(wrong)
    for number, unit in re.findall(r"at most (\d+)((?: [KMG]i?B)?)", bounds):
        read(f"{number}{unit}" if unit else int(number))
        with pytest.raises(WrongError):
            read(f"{int(number) + 1}{unit}" if unit else int(number) + 1)
    for number, unit in re.findall(r"at least (\d+)( [KMG]i?B)", bounds):
        read(f"{number}{unit}")
        with pytest.raises(WrongError):
            read(f"{int(number) - 1}{unit}")
    for choice in re.findall(r"`(\"[^`]+\")`", bounds):
        value = tomllib.loads(f"value = {choice}")["value"]
        read({"contrast": value} if name == "lint" else [value] if "list" in bounds else value)


def commands() -> dict[str, click.Command]:
    """Every command by name, and the first by the empty one."""
    group = command_line(cli.COMMANDS, cli.FORMER, cli.VERBS, _not_run)
    return {"": group, **{name: resolve_name(target) for name, (target, _, _) in cli.COMMANDS.items()}}


def test_each_option_of_the_help_has_its_row() -> None:
    page = (REPOSITORY / "docs/reference/commands.md").read_text(encoding="utf-8")
    sections = {part.partition("\n")[0]: part for part in page.split("\n## ")}
    for name, command in commands().items():
        section = sections[name or "figmill"]
        help_ = command.get_help(click.Context(command, info_name=name))
        flags = set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", help_, re.MULTILINE))
        assert "--help" in flags
        told = set(re.findall(r"`(--[\w-]+)`", section))
        assert flags - {"--help"} <= told, name
        assert not [row for row in section.splitlines() if row.startswith("| `-") and "| . |" in row]


def test_the_help_is_whole_on_eighty_columns() -> None:
    group = commands()[""]
    lines = group.get_help(click.Context(group, info_name="figmill", terminal_width=80)).splitlines()
    rows = [f"  {name.ljust(9)}  {about}" for name, (_, heading, about) in cli.COMMANDS.items() if heading]
    assert [line for line in lines if line in rows] == rows
    assert max(map(len, lines)) <= 80
    assert len(lines) < 50
    shown = [param for param in group.params if isinstance(param, click.Option) and not param.hidden]
    assert len(shown) <= 12


def test_each_option_has_an_example_that_can_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("before/build", "build", "books/networks"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(REPOSITORY / "docs" / "site")
    examples = import_module("examples").EXAMPLES
    page = (REPOSITORY / "docs/reference/commands.md").read_text(encoding="utf-8")
    every = commands()
    assert set(examples) == set(every)
    for name, rows in examples.items():
        command = every[name]
        shown = set()
        for line, _ in rows:
            assert line in page
            first, *arguments = shlex.split(line.split(" < ")[0].split(" > ")[0])
            assert first == "figmill"
            if name:
                assert arguments.pop(0) == name
            shown |= {argument for argument in arguments if argument.startswith("-")}
            context = command.make_context(
                name, list(arguments), resilient_parsing="--help" in arguments or "--version" in arguments
            )
            assert not context.args
        for option in command.params:
            is_shown = isinstance(option, click.Option) and not option.hidden
            assert not is_shown or shown & set(option.opts), (name, option.opts)


def _not_run(*_: object) -> Any:
    raise AssertionError("an example is parsed, not run")


def test_the_table_of_hosts_is_what_its_pictures_are_taken_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(REPOSITORY / "docs" / "screenshots")
    hosts = import_module("hosts")
    assert hosts.PAGE.read_text(encoding="utf-8") == hosts.table()
    shown = set(re.findall(r"\(\.\./pictures/hosts/([\w-]+\.png)\)", hosts.table()))
    assert shown == {path.name for path in hosts.PICTURES.glob("*.png")}
    assert all(path.stat().st_size < 60_000 for path in hosts.PICTURES.glob("*.png"))
