"""Recorded timelines: traces as profilers write them, and the events of a recorded pipeline.

`readers` reads a trace in any format.
"""
