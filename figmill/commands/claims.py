"""`claims`: the numbers in texts about figures, compared with what the figures state."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from figmill import config
from figmill.checks import ERROR, NOTE
from figmill.claims import baseline, record
from figmill.claims.baseline import Known
from figmill.claims.bind import VERDICTS
from figmill.claims.messages import CHECK, stated_value
from figmill.commands.claims_fix import fixes
from figmill.commands.environment import root_of
from figmill.commands.options import COLOR
from figmill.commands.terminal import style_of
from figmill.config import Options
from figmill.engine.claims import BookClaims, Judged, book_claims
from figmill.errors import ToolError
from figmill.exit_codes import FAILED, WELL
from figmill.host import files, inside
from figmill.report.github import command_of
from figmill.report.json_ import encodable
from figmill.report.model import Diagnostic
from figmill.report.sarif import sarif
from figmill.report.text import ReportStyle, StyledLine, paint
from figmill.store.disk import Disk
from figmill.streams import annotate, complain, hand_over, say

FORMATS = click.Choice(("text", "json", "github", "sarif", "markdown"))


@click.command("claims")
@click.argument("paths", metavar="[FILE]...", nargs=-1)
@click.option(
    "--fix",
    "fixing",
    is_flag=False,
    flag_value="bound",
    type=click.Choice(("bound", "values")),
    help="Turn numbers into references to facts; --fix=values also corrects false ones.",
)
@click.option("--dry-run", is_flag=True, help="With --fix: show the changes as a diff; write nothing.")
@click.option(
    "--record",
    "recording",
    is_flag=False,
    flag_value="bound",
    type=click.Choice(("bound", "accept")),
    help="Record what each number is bound to; --record=accept also drops those now false.",
)
@click.option(
    "--baseline",
    "ratchet",
    metavar="FILE",
    help="Accept the contradictions in this file; without it, write it.",
)
@click.option(
    "--format", "form", type=FORMATS, default="text", show_default=True, help="The format of the findings."
)
@click.option("--verbose", "-v", is_flag=True, help="List every number, not only false ones.")
@COLOR
@click.pass_obj
def command(
    root: Path | None,
    paths: tuple[str, ...],
    fixing: str | None,
    dry_run: bool,
    recording: str | None,
    ratchet: str | None,
    form: str,
    verbose: bool,
    color: str,
) -> int:
    """Compare the numbers in texts with what the figures state.

    Texts are alt texts, captions, questions and pages.

    FILE is a question or a page of the book; default: all. Exit 1 if a figure contradicts a number.
    """
    if dry_run and fixing is None:
        raise click.UsageError("--dry-run goes with --fix")
    if recording is not None and fixing is not None:
        raise click.UsageError("--record and --fix are two steps")
    root = root_of(root)
    options, only = config.load(root), [_in_book(root, path) for path in paths]
    book = book_claims(root, options, only)
    complain(*(f"figmill: {line}" for line in book.unread))
    if book.stale:
        count = len(book.stale)
        complain(
            f"figmill: {'1 figure has' if count == 1 else f'{count} figures have'} changed since the last build; "
            f"build first: {', '.join(book.stale[:3])}{', …' if count > 3 else ''}"
        )
    wrong = [judged for judged in book.claims if judged.is_wrong]
    if ratchet is not None:
        wrong = _new(book, wrong, Path(ratchet))
    if fixing is not None:
        return _fix(root, book, options, fixing == "values", dry_run, style_of(sys.stdout, color, verbose))
    if recording is not None:
        complain(_record(root, book, options, accepting=recording == "accept"))
        if recording == "accept":
            wrong = [judged for judged in wrong if judged.claim.was is None]
    _print(book, wrong, form, style_of(sys.stdout, color, verbose))
    return FAILED if wrong else WELL


def _in_book(root: Path, path: str) -> str:
    try:
        return Path(path).resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        raise click.UsageError(f"{path} is not in the book {root}") from None


def _known(judged: Judged) -> Known:
    fact = judged.claim.offer.name if judged.claim.offer else ""
    return judged.passage.path, judged.text, judged.claim.number.text, judged.claim.figure, fact


def _new(book: BookClaims, wrong: Sequence[Judged], path: Path) -> list[Judged]:
    """The contradictions that are not in a baseline. Those that are gone leave it. Without the file, it is written."""
    now = {_known(judged): judged for judged in wrong}
    try:
        entries = baseline.loads(str(path), files.read(path)) if path.exists() else frozenset(now)
        new, left = baseline.parted(entries, now, book.is_compared)
        if left != entries or not path.exists():
            files.replace_whole(str(path), baseline.dumps(left))
    except OSError as error:
        raise ToolError(f"--baseline {path}: {error.strerror or error}") from None
    return [judged for judged in wrong if _known(judged) in new]


def _record(root: Path, book: BookClaims, options: Options, *, accepting: bool) -> str:
    """Write the current record; say what is new in it."""
    name = options.claims_record
    before, after = record.rows(book.record), book.recorded(accepting=accepting)
    false = sum(1 for judged in book.claims if judged.is_wrong and judged.claim.was in after)
    try:
        files.replace_whole(inside.place(root, name, (name,)), record.dumps(after))
    except OSError as error:
        raise ToolError(f"{name}: {error.strerror or error}") from None
    stays = f"; {false} of them false now: these stay until they are mended or accepted" if false else ""
    return (
        f"figmill: {len(after)} numbers in {name}: {len(after - before)} new, "
        f"{len(before - after)} dropped{stays}"
    )


def _fix(
    root: Path, book: BookClaims, options: Options, values: bool, dry_run: bool, style: ReportStyle
) -> int:
    """Show the changes of all files as diffs, and write them unless it is a dry run."""
    references = corrected = 0
    for fix in fixes(book, Disk(root, allowed=options.own_words), options, values=values):
        complain(*fix.left)
        before, after = (
            text.decode("utf-8", "replace").splitlines(keepends=True) for text in (fix.before, fix.after)
        )
        if before == after:
            continue
        hand_over("".join(difflib.unified_diff(before, after, f"a/{fix.path}", f"b/{fix.path}")))
        references, corrected = references + fix.references, corrected + fix.corrected
        if not dry_run:
            files.replace_whole(inside.place(root, fix.path), fix.after)
    said = [_counted(references, "a reference", "references", dry_run)]
    if corrected:
        said.append(_counted(corrected, "corrected", "corrected", dry_run))
    say([paint("; ".join(said), "bold", style)])
    return WELL


def _counted(count: int, singular: str, plural: str, dry_run: bool) -> str:
    subject, verb, what = ("1 number", "is", singular) if count == 1 else (f"{count} numbers", "are", plural)
    return f"{subject} would be {what}" if dry_run else f"{subject} {verb} {what} now"


def _print(book: BookClaims, wrong: Sequence[Judged], form: str, style: ReportStyle) -> None:
    if form == "json":
        hand_over(encodable(_json(book, wrong), sys.stdout.encoding))
    elif form == "sarif":
        hand_over(encodable(sarif(map(_diagnostic, wrong)), sys.stdout.encoding))
    elif form == "github":
        annotate([*(command_of(_diagnostic(each), each.message) for each in wrong), _summary(book)])
    elif form == "markdown":
        hand_over("\n".join(_markdown(book, wrong)))
    else:
        say(_lines(book, wrong, style))


def _lines(book: BookClaims, wrong: Sequence[Judged], style: ReportStyle) -> Iterator[StyledLine]:
    for judged in book.claims if style.verbose else wrong:
        verdict = judged.claim.verdict if not judged.reason else "excused"
        colour = "red" if judged.is_wrong else "cyan"
        yield paint(
            f"{judged.origin}: {verdict}: {judged.message}{f' ({judged.reason})' if judged.reason else ''}",
            colour,
            style,
        )
    yield _summary(book)


def _summary(book: BookClaims) -> str:
    counts = book.counts
    lapsed = f"; {book.lapsed} of the record in sentences that have changed" if book.lapsed else ""
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS)
    return f"{sum(counts.values())} numbers: {verdicts}{lapsed}"


def _markdown(book: BookClaims, wrong: Sequence[Judged]) -> Iterator[str]:
    """A comment on a pull request."""
    yield f"**{_summary(book)}**"
    if wrong:
        yield "\n| where | the text says | the figure states |\n|---|---|---|"
    for judged in wrong:
        offer, number = judged.claim.offer, judged.claim.number
        stated = f"{offer.name} {stated_value(number, offer)}" if offer else judged.message
        cells = (str(judged.origin), judged.text, f"{stated} (`{judged.claim.figure}`)")
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _diagnostic(judged: Judged) -> Diagnostic:
    level = ERROR if judged.is_wrong else NOTE
    return Diagnostic(CHECK, level, judged.origin, judged.message, id=judged.claim.figure)


def _json(book: BookClaims, wrong: Sequence[Judged]) -> str:
    rows = [_row(judged) for judged in book.claims]
    summary = {
        **book.counts,
        "excused": sum(1 for each in book.claims if each.reason),
        "exit": FAILED if wrong else WELL,
    }
    return json.dumps({"claims": rows, "summary": summary}, indent=1, ensure_ascii=False)


def _row(judged: Judged) -> dict[str, object]:
    claim, at = judged.claim, judged.origin
    return {
        "file": at.path,
        "line": at.line,
        "column": at.column,
        "text": judged.text,
        "number": claim.number.text,
        "verdict": claim.verdict,
        "figure": claim.figure or None,
        "fact": claim.offer.name if claim.offer else None,
        "value": claim.offer.value if claim.offer else None,
        "message": judged.message,
        **({"recorded": claim.was.number} if claim.was else {}),
        **({"excused": judged.reason} if judged.reason else {}),
    }
