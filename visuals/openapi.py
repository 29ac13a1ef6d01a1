"""An HTTP API: its operations by tag, and the schemas that they take and return."""

from __future__ import annotations

from typing import Literal

from figmill import Drawing
from figmill_structure import drawing
from figmill_structure.openapi import api, operations, references
from figmill_structure.places import place, text_of
from figmill_timelines.bounds import hold


def draw(
    source: str = "shop.openapi.yaml",
    only: list[str] | None = None,
    without: list[str] | None = None,
    schemas: bool = True,
    fields: bool = True,
    direction: Literal["TB", "LR"] = "LR",
) -> Drawing:
    """Facts: operations, tags, schemas, references, names.

    source: an OpenAPI 3 or Swagger 2 description, JSON or YAML, in data/ beside this script or from its folder, as
    `../api/openapi.yaml`. only, without: names of tags and schemas, with `*`. schemas: show them. fields: show their
    properties; a question mark means that one may be missing. direction: of reading.
    """
    hold(draw, locals())
    graph = api(text_of(place(__file__, source)), schemas=schemas, fields=fields).only(
        only or [], without or []
    )
    graph.fit("choose with only and without, or set schemas: false")
    tags = sum(node.role == "routing" for node in graph.nodes)
    facts = {
        "operations": operations(graph),
        "tags": tags,
        "schemas": len(graph.nodes) - tags,
        "references": references(graph),
        "names": graph.facts("names")["names"],
    }
    return Drawing(drawing.drawn(graph, direction), facts)
