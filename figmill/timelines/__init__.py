"""Timelines of machines at work: simulators, readers of traces, and their drawing.

An island: nothing here knows of questions, plans or outputs, and of figmill it imports the palette alone.
Every simulator turns parameters or data into a `Timeline`; `gantt` draws one, `ascii` writes one as text.
"""
