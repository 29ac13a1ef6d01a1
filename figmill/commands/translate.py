"""`translate`: the texts of all figures as gettext catalogues, one for each language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from figmill import config
from figmill.commands.environment import root_of
from figmill.commands.options import JOBS, SANDBOXED
from figmill.config.readers import WrongError, language
from figmill.engine.request import Request
from figmill.engine.translation import CatalogueFile, Extracted, extracted
from figmill.exit_codes import DIFFERS, FAILED, WELL
from figmill.host.lines import one_line
from figmill.report.progress import ProgressLine
from figmill.streams import complain, say


def _language(_context: click.Context, _option: click.Parameter, codes: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return tuple(dict.fromkeys(map(language, codes)))
    except WrongError as wrong:
        raise click.BadParameter(f"a language {wrong}") from None


@click.command("translate")
@click.argument("languages", metavar="[LANGUAGE]...", nargs=-1, callback=_language)
@click.option(
    "--check",
    is_flag=True,
    help="Write nothing; list what is not translated; exit 3 if a file is out of date.",
)
@JOBS
@SANDBOXED
@click.option("--quiet", "-q", is_flag=True, help="Show no progress.")
@click.pass_obj
def command(root: Path | None, languages: tuple[str, ...], check: bool, jobs: int, quiet: bool) -> int:
    """Write the texts of all figures to catalogues for translators.

    Lists what is not translated.

    LANGUAGE is a code such as de or pt-BR; default: the languages of the settings.
    """
    root = root_of(root)
    with ProgressLine(not quiet) as progress:
        result = extracted(root, config.load(root), languages, Request(jobs=jobs), progress)
    changed = [file for file in result.files if file.before != file.after]
    if not check:
        for file in changed:
            result.state.disk.write(file.path, file.after)
        result.state.disk.sync()
    for file in result.files:
        say(_lines(file, check))
    complain(*(str(error) for error in result.errors))
    return _code(result, bool(changed), check)


def _code(result: Extracted, is_changed: bool, check: bool) -> int:
    if result.errors:
        return FAILED
    return DIFFERS if check and is_changed else WELL


def _lines(file: CatalogueFile, check: bool) -> Iterator[str]:
    done = file.total - len(file.untranslated) - len(file.fuzzy)
    did = "up to date" if file.before == file.after else "out of date" if check else "written"
    fuzzy = f", {len(file.fuzzy)} fuzzy" if file.fuzzy else ""
    yield f"{file.path}: {done} of {file.total} translated{fuzzy}; {did}"
    if check:
        for word, rows in (("not translated", file.untranslated), ("fuzzy", file.fuzzy)):
            yield from (f"  {context}: {one_line(text)!r} is {word}" for context, text in rows)
