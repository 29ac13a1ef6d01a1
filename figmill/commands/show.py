"""`show`: the figures of a book: a list, one of them, one of its numbers, or text to paste into a page."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from figmill import config
from figmill.commands.environment import root_of
from figmill.commands.options import IDS
from figmill.engine.load import look
from figmill.engine.plan import target
from figmill.errors import ToolError, did_you_mean
from figmill.host.lines import as_json, shown
from figmill.integrations.lookup import THEMES
from figmill.integrations.paste import FORMATS
from figmill.model import Published
from figmill.publish.placeholders import short
from figmill.report.json_ import encodable
from figmill.streams import complain, hand_over, say


@click.command("show")
@click.argument("id_", metavar="[ID[#FACT]]", required=False)
@click.argument("name", metavar="", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice([*FORMATS, "json"]),
    help="The kind of page to paste into; json: the numbers; default: lines for people.",
)
@click.option("--layout", is_flag=True, help="Print its boxes, lines, labels and findings as well, as JSON.")
@click.option(
    "--all",
    "is_all",
    is_flag=True,
    help="Print all figures and facts, as JSON for Hugo and Jekyll, or as LaTeX.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --all: write this file, and the folder for it, instead of printing.",
)
@click.option(
    "--base",
    metavar="ADDRESS",
    help="The path from the page to the output folder; default: from this folder.",
)
@click.option(
    "--theme",
    type=click.Choice(THEMES),
    default="auto",
    help="Which pictures to paste; auto: both, if a page can choose.",
)
@click.option("--language", metavar="CODE", help="The language of the page; default: that of the book.")
@IDS
@click.pass_obj
def command(
    root: Path | None,
    id_: str | None,
    name: str | None,
    form: str | None,
    layout: bool,
    is_all: bool,
    output: Path | None,
    base: str | None,
    theme: str,
    language: str | None,
    ids: tuple[str, ...],
) -> int:
    """List the figures; or print one of them, or one of its facts.

    ID#FACT prints a fact as pages show it, and takes a format, as in bubble#fraction:.1%. With --format, the text is
    ready to paste into a page. With --layout, ID may also be a drawing FILE.svg outside a book, or - for standard
    input.
    """
    if output is not None and not is_all:
        raise ToolError("--output is for --all; one figure is printed")
    if is_all and id_ is not None:
        raise ToolError("name a figure, or use --all")
    if layout and (id_ is None or name is not None or "#" in id_):
        raise click.UsageError("--layout prints the whole figure; name it, without a fact")
    if id_ is None and not is_all:
        if form not in (None, "json"):
            raise ToolError("name a figure, or use --all")
        return _list(root_of(root), ids, form)
    from figmill.commands import paste, receipts  # load what reads figures, which a list does not need

    if id_ is None:
        return paste.every(root_of(root), form or "html", base, output, language)
    if layout:
        hand_over(encodable(as_json(receipts.layout(root, id_)), sys.stdout.encoding))
        return 0
    if form in FORMATS or "#" in id_:
        return paste.one(root_of(root), id_, form, base, theme, language)
    figure = receipts.built(root_of(root), id_)
    if name is not None:
        say([_fact(figure, name)])
    elif form == "json":
        hand_over(encodable(as_json(figure.facts), sys.stdout.encoding))
    else:
        say(_lines(figure))
    return 0


def _fact(figure: Published, name: str) -> str:
    """A fact as the figure states it. Raises ToolError if it does not."""
    if name not in figure.facts:
        hint = did_you_mean(name, figure.facts)
        names = short(", ".join(figure.facts)) or "none"
        raise ToolError(f"{figure.label} states no fact '{name}'{hint}; it states: {names}")
    return str(figure.facts[name])


def _lines(figure: Published) -> Iterator[str]:
    """What the figure is, for people."""
    yield f"{figure.label}: {figure.title}" if figure.title else figure.label
    yield f"  from     {figure.source} ({figure.kind})"
    yield f"  files    {', '.join(file.path for file in figure.files)}"
    yield f"  alt      {shown(figure.alt)}"
    if figure.caption:
        yield f"  caption  {shown(figure.caption)}"
    for name, fact in figure.facts.items():
        yield f"  fact     {name} = {shown(str(fact))}"


def _list(root: Path, ids: tuple[str, ...], form: str | None) -> int:
    """List every figure with its kind, its source and its output."""
    options = config.load(root)
    state = look(root, options, ids)
    visuals = [step.visual for step in state.requested]
    problems = [problem for problem in state.book.problems if state.wants(problem.id)]
    rows = [(visual.label, visual.kind, visual.source, target(visual, options)) for visual in visuals]
    if form == "json":
        figures = [dict(zip(("id", "kind", "source", "path"), row, strict=True)) for row in rows]
        hand_over(encodable(as_json(figures), sys.stdout.encoding))
    else:
        texts = [tuple(map(shown, row)) for row in rows]
        widths = [max((len(text[column]) for text in texts), default=0) for column in range(3)]
        say("  ".join([*map(str.ljust, text, widths), text[3]]) for text in texts)
    complain(*(str(problem.error) for problem in problems))
    return 1 if problems else 0
