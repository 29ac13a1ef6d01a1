"""The kind wavedrom: timing diagrams, registers and logic, drawn by WaveDrom itself in V8 with the book's font.

npm/ has the scripts of WaveDrom's npm package; hatch_build.py fetches them when figmill-kinds is built.

WaveDrom's sources are JavaScript: usually a literal, sometimes a function that makes one. V8 evaluates it in an engine
of its own, without files, network, clock or random numbers. A second engine draws. Both are new for each figure,
because WaveDrom changes its own tables while it draws.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from figmill.kind import (
    AuthorError,
    Job,
    Origin,
    Raw,
    ToolError,
    drawn_text,
    files,
    font_metrics,
    source_text,
)
from figmill.kind.javascript import ScriptError, SlowError, evaluated
from figmill_kinds.wavedrom import as_tables, drawing, reading, room
from figmill_kinds.wavedrom.source_labels import LABELS

FOLDER = Path(__file__).with_name("npm")
DEFAULT_SKIN = "default"
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
# WaveDrom's own function returns a drawing as nested lists. Before that, its table of widths gets the book's font, and
# markup like <sub> gets no width of its own.
DRAW = """
(() => {
  const widths = %s, given = %s;
  require_char_width().chars = widths.ascii;
  require_char_width().other = widths.other;
  const width = require_text_width(), { parse } = require_lib();
  const LETTERS = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
  const plain = (part) => part.replace(/&(?:lt|gt|amp);/g, (escaped) => LETTERS[escaped]);
  const wide = (part, size) => Array.isArray(part)
    ? width(plain(part[2]), size) * (parseFloat(part[1]["font-size"]) || 1) : width(plain(part), size);
  require_text_width = () => (text, size) => parse(text).reduce((sum, part) => sum + wide(part, size), 0);
  return JSON.stringify(require_render_any()(0, given, WaveSkin));
})()
"""
LINE_OF_TEXT = 100 / 11  # WaveDrom's table has the width of a character of 11 pt, times this
# Where a gate with a box has the bubble of its inversion: WaveDrom 3.7 draws it at the first input.
_BUBBLE, _AT_OUTPUT = "circled[type] ? circle :", 'circled[type] ? ["M", 6, 0, ...circle] :'
# The scripts are one function, whose parts are wanted. Its end would load them for a page.
BEGIN, END = "(() => {\n", "\n  // lib/wave-drom.js\n"


def warm(fonts: Sequence[str]) -> None:
    """Check that WaveDrom is installed. V8 starts with the first figure, because it does not survive a fork."""
    _engine()


def render(job: Job, root: Path) -> Raw:
    """The SVG of one diagram, with its counts as facts. Raises AuthorError at the line of a mistake."""
    text = source_text.text(job, root, LABELS)
    if not text.strip():
        raise AuthorError(Origin(job.source, 1), EMPTY)
    end = time.monotonic() + job.timeout
    try:
        diagram = reading.diagram(_evaluated(text, job), text, job.source)
        script = DRAW % (json.dumps(_widths()), json.dumps(room.with_room(diagram)))
        drawn = json.loads(
            evaluated((_engine(), *_skins(diagram), script), end - time.monotonic(), job.memory)
        )
    except SlowError as error:
        raise AuthorError(Origin(job.source), f"WaveDrom {error}; draw less in one figure") from None
    except ScriptError as error:
        message = error.text.splitlines()[0].partition("Error: ")[2] or error.text
        raise AuthorError(Origin(job.source), f"WaveDrom cannot draw this: {message}") from None
    drawn_text.check_texts(drawn)
    facts = reading.facts(diagram)
    remarks = tuple(reading.remarks(diagram, text))
    stated, tables = as_tables.stated_of(diagram, text), as_tables.tables_of(diagram)
    return Raw(drawing.svg(drawn), facts, remarks=remarks, tables=tables, stated=stated)


def _evaluated(text: str, job: Job) -> Any:
    """The value of a source. Raises AuthorError where it is not JavaScript, and SlowError."""
    begin = "JSON.stringify((" + text.rstrip().rstrip(";") + "\n))"
    try:
        return json.loads(evaluated((STILL, begin), job.timeout, job.memory) or "null")
    except ScriptError as error:
        raise reading.fault(error.text, text, len("JSON.stringify(("), job.source) from None
    except ValueError:
        return None  # a function, or nothing


@cache
def _engine() -> str:
    """WaveDrom's scripts. Raises ToolError if they or V8 are missing."""
    if find_spec("py_mini_racer") is None:
        raise ToolError("diagrams of WaveDrom need one more package: pip install 'figmill[wavedrom]'")
    script = _script("wavedrom.js").partition(BEGIN)[2].partition(END)[0]
    return script.replace(_BUBBLE, _AT_OUTPUT)


def _skins(diagram: Mapping[str, Any]) -> Iterator[str]:
    """The skins that WaveDrom needs for a diagram: the default, and the one that the diagram asks for."""
    config = diagram.get("config")
    skin = config.get("skin") if isinstance(config, dict) else None
    names = sorted(path.stem for path in (FOLDER / "skins").glob("*.js"))
    yield from (_script(f"skins/{name}.js") for name in names if name in (DEFAULT_SKIN, skin))


@cache
def _script(name: str) -> str:
    """A file of the npm package. Raises ToolError if it is missing."""
    try:
        return files.read(FOLDER / name, files.SOURCE).decode()
    except FileNotFoundError:
        raise ToolError("WaveDrom's scripts are missing: install figmill again") from None


@cache
def _widths() -> dict[str, Any]:
    """The widths of the book's font, in WaveDrom's unit: px of a character of 11 pt, by 100 / 11."""
    unit = 11 * 4 / 3 * LINE_OF_TEXT
    letters = [font_metrics.width(chr(code)) * unit if code >= 32 else 0 for code in range(0x250)]
    return {"ascii": letters, "other": unit}
