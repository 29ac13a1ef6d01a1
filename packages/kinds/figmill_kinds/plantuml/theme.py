"""PlantUML's style sheet: the colours of the palette. An author's own theme, skin or style takes precedence.

Settling replaces these colours by the book's own, and by those of the dark page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from string import Template

from figmill.kind import GRID, MUTED, PAGE, ROLES, TEXT
from figmill_kinds.plantuml.text import DiagramText

_THEME = re.compile(r"\s*!theme\s+(?!_none_)\S")
_STEREOTYPE = re.compile(r"<<\s*([\w-]+)\s*>>")
_TONE = {role.name: role for role in ROLES}
# What the browser does with them is in the normal form already, or what only a page with scripts has.
_UNSEEN = re.compile(
    r' (?:data-[\w-]+|xml:space)="[^"]*"| style="(?:white-space: pre;?)?"|<title>[^<]*</title>'
)


def sheet(text: DiagramText, added: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The lines of figmill's style sheet for a diagram, with a class for each role that it uses as a stereotype."""
    if any(_THEME.match(line) for line in text.lines):
        return ()
    roles = {**{role.name: (role.fill, role.line) for role in ROLES}, **added}
    used = {name for line in text.lines for name in _STEREOTYPE.findall(line)} & roles.keys()
    classes = [
        f".{name} {{ BackgroundColor {roles[name][0]}; LineColor {roles[name][1]} }}" for name in sorted(used)
    ]
    hidden = [f"hide <<{name}>> stereotype" for name in sorted(used)] if text.kind == "uml" else []
    rows = [row for part in (*_base(text.kind), *classes) for row in _statements(part)]
    return ("<style>", *rows, "</style>", *hidden)


def _statements(part: str) -> list[str]:
    """A style sheet with one statement a line, as PlantUML requires."""
    return [row for row in re.split(r"(?<=[{}])\s*|\s*;\s*|\s*(?=\})", part) if row]


def settled(svg: str) -> str:
    """The SVG without its invisible parts."""
    return _UNSEEN.sub("", svg)


@cache
def _base(kind: str) -> tuple[str, ...]:
    """figmill's style sheet for diagrams between @start<kind> and its end. PlantUML reads a long one slowly."""
    solid = f"BackgroundColor {_TONE['neutral'].line}; LineColor {_TONE['neutral'].line}"
    values = {
        "ink": TEXT[0],
        "muted": MUTED[0],
        "page": PAGE[0],
        "grid": GRID[0],
        "line": _TONE["neutral"].line,
        "blue": _TONE["compute"].line,
        "solid": solid,
        **{role.name: f"BackgroundColor {role.fill}; LineColor {role.line}" for role in ROLES},
        **{f"{role.name}_fill": f"BackgroundColor {role.fill}" for role in ROLES},
    }
    sheet = _SHEET + _SHEETS.get(kind, "")
    return tuple(Template(sheet).substitute(values).strip().split("\n"))


# $role stands for the fill and the line of a role.
_SHEET = """
root { FontName Arial; FontColor $ink; HyperLinkColor $blue; LineColor $line; LineThickness 1 }
document { BackgroundColor $page; title { LineThickness 0; LineColor none } }
element { $compute; FontColor $ink }
arrow { LineColor $line; FontColor $ink; LineThickness 1 }
note { $routing; FontColor $ink }
group { $neutral }
stereotype { FontColor $muted }
legend { $neutral }
"""


def _tree(kind: str) -> str:
    """The style sheet of a tree; levels 0 and 1 have fills of their own."""
    return f"""
{kind}Diagram {{
node {{ $compute }}
:depth(0) {{ $routing }}
:depth(1) {{ $neutral }}
arrow {{ LineColor $line }}
}}
"""


def _data(kind: str) -> str:
    """The style sheet of a diagram that shows data."""
    return f"""
{kind}Diagram {{
node {{ $compute; separator {{ LineColor $blue }} highlight {{ $routing_fill }} }}
arrow {{ LineColor $line }}
}}
"""


_SHEETS = {
    "uml": """
sequenceDiagram {
lifeLine { $neutral }
reference { BackgroundColor $page; LineColor $line }
referenceHeader { $neutral }
groupHeader { $neutral; FontColor $ink }
group { BackgroundColor none; LineColor $line }
separator { $neutral }
box { $neutral }
delay { FontColor $ink }
}
classDiagram {
spot { LineColor $line; FontColor $ink; BackgroundColor $page }
spotInterface { $routing_fill }
spotEnum { $accent_fill }
spotAbstractClass { $data_fill }
spotEntity { $data_fill }
spotAnnotation { $neutral_fill }
}
activityDiagram {
diamond { $routing }
partition { BackgroundColor none; LineColor $line }
activityBar { $solid }
circle {
start { $solid }
stop { $solid }
end { $solid }
}
}
stateDiagram {
diamond { $routing }
circle {
start { $solid }
stop { $solid }
end { $solid }
}
}
timingDiagram {
BackgroundColor $page; LineColor $blue; FontColor $ink
timegrid { LineColor $grid }
timeline { LineColor $line }
constraintArrow { LineColor $line }
}
""",
    **{kind: _tree(kind) for kind in ("mindmap", "wbs")},
    "gantt": """
ganttDiagram {
task { $compute }
milestone { $routing }
separator { LineColor $grid }
timeline { FontColor $ink; LineColor $grid; BackgroundColor none }
closed { $neutral_fill; FontColor $muted }
undone { BackgroundColor $page }
arrow { LineColor $line }
}
""",
    **{kind: _data(kind) for kind in ("json", "yaml")},
}
