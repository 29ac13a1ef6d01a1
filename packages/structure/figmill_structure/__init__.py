"""A library that reads the structure of code and schemas: imports, classes, tables, an HTTP API, state machines.

It reads text and runs nothing. It knows no books, questions or outputs. It imports nothing of figmill;
its colours are those of `figmill_timelines.palette`. Every reader returns a `Graph` (graph.py), and drawing.py turns a
graph into DOT.
docs/generators/structure.md describes the generators.
"""

__version__ = "0.1.0"
