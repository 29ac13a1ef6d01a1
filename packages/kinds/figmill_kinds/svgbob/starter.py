"""The first source that `new --kind svgbob` writes."""

from __future__ import annotations

from figmill.kind import Starter

STARTER = Starter(
    ".bob",
    rb"""
                      +------------+
 .--------.  request  | {routing}  |        .-------.
 | Client | --------> |   Router   | -----> | Cache |
 '--------'           |            |        '-------'
                      +------------+

                             |
                             v
                      +------------+
                      | {compute}  |
                      |   Worker   |
                      |            |
                      +------------+
""",
    alt="A client sends a request to a router, which asks a cache and hands the work to a worker.",
)
