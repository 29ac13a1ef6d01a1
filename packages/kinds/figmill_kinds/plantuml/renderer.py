"""The kind plantuml: a diagram in PlantUML's language, drawn by PlantUML in V8, with the book's fonts and palette.

The npm package @plantuml/core is PlantUML compiled to JavaScript. It lies in the book's own node_modules, as for the
other tools of a site; its files are inputs. It draws in document.js. There is no Java, no browser and no
network. The clock stands still.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from figmill.kind import (
    AuthorError,
    Job,
    Origin,
    Raw,
    ToolError,
    files,
    font_metrics,
    harmless,
    inside,
    looking_for,
)
from figmill.kind.javascript import Engine, ScriptError, SlowError
from figmill.kind.stated import counted
from figmill_kinds.plantuml import as_tables, endings, facts, faults, links, sprites, stated, theme, words
from figmill_kinds.plantuml.text import DiagramText, read

FOLDER = "node_modules/@plantuml/core"
ENGINE = "plantuml.js"
ASIDE = ("themes.js", "openiconic.js", "emoji.js")  # PlantUML asks for them when a source does
INSTALL = "npm install @plantuml/core"
DOCUMENT = Path(__file__).with_name("document.js")
# The engine is a module; V8 runs it as a script that keeps its function.
_EXPORTED = re.compile(r"export\s*\{[^}]*?([\w$]+) as renderToString[^}]*\};?\s*$")


def warm(fonts: Sequence[str]) -> None:
    """Read the widths of letters. V8 starts with the first diagram: it does not survive a fork."""
    if find_spec("py_mini_racer") is None:
        raise ToolError("diagrams of PlantUML need one more package: pip install 'figmill[plantuml]'")
    _fonts[:] = fonts
    font_metrics.faces()


_fonts: list[str] = []  # the book's own


def render(job: Job, root: Path) -> Raw:
    """The SVG of one diagram, with its counts as facts. Raises AuthorError at the line that PlantUML cannot read."""
    with harmless():
        text = read(job, root)
    while True:
        with looking_for(text.included):
            fault: AuthorError | None
            if line := faults.stops_at(text):
                fault = text.unread[line]
                fault.is_harmless = True  # PlantUML has not seen the source
            else:
                style = theme.sheet(text, job.roles)
                svg = _drawn(text, style, job, root)
                fault = faults.of_drawing(svg, text, len(style))
                line = faults.stopped(svg, len(style))
                if fault is None:
                    return _raw(svg, text, len(style))
                fault.is_harmless = line in text.unread or faults.is_foreseen(svg)
            if line not in text.unread or line in text.copied:
                raise fault
        # An address that PlantUML does come to: a file of its name in the book is a copy of what is there.
        copied = read(job, root, text.copied | {line})
        if line in copied.unread:
            raise fault
        text = copied


def _drawn(text: DiagramText, style: Sequence[str], job: Job, root: Path) -> str:
    """PlantUML's SVG, which may show an error."""
    lines = endings.current(words.shown(text).lines)
    lines[-1:-1] = words.page(text)  # last, so that the numbers of the lines before stay
    lines[1:1] = style
    try:
        engine = _engine(str(root))
        svg = engine.call("__draw", lines, _widths(text), timeout=job.timeout, memory=job.memory)
        return str(svg)
    except ScriptError as error:
        _engine.cache_clear()  # whatever the error, the next diagram starts a new engine
        raise faults.of_message(error.text, text) from None
    except SlowError as error:
        raise AuthorError(Origin(job.source), f"PlantUML {error}; draw less in one figure") from None


def _raw(svg: str, text: DiagramText, first: int) -> Raw:
    visible = words.visible(text)
    with_links, without = links.linked(svg, text, first)
    remarks = (*words.remarks(text, svg), *without)
    tables = as_tables.tables_of(svg, visible)
    drawn, source = sprites.as_shapes(theme.settled(with_links)).encode(), stated.of(svg, visible, tables)
    counts = counted(facts.of(svg, visible), "edges", drawn, source)
    return Raw(drawn, counts, traced=text.included, remarks=remarks, tables=tables, stated=source)


@lru_cache(maxsize=1)
def _engine(root: str) -> Engine:
    """V8 with PlantUML in it. Raises ToolError if the npm package is missing, or figmill cannot read its version."""
    names = [f"{FOLDER}/{name}" for name in (ENGINE, *ASIDE)]
    try:
        engine, *aside = (inside.read(root, name, files.SOURCE, (name,)).decode() for name in names)
    except OSError as error:
        raise ToolError(
            f"kind plantuml needs the npm package @plantuml/core ({error.strerror}): {INSTALL}"
        ) from None
    script, count = _EXPORTED.subn(r"globalThis.__plantuml = { renderToString: \1 };", engine)
    if not count:
        raise ToolError(f"figmill cannot read this version of @plantuml/core: {INSTALL}@latest")
    # As functions: V8 compiles no text that a script hands over.
    held = ",".join(f"{json.dumps(name)}() {{{text}\n}}" for name, text in zip(ASIDE, aside, strict=True))
    return Engine(
        (
            files.read(DOCUMENT, files.SOURCE).decode(),
            f"globalThis.__fonts.faces = {json.dumps(font_metrics.faces())};",
            f"globalThis.__scripts = {{{held}}};",
            f"(function () {{{script}\n}})();",
        )
    )


def _widths(text: DiagramText) -> dict[str, float]:
    """The widths in em of a source's characters beyond ASCII, some of which the book's fonts lack."""
    fonts = tuple(_fonts)
    letters = sorted({letter for line in text.lines for letter in line if letter > "\x7e"})
    return {letter: font_metrics.width(letter, fonts=fonts) for letter in letters}
