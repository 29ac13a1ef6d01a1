"""A state machine as a graph: SCXML (W3C, 2015), the JSON of XState, or a class of python-statemachine or transitions.

It reads text and runs nothing. Nested states become groups. Parallel states are the regions of a group, each with a
start of its own; a transition to them ends at the border of that group.
"""

from __future__ import annotations

import ast
import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from figmill_structure.graph import Edge, Graph, Group, Node, once

SCXML = "http://www.w3.org/2005/07/scxml"
START = "(start)"
DEEP = 64  # levels of states
WIDE = 28  # characters of a line of a label


def machine(text: str, name: str) -> Graph:
    """The states and transitions in a file. name: the file's name, whose suffix determines the format.

    ValueError for a file without a state machine.
    """
    reader = next((read for suffix, read in READERS.items() if name.endswith(suffix)), None)
    if reader is None:
        raise ValueError(f"'{name}' must end in {', '.join(READERS)}")
    graph = reader(text)
    if len(graph.nodes) < 2:
        raise ValueError(f"'{name}' has no state machine")
    return graph


def is_start(name: str) -> bool:
    """Whether a node is a dot at which a machine, or a region of it, begins."""
    return name.startswith(START)


def left_with_their_groups(graph: Graph) -> set[str]:
    """The states in a group that a transition leaves, at any depth."""
    around = {group.name: group.within for group in graph.groups}
    left = {edge.group for edge in graph.edges if edge.group}
    names = set()
    for node in graph.nodes:
        name = node.group
        while name and name not in left:
            name = around.get(name, "")
        if name:
            names.add(node.name)
    return names


def _graph(
    states: Mapping[str, tuple[str, bool]],
    edges: list[Edge],
    starts: Mapping[str, Edge],
    groups: tuple[Group, ...] = (),
) -> Graph:
    """states: name -> its group, and whether it is final. starts: group, or nothing for all -> its first transition."""
    nodes = [
        Node(edge.tail, role="neutral", group=group, shape="start")
        for group, edge in sorted(starts.items(), key=lambda row: row[0] != "")
    ]
    nodes += [
        Node(name, role="neutral" if is_final else "compute", group=group, shape="state")
        for name, (group, is_final) in states.items()
    ]
    return Graph(tuple(nodes), once([*starts.values(), *_joined(edges)]), groups)


def _joined(edges: list[Edge]) -> Iterator[Edge]:
    """One edge for all transitions between two states."""
    labels: dict[tuple[str, str, str, str], dict[str, None]] = {}
    for edge in edges:
        lines = textwrap.wrap(edge.label, WIDE, break_long_words=False, break_on_hyphens=False)
        ends = edge.tail, edge.head, edge.group, edge.into
        labels.setdefault(ends, {})["\n".join(lines)] = None
    for (tail, head, group, into), texts in labels.items():
        yield Edge(tail, head, "\n".join(filter(None, texts)), "becomes", group, into)


def _scxml(text: str) -> Graph:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True)
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"line {error.lineno}: {error.msg}") from None
    states: dict[str, tuple[str, bool]] = {}
    edges: list[Edge] = []
    first: dict[str, str] = {}  # a state that contains states -> its initial state
    parts = _Composites()

    def visit(node: Any, group: str) -> None:
        inner = [child for child in node if etree.QName(child).localname in ("state", "parallel", "final")]
        for child in inner:
            name = child.get("id") or f"state {len(states) + 1}"
            has_states = any(
                etree.QName(grandchild).localname in ("state", "parallel", "final") for grandchild in child
            )
            if has_states:
                parts.add(name, group, etree.QName(child).localname == "parallel")
            else:
                states[name] = group, etree.QName(child).localname == "final"
            visit(child, name if has_states else group)
            for step in child.iterchildren(f"{{{SCXML}}}transition"):
                event = step.get("event") or ""
                label = f"{event} [{step.get('cond')}]".strip() if step.get("cond") else event
                edges.extend(Edge(name, target, label) for target in (step.get("target") or "").split())
        if inner:
            own = inner[0].get("id") or ""
            first[node.get("id") or ""] = (
                (node.get("initial") or own).split()[0] if (node.get("initial") or own) else ""
            )

    visit(root, "")

    return _nested(states, edges, first, parts)


def _xstate(text: str) -> Graph:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"this is not JSON: {error}") from None
    states: dict[str, tuple[str, bool]] = {}
    edges: list[Edge] = []
    first: dict[str, str] = {}
    parts = _Composites()

    def visit(machine: Mapping[str, Any], group: str, depth: int) -> None:
        if depth > DEEP:
            raise ValueError("states are nested too deep")
        inner = machine.get("states")
        if not isinstance(inner, dict):
            return
        first[group] = _own_name(str(machine.get("initial") or next(iter(inner), "")))
        for name, state in inner.items():
            whole_state = state if isinstance(state, dict) else {}
            if isinstance(whole_state.get("states"), dict) and whole_state["states"]:
                parts.add(name, group, whole_state.get("type") == "parallel")
                visit(whole_state, name, depth + 1)
            else:
                states[name] = group, whole_state.get("type") == "final"
            for event, target in _targets(whole_state):
                edges.append(Edge(name, _own_name(target), event))

    outermost = whole if isinstance(whole, dict) else {}
    if outermost.get("type") == "parallel":
        parts.parallel.add("")
    visit(outermost, "", 0)

    return _nested(states, edges, first, parts)


@dataclass
class _Composites:
    """The states that contain states.

    - around: name -> the one around it.
    - parallel: those whose parts are all active.
    """

    around: dict[str, str] = field(default_factory=dict)
    parallel: set[str] = field(default_factory=set)

    def add(self, name: str, group: str, is_parallel: bool) -> None:
        self.around[name] = group
        if is_parallel:
            self.parallel.add(name)


def _nested(
    states: Mapping[str, tuple[str, bool]], edges: list[Edge], first: Mapping[str, str], parts: _Composites
) -> Graph:
    """The graph of states, some of which contain others. first: a state that contains states -> its initial state.

    An edge from a state that contains states begins at its border. An edge to parallel states ends at the border around
    them.
    """

    def leaf(name: str) -> tuple[str, str]:
        """The simple state in which a state begins, and the parallel one around it that is entered first."""
        into = ""
        for _ in range(DEEP):
            if name in states:
                break
            into = into or (name if name in parts.parallel else "")
            name = first.get(name, "")
        return name, into

    drawable = []
    for edge in edges:
        (tail, _), (head, into) = leaf(edge.tail), leaf(edge.head)
        if tail in states and head in states:
            group = "" if edge.tail in states else edge.tail
            drawable.append(Edge(tail, head, edge.label, group=group, into=into))
    regions = [name for name, group in parts.around.items() if group in parts.parallel]
    starts = {}
    for name in [*([] if "" in parts.parallel else [""]), *regions]:
        head, into = leaf(first.get(name, ""))
        if head in states and name not in parts.parallel - {""}:
            tail = f"{START} {name}" if name else START
            starts[name] = Edge(tail, head, kind="becomes", into=into)
    groups = tuple(Group(name, group, name in regions) for name, group in parts.around.items())
    return _graph(states, drawable, starts, groups)


def _own_name(target: str) -> str:
    """The name of a state of XState without the states around it: `#machine.open.idle` is `idle`."""
    return target.lstrip("#.").rpartition(".")[2]


def _targets(state: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The transitions of a state of XState: event, and target."""
    after = state.get("after")
    groups = [(str(event), target) for event, target in _items(state.get("on"))]
    groups += [(f"after {delay} ms", target) for delay, target in _items(after)]
    groups += [("done", state[key]) for key in ("onDone",) if key in state]
    groups += [("", state["always"])] if "always" in state else []
    for event, target in groups:
        for transition in target if isinstance(target, list) else [target]:
            name = transition.get("target") if isinstance(transition, dict) else transition
            for each in name if isinstance(name, list) else [name]:
                if isinstance(each, str):
                    yield event, each


def _items(value: Any) -> list[tuple[Any, Any]]:
    return [*value.items()] if isinstance(value, dict) else []


def _python(text: str) -> Graph:
    """A class with `State(...)` and `a.to(b)`, or lists called `states` and `transitions`."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise ValueError(f"line {error.lineno}: Python cannot parse this: {error.msg}") from None
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and (graph := _class(node)) is not None:
            return graph
    return _lists(tree)


def _class(node: ast.ClassDef) -> Graph | None:
    """The machine in a class of python-statemachine; None if there is none."""
    states: dict[str, tuple[str, bool]] = {}
    edges: list[Edge] = []
    first: dict[str, str] = {}  # a class that contains states -> its initial state
    parts = _Composites()
    _read_class(node, "", states, edges, first, parts, 0)

    graph = _nested(states, edges, first, parts)
    return graph if any(not is_start(edge.tail) for edge in graph.edges) else None


def _read_class(
    node: ast.ClassDef,
    group: str,
    states: dict[str, tuple[str, bool]],
    edges: list[Edge],
    first: dict[str, str],
    parts: _Composites,
    depth: int,
) -> None:
    """The states and transitions in a class, and in the classes in it that are states themselves."""
    if depth > DEEP:
        raise ValueError("states are nested too deep")
    for item in node.body:
        if isinstance(item, ast.ClassDef) and _is_state(item):
            parts.add(item.name, group, any(getattr(base, "attr", "") == "Parallel" for base in item.bases))
            _read_class(item, item.name, states, edges, first, parts, depth + 1)
            if _is_true({keyword.arg: keyword.value for keyword in item.keywords}.get("initial")):
                first[group] = item.name
            else:
                first.setdefault(group, item.name)
            continue
        name, value = _assigned(item)
        if value is None:
            continue
        if isinstance(value, ast.Call) and _called(value) in ("State", "HistoryState"):
            given = {keyword.arg: keyword.value for keyword in value.keywords}
            if _called(value) == "HistoryState":
                first[f"{group}.{name}"] = group  # entering it without a history is entering the group
                continue
            states[name] = group, _is_true(given.get("final"))
            if _is_true(given.get("initial")):
                first[group] = name
            else:
                first.setdefault(group, name)
            continue
        edges += [
            edge for step in ast.walk(value) if isinstance(step, ast.Call) for edge in _steps(step, name)
        ]


def _is_state(node: ast.ClassDef) -> bool:
    """Whether a class is a state: `class shire(State.Compound)`."""
    return any(
        isinstance(base, ast.Attribute) and base.attr in ("Compound", "Parallel") for base in node.bases
    )


def _assigned(item: ast.stmt) -> tuple[str, ast.expr | None]:
    """The name and the value of an assignment to one name, or of an expression by itself."""
    if isinstance(item, ast.Assign) and len(item.targets) == 1 and isinstance(item.targets[0], ast.Name):
        return item.targets[0].id, item.value
    if isinstance(item, ast.Expr):
        return "", item.value  # a transition without an event
    return "", None


def _steps(step: ast.Call, event: str) -> Iterator[Edge]:
    """The transitions of `a.to(b, c)`, `a.from_(b)`, `a.to.itself()`."""
    label = (event + _guard(step)).strip()
    match step.func:
        case ast.Attribute(value=ast.Attribute(value=here, attr="to"), attr="itself"):
            if own := _named(here):
                yield Edge(own, own, label)
        case ast.Attribute(value=here, attr="to" | "from_" as way):
            for other in step.args:
                pair = (_named(here), _named(other)) if way == "to" else (_named(other), _named(here))
                if all(pair):
                    yield Edge(*pair, label)


def _named(value: ast.expr) -> str:
    """The name of a state, such as `shire`, or `shire.h` for its history; empty for anything else."""
    match value:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=group), attr=name):
            return f"{group}.{name}"
    return ""


def _called(call: ast.Call) -> str:
    return (
        call.func.id
        if isinstance(call.func, ast.Name)
        else call.func.attr
        if isinstance(call.func, ast.Attribute)
        else ""
    )


def _is_true(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is True


def _guard(step: ast.Call) -> str:
    for keyword in step.keywords:
        if keyword.arg == "cond":
            name = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
            condition = name if isinstance(name, str) else ast.unparse(keyword.value)
            return f" [{condition}]"
    return ""


def _lists(tree: ast.Module) -> Graph:
    """The machine in lists for the package transitions: `states`, and `transitions` as mappings or lists."""
    lists: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if node.targets[0].id in ("states", "transitions", "initial"):
                try:
                    lists.setdefault(node.targets[0].id, ast.literal_eval(node.value))
                except (ValueError, TypeError, RecursionError):
                    continue
        elif isinstance(node, ast.Call) and _called(node).endswith("Machine"):
            for keyword in node.keywords:
                if keyword.arg in ("initial", "states", "transitions"):
                    try:
                        lists.setdefault(keyword.arg, ast.literal_eval(keyword.value))
                    except (ValueError, TypeError, RecursionError):
                        continue
    states: dict[str, tuple[str, bool]] = {}
    for state in lists.get("states") or []:
        name = state.get("name") if isinstance(state, dict) else state
        states[str(name)] = "", isinstance(state, dict) and state.get("final") is True
    edges = []
    for step in lists.get("transitions") or []:
        row = step if isinstance(step, dict) else dict(zip(("trigger", "source", "dest"), step, strict=False))
        sources = row.get("source")
        froms = [*states] if sources == "*" else sources if isinstance(sources, list) else [sources]
        for tail in froms:
            head = tail if row.get("dest") == "=" else row.get("dest")
            states.setdefault(str(tail), ("", False))
            states.setdefault(str(head), ("", False))
            edges.append(Edge(str(tail), str(head), str(row.get("trigger", ""))))
    initial = lists.get("initial")
    begin = initial if initial in states else next(iter(states), None)
    return _graph(states, edges, {"": Edge(START, begin, kind="becomes")} if begin is not None else {})


READERS = {".scxml": _scxml, ".json": _xstate, ".py": _python}
