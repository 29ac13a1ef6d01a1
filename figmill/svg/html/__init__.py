"""HTML labels as real text: the content of a <foreignObject>, laid out with the metrics of the book's fonts.

`labels.py` is the entry point. No HTML stays in the drawing: only words, numbers and figmill's own colours come out.
"""
