"""The kind wavedrom: timing diagrams, registers and logic, drawn by WaveDrom itself in V8 with the book's font.

WaveDrom's sources are JavaScript: usually a literal, sometimes a function that makes one. V8 evaluates it in an engine
of its own, without files, network, clock or random numbers. A second engine draws. Both are new for each figure,
because WaveDrom changes its own tables while it draws.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from figmill import font_metrics
from figmill.errors import AuthorError, ToolError
from figmill.host import files
from figmill.kinds.javascript import ScriptError, SlowError, evaluated
from figmill.kinds.job import Job, Raw, source
from figmill.kinds.wavedrom import described, drawing, reading, room
from figmill.model import Origin

BUNDLE = "bundle.js"
EMPTY = "the file is empty; begin with a signal, like `{signal: [{name: 'clk', wave: 'p...'}]}`"
# No clock and no random numbers for a source that computes: the same source gives the same figure.
STILL = """
(() => {
  let state = 1;
  Math.random = () => { state = (state * 48271) % 2147483647; return state / 2147483647; };
  const Own = Date, then = Own.UTC(2000, 0, 1);
  globalThis.Date = class extends Own {
    constructor(...given) { given.length ? super(...given) : super(then); }
    static now() { return then; }
  };
})();
"""
# What WaveDrom's own functions take; each returns its drawing as nested lists.
DRAW = """
(() => {
  const widths = %s, given = %s;
  require_char_width().chars = widths.ascii;
  require_char_width().other = widths.other;
  const drawn = given.signal ? import_render_signal.default(0, given, WaveSkin)
    : given.reg ? import_render_reg.default(0, given) : import_render_assign.default(0, given);
  return JSON.stringify(drawn);
})()
"""
LINE_OF_TEXT = 100 / 11  # WaveDrom's table has the width of a character of 11 pt, times this


def warm(fonts: Sequence[str]) -> None:
    """Check that WaveDrom is installed. V8 starts with the first figure, because it does not survive a fork."""
    _bundle()


def render(job: Job, root: Path) -> Raw:
    """The SVG of one diagram, with its counts as facts. Raises AuthorError at the line of a mistake."""
    try:
        text = source(job, root).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise AuthorError(Origin(job.source), "not UTF-8; save the file as UTF-8") from None
    if not text.strip():
        raise AuthorError(Origin(job.source, 1), EMPTY)
    end = time.monotonic() + job.timeout
    try:
        diagram = reading.diagram(_evaluated(text, job), text, job.source)
        script = DRAW % (json.dumps(_widths()), json.dumps(room.with_room(diagram)))
        drawn = evaluated(("var module = {};" + _bundle(), script), end - time.monotonic())
    except SlowError as error:
        raise AuthorError(Origin(job.source), f"WaveDrom {error}; draw less in one figure") from None
    except ScriptError as error:
        words = error.text.splitlines()[0].partition("Error: ")[2] or error.text
        raise AuthorError(Origin(job.source), f"WaveDrom cannot draw this: {words}") from None
    facts = reading.facts(diagram)
    remarks = tuple(reading.remarks(diagram, text))
    stated, tables = described.stated_of(diagram, text), described.tables_of(diagram)
    return Raw(drawing.svg(json.loads(drawn)), facts, remarks=remarks, tables=tables, stated=stated)


def _evaluated(text: str, job: Job) -> Any:
    """The value of a source. Raises AuthorError where it is not JavaScript, and SlowError."""
    begin = "JSON.stringify((" + text.rstrip().rstrip(";") + "\n))"
    try:
        return json.loads(evaluated((STILL, begin), job.timeout) or "null")
    except ScriptError as error:
        raise reading.fault(error.text, text, len("JSON.stringify(("), job.source) from None
    except ValueError:
        return None  # a function, or nothing


@cache
def _bundle() -> str:
    """WaveDrom's scripts. Raises ToolError if a package is missing."""
    spec = find_spec("yowasp_wavedrom")
    if spec is None or not spec.submodule_search_locations or find_spec("py_mini_racer") is None:
        raise ToolError("diagrams of WaveDrom need two more packages: pip install 'figmill[wavedrom]'")
    return files.read(Path(spec.submodule_search_locations[0]) / BUNDLE, files.SOURCE).decode()


@cache
def _widths() -> dict[str, Any]:
    """The widths of the book's font, in WaveDrom's unit: px of a character of 11 pt, by 100 / 11."""
    unit = 11 * 4 / 3 * LINE_OF_TEXT
    letters = [font_metrics.width(chr(code)) * unit if code >= 32 else 0 for code in range(0x250)]
    return {"ascii": letters, "other": unit}
