"""An OpenAPI description as a graph: operations by tag, and the schemas that they take and return.

OpenAPI 3.0 and 3.1 (spec.openapis.org/oas), and Swagger 2.0, as JSON or YAML. Only references within the same file are
followed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import yaml

from figmill_structure.graph import Edge, Graph, Node, Section, once

VERBS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
DEEP = 64  # levels of a description


def api(text: str, *, schemas: bool = True, fields: bool = True) -> Graph:
    """Operations as one table for each tag, and the schemas that they use.

    schemas: show them. fields: show the properties of each. ValueError, with the line, if it is not an OpenAPI
    description.
    """
    try:
        whole = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise ValueError(f"{line}{error.problem or 'this is not YAML'}") from None
    except yaml.YAMLError as error:
        raise ValueError(str(error).splitlines()[0]) from None
    if not isinstance(whole, dict) or not ("openapi" in whole or "swagger" in whole):
        raise ValueError("this is not an OpenAPI description; it has no key `openapi`")
    described = _mapping(whole.get("definitions")) or _mapping(
        _mapping(whole.get("components")).get("schemas")
    )
    by_tag: dict[str, list[tuple[str, str]]] = {}
    edges: list[Edge] = []
    for path, item in _mapping(whole.get("paths")).items():
        for verb, operation in _mapping(item).items():
            if verb not in VERBS or not isinstance(operation, dict):
                continue
            tags = operation.get("tags")
            tag = (
                str(tags[0])
                if isinstance(tags, list) and tags
                else str(path).strip("/").partition("/")[0] or "api"
            )
            row = f"{verb.upper()} {path}"
            by_tag.setdefault(tag, []).append((row, ""))
            edges += [Edge(tag, name, row=row) for name in _referred(operation, described)]
    nodes = [
        Node(tag, role="routing", shape="table", sections=(Section(tuple(rows)),))
        for tag, rows in by_tag.items()
    ]
    if schemas:
        taken = {node.name for node in nodes}
        names = {name: f"{name} (schema)" if name in taken else name for name in described}
        nodes += [
            Node(
                names[name],
                name,
                role="data",
                shape="table",
                sections=(Section(_fields(schema) if fields else ()),),
            )
            for name, schema in described.items()
        ]
        edges = [replace(edge, head=names[edge.head]) for edge in edges]
        edges += [
            Edge(names[name], names[other], kind="has", row=row)
            for name, schema in described.items()
            for row, other in _references(schema, described)
            if other != name
        ]
    else:
        edges = []
    return Graph(tuple(nodes), once(edges))


def operations(graph: Graph) -> int:
    """The number of operations."""
    return sum(len(node.sections[0].rows) for node in graph.nodes if node.role == "routing")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _referred(value: Any, schemas: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    """The names of the schemas that a part of the description refers to directly."""
    if depth > DEEP:
        raise ValueError("this description is nested too deep")
    if isinstance(value, dict):
        target = value.get("$ref")
        if isinstance(target, str) and (name := target.rpartition("/")[2]) in schemas:
            yield name
        for part in value.values():
            yield from _referred(part, schemas, depth + 1)
    elif isinstance(value, list):
        for part in value:
            yield from _referred(part, schemas, depth + 1)


def references(graph: Graph) -> int:
    """The number of schemas that each tag and each schema refers to, summed up."""
    return len({(edge.tail, edge.head) for edge in graph.edges})


def _references(schema: Any, schemas: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The row of each property and the schemas that it refers to; then, without a row, those of the rest."""
    by_row = [(row, name) for row, part in _properties(schema) for name in _referred(part, schemas)]
    yield from by_row
    named = {name for _, name in by_row}
    yield from (("", name) for name in _referred(schema, schemas) if name not in named)


def _fields(schema: Any) -> tuple[tuple[str, str], ...]:
    """The properties of a schema with their types."""
    return tuple((row, _type(part)) for row, part in _properties(schema))


def _properties(schema: Any) -> Iterator[tuple[str, Any]]:
    """The properties of a schema by the names of their rows; optional ones have a question mark."""
    whole = _mapping(schema)
    required = whole.get("required")
    must = set(map(str, required)) if isinstance(required, list) else set()
    parts = [whole, *(_mapping(part) for part in whole.get("allOf", []) if isinstance(part, dict))]
    for part in parts:
        for name, described in _mapping(part.get("properties")).items():
            yield str(name) if str(name) in must else f"{name}?", described


def _type(schema: Any) -> str:
    whole = _mapping(schema)
    if "$ref" in whole:
        return str(whole["$ref"]).rpartition("/")[2]
    kind = whole.get("type", "")
    if kind == "array":
        return f"[{_type(whole.get('items'))}]"
    for word in ("oneOf", "anyOf", "allOf"):
        if isinstance(whole.get(word), list):
            return " | ".join(filter(None, map(_type, whole[word])))
    if isinstance(kind, list):
        return " | ".join(map(str, kind))
    return str(whole.get("format") or kind)
