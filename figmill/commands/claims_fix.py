"""The files of a book with their numbers as references to facts. Writes nothing.

Each change of a figure's text is tried first: the file must say the same as before, but for the number.
"""

from __future__ import annotations

import codecs
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter

from figmill import kinds
from figmill.book import yaml_parser
from figmill.book.pages import questions as pages
from figmill.claims.context import OWN
from figmill.claims.passages import TEXTS, Passage, scalars
from figmill.claims.rewrite import Replacement, edit_of, edited, quoted
from figmill.config import Options
from figmill.engine.claims import BookClaims, BuiltFigure, Judged, text_of
from figmill.engine.questions import is_page, of_book
from figmill.errors import AuthorError
from figmill.integrations import facts
from figmill.late_dataclasses import dataclass
from figmill.model import Origin
from figmill.publish.placeholders import fill
from figmill.store.disk import Disk


@dataclass(frozen=True, slots=True)
class Fix:
    """A file with its changes."""

    path: str
    before: bytes
    after: bytes
    references: int  # numbers that become references
    corrected: int  # numbers that stay numbers, and become right
    left: tuple[str, ...] = ()  # why other numbers stay as they are, one line each


def fixes(book: BookClaims, disk: Disk, options: Options, *, values: bool) -> Iterator[Fix]:
    """A fix for each file with numbers that can be references. values: also correct what is contradicted."""
    by_path: dict[str, dict[Passage, list[tuple[Judged, Replacement]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    stays: dict[str, list[str]] = defaultdict(list)
    for judged in book.claims:
        figure, passage = book.figures.get(judged.claim.figure), judged.passage
        if figure is not None and (passage.kind == OWN or not passage.key):
            edit = edit_of(passage, judged.claim, partial(_said, figure, passage), values=values)
            if edit is not None:
                by_path[passage.path][passage].append((judged, edit))
                continue
        if values and judged.is_wrong:
            stays[passage.path].append(f"{judged.origin}: stays for you to correct: {judged.message}")
    for path in dict.fromkeys((*by_path, *stays)):
        yield _fix(path, disk, options, by_path.get(path, {}), stays.get(path, ()))


def _said(figure: BuiltFigure, passage: Passage, name: str, form: str) -> str | None:
    """A fact as texts of figures and pages write it in a format."""
    try:
        if passage.kind == OWN:
            return fill(f"{{{name}:{form}}}" if form else f"{{{name}}}", figure.facts, Origin(""))
        return facts.shown(figure.facts[name], form, name) if name in figure.facts else None
    except (AuthorError, ValueError):
        return None


def _fix(
    path: str,
    disk: Disk,
    options: Options,
    changes: Mapping[Passage, Sequence[tuple[Judged, Replacement]]],
    stays: Sequence[str],
) -> Fix:
    data = disk.read(path) or b""
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    try:
        written = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Fix(path, data, data, 0, 0, (f"{path}: is not UTF-8, and stays as it is",))
    done: list[Replacement] = []
    numbers: list[Replacement] = []
    left = []
    text = text_of(data)
    # backwards, so that a change moves no place that is still to be changed
    for passage in sorted(changes, key=attrgetter("start"), reverse=True):
        edits = [edit for _, edit in changes[passage]]
        if passage.kind == OWN:
            tried = _kept(passage, changes[passage], text, disk, options)
            if tried is None:
                number = changes[passage][0][0].claim.number.text
                why = "with a reference, the text would not be read as it stands; put it in quotes"
                left.append(f"{changes[passage][0][0].origin}: {number} stays a number: {why}")
                continue
            edits = tried
        text = edited(text, edits)
        done += edits
        numbers += (edit for _, edit in changes[passage])
    references = sum(edit.is_reference for edit in numbers)
    after = mark + edited(written, done).encode()
    return Fix(path, data, after, references, len(numbers) - references, (*reversed(left), *stays))


def _kept(
    passage: Passage, changes: Sequence[tuple[Judged, Replacement]], text: str, disk: Disk, options: Options
) -> list[Replacement] | None:
    """The edits of a figure's text after which its file says the same, but for the numbers; None: there are none.

    A text without quotes may need some, for the braces of a reference.
    """
    spans = [(judged.claim.number, edit.text) for judged, edit in changes]
    wanted = edited(passage.text, (Replacement(number.start, number.end, new) for number, new in spans))
    before = _texts(passage.path, text, disk, options)
    for edits in ([edit for _, edit in changes], quoted(passage, wanted)):
        try:
            after = _texts(passage.path, edited(text, edits), disk, options)
        except AuthorError:
            continue
        differing = {(before[key], after.get(key)) for key in before if before[key] != after.get(key)}
        if edits and differing == {(passage.text, wanted)} and after.keys() == before.keys():
            return edits
    return None


def _texts(path: str, text: str, disk: Disk, options: Options) -> dict[str, str]:
    """All texts of a question, or those of the figures in a page, by their place. Raises AuthorError.

    A page may have errors elsewhere, which must stay the same as well.
    """
    if not is_page(path):
        rows = yaml_parser.read(path, text.encode("utf-8", "replace"), None)
        return {at: scalar.text for key, node in rows for at, scalar in scalars(node, key.text)}
    reader = of_book(disk)
    chosen = pages.PageSources(options.fences)
    questions, problems = pages.read(path, text.encode(), chosen, kinds.of_fences(), reader)
    errors = {f"error {number}": problem.error.message for number, problem in enumerate(problems)}
    return errors | {
        f"{number}.{key}": str(getattr(declaration, key, ""))
        for number, question in enumerate(questions)
        for declaration in question.declarations
        for key in TEXTS
    }
