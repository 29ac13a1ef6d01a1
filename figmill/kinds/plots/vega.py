"""Draws Vega-Lite charts, including altair's, as SVG with the Vega in vl-convert, without a browser or the network.

V8, which runs Vega, reserves 200 GiB of addresses and hardly uses them; a script's memory limit counts addresses. So a
process beside the script's draws its charts: the author's code does not run in it, and its memory counts together with
the script's own.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from figmill.kinds import typefaces
from figmill.kinds.plots.vega_words import texts_in

# As in matplotlib's figures, the book's font replaces this family.
FAMILY = "Arial"
CONFIG = {"font": FAMILY, "background": None}  # what a chart's own config overrides
ROOM = 200 << 30  # bytes of addresses
SIZE = struct.Struct(">Q")  # before each message: its length in bytes
TEXTS = b"?"  # before a chart: its texts are asked for, not its SVG
LARGE = 200_000  # bytes of a chart with more marks than a reader counts
DRAWN, REFUSED = b"+", b"-"  # how an answer begins

_beside: list[socket.socket] = []  # the connection to the process that draws charts; empty: this one does


class VegaError(Exception):
    """A chart cannot be drawn; the message says why, in one line."""


def begin(limit: Callable[[], None]) -> None:
    """Fork the process that draws charts, before this one gets its limits. limit: sets those of the new one."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        _serve(theirs, limit)
    theirs.close()
    _beside[:] = [ours]


def altair_svg(chart: Any, _seed: int) -> bytes:
    """A chart as SVG. Raises VegaError."""
    return svg_of(json.dumps(chart.to_dict()).encode())


def svg_of(spec: bytes) -> bytes:
    """The SVG of a chart in JSON, drawn beside this process if one was begun. Raises VegaError."""
    return _answer_to(spec)


def texts_of(spec: bytes) -> list[str]:
    """The texts of a chart in JSON, before Vega cuts them. Raises VegaError."""
    texts: list[str] = json.loads(_answer_to(TEXTS + spec))
    return texts


def _answer_to(question: bytes) -> bytes:
    if not _beside and not _has_room():
        raise VegaError(
            "charts of altair are drawn only for a script that names altair: write `import altair` in this file too"
        )
    if not _beside:
        return _answered(question)
    try:
        _send(_beside[0], question)
        answer = _received(_beside[0])
    except OSError:  # it ended earlier
        answer = b""
    if not answer:
        raise VegaError("Vega ended while it drew the chart; is there too much data in it?")
    if answer[:1] != DRAWN:
        raise VegaError(answer[1:].decode("utf-8", "replace"))
    return answer[1:]


def _has_room() -> bool:
    """Whether V8 can reserve its addresses here; otherwise it would end the process without a message."""
    if sys.platform == "win32":
        return True
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return limit == resource.RLIM_INFINITY or limit >= ROOM


def drawn(spec: bytes) -> bytes:
    """The SVG of a chart in JSON. Raises VegaError."""
    try:
        import vl_convert
    except ImportError:
        raise VegaError(
            "charts of Vega need the package vl-convert-python: pip install 'figmill[altair]'"
        ) from None
    vl_convert.register_font_directory(str(typefaces.FOLDER))
    try:
        svg: str = vl_convert.vegalite_to_svg(json.loads(spec), config=CONFIG, allowed_base_urls=[])
    except ValueError as error:  # a heading, the reason, and where in Vega it was found
        _, reason, *_ = (*str(error).splitlines(), "", "no reason is given")
        raise VegaError(f"Vega cannot draw this chart: {reason.removeprefix('Error: ')}") from None
    return svg.encode()


def _answered(question: bytes) -> bytes:
    return _texts(question.removeprefix(TEXTS)) if question.startswith(TEXTS) else drawn(question)


def _texts(spec: bytes) -> bytes:
    """The texts of a chart's scene, as JSON; none of a chart whose scene is too large."""
    import vl_convert

    if len(spec) > LARGE:
        return b"[]"
    scene = vl_convert.vegalite_to_scenegraph(json.loads(spec), config=CONFIG, allowed_base_urls=[])
    return json.dumps(list(texts_in(scene["scenegraph"]))).encode()


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
