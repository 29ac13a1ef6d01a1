"""The states of a machine and the events that lead from one to the other."""

from __future__ import annotations

from typing import Literal

from figmill import Drawing
from figmill_structure import drawing, states
from figmill_structure.places import place, text_of
from figmill_timelines.bounds import hold


def draw(source: str = "order.scxml", direction: Literal["TB", "LR"] = "LR") -> Drawing:
    """Facts: states, transitions, final_states, dead_ends, names.

    source: SCXML, the JSON of an XState machine, or Python with a class of python-statemachine or the lists of
    transitions, which is read and not run; in data/ beside this script or from its folder, as `../src/order.scxml`.
    direction: of reading. dead_ends: states that are not final and that nothing leaves.
    """
    hold(draw, locals())
    file = place(__file__, source)
    graph = states.machine(text_of(file), file.name)
    graph.fit("draw a part of it")
    inner = [node for node in graph.nodes if node.shape == "state"]
    leaves = {edge.tail for edge in graph.edges if not edge.group} | states.left_with_their_groups(graph)
    final = {node.name for node in inner if node.role == "neutral"}
    boxes = {node.group for node in inner if node.group} | {group.name for group in graph.groups}
    names = {node.name for node in inner} | boxes
    facts = {
        "states": len(names),
        "transitions": sum(not states.is_start(edge.tail) for edge in graph.edges),
        "final_states": len(final),
        "dead_ends": sorted(node.name for node in inner if node.name not in leaves | final),
        "names": sorted(names),
    }
    return Drawing(drawing.drawn(graph, direction), facts)
