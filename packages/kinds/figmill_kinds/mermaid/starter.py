"""What `new --kind mermaid` begins with."""

from __future__ import annotations

from figmill.kind import Starter

_SOURCE = b"""\
flowchart LR
  client([Client]) --> router{{Router}}:::routing
  router -->|tokens| one[Worker 1]:::compute
  router -->|tokens| two[Worker 2]:::compute
  one & two --> cache[(KV cache)]:::data
"""

STARTER = Starter(
    ".mmd",
    _SOURCE,
    alt="A client asks a router. It hands tokens to two workers, which share one cache.",
    more=("expect: {nodes: 5, edges: 5}",),
)
