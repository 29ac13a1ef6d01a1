"""The topology of a collective operation, with its alpha-beta cost as facts. Use `engine: neato`."""

from __future__ import annotations

import math
from html import escape
from typing import Annotated, Literal

import graphviz
from annotated_types import Interval

from figmill import Drawing
from figmill.palette import MUTED, TEXT, role
from figmill_timelines.bounds import hold, within
from figmill_timelines.quantities import amount, plural, tenths, time
from figmill_timelines.training import collectives

CLOSE = 62  # points; nodes closer than this are circles with a number
MOST_ARROWS = 150
BOX = (61.2, 30.24)  # points: width and height of a node
# points: of a side, at its rounded corner; between the ends of two arrows; between two wide boxes
CORNER, HEADS, BETWEEN = 8.0, 13.0, 12.0
LOOKS = {"Rank": "compute", "Worker": "compute", "Server": "data"}


def draw(
    pattern: Literal["ring", "tree", "all-to-all", "parameter-server"] = "ring",
    ranks: Annotated[int, Interval(ge=2, le=64)] = 8,
    size_mb: Annotated[float, Interval(ge=1e-6, le=1e6)] = 256,
    alpha_us: Annotated[float, Interval(ge=0, le=1e6)] = 10,
    bandwidth_gb_s: Annotated[float, Interval(ge=1e-6, le=1e6)] = 25,
    servers: Annotated[int, Interval(ge=1, le=16)] = 1,
) -> Drawing:
    """Facts: steps, message_bytes, time_us, startup_fraction, sent_per_rank_bytes, links.

    ranks: how many, for all-to-all at most 16. size_mb: 10^6 bytes on each rank. alpha_us: latency of a message.
    bandwidth_gb_s: of a link in one direction, 10^9 bytes a second. servers: for parameter-server.
    """
    hold(draw, locals())
    within(2, 16 if pattern == "all-to-all" else 64, ranks=ranks)  # a bound that depends on another parameter
    cost = (size_mb * 1e6, alpha_us * 1e-6, bandwidth_gb_s * 1e9)
    if pattern == "parameter-server":
        topology = collectives.parameter_server(ranks, *cost, servers)
    else:
        topology = collectives.PATTERNS[pattern](ranks, *cost)
    facts = topology.facts()
    facts["startup_fraction"] = facts["steps"] * alpha_us / facts["time_us"]

    graph = graphviz.Digraph(pattern, engine="neato")
    graph.attr(inputscale="72", splines="line", margin="0.1")
    graph.attr(labelloc="b", fontname="Helvetica", fontsize="10", fontcolor=MUTED[0])
    message = amount(facts["message_bytes"], "B")
    share = " between each worker and each server" if pattern == "parameter-server" else ""
    caption = (
        f"{plural(facts['steps'], 'step')} of {message}{share}: {time(facts['time_us'], 'us')},"
        f" {tenths(facts['startup_fraction'])} of it start-up"
    )
    graph.attr("node", shape="box", style="filled,rounded", fontname="Helvetica", fontsize="10", pin="true")
    graph.attr(
        "node",
        width=f"{BOX[0] / 72:g}",
        height=f"{BOX[1] / 72:g}",
        fixedsize="true",
        penwidth="1.1",
        fontcolor=TEXT[0],
    )
    graph.attr("edge", color=role("routing").line, penwidth="1.4", arrowsize="0.7")
    apart = collectives.apart(topology)
    # Among many ranks that all send to each other, links of others would run through boxes.
    small_nodes = apart < CLOSE or (pattern == "all-to-all" and ranks > 8)
    has_ports = pattern == "parameter-server" and not small_nodes
    size = f"{0.72 * min(apart, 42.0) / 72:.3f}"  # inches
    small = {"shape": "circle", "width": size, "height": size, "margin": "0"}
    small["fontsize"] = f"{max(7.0, min(10.0, 0.36 * apart)):.1f}"
    for name, (x, y) in topology.places.items():
        look, number = role(LOOKS[name.split()[0]]), name.split()[1]
        own = {**small, "label": number} if small_nodes else {}
        if has_ports:
            row = name.split()[0]
            across = [place[0] for other, place in topology.places.items() if other.startswith(row)]
            room = min((abs(other - x) for other in across if other != x), default=math.inf) - BETWEEN
            own = _with_ports(name, servers if row == "Worker" else ranks, room)
        graph.node(name, pos=f"{x:g},{y:g}!", fillcolor=look.fill, color=look.line, **own)
    if small_nodes:
        graph.attr("edge", arrowsize="0.4", penwidth="1")
        caption = f"{_numbered(ranks, servers if pattern == 'parameter-server' else 0)} · {caption}"
    if len(topology.links) > MOST_ARROWS:  # heads would fill the picture
        graph.attr("edge", arrowhead="none", arrowtail="none", penwidth="0.5")
    style = 'BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="6"'
    graph.attr(
        label=f"<<TABLE {style}><TR><TD>{escape(caption)}</TD></TR></TABLE>>", outputorder="edgesfirst"
    )
    for link in topology.links:
        ends = (link.tail, link.head)
        if has_ports:
            (_, worker), (_, server) = (name.split() for name in ends)
            ends = f"{link.tail}:{server}:n", f"{link.head}:{worker}:s"
        graph.edge(*ends, dir="both" if link.both else "forward")
    return Drawing(graph, facts)


def _with_ports(name: str, count: int, room: float) -> dict[str, str]:
    """A box with ports for `count` arrows, spread over the side at which they end. room: for the box, across."""
    width = max(BOX[0], min(HEADS * count + 2 * CORNER, room))
    each = (width - 2 * CORNER) / count
    ports = "".join(
        f'<TD PORT="{n}" WIDTH="{each:.1f}" HEIGHT="1" FIXEDSIZE="TRUE"></TD>' for n in range(count)
    )
    text = f'<TD COLSPAN="{count}" WIDTH="{width - 2 * CORNER:.1f}" HEIGHT="{BOX[1] - 1:g}">{name}</TD>'
    rows = [ports, text] if name.startswith("Worker") else [text, ports]
    style = 'BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"'
    table = "".join(f"<TR>{row}</TR>" for row in rows)
    return {"width": f"{width / 72:.3f}", "label": f"<<TABLE {style}>{table}</TABLE>>", "margin": "0"}


def _numbered(ranks: int, servers: int) -> str:
    """The meaning of the numbers in the nodes."""
    if not servers:
        return f"Ranks 0 to {ranks - 1}"
    above = f"servers 0 to {servers - 1}" if servers > 1 else "server 0"
    return f"Above, {above}; below, workers 0 to {ranks - 1}"
