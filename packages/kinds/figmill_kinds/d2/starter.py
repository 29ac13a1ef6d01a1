"""The first source that `new --kind d2` writes."""

from __future__ import annotations

from figmill.kind import Starter

_SOURCE = b"""\
# A request and its answer.
direction: right
client: Client
router: Router
workers: Workers {
  one: Worker 1
  two: Worker 2
}
cache: KV cache {shape: cylinder}
client -> router: request
router -> workers.one
router -> workers.two
workers.one -> cache
workers.two -> cache
"""

STARTER = Starter(
    ".d2",
    _SOURCE,
    alt="A client asks a router. It hands the request to one of two workers, which share one cache.",
    more=("expect: {nodes: 5, edges: 5}",),
)
