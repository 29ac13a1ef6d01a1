"""Draws Vega-Lite charts, including altair's, as SVG with the Vega in vl-convert, without a browser or the network.

V8, which runs Vega, reserves 200 GiB of addresses and hardly uses them; a script's memory limit counts addresses. So a
process beside the script's draws its charts: the author's code does not run in it, and its memory counts together with
the script's own.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, BinaryIO, NamedTuple, NoReturn

from figmill import font_metrics
from figmill.enclosure import limits
from figmill.kind import typefaces, vega_data
from figmill.kind.vega_words import text_of, texts_in

# What a chart's own config overrides. A limit of 0 is none: a label that is cut says less than the data. An axis puts
# its title beside its labels up to `maxExtent`, and onto longer ones.
CONFIG = {
    "font": typefaces.SANS,
    "background": None,
    "axis": {"labelLimit": 0, "titleLimit": 0, "maxExtent": 10_000},
    "legend": {"labelLimit": 0, "titleLimit": 0},
    "header": {"labelLimit": 0, "titleLimit": 0},
}
ROOM = 200 << 30  # bytes of addresses
SIZE = struct.Struct(">Q")  # before each message: its length in bytes
SCENE = b"?"  # before a chart: what is in its scene is asked for as well as its SVG
LARGE = 200_000  # bytes of a chart with more marks than a reader counts
DRAWN, REFUSED = b"+", b"-"  # how an answer begins

# Characters that XML cannot hold, as json.dumps writes them; vl-convert ends its process at most of them.
_UNFIT = re.compile(
    rb"(?<!\\)(?:\\\\)*\\u((?:00(?:0[0-8bcef]|1[0-9a-f]))|fff[ef]|d[89ab]..(?!\\ud[c-f])|(?<!\\ud[89ab]..\\u)d[c-f]..)"
)
_NO_MEMORY = b"out of memory"  # what V8 prints when the kernel gives it no more


class _Beside(NamedTuple):
    """The process that draws charts: its number, the connection to it, and what it prints."""

    pid: int
    line: socket.socket
    printed: BinaryIO


_beside: list[_Beside] = []  # empty: this process draws


class VegaError(Exception):
    """A chart cannot be drawn; the message says why, in one line."""


def begin(limit: Callable[[], None]) -> None:
    """Fork the process that draws charts, before this one gets its limits. limit: sets the new process's limits."""
    ours, theirs = socket.socketpair()
    printed = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - open as long as the process is
    pid = os.fork()
    if pid == 0:
        ours.close()
        for descriptor in (1, 2):  # what a library prints as it crashes is not for the author
            os.dup2(printed.fileno(), descriptor)
        _serve(theirs, limit)
    theirs.close()
    _beside[:] = [_Beside(pid, ours, printed)]


def hold(memory: int) -> None:
    """Limit what this process, which draws charts itself, may write to: bytes beyond what it may now."""
    limits.hold(memory + limits.V8)


def altair_svg(chart: Any, _seed: int) -> bytes:
    """A chart as SVG. Raises VegaError."""
    return svg_of(json.dumps(chart.to_dict()).encode())


def svg_of(spec: bytes) -> bytes:
    """The SVG of a chart in JSON, drawn beside this process if one was begun. Raises VegaError.

    spec: as json.dumps writes it, in ASCII.
    """
    return _answer_to(spec)


class Drawn(NamedTuple):
    """A chart as SVG, its texts before Vega cuts them, and the rows that it shows."""

    svg: bytes
    texts: list[str]
    rows: vega_data.Rows


def drawn_with_scene(spec: bytes, of: vega_data.Encoded) -> Drawn:
    """A chart in JSON, drawn as by `svg_of`, with what is in its scene; none of it if the chart is too large."""
    scene, _, svg = _answer_to(SCENE + json.dumps(of).encode() + b"\n" + spec).partition(b"\n")
    return Drawn(svg, *json.loads(scene))


def _answer_to(question: bytes) -> bytes:
    if (unfit := _UNFIT.search(question)) is not None:
        code = unfit[1].decode().upper()
        raise VegaError(f"a text has the character U+{code}, which no picture can hold; remove it")
    if not _beside and not _has_room():
        raise VegaError(
            "charts of altair are drawn only for a script that names altair: write `import altair` in this file too"
        )
    if not _beside:
        return _answered(question)
    try:
        _send(_beside[0].line, question)
        answer = _received(_beside[0].line)
    except OSError:  # it ended earlier
        answer = b""
    if not answer:
        raise VegaError(_how_it_ended(_beside[0]))
    if answer[:1] != DRAWN:
        raise VegaError(answer[1:].decode("utf-8", "replace"))
    return answer[1:]


def _how_it_ended(process: _Beside) -> str:
    """Why the process that draws charts has ended."""
    process.printed.seek(0)
    lacks_memory = _NO_MEMORY in process.printed.read()
    with suppress(ChildProcessError):  # a script may have waited for it
        # V8 ends a process by this signal where it can do nothing without memory; a panic of Rust is SIGABRT.
        lacks_memory |= os.WTERMSIG(os.waitpid(process.pid, 0)[1]) == signal.SIGTRAP
    if lacks_memory:
        return "Vega ran out of memory; put less data into the chart, or raise `memory` in the settings"
    return "Vega ended while it drew the chart; leave out one part after the other to see which one it cannot draw"


def _has_room() -> bool:
    """Whether V8 can reserve its addresses here; otherwise it would end the process without a message."""
    if sys.platform == "win32":
        return True
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return limit == resource.RLIM_INFINITY or limit >= ROOM


def drawn(spec: bytes) -> bytes:
    """The SVG of a chart in JSON. Raises VegaError."""
    return _svg(_compiled(spec))


def _compiled(spec: bytes) -> dict[str, Any]:
    """A chart of Vega-Lite as a chart of Vega. Raises VegaError."""
    try:
        import vl_convert
    except ImportError:
        raise VegaError(
            "charts of Vega need the package vl-convert-python: pip install 'figmill[altair]'"
        ) from None
    _know_fonts()
    with _reasons():
        chart: dict[str, Any] = vl_convert.vegalite_to_vega(measurable(json.loads(spec)), config=CONFIG)
    return chart


def _svg(chart: dict[str, Any]) -> bytes:
    import vl_convert

    with _reasons():
        svg: str = vl_convert.vega_to_svg(chart, allowed_base_urls=[])
    return svg.encode()


@contextmanager
def _reasons() -> Iterator[None]:
    """Turns vl-convert's message, a heading, the reason and where in Vega it was found, into a VegaError."""
    try:
        yield
    except ValueError as error:
        _, reason, *_ = (*str(error).splitlines(), "", "no reason is given")
        raise VegaError(f"Vega cannot draw this chart: {reason.removeprefix('Error: ')}") from None


@cache
def _know_fonts() -> None:
    import vl_convert

    for folder in (typefaces.FOLDER, font_metrics.matplotlib_folder()):
        vl_convert.register_font_directory(str(folder))


def measurable(chart: Any) -> Any:
    """A chart in the two families that come with figmill; changes `chart`.

    vl-convert has no widths for the fonts of another machine, and then counts letters. Settling gives all text the
    book's font, whatever its family.
    """
    waiting = [chart]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, dict):
            for key, value in item.items():
                if isinstance(value, str) and (key == "font" or key.endswith("Font")):
                    item[key] = typefaces.family(value)
                elif key not in ("values", "datasets"):
                    waiting.append(value)
    return chart


def _answered(question: bytes) -> bytes:
    if not question.startswith(SCENE):
        return drawn(question)
    fields, _, spec = question.removeprefix(SCENE).partition(b"\n")
    chart = _compiled(spec)
    svg = _svg(chart)
    scene = b"[[], {}]" if len(spec) > LARGE else _scene(chart, vega_data.Encoded(*json.loads(fields)))
    return scene + b"\n" + svg


def _scene(chart: dict[str, Any], shown: vega_data.Encoded) -> bytes:
    """The texts of a chart's scene and the rows in it, as JSON."""
    import vl_convert

    with _reasons():
        scene = vl_convert.vega_to_scenegraph(vega_data.with_rows(chart, shown), allowed_base_urls=[])
    texts: list[str] = []
    rows: dict[str, list[Any]] = {}
    for text in texts_in(scene["scenegraph"]):
        row = vega_data.row_in(text)
        if row is None:
            texts.append(text_of(text))
        else:
            rows.setdefault(row[0], []).append(row[1])
    return json.dumps([texts, rows]).encode()


def _serve(line: socket.socket, limit: Callable[[], None]) -> NoReturn:
    """Draw charts until the script has ended."""
    try:
        limit()
        while spec := _received(line):
            try:
                answer = DRAWN + _answered(spec)
            except Exception as error:
                answer = REFUSED + str(error).encode()
            _send(line, answer)
    finally:
        os._exit(0)


def _send(line: socket.socket, message: bytes) -> None:
    line.sendall(SIZE.pack(len(message)) + message)


def _received(line: socket.socket) -> bytes:
    """The next message; empty if the other process has ended."""
    with line.makefile("rb") as stream:
        size = stream.read(SIZE.size)
        return stream.read(SIZE.unpack(size)[0]) if len(size) == SIZE.size else b""
