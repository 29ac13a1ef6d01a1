"""Figures as text to paste into a page, or for the templates of a host."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from figmill import config
from figmill.engine.outputs import page_folder
from figmill.errors import ToolError
from figmill.host import files
from figmill.integrations import figures, links, lookup, template_data
from figmill.integrations.figures import Catalogue
from figmill.integrations.lookup import Embedding, Missing, Target
from figmill.integrations.paste import FACTS, FORMATS, Paste
from figmill.integrations.relative_address import way
from figmill.streams import complain, hand_over, say


def every(root: Path, form: str, base: str | None, output: Path | None, language: str | None) -> int:
    """Print all figures and facts for a host's templates, or write them into a file."""
    catalogue = _catalogue(root, language)
    document = template_data.ALL[_known(form)](catalogue, base)
    answers = (lookup.show(catalogue, Target(label)) for label in catalogue.figures)
    _tell_of_links([answer for answer in answers if isinstance(answer, Embedding)], catalogue.folder)
    if output is None:
        hand_over(document)
    else:
        _write(output, document)
    return 0


def one(root: Path, id_: str, form: str | None, base: str | None, theme: str, language: str | None) -> int:
    """Print a figure or a fact as text to paste. form: None: a fact as plain text."""
    catalogue = _catalogue(root, language)
    target = lookup.target(f"{lookup.SCHEME}{id_.removeprefix(lookup.SCHEME)}") or Target(id_)
    if target.fact is not None:
        text = lookup.say(catalogue, target)
        if isinstance(text, Missing):
            raise ToolError(text.message)
        return _print(text if form is None else FACTS[form](text))
    answer = lookup.show(catalogue, target, theme=theme)
    if isinstance(answer, Missing):
        raise ToolError(answer.message)
    if answer.doubt:
        complain(f"figmill: {answer.doubt}")
    _tell_of_links([answer], catalogue.folder)
    address = way(catalogue.folder) if base is None else base
    return _print(FORMATS[form or "html"](Paste(answer, address, catalogue.folder)))


def _catalogue(root: Path, language: str | None) -> Catalogue:
    options = config.load(root)
    return (
        figures.load(root / page_folder(options))
        .of_book(options.language, dict(options.words))
        .in_language(language)
    )


def _tell_of_links(answers: list[Embedding], folder: Path) -> None:
    """Warn about figures whose links readers cannot follow, because the text to paste shows images."""
    if labels := [answer.label for answer in answers if links.of(folder, answer)]:
        complain(f"figmill: {links.dead(labels, links.NOT_HERE)}")


def _write(path: Path, text: str) -> None:
    """Write UTF-8, although the shell may use another encoding for a command's output."""
    try:
        files.own_folder(path.parent)
        files.replace_ours(os.fspath(path), text.encode(), template_data.is_one)
    except OSError as error:
        raise ToolError(f"--output {path.as_posix()}: {error.strerror or error}") from None
    say([f"wrote {path.as_posix()}"])


def _known(form: str) -> str:
    if form not in template_data.ALL:
        raise ToolError(f"--all is for --format {' or '.join(template_data.ALL)}, not {form}")
    return form


def _print(text: str) -> int:
    encoding = sys.stdout.encoding or "ascii"
    hand_over(text.encode(encoding, "backslashreplace").decode(encoding))
    return 0
