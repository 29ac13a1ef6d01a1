"""A graph of this package as DOT, in the palette: boxes, tables with rows, groups, an arrow for each kind of edge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from types import MappingProxyType

import graphviz

from figmill_structure.graph import MARKS, Edge, Graph, Group, Node, in_cycles, pieces, returning
from figmill_timelines.palette import MUTED, TEXT, role

SIZE = "10"  # points, of labels
STRAIGHT = "4"  # Graphviz's weight of an edge that should be short and straight
SMALL = "9"
MOST_ROWS = 24  # the most rows of one node
HEAD_PADDING = 3  # points, within a border of 1
MOST_HEADS = 3  # arrowheads that stand one above the other beside the head of a table
APART = "9"  # points between them
LONGEST = 48  # characters of a row
HEAD = ":head:w"  # the port at the left of a table's head, where edges end
HEAD_END = ":head:e"  # the one at its right, where edges begin
NOWHERE = ("", "")  # the ports of a row that is not drawn

SHAPES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "box": {"shape": "box", "style": "filled,rounded"},
        "table": {"shape": "plain"},
        "state": {"shape": "box", "style": "filled,rounded"},
        "start": {
            "shape": "circle",
            "style": "filled",
            "width": "0.16",
            "height": "0.16",
            "fixedsize": "true",
        },
        "end": {
            "shape": "doublecircle",
            "style": "filled",
            "width": "0.12",
            "height": "0.12",
            "fixedsize": "true",
        },
    }
)
ARROWS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "uses": {"arrowhead": "normal"},
        "late": {"arrowhead": "normal", "style": "dashed"},  # an import inside a function
        "inherits": {"arrowhead": "normal", "fillcolor": "#ffffff"},
        "has": {"arrowtail": "odiamond", "arrowhead": "vee", "dir": "both"},
        "many to one": {
            "arrowtail": "crow",
            "arrowhead": "none",
            "dir": "both",
            "arrowsize": "0.9",
            "fillcolor": "none",
        },
        "one to one": {"arrowhead": "none"},
        "becomes": {"arrowhead": "normal"},
    }
)


def drawn(graph: Graph, direction: str = "TB", rows: int = MOST_ROWS) -> graphviz.Digraph:
    """The graph as DOT. direction: LR or TB. Edges of a cycle have the role `error` and a thicker line.

    rows: the most rows of a section of a node. If more than half of the nodes stand alone, the parts fill a square, and
    not one long column.
    """
    neutral, error = role("neutral"), role("error")
    dot = graphviz.Digraph("structure")
    # The labels of edges take room between states, above all within a group.
    nodesep = "0.12" if any(node.shape == "state" for node in graph.nodes) else "0.3"
    # From row to row, a curve needs room to begin and to end level.
    ranksep = "0.8" if direction == "LR" and any(node.shape == "table" for node in graph.nodes) else "0.5"
    dot.attr(
        rankdir=direction, nodesep=nodesep, ranksep=ranksep, pad="0.1", fontname="Helvetica", fontsize=SIZE
    )
    dot.attr(
        "node", fontname="Helvetica", fontsize=SIZE, fontcolor=TEXT[0], penwidth="1.1", margin="0.12,0.06"
    )
    dot.attr(
        "edge", fontname="Helvetica", fontsize=SMALL, fontcolor=MUTED[0], color=neutral.line, arrowsize="0.7"
    )
    if 2 * pieces(graph) > len(graph.nodes):
        dot.attr(pack="14", packmode="graph")
    around = {group.name: group for group in graph.groups}
    nodes: dict[str, list[Node]] = {}
    for node in graph.nodes:
        nodes.setdefault(node.group, []).append(node)
    names = list(dict.fromkeys([*nodes, *around]))
    boxes = {name: f"cluster_{number}" for number, name in enumerate(names) if name}
    circular = in_cycles(graph)
    back, side = returning(graph), "s" if direction == "LR" else "e"
    ports = {node.name: _ports(node, rows) for node in graph.nodes} if direction == "LR" else {}
    level = [edge for edge in graph.edges if ports and edge.tail != edge.head and edge.pair not in circular]
    arriving = _arriving(level, ports)
    if any(edge.group in boxes or edge.into in boxes for edge in graph.edges):
        dot.attr(compound="true")

    def fill(place: graphviz.Digraph, outer: str) -> None:
        for name in names:
            if name == outer:
                for node in nodes.get(name, ()):
                    _add(place, node, rows, len(arriving.get(node.name, ())))
            elif (around[name].within if name in around else "") == outer:
                with place.subgraph(name=boxes[name]) as box:
                    box.attr(
                        label=_plain(name),
                        labeljust="l",
                        margin="16",
                        style="rounded,dashed" if around.get(name, Group(name, "")).is_region else "rounded",
                        color=neutral.line,
                        fontcolor=MUTED[0],
                    )
                    fill(box, name)

    fill(dot, "")
    arrows: dict[tuple[str, str, str, str], Mapping[str, str]] = {}
    for edge in graph.edges:
        own, tail, label = dict(ARROWS[edge.kind]), edge.tail, edge.label
        if edge.group in boxes:
            # Cut off at the box, a slanted line would be far from its label, and near to that of another one.
            own |= {"ltail": boxes[edge.group], "weight": STRAIGHT}
            tail = _last(graph, edge)
        if edge.into in boxes:
            own["lhead"] = boxes[edge.into]
        if edge.pair in circular and edge.kind in ("uses", "late"):
            own |= {"color": error.line, "penwidth": "1.8"}
            if edge.pair in back:  # around the others, whose ends it would meet
                own |= {"tailport": side, "headport": side}
        start, end = _quoted(tail), _quoted(edge.head)
        if edge in level:  # so it leads to the right
            begin = ports[edge.tail].get(edge.row, NOWHERE)[1]
            port = ports[edge.head].get(edge.head_row, NOWHERE)[0]
            end += _own_head(arriving[edge.head], _origin(edge, ports)) if port == HEAD else port
            start += begin
            if begin and edge.row.partition(MARKS)[0] == label:
                label = ""  # the row in which it begins says it
        if arrows.setdefault((start, end, label, edge.kind), own) is own:  # rows that are not drawn share one
            dot.edge(start, end, label=_beside(label), **own)
    return dot


def _arriving(
    edges: Iterable[Edge], ports: Mapping[str, Mapping[str, tuple[str, str]]]
) -> dict[str, list[str]]:
    """The name of a table -> the origins of the edges that end at its head, each once."""
    origins: dict[str, dict[str, None]] = {}
    for edge in edges:
        if ports[edge.head].get(edge.head_row, NOWHERE)[0] == HEAD:
            origins.setdefault(edge.head, {})[_origin(edge, ports)] = None
    return {name: [*each] for name, each in origins.items()}


def _origin(edge: Edge, ports: Mapping[str, Mapping[str, tuple[str, str]]]) -> str:
    """Where an edge begins; all subclasses share one hollow arrowhead, as in UML."""
    if edge.kind == "inherits":
        return edge.kind
    return _quoted(edge.tail) + ports[edge.tail].get(edge.row, NOWHERE)[1]


def _own_head(origins: list[str], origin: str) -> str:
    """The port at the head of a table for the edges from `origin`: no two arrowheads lie on one another."""
    if len(origins) < 2:
        return HEAD
    places = min(len(origins), MOST_HEADS)
    return f":head.{origins.index(origin) * places // len(origins)}:w"


def _last(graph: Graph, edge: Edge) -> str:
    """The last node of the group in which an edge begins: from there, its label stands outside of the group's box."""
    inside = [node.name for node in graph.nodes if node.group == edge.group]
    return edge.tail if not inside or edge.head in inside else inside[-1]


def _beside(label: str) -> str:
    """The label of an edge, with room: Graphviz writes a plain one onto a level edge."""
    if not label:
        return ""
    style = 'BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="3"'
    return f"<<TABLE {style}><TR><TD>{escape(label)}</TD></TR></TABLE>>"


def _add(dot: graphviz.Digraph, node: Node, rows: int, heads: int) -> None:
    look = role(node.role)
    shape = dict(SHAPES[node.shape])
    if node.shape in ("start", "end"):
        dot.node(_quoted(node.name), label="", fillcolor=look.line, color=look.line, **shape)
    elif node.shape == "table":
        dot.node(_quoted(node.name), label=_table(node, rows, heads), **shape)
    else:
        dot.node(
            _quoted(node.name),
            label=_plain(node.label or node.name),
            fillcolor=look.fill,
            color=look.line,
            **shape,
        )


def _table(node: Node, most: int, heads: int) -> str:
    """An HTML-like label: the head in the role's colours, then the rows of each section, separated by a line.

    heads: the arrowheads beside the head; of several, each has a place of its own.
    """
    look = role(node.role)
    title = f"<B>{escape(node.label or node.name)}</B>"
    if node.above:  # in rows of their own: Graphviz sets lines in two fonts too close
        lines = f'<FONT POINT-SIZE="{SMALL}"><I>{escape(node.above)}</I></FONT>', title
        rows = "".join(f"<TR><TD>{line}</TD></TR>" for line in lines)
        title = f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">{rows}</TABLE>'
    padding = HEAD_PADDING
    if heads > 1:
        title, padding = _with_places(title, min(heads, MOST_HEADS)), 0
    fill = f'BGCOLOR="{look.fill}" BORDER="1" COLOR="{look.fill}"'  # without this border, the page shows around it
    head = f'<TR><TD {fill} CELLPADDING="{padding}" COLSPAN="2" PORT="head">{title}</TD></TR>'
    body = "".join(
        f"<HR/>{_rows(section.rows, most, number)}"
        for number, section in enumerate(node.sections)
        if section.rows
    )
    style = f'BORDER="1" CELLBORDER="0" CELLSPACING="0" CELLPADDING="4" COLOR="{look.line}"'
    return f"<<TABLE {style}>{head}{body}</TABLE>>"


def _with_places(title: str, places: int) -> str:
    """The title of a table between two columns of empty cells; those on its left are ports."""
    side = f'<TD WIDTH="4" HEIGHT="{APART}"></TD>'
    ports = [f'<TD PORT="head.{place}" WIDTH="4" HEIGHT="{APART}"></TD>' for place in range(places)]
    rows = [f'<TR>{ports[0]}<TD ROWSPAN="{places}" CELLPADDING="{HEAD_PADDING}">{title}</TD>{side}</TR>']
    rows += [f"<TR>{port}{side}</TR>" for port in ports[1:]]
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">{"".join(rows)}</TABLE>'


def _ports(node: Node, most: int) -> dict[str, tuple[str, str]]:
    """The name of a row -> where an edge ends at its left side, and where one begins at its right side.

    Without a name, an edge ends at the head of the table.
    """
    rows = {
        name: (f":{section}.{row}:w", f":{section}.{row}{'.type' if type_ else ''}:e")
        for section, part in reversed([*enumerate(node.sections)])
        for row, (name, type_) in enumerate(_shown(part.rows, most))
    }
    return {"": (HEAD, HEAD_END), **rows} if node.shape == "table" else {}


def _shown(rows: tuple[tuple[str, str], ...], most: int) -> tuple[tuple[str, str], ...]:
    """The rows of a section that are drawn; the last one counts the others."""
    return rows if len(rows) <= most else (*rows[: most - 1], (f"{len(rows) - most + 1} more", ""))


def _rows(rows: tuple[tuple[str, str], ...], most: int, section: int) -> str:
    cells = []
    for number, (name, type_) in enumerate(_shown(rows, most)):
        port = f"{section}.{number}"
        width = "" if type_ else ' COLSPAN="2"'
        left = f'<TD ALIGN="LEFT" PORT="{port}"{width}>{escape(_short(name))}</TD>'
        type_text = f'<FONT COLOR="{MUTED[0]}">{escape(_short(type_))}</FONT>'
        right = f'<TD ALIGN="LEFT" PORT="{port}.type">{type_text}</TD>' if type_ else ""
        cells.append(f"<TR>{left}{right}</TR>")
    return "".join(cells)


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _plain(text: str) -> str:
    """A label without DOT's escapes."""
    return str(graphviz.escape(text))


def _quoted(name: str) -> str:
    """A node's name; a colon would begin a port."""
    return name.replace(":", "：")
