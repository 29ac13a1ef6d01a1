"""Recorded timelines: traces as profilers write them, and the events of a recorded pipeline.

`readers` reads a trace of any form.
"""
