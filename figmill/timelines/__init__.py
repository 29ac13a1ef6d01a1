"""A library of timelines: simulators of running systems, readers of traces, and charts.

It knows no books, questions or outputs. Of the rest of figmill it imports `figmill.palette`, `figmill.units` and
`figmill.wording`, and nothing else. The rest of figmill does not import it: scripts do, and a warm process loads
modules by name. Every simulator turns parameters or data into a `Timeline` or into numbers; `charts.gantt` draws a
timeline, `charts.ascii` writes it as text. docs/timelines-library.md describes the API.
"""
