"""HTML labels as real text: the content of a <foreignObject>, laid out with the metrics of the book's fonts.

`labels.py` is the entry point. No HTML remains in the drawing: the result contains only text, numbers and figmill's own
colours.
"""
