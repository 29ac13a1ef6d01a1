"""The kind dot: DOT text, or the graph that a generator returns -> Graphviz's own SVG.

Runs the Graphviz of the pygraphviz wheel in this process. Runs in a worker only, since it captures file descriptor 2,
to which Graphviz writes its messages. Unaware of YAML and of the normal form.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

from figmill.errors import AuthorError, ToolError
from figmill.kinds import dot_images, dot_lexer, dot_roles, script
from figmill.kinds.job import Job, Raw, source
from figmill.model import Drawing, Origin

# A message of Graphviz -> what to do about it.
ADVICE: Mapping[str, str] = MappingProxyType(
    {
        "remove_overlap": "this Graphviz has no triangulation: write overlap=false as overlap=scale or voronoi",
        "lost": "an edge between a cluster and its own node cannot be drawn",
        "using box for unknown shape": "the shapes are listed at graphviz.org/doc/info/shapes.html",
    }
)
_SYNTAX = re.compile(r"^Error: (?:.*: )?syntax error in line (\d+)(?: near '(?P<near>[^']*)')?", re.MULTILINE)
_LINE = re.compile(r"in line (\d+)")
# The prefix of GLib's messages.
_WHO_AND_WHEN = re.compile(r"^\(process:\d+\): (\S+) \*\*: [\d:.]+: ", re.MULTILINE)
# fontconfig on the machine's own configuration, which is not used; Graphviz on characters without a width, such as a
# soft hyphen.
_NOISE = re.compile(r"^(Fontconfig .*|(Warning: )+no value for width of non-ASCII character .*|\s*)$")


def warm(fonts: Sequence[str]) -> None:
    """Load Graphviz and its fonts, and drop messages about the machine's configuration.

    The context must exist before the first graph is parsed: it declares the default label of nodes.
    """
    _context()
    with Stderr():
        width = _probe_width()
    if abs(width - PROBE_WIDTH) > 0.75:
        raise ToolError(
            f"Graphviz measures '{PROBE_TEXT}' as {width} points instead of {PROBE_WIDTH}: it does not see "
            "figmill's own fonts, and every label would come out wrong. Reinstall figmill and pygraphviz; "
            "if that does not help, please report this with your platform."
        )


PROBE_TEXT = "Reader and layout agree"
PROBE_WIDTH = (
    1170.0  # at 100 pt, with the wider letters of the layout face, kerned, rounded up to the quarter point
)


def _probe_width() -> float:
    source = f'graph{{a[shape=box margin=0 fontname=Helvetica fontsize=100 label="{PROBE_TEXT}"]}}'
    svg = _layout(source.encode(), "dot")[0].decode()
    found = re.search(r'<text[^>]* x="([\d.]+)"', svg)
    return 2 * float(found[1]) if found else 0.0


@cache
def _context() -> Any:
    from pygraphviz import graphviz as gv

    return gv.gvContextWithBuiltins()


def render(job: Job, root: Path) -> Raw:
    """The SVG of one graph. Raises AuthorError at the source's line with the error."""
    if job.entry == "file":
        return lay_out(source(job, root), job, root)
    returned = script.run_draw(job, root)
    drawing = returned.result if isinstance(returned.result, Drawing) else Drawing(returned.result)
    text = getattr(drawing.figure, "source", drawing.figure)
    if not isinstance(text, str):
        raise AuthorError(
            Origin(job.source, returned.line),
            f"draw() must return a graphviz.Digraph, a graphviz.Graph or DOT text, not {_kind_of(text)}",
        )
    raw = lay_out(text.encode(), job, root)
    return replace(raw, facts={**raw.facts, **script.checked_facts(drawing.facts, job, returned.line)})


def _kind_of(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def lay_out(data: bytes, job: Job, root: Path) -> Raw:
    """Check DOT text and lay it out. The facts `nodes` and `edges` are Graphviz's own counts.

    root: of the book, where its pictures lie.
    """
    text = decode(data, job.source)
    for breach in dot_lexer.breaches(text):
        raise AuthorError(_origin(job, breach.line, breach.column), breach.message)
    roles = {**dot_roles.BUILT_IN, **job.roles}
    for breach in dot_roles.unknown(text, roles):
        raise AuthorError(_origin(job, breach.line, breach.column), breach.message)
    pictures = dot_lexer.pictures(text)
    with dot_images.stand_ins(pictures, job, root) as where, Stderr() as stderr:
        svg, nodes, edges = _layout(dot_lexer.with_first(text, where).encode(), job.engine, roles)
    complaints = tuple(line for line in stderr.text.splitlines() if not _NOISE.match(line))
    if complaints or not svg:
        raise _complaint("\n".join(complaints), text, job)
    traced = dot_images.paths_of(pictures, job, root)
    return Raw(svg, {"nodes": nodes, "edges": edges}, traced=traced)


def decode(data: bytes, path: str) -> str:
    """UTF-8 text with LF line ends, without a byte order mark. Raises AuthorError at the line of a bad byte."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise AuthorError(Origin(path, line), "not UTF-8; save the file as UTF-8") from None
    if "\0" in text:
        raise AuthorError(
            Origin(path, text.count("\n", 0, text.index("\0")) + 1), "a NUL byte; is this text?"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _layout(data: bytes, engine: str, roles: dot_roles.Tones | None = None) -> tuple[bytes, int, int]:
    """The SVG, the node count and the edge count. If Graphviz fails, the SVG is empty; descriptor 2 gets the reason."""
    from pygraphviz import graphviz as gv

    context = _context()
    with _in_memory() as file:
        file.write(data)
        file.seek(0)
        try:
            graph = gv.agread(file, None)
        except ValueError:
            return b"", 0, 0
    try:
        counts = gv.agnnodes(graph), gv.agnedges(graph)
        if roles and b"role" in data:
            dot_roles.give_colours(gv, graph, roles)
        if gv.gvLayout(context, graph, engine.encode()) != 0:
            return b"", *counts
        try:
            failed, svg = gv.gvRenderData(context, graph, b"svg")
        except SystemError as error:  # pygraphviz raises this when it gets no memory for the bytes
            raise MemoryError from error
        gv.gvFreeLayout(context, graph)
        return (b"" if failed else svg), *counts
    finally:
        gv.agclose(graph)


def _origin(job: Job, line: int | None, column: int | None = None) -> Origin:
    """The place in a DOT file; for a generator, whose DOT text is in no file, only the source."""
    return Origin(job.source, line, column) if job.entry == "file" else Origin(job.source)


def _complaint(complaint: str, text: str, job: Job) -> AuthorError:
    """Graphviz's messages as one error with a line, and with advice if there is any."""
    syntax = _SYNTAX.search(complaint)
    if syntax and "in label of" not in complaint:  # there, lines are those of the label
        line = int(syntax[1])
        return _syntax_error(syntax["near"] or "", line, text, job)
    if not complaint and not text.strip():
        return AuthorError(_origin(job, 1), "the file is empty; it must hold one graph")
    complaint = _WHO_AND_WHEN.sub(r"\1: ", complaint)
    first = (
        complaint.splitlines()[0]
        if complaint
        else "Graphviz drew nothing, and does not say why; is there a graph?"
    )
    stated = _LINE.search(first)
    line_there = int(stated[1]) if stated and "label" not in complaint else _line_of(complaint, text)
    advice = next((f"; {tip}" for sign, tip in ADVICE.items() if sign in complaint), "")
    message = re.sub(r"^(Error|Warning): ", "", first).strip()
    if "label" in complaint:
        message = "the HTML-like label is not well-formed: " + re.sub(r" in line \d+( of .*)?$", "", message)
    message = message.removeprefix("gvrender_set_style: ").removesuffix(" - ignoring").rstrip(".") + advice
    return AuthorError(_origin(job, line_there), message, "\n".join(complaint.splitlines()[1:]))


def _syntax_error(near: str, line: int, text: str, job: Job) -> AuthorError:
    """A syntax error where Graphviz stopped, or at the bracket or quote that is never closed."""
    where = f"syntax error near '{near}'" if near else "syntax error"
    if job.entry != "file":
        where += f" in line {line} of the DOT text that draw() made"
    opened = dot_lexer.unclosed(text)
    if opened is not None:
        return AuthorError(_origin(job, opened.line, opened.column), f"{opened.text} is never closed")
    return AuthorError(_origin(job, line), where + _syntax_advice(text, line))


def _syntax_advice(text: str, line: int) -> str:
    words = [t for t in dot_lexer.tokens(text) if t.kind == "word" and line - 1 <= t.line <= line]
    here = [t.text for t in words if t.line == line]
    if any(word.startswith("-") for word in here[1:]):
        return ': a name with a hyphen stands in quotes, as in "node-1"'
    odd = [
        t.text for t in words if t.text.casefold() in dot_lexer.KEYWORDS and t.text not in dot_lexer.KEYWORDS
    ]
    keyword = next((word for word in (*odd, *here[:1]) if word.casefold() in dot_lexer.KEYWORDS), None)
    return f": '{keyword}' is a keyword of DOT in any case; write it as \"{keyword}\"" if keyword else ""


def _line_of(complaint: str, text: str) -> int | None:
    """The first line with the name that a message quotes; None if the text does not have it."""
    named = (
        r"(?:node|shape|engine|style|color|edge|attribute) \"?'?([\w.+-]+)"
        r'|type: "([^"]*)"|^(?:Warning: |Error: )*(.+) is not a known color'
    )
    for name in map("".join, re.findall(named, complaint, re.MULTILINE)):
        lines = {
            t.line
            for t in dot_lexer.tokens(text)
            if t.kind in ("word", "string") and (t.text == name or name in re.split("[:;]", t.text))
        }
        lines |= {
            t.line + t.text[: match.start()].count("\n")
            for t in dot_lexer.tokens(text)
            if t.kind == "html"
            for match in re.finditer(rf"""["':;]{re.escape(name)}["':;]""", t.text)
        }
        if lines:
            return min(lines)
    return None


class Stderr:
    """Captures file descriptor 2, to which C code writes; `text` holds at most 64 kB of it."""

    def __enter__(self) -> Stderr:
        self.text = ""
        self._file = _in_memory()
        self._saved = os.dup(2)
        os.dup2(self._file.fileno(), 2)
        return self

    def __exit__(self, *_: object) -> None:
        os.dup2(self._saved, 2)
        os.close(self._saved)
        with self._file as file:
            if file.seek(0, os.SEEK_END):
                file.seek(0)
                self.text = file.read(1 << 16).decode("utf-8", "replace")


def _in_memory() -> BinaryIO:
    """A file without a name, in memory if the system has such files."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("figmill"), "r+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)
