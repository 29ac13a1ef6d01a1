"""The kind mermaid: a diagram in Mermaid's language, drawn by Mermaid itself in V8, with the book's fonts and palette.

Mermaid's script is in the wheel (hatch_build.py); page.js to boxes.js are the document that it draws in, and driver.js
tells it how wide text is, so that the layout and the reader's page agree. It uses neither a browser nor the network.
The clock does not advance.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from lxml import etree

from figmill.kind import (
    AuthorError,
    Job,
    Origin,
    Raw,
    ToolError,
    drawn_text,
    files,
    font_metrics,
    harmless,
    looking_for,
    source_text,
)
from figmill.kind.javascript import Engine, ScriptError, SlowError
from figmill.kind.named import named, of_edges
from figmill.kind.stated import counted
from figmill.kind.tables import fitting
from figmill_kinds.mermaid import formulas, gaps, ink, labels, layouts, notices, options, stated, theme
from figmill_kinds.mermaid.as_tables import numbers_of, tables_of
from figmill_kinds.mermaid.faults import author_error
from figmill_kinds.mermaid.icons import Packs
from figmill_kinds.mermaid.source_labels import LABELS
from figmill_kinds.mermaid.text import body_of, role_classes, with_breaks, without_icons, without_old_comments

HERE = Path(__file__).parent
MERMAID = HERE / "npm/dist/mermaid.min.js"
DOCUMENT = ("page.js", "selectors.js", "tree.js", "styles.js", "formulas.js", "boxes.js")
OWN = (
    *DOCUMENT,
    "measure.js",
    "driver.js",
    "room.js",
    "moves.js",
    "folds.js",
    "rows.js",
    "numbers.js",
    "notices.js",
    "stated.js",
)


def warm(fonts: Sequence[str]) -> None:
    """Read Mermaid's script. V8 starts with the first diagram, because it does not survive a fork."""
    if find_spec("py_mini_racer") is None:
        raise ToolError("diagrams of Mermaid need two more packages: pip install 'figmill[mermaid]'")
    _fonts[:] = fonts
    with suppress(OSError):  # a figure says that the script is missing
        scripts()


_fonts: list[str] = []  # the book's own


def render(job: Job, root: Path) -> Raw:
    """The SVG of one diagram, with its counts as facts. Raises AuthorError at the line that Mermaid cannot read."""
    with harmless():
        written = _text(job, root)
    packs = Packs(job, root)
    with looking_for(packs.looked):
        plain, set_apart = _set_apart(with_breaks(without_old_comments(written)), job, packs)
        return _drawn(job, written, without_icons(labels.marked(plain)), set_apart, packs)


def _set_apart(text: str, job: Job, packs: Packs) -> tuple[str, formulas.Apart]:
    """A source with characters for formulas and icons in its labels, and what they stand for."""
    free = formulas.free(text)
    text, set_formulas = formulas.marked(text, job.source, _fonts, free)
    text, icons = packs.marked(text, free)
    return text, {**set_formulas, **icons}


def _drawn(job: Job, written: str, text: str, set_apart: formulas.Apart, packs: Packs) -> Raw:
    """The drawing of a source. written: as its author wrote it; text: as Mermaid reads it."""
    characters = labels.signs(text)
    try:
        drawn = _engine().call(
            "__draw",
            text + role_classes(text, job.roles),
            {**theme.settings(), **({} if layouts.states_own(written.encode()) else job.settings)},
            _widths(text + "".join(characters.values())),
            characters,
            formulas.sizes(set_apart),
            packs.given(),
            timeout=job.timeout,
            memory=job.memory,
        )
    except ScriptError as error:
        mistake = author_error(error, written, job.source)
        mistake.is_harmless = bool(error.data) and error.data["is_foreseen"]
        raise mistake from None
    except SlowError as error:
        raise AuthorError(Origin(job.source), f"Mermaid {error}; draw less in one figure") from None
    counts = {
        name: labels.plain(value) if isinstance(value, str) else value
        for name, value in drawn["counts"].items()
        if value != ""
    }
    rows = list(body_of(written))
    kept = drawn["notices"].pop("options")
    remarks = [*packs.remarks(), *labels.remarks(rows), *notices.remarks(drawn["notices"], written, rows)]
    remarks += options.remarks(written, kept, lambda: _known_options(job))
    svg = _picture(drawn["svg"], characters, set_apart, drawn["ground"], drawn["ink"])
    remarks += notices.lost_links(svg, rows)
    tables = fitting(tables_of(drawn["tables"]))
    source_words = stated.of(drawn["stated"], written, svg)
    facts = counted(counts, "messages" if "messages" in counts else "edges", svg, source_words)
    facts = named((*numbers_of(drawn["numbers"]), *of_edges(tables)), facts)
    return Raw(
        svg, facts, traced=tuple(packs.looked), remarks=tuple(remarks), tables=tables, stated=source_words
    )


def _known_options(job: Job) -> list[str]:
    names: list[str] = _engine().call("__options", timeout=job.timeout, memory=job.memory)
    return names


def _picture(
    drawn: str, characters: Mapping[str, str], set_apart: formulas.Apart, ground: str, usual: str
) -> bytes:
    """A drawing without what only a page in HTML shows, its lines with gaps at their labels, its text legible.

    set_apart: its formulas and icons. ground, usual: the colours of the page that an author's theme is for, and of its
    text; empty without one.
    """
    drawn = _SHADOW.sub(lambda match: match[0] if f'id="{match[1]}"' in drawn else "", drawn)
    svg = drawn_text.encoded(_STYLE.sub(_for_pictures, drawn))
    is_labelled = bool(characters) or labels.is_marked(drawn)
    parts = (b"edgeLabels", ink.INK.encode(), gaps.ASKED.encode(), b'class="node ', b"c4-shape")
    is_on_dark = ink.is_dark(ground)
    if not (is_labelled or is_on_dark or set_apart) and not any(sign in svg for sign in parts):
        return svg
    root = drawn_text.tree(svg)
    if is_labelled:
        labels.shown(root, characters)
    gaps.opened(root)
    ink.chosen(root, usual)
    formulas.shown(root, set_apart)
    if is_on_dark:
        ink.grounded(root, ground)
    return labels.unmarked(etree.tostring(root)) if is_labelled else etree.tostring(root)


# Mermaid also styles tooltips and labels in HTML, which its drawings here do not have. It gives deep levels of a
# mindmap widths below 0.
_STYLE = re.compile(r"(?<=<style>)[^<]*")
_FOR_HTML = re.compile(
    r"(?<=[{;])\s*(?:margin|padding|box-shadow|position|max-width|border|border-(?:radius|bottom)|z-index|dy|cursor|mix-blend-mode"
    r"|vertical-align|justify-content|align-items|transition-duration|-webkit-[\w-]+|pointer-events|:|)\s*:[^;}]*;?"
    r"|(?<=[{;])\s*stroke-width\s*:\s*-[^;}]*;?"
)
_SHADOW = re.compile(r"\bfilter\s*:\s*url\(#([\w-]+)\)\s*;?")  # some of which Mermaid does not define
# A value that a page may set, or else the one that follows.
_VARIABLE = re.compile(r"var\(\s*--[\w-]+\s*,\s*([^()]*)\)")
# From where a rule begins: a search from each letter of it would take as long as all else that is done with a style.
_RULES_FOR_HTML = re.compile(r"(?<![^{}])[^{}]*(?:mermaidTooltip|:hover|\.milestone\b)[^{}]*\{[^{}]*\}")


def _for_pictures(match: re.Match[str]) -> str:
    return _VARIABLE.sub(r"\1", _FOR_HTML.sub("", _RULES_FOR_HTML.sub("", match[0])))


def _text(job: Job, root: Path) -> str:
    """The source. Raises AuthorError if it is not text, empty or too long."""
    text = source_text.text(job, root, LABELS)
    if not text.strip():
        raise AuthorError(
            Origin(job.source, 1), "the file is empty; begin with a type of diagram, like `flowchart LR`"
        )
    if len(text) > theme.LARGEST:
        raise AuthorError(
            Origin(job.source), f"has {len(text):,} characters; Mermaid takes {theme.LARGEST:,}"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


# Where Mermaid copies all of its settings, which takes half of a diagram's time.
_COPIES = re.compile(r"(\(\)=>)\w+\(\{\},(\w+)\)(?=,\"get(?:Site)?Config\"\))")

# Where Mermaid parses each drawing once more, to remove what acts. figmill does that itself, with every drawing.
_SANITIZED = re.compile(
    r"=\w+\.sanitize\((\w+),\{ADD_TAGS:\w+,ADD_ATTR:\w+,HTML_INTEGRATION_POINTS:\{foreignobject:!0\}\}\)"
)


# Where Mermaid draws a relation of a node to itself, by two helper nodes with the name of the node: a second relation
# takes them away from the first. Of several, each has helpers, and lines, with its own name.
_LOOPS = re.compile(r"\.edges\.forEach\((\w+)=>\{if\(\1\.start===\1\.end\)\{let (\w+)=\1\.start,(.*?)\}else ")
_NAME_BEFORE = re.compile(r"\w+\Z")
_MERGED = re.compile(r"(\.selfLoop=)\{(id:\w+\.id,order:\d)\}")
# Where it makes one line of the three parts, with points at the node that all of several relations would share.
_POINTS = re.compile(
    r"(let\[(\w+),(\w+),(\w+)\]=\w+,(\w+)=\2\.edge\.originalEdge.{0,900}?points:\w+,"
    r"start:\5\.start,end:\5\.end,x:(\w+)\.x,y:\6\.y,)"
)


def _by_relation(match: re.Match[str]) -> str:
    edge, node, inside = match.groups()
    name = f"__loopName({_name_before(match)}.edges,{edge})"
    for sign in ("---", "-cyclic-special-"):
        inside = inside.replace(f'{node}+"{sign}', f'{name}+"{sign}')
    inside = inside.replace(f'{name}+"---"+{name}', f'{name}+"---"+{node}')
    inside = _MERGED.sub(rf"\1{{\2,isOne:{name}==={node}}}", inside)
    return f".edges.forEach({edge}=>{{if({edge}.start==={edge}.end){{let {node}={edge}.start,{inside}}}else "


# Where an Ishikawa diagram has room for causes: twice the size of their letters, for each.
_CAUSES = re.compile(
    r"(?<=let )(\w+)=(\w+)\*2;(?=(\w+)=Math\.max\(\3,\w+\.max\*\1\),(\w+)=Math\.max\(\4,\w+\.max\*\1\))"
)


# Where a node's options for ELK are made, which puts all of its relations to itself within each other on one side.
# Without the name before, by which a search would begin in every word of the script.
_NODES = re.compile(r'\.spreadPorts&&\((\w+)\.layoutOptions=\{\.\.\.\1\.layoutOptions,"elk')


def _with_sides(match: re.Match[str]) -> str:
    node, options = _name_before(match), f"{match[1]}.layoutOptions"
    return f",{options}={{...{options},...globalThis.__sides({node})}},{node}{match[0]}"


def _name_before(match: re.Match[str]) -> str:
    name = _NAME_BEFORE.search(match.string, max(0, match.start() - 20), match.start())
    assert name is not None
    return name[0]


# Mermaid's reading of types of types in class diagrams.
_GENERICS = re.compile(
    r'=(\w+)\(function\((\w)\)\{(?=(?:(?!"[a-zA-Z]+"\)).){0,600}?\},"parseGenericTypes"\))'
)


# Where an existing class gets its type parameter.
_TYPED = re.compile(
    r"(className:(\w+),type:(\w+)\}=this\.splitClassNameAndType\(\w+\);if\(this\.classes\.has\(\2\)\))return;"
)


# Where Mermaid takes the words of a label: it leaves out `<` and `>`, and would break a line within the name of a
# character.
_WORDS = re.compile(r"/<\[\^>\]\+>\|\[\^\\s<>\]\+/g(\)\?\.map\((\w+)=>\(\{content:)\2(?=,)")
_WORD = r"/<\/?[a-z][^>]*>|(?:(?!<\/?[a-z][^>]*>)\S)+/gi"

# Where Mermaid breaks a word that is longer than a line, between any two letters.
_LONG = re.compile(r"let (\w+)=(\w+\((\w+)\.content\));(?=return \w+\((\w+),\[\],\1,\3\.type\))")


def _adapted(mermaid: str) -> str:
    """Mermaid's script with the driver's functions for slow or wrong ones. Skips those that a version lacks."""
    mermaid = _SANITIZED.sub(r"=\1", _COPIES.sub(_by_driver, mermaid))
    mermaid = _LOOPS.sub(_by_relation, mermaid, count=1)
    mermaid = _POINTS.sub(r"\1...globalThis.__loopPoints(\2.edge,\3.edge,\4.edge),", mermaid, count=1)
    mermaid = _NODES.sub(_with_sides, mermaid, count=1)
    mermaid = _TYPED.sub(r"\1return __typed(this.classes.get(\2),\3);", mermaid)
    mermaid = _CAUSES.sub(r"\1=\2*__room.ofCauses();", mermaid, count=1)
    mermaid = _LONG.sub(r"let \1=globalThis.__parts(\3,\4)??\2;", mermaid)
    mermaid = _WORDS.sub(lambda match: f"{_WORD}{match[1]}globalThis.__worded({match[2]})", mermaid)
    return _GENERICS.sub(
        r"=\1(function(\2){const whole=globalThis.__generics(\2);if(whole!==null)return whole;", mermaid
    )


def _by_driver(match: re.Match[str]) -> str:
    return f"{match[1]}globalThis.__copyOf({match[2]})"


@cache
def _engine() -> Engine:
    return Engine(scripts())


@cache
def scripts() -> tuple[str, ...]:
    """What runs in V8: the document, the driver and its parts, Mermaid, and the widths of letters."""
    return (
        *(files.read(HERE / name, files.SOURCE).decode() for name in OWN),
        _adapted(files.read(MERMAID, files.SOURCE).decode()),
        f"globalThis.__fonts.faces = JSON.parse({json.dumps(json.dumps(font_metrics.faces()))});",
    )


def _widths(text: str) -> dict[str, float]:
    """The widths in em of a source's characters beyond ASCII, some of which the book's fonts lack."""
    fonts = tuple(_fonts)
    return {
        letter: font_metrics.width(labels.seen(letter), fonts=fonts)
        for letter in sorted(set(text))
        if letter > "\x7e"
    }
