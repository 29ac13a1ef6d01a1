"""The kind svgbob: a drawing in characters, `.bob`, turned into shapes by Svgbob, in the book's font and palette.

The package sphinxcontrib-svgbob ships Svgbob as a module of machine code; figmill loads that module alone, without
Sphinx. One character is a cell of 8 by 16 px, and the book's monospaced font is set in the size that fills it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from unicodedata import east_asian_width

from figmill.kind import (
    PAGE,
    ROLES,
    TEXT,
    AuthorError,
    Job,
    Origin,
    Raw,
    ToolError,
    drawn_text,
    drawn_words,
    font_metrics,
    role,
    source_text,
)
from figmill.kind.stated import stated
from figmill_kinds.svgbob import arrowheads
from figmill_kinds.svgbob import text as svgbob_text

TAB = 8  # characters
LINE = 1.5  # px of a line
LARGEST = 500_000  # characters of a source
_STYLE = re.compile(r"(?<=<style>)([^<]*)(?=</style>)")
_WIDTH = re.compile(r'(<svg [^>]*?width=")(\d+)')  # which leaves out words in quotes
_WORD = re.compile(r"[^\W\d_]{3,}")  # fewer letters may be shapes
_LEGEND = re.compile(r"^\s*#\s*Legend:", re.MULTILINE)
_OWN = re.compile(r"^\s*([\w-]+)\s*=\s*\{", re.MULTILINE)


def warm(fonts: Sequence[str]) -> None:
    """Load Svgbob. Raises ToolError if it is missing."""
    _library()


def render(job: Job, root: Path) -> Raw:
    """The SVG of one drawing. Raises AuthorError if it is not text, is empty or is too long."""
    text = source_text.text(job, root).expandtabs(TAB)
    if not text.strip():
        raise AuthorError(
            Origin(job.source, 1), "the file is empty; draw a box, like `+--+`, with lines like `-->`"
        )
    if len(text) > LARGEST:
        raise AuthorError(Origin(job.source), f"has {len(text):,} characters; Svgbob takes {LARGEST:,}")
    begin = _LEGEND.search(text)
    above, legend = (text[: begin.start()], text[begin.start() :]) if begin else (text, "")
    rows = [svgbob_text.cells(line) for line in above.split("\n")]
    plain = "\n".join(map(svgbob_text.stand_ins, rows))
    try:
        drawing = arrowheads.level_sized(_library().to_svg(plain + legend, stroke_width=LINE))
        svg = svgbob_text.put_back(drawing, rows)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # Rust's, not an Exception
            raise
        raise AuthorError(Origin(job.source), f"Svgbob cannot draw this: {error}") from None
    rules = style(job.roles, text)
    svg = _WIDTH.sub(
        lambda match: f"{match[1]}{max(int(match[2]), svgbob_text.CELL * (widest(plain) + 1))}", svg, count=1
    )
    drawn = drawn_text.encoded(_STYLE.sub(lambda match: _ours(match[0]) + rules, svg, count=1))
    words = (word for line in above.split("\n") for word in _WORD.findall(svgbob_text.CLASS.sub(" ", line)))
    return Raw(drawn, tables=drawn_words.tables_of(drawn), stated=stated(words, source=above))


def _ours(rules: str) -> str:
    """Svgbob's rules in the book's font, and in the palette."""
    size = svgbob_text.CELL / font_metrics.width("0", mono=True)
    line, page = role("neutral").line, PAGE[0]
    for theirs, new in (
        ("font-family: Iosevka Fixed, monospace", "font-family: monospace"),
        ("font-size: 14px", f"font-size: {size:.3f}px"),
        (".nofill {\n  fill: white", ".nofill {\n  fill: none"),  # the end of an arc hides nothing
        ("stroke: black", f"stroke: {line}"),
        (".filled {\n  fill: black", f".filled {{\n  fill: {line}"),
        ("fill: black", f"fill: {TEXT[0]}"),
        ("fill: white", f"fill: {page}"),
    ):
        rules = rules.replace(theirs, new)
    return rules


def style(added: Mapping[str, Sequence[str]], text: str) -> str:
    """A rule for each role of the book that a source uses as a class and does not define itself. Pure."""
    begin = _LEGEND.search(text)
    defined = set(_OWN.findall(text[begin.end() :])) if begin else set()
    roles = {**{role.name: (role.fill, role.line) for role in ROLES}, **added}
    used = {name: tones for name, tones in roles.items() if f"{{{name}}}" in text and name not in defined}
    return "".join(
        f".svgbob .{name} {{ fill: {fill}; stroke: {line}; }}\n" for name, (fill, line) in used.items()
    )


def widest(drawing: str) -> int:
    """The cells of the longest line. Pure."""
    rows = (row.rstrip() for row in drawing.splitlines())
    return max((sum(1 + (east_asian_width(letter) in "WF") for letter in row) for row in rows), default=0)


@cache
def _library() -> ModuleType:
    """Svgbob's module. Raises ToolError if the package is missing."""
    spec = find_spec("sphinxcontrib")
    places = spec.submodule_search_locations if spec is not None else None
    for folder in places or ():
        for suffix in EXTENSION_SUFFIXES:
            path = Path(folder, "svgbob", f"_svgbob{suffix}")
            if (
                path.is_file()
                and (file_spec := spec_from_file_location("_svgbob", path))
                and file_spec.loader
            ):
                module = module_from_spec(file_spec)
                file_spec.loader.exec_module(module)
                return module
    raise ToolError("drawings of Svgbob need one more package: pip install 'figmill[svgbob]'")
