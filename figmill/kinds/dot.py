"""The kind dot: DOT text, or a graph returned by a generator, becomes Graphviz's own SVG.

Runs Graphviz in this process (graphs/library.py). It runs only in a worker, because it captures file descriptor 2 for
Graphviz's messages. It knows nothing of YAML or of the normal form.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from figmill.errors import AuthorError, ToolError, looking_for
from figmill.kind import script
from figmill.kind.job import Job, Raw, Remark, source
from figmill.kind.named import Row, named
from figmill.kind.stated import counted
from figmill.kind.tables import fitting
from figmill.kinds import dot_images, dot_lexer, dot_roles
from figmill.kinds.graphs import (
    amended,
    anchors,
    as_tables,
    attributes,
    complaints,
    defaults,
    edges,
    first_lines,
    items,
    library,
    links,
    networks,
    numbers,
    room,
    steady,
    syntax,
    text_plugin,
)
from figmill.kinds.graphs.words import translate
from figmill.late_dataclasses import dataclass
from figmill.model import Fact, Origin
from figmill.wording import current, speaking


def warm(fonts: Sequence[str]) -> None:
    """Load Graphviz and the shipped fonts. fonts: the book's own."""
    library.loaded()
    text_plugin.use(fonts)
    with Stderr():
        match = re.search(rb'<text[^>]* x="([\d.]+)"', _layout(PROBE, "dot").svg)
    width = 2 * float(match[1]) if match else 0.0
    wanted = room.of(PROBE_TEXT.encode(), b"Helvetica", 100.0).width
    if abs(width - wanted) > 0.25:
        raise ToolError(
            f"Graphviz lays '{PROBE_TEXT}' out {width:g} points wide instead of {wanted:g}: figmill does not know "
            "this Graphviz, and every label would have the wrong size. Reinstall figmill and pygraphviz; if that does "
            "not help, please report this with your platform and the version of pygraphviz."
        )


PROBE_TEXT = "Reader and layout agree"
PROBE = (
    f'graph {{ a [shape=box, margin=0, fontsize=100, fontname=Helvetica, label="{PROBE_TEXT}"] '
    "b [fontname=Courier] }"
)


def render(job: Job, root: Path) -> Raw:
    """The SVG of one graph. Raises AuthorError at the source's line with the error."""
    if job.entry == "file":
        return lay_out(source(job, root), job, root)
    returned = script.run_draw(job, root)
    drawing = returned.drawing
    with script.blamed(job, root):
        text = _text_of(drawing.figure)
        is_text = isinstance(text, str)
    if not is_text:
        expected = f"a graph of graphviz, pygraphviz or networkx, or DOT text, not {_kind_of(text)}"
        raise AuthorError(Origin(job.source, returned.line), f"draw() must return {expected}")
    raw = lay_out(text.encode(), job, root)
    facts = script.checked_facts(drawing.facts, job, returned.line)
    own = script.checked_tables(drawing.tables, job, returned.line)
    others = {name: raw.facts[name] for name in ("nodes", "edges")} if facts else raw.facts
    return replace(raw, facts={**others, **facts}, tables=own or raw.tables)


def _text_of(value: Any) -> Any:
    """The DOT text of any library's graph object. Imports no library that the script has not imported itself."""
    package = type(value).__module__.partition(".")[0]
    if package == "networkx" and hasattr(value, "adj"):
        return networks.dot_text(value)
    if package == "pygraphviz" and hasattr(value, "to_string"):
        return value.to_string()
    return getattr(value, "source", value)


def _kind_of(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def lay_out(data: bytes, job: Job, root: Path) -> Raw:
    """Check DOT text and lay it out. The facts `nodes` and `edges` are Graphviz's own counts.

    root: the book's, for its pictures.
    """
    text = dot_lexer.without_markers(decode(data, job.source))
    for breach in dot_lexer.breaches(text):
        if breach.message == dot_lexer.SECOND and (wrong := syntax.unpaired(text)):
            raise AuthorError(_origin(job, wrong.line, wrong.column), wrong.message)
        raise AuthorError(_origin(job, breach.line, breach.column), breach.message)
    roles = {**dot_roles.BUILT_IN, **job.roles}
    for breach in dot_roles.unknown(text, roles):
        raise AuthorError(_origin(job, breach.line, breach.column), breach.message)
    pictures = dot_lexer.pictures(text)
    traced = dot_images.paths_of(pictures, job)
    with looking_for(traced):
        with dot_images.stand_ins(pictures, job, root) as where, Stderr() as stderr:
            laid = _layout(dot_lexer.with_first(first_lines.filled(text), where), job.engine, roles)
        messages = complaints.complaints(stderr.text)
        harmless = complaints.remarks(messages, text)
        if harmless is None or not laid.svg:
            raise _error(messages, text, job)
    svg = links.settled(anchors.anchored(edges.mended(defaults.shrunk(laid.svg, text)), laid.json))
    remarks = (*laid.remarks, *harmless, *syntax.odd(text, laid.nodes))
    if job.entry == "file":
        remarks = (*remarks, *attributes.odd_attributes(text), *dot_roles.odd(text, roles))
    else:  # the text is not in a file, and additional attributes that a library writes are not mistakes
        remarks = tuple(replace(remark, line=None) for remark in remarks)
    facts: dict[str, Fact] = {"nodes": laid.nodes, "edges": laid.edges}
    graph = as_tables.graph_of(laid.json, laid.html)
    tables, stated = fitting(as_tables.tables_of(graph)), as_tables.stated_of(graph, text)
    if job.entry != "file":
        stated = stated.without_lines()
    facts = named(_numbers(laid, text, job), counted(facts, "edges", svg, stated))
    return Raw(svg, facts, traced=traced, remarks=tuple(dict.fromkeys(remarks)), tables=tables, stated=stated)


def _numbers(laid: _Laid, text: str, job: Job) -> Iterator[Row]:
    """The numbers of a graph, named in the book's own language."""
    if current() is not None:
        with speaking(None), Stderr():
            laid = _layout(text, job.engine)
    return numbers.rows_of(as_tables.graph_of(laid.json, laid.html), weights=job.entry != "file")


# Graphviz's names of Latin-1, in the attribute that names the encoding of a graph.
LATIN_NAME = re.compile(r'(\bcharset\s*=\s*"?)(?:latin-?1|l1|iso[-_]?8859-1|iso-?ir-100)\b', re.I)
LATIN = re.compile(LATIN_NAME.pattern.encode(), re.I)


def decode(data: bytes, path: str) -> str:
    """The text with LF line ends, without a byte order mark. Raises AuthorError at the line of a bad byte.

    A graph whose `charset` says Latin-1 is decoded as such, and its `charset` becomes UTF-8.
    """
    is_old = LATIN.search(data) is not None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if not is_old:
            line = data.count(b"\n", 0, error.start) + 1
            raise AuthorError(Origin(path, line), "not UTF-8; save the file as UTF-8") from None
        text = data.decode("latin-1")
    if is_old:
        text = LATIN_NAME.sub(r"\1utf8", text, count=1)
    if "\0" in text:
        raise AuthorError(
            Origin(path, text.count("\n", 0, text.index("\0")) + 1), "a NUL byte; is this text?"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


BY_ADDRESS = ("fdp",)  # engines that compare memory addresses of nodes


@dataclass(frozen=True, slots=True)
class _Laid:
    """Graphviz's SVG, empty if it failed; its counts; remarks on changes made before the layout; its JSON;
    its HTML-like labels."""

    svg: bytes
    nodes: int = 0
    edges: int = 0
    remarks: tuple[Remark, ...] = ()
    json: bytes = b""
    html: frozenset[str] = frozenset()


def _layout(text: str, engine: str, roles: dot_roles.Tones | None = None) -> _Laid:
    """Lay a graph out. If Graphviz fails, it writes the reason to descriptor 2.

    The same graph gives the same bytes, no matter what this process drew before.
    """
    gv: Any = library.loaded()
    data = text.encode()
    with ExitStack() as stack:
        graph = gv.agmemread(data)
        if graph is not None and amended.chosen(gv, graph, engine) in BY_ADDRESS:
            # Discard a first layout: it fills the caches of text sizes, which lie outside Graphviz's memory.
            _laid(gv, graph, engine, text, roles)
            gv.agclose(graph)
            stack.enter_context(steady.filled_holes())
            graph = gv.agmemread(data)
        if graph is None:
            return _Laid(b"")
        try:
            return _laid(gv, graph, engine, text, roles)
        finally:
            gv.agclose(graph)


def _laid(gv: Any, graph: int, engine: str, text: str, roles: dot_roles.Tones | None) -> _Laid:
    counts = gv.agnnodes(graph), gv.agnedges(graph)
    if (wording := current()) is not None:
        translate(gv, graph, wording)
    if roles and "role" in text:
        dot_roles.give_colours(gv, graph, roles)
    defaults.give_colours(gv, graph)
    remarks = amended.amend(gv, graph, amended.chosen(gv, graph, engine), text)
    steady.seed()
    svg, json = gv.lay_out(graph, engine) or (b"", b"")
    html = items.html_labels(gv, graph) if b"<" in json else frozenset[str]()
    return _Laid(svg, *counts, remarks, json, html)


def _origin(job: Job, line: int | None, column: int | None = None) -> Origin:
    """The place in a DOT file; for a generator, whose DOT text is in no file, only the source."""
    return Origin(job.source, line, column) if job.entry == "file" else Origin(job.source)


def _error(messages: tuple[complaints.Complaint, ...], text: str, job: Job) -> AuthorError:
    """The reason why a graph cannot be drawn, with a line if known."""
    fault = _fault(messages, text, job)
    return AuthorError(_origin(job, fault.line, fault.column), fault.message, fault.detail)


def _fault(messages: tuple[complaints.Complaint, ...], text: str, job: Job) -> complaints.Fault:
    if wrong := next((complaint for complaint in messages if complaint.is_syntax), None):
        return syntax.fault(wrong.text, text, in_file=job.entry == "file")
    if messages:
        return complaints.worst(messages, text)
    if not text.strip():
        return complaints.Fault("the file is empty; it must hold one graph", 1)
    return syntax.cause(text) or complaints.Fault(
        "Graphviz drew nothing and gave no reason; is there a graph?"
    )


class Stderr:
    """Captures file descriptor 2, to which C code writes; `text` holds at most 64 kB of it.

    If the descriptor is already a file, as in a worker, the text goes through that file: even if the process dies,
    its last messages are in it.
    """

    def __enter__(self) -> Stderr:
        self.text = ""
        self._saved: int | None = None
        if not _can_be_read(2):
            self._saved = os.dup(2)
            with tempfile.TemporaryFile(buffering=0) as file:
                os.dup2(file.fileno(), 2)
        self._begin = os.lseek(2, 0, os.SEEK_END)
        return self

    def __exit__(self, *_: object) -> None:
        if os.lseek(2, 0, os.SEEK_END) > self._begin:
            os.lseek(2, self._begin, os.SEEK_SET)
            self.text = os.read(2, 1 << 16).decode("utf-8", "replace")
            os.ftruncate(2, self._begin)
            os.lseek(2, self._begin, os.SEEK_SET)
        if self._saved is not None:
            os.dup2(self._saved, 2)
            os.close(self._saved)


def _can_be_read(descriptor: int) -> bool:
    """Whether a descriptor is a readable and writable file: a worker's own, not a log."""
    try:
        os.read(descriptor, 0)
        return stat.S_ISREG(os.fstat(descriptor).st_mode)
    except OSError:
        return False
