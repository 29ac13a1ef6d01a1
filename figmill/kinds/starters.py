"""Starters: a first source for each of these kinds that is written as text, small and in the book's palette.

Each is a model of its kind: colours by role, direct labels, numbers computed where they are drawn. Unaware of ids,
tracks and files.
"""

from __future__ import annotations

from figmill.kind.definition import Starter
from figmill.palette import MUTED, TEXT, role


def _coloured(text: str) -> bytes:
    """The template with `<compute.fill>` and the like replaced by colours."""
    for name in ("compute", "data", "routing"):
        tones = role(name)
        text = text.replace(f"<{name}.fill>", tones.fill).replace(f"<{name}.line>", tones.line)
    return text.replace("<text>", TEXT[0]).replace("<muted>", MUTED[0]).encode()


_DOT = _coloured(
    """\
// A request and its answer. Colours are the roles of the book: compute, data, routing.
digraph serving {
  graph [rankdir=LR, nodesep=0.4, ranksep=0.62, margin=0.1]
  node [shape=box, style="filled,rounded", fontname="Helvetica", fontsize=10, fontcolor="<text>",
        width=1.0, height=0.5, penwidth=1.1, fillcolor="<compute.fill>", color="<compute.line>"]
  edge [fontname="Helvetica", fontsize=9, fontcolor="<muted>", color="<muted>", arrowsize=0.7]

  client [label="Client"]
  router [label="Router", fillcolor="<routing.fill>", color="<routing.line>"]
  { rank=same; one [label="Worker 1"]; two [label="Worker 2"] }
  cache [label="KV cache", shape=cylinder, fillcolor="<data.fill>", color="<data.line>", height=0.7]

  client -> router
  router -> one [label="tokens"]
  router -> two
  one -> cache [label="keys, values"]
  two -> cache
}
"""
)

_MATPLOTLIB = b"""\
\"\"\"How the time of a step is spent, as one bar a part.\"\"\"

from math import fsum

from figmill import Drawing
from figmill.palette import role
from figmill_timelines.charts import xy_chart

PARTS = ("forward", "backward", "all-reduce")
ROLES = ("compute", "compute", "data")


def draw(forward_ms: float = 8, backward_ms: float = 16, reduce_ms: float = 6) -> Drawing:
    \"\"\"Facts: step_ms, reduce_share. Parameters: the length of each part in milliseconds.\"\"\"
    times = (forward_ms, backward_ms, reduce_ms)
    step = fsum(times)
    share = reduce_ms / step
    page = xy_chart.figure(height=2.8)
    title = f"{share:.0%} of the step is spent on the wire"
    plot = xy_chart.axes(page, title, "Time in ms", box=(1.0, 0.6, 6.3, 1.6))
    plot.grid(False)
    start = 0.0
    for row, (part, time, name) in enumerate(zip(PARTS, times, ROLES, strict=True)):
        colours = role(name)
        plot.barh(row, time, left=start, height=0.6, color=colours.fill, edgecolor=colours.line)
        xy_chart.note(plot, start + time / 2, row, f"{time:g} ms", align="center")
        start += time
    plot.set(xlim=(0, step * 1.02), yticks=range(len(PARTS)), yticklabels=PARTS)
    plot.invert_yaxis()
    return Drawing(page, facts={"step_ms": step, "reduce_share": share})
"""

_SVG = _coloured(
    """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 200" width="720" height="200" \
font-family="Helvetica Neue, Helvetica, Arial, sans-serif" font-size="14" fill="<text>">
  <!-- On a grid of 10 px. Colours are the roles of the book: compute, routing, data. -->
  <defs>
    <marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">
      <path d="M0 0 L10 5 L0 10 z" fill="<muted>"/>
    </marker>
  </defs>
  <text x="20" y="30" font-size="16" font-weight="bold">Every byte crosses the router once</text>
  <rect x="20" y="80" width="160" height="80" rx="10" fill="<compute.fill>" stroke="<compute.line>" \
stroke-width="1.5"/>
  <text x="100" y="125" text-anchor="middle">Worker</text>
  <rect x="280" y="80" width="160" height="80" rx="10" fill="<routing.fill>" stroke="<routing.line>" \
stroke-width="1.5"/>
  <text x="360" y="125" text-anchor="middle">Router</text>
  <rect x="540" y="80" width="160" height="80" rx="10" fill="<data.fill>" stroke="<data.line>" \
stroke-width="1.5"/>
  <text x="620" y="125" text-anchor="middle">Store</text>
  <path d="M180 120 H278" fill="none" stroke="<muted>" stroke-width="1.5" marker-end="url(#arrow)"/>
  <text x="230" y="110" text-anchor="middle" font-size="12" fill="<muted>">gradients</text>
  <path d="M440 120 H538" fill="none" stroke="<muted>" stroke-width="1.5" marker-end="url(#arrow)"/>
  <text x="490" y="110" text-anchor="middle" font-size="12" fill="<muted>">shards</text>
</svg>
"""
)

DOT = Starter(
    ".dot",
    _DOT,
    alt="A client asks a router, which hands tokens to two workers; both write to one KV cache.",
    caption="Both workers share one cache.",
    more=("expect: {nodes: 5, edges: 5}",),
)
MATPLOTLIB = Starter(
    ".py",
    _MATPLOTLIB,
    alt="Forward, backward and all-reduce as bars one after another, {step_ms:g} ms in all.",
    caption="The all-reduce takes {reduce_share:.0%} of the step.",
    more=(
        "params: {forward_ms: 8, backward_ms: 16, reduce_ms: 6}",
        "expect: {facts: {step_ms: 30, reduce_share: 0.2}}",
    ),
)
SVG = Starter(
    ".svg",
    _SVG,
    alt="A worker sends gradients to a router, which passes shards on to a store.",
    caption="One hop in, one hop out.",
)
