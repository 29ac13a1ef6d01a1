"""A library of timelines: simulators of running systems, readers of traces, and charts.

It knows no books, questions or outputs, and imports nothing of figmill. Every simulator turns parameters or data into a
`Timeline` or into numbers; `charts.gantt` draws a timeline, `charts.ascii` writes it as text.
docs/reference/timelines.md lists the API.
"""

__version__ = "0.1.0"
