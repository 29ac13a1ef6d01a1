"""Code blocks in a page as question files and source files of their own, and the page with images in their place.

Pure: returns the files and writes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import Any

from figmill.book.fields import GLOBAL
from figmill.book.names import file_name_problem, new_id_problem
from figmill.book.pages.blocks import PageBlock
from figmill.book.question import Declaration, Question
from figmill.book.sources import folded, join
from figmill.config import Options
from figmill.errors import ToolError
from figmill.late_dataclasses import dataclass
from figmill.model import Change, Expect
from figmill.scaffold.new_files import UNFINISHED


@dataclass(frozen=True, slots=True)
class Adopted:
    """A block that moves into files.

    - id: of its question, which may differ from the block's.
    - alt: what is shown.
    """

    block: PageBlock
    question: Question
    id: str
    alt: str


def changes(
    page: str,
    data: bytes,
    adopted: Sequence[Adopted],
    options: Options,
    existing: Collection[str],
    ids: Collection[str],
    track: str | None,
) -> tuple[Change, ...]:
    """The files of each block, and the page last.

    existing: the files of the book's folders; ids: those in use, without those of these blocks. Raises ToolError.
    """
    track = track or GLOBAL
    if problem := file_name_problem(track):
        raise ToolError(f"track '{track}' {problem}")
    folder = "" if track == GLOBAL else f"/{track}"
    written: dict[str, bytes] = {}
    taken = {*map(folded, ids)}
    for adoption in adopted:
        if problem := new_id_problem(adoption.id):
            raise ToolError(f"id '{adoption.id}' {problem}")
        if folded(adoption.id) in taken:
            raise ToolError(f"there is already a question '{adoption.id}'; choose another id with --id")
        taken.add(folded(adoption.id))
        (declaration,) = adoption.question.declarations
        assert declaration.fence is not None
        source = f"{adoption.id}{declaration.fence.suffix}"
        written[join(options.questions[0] + folder, f"{adoption.id}.yaml")] = _question(
            adoption, declaration, track, source
        )
        written[join(options.visuals[0] + folder, source)] = declaration.fence.text.encode()
    there = {folded(path) for path in existing}
    for target in written:
        if folded(target) in there:
            raise ToolError(
                f"{target} already exists; choose another id with --id, or move that file away first"
            )
    files = tuple(Change(target, None, after) for target, after in written.items())
    return (*files, Change(page, data, _page(page, data, adopted)))


def _question(adoption: Adopted, declaration: Declaration, track: str, source: str) -> bytes:
    import yaml

    visual: dict[str, Any] = {"source": source, "alt": declaration.alt or adoption.alt or UNFINISHED}
    for key in ("caption", "engine", "colours", "width"):
        if (value := getattr(declaration, key)) is not None:
            visual[key] = int(value) if isinstance(value, float) and value.is_integer() else value
    if declaration.themes:
        visual["themes"] = list(declaration.themes)
    if declaration.expect != Expect():
        visual["expect"] = _expect(declaration.expect)
    if declaration.lint:
        visual["lint"] = dict(declaration.lint)
    rows = {
        "id": adoption.id,
        **({} if track == GLOBAL else {"track": track}),
        **({"title": adoption.question.title} if adoption.question.title else {}),
        "visual": visual,
    }
    text = yaml.safe_dump(rows, allow_unicode=True, sort_keys=False, width=110)
    return f"# A page shows this figure as ![](figmill:{adoption.id}).\n{text}".encode()


def _expect(expect: Expect) -> dict[str, Any]:
    rows: dict[str, Any] = dict(expect.counts)
    if expect.text:
        rows["text"] = list(expect.text)
    if expect.facts:
        rows["facts"] = {
            fact.name: fact.value
            if (fact.rel, fact.abs) == (1e-3, 0.0)
            else {"value": fact.value, "rel": fact.rel, "abs": fact.abs}
            for fact in expect.facts
        }
    return rows


def _page(page: str, data: bytes, adopted: Sequence[Adopted]) -> bytes:
    """The page with an image, or a directive, in place of each block."""
    lines = data.decode("utf-8").split("\n")
    for adoption in sorted(adopted, key=lambda adoption: adoption.block.start, reverse=True):
        block = adoption.block
        end = "\r" if lines[block.start - 1].endswith("\r") else ""
        shown = (
            f".. figmill:: {adoption.id}"
            if PurePosixPath(page).suffix == ".rst"
            else f"![](figmill:{adoption.id})"
        )
        lines[block.start - 1 : block.end - 1] = [f"{block.prefix}{shown}{end}"]
    return "\n".join(lines).encode()
