"""A library that reads the structure of code and schemas: imports, classes, tables, an HTTP API, state machines.

It reads text and runs nothing. It knows no books, questions or outputs. Of the rest of figmill it imports
`figmill.palette`, and nothing else. The rest of figmill does not import it: scripts do. Every reader returns a `Graph`
(graph.py), and drawing.py turns a graph into DOT. docs/generators/structure.md describes the generators.
"""
