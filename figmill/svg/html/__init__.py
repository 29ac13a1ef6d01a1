"""HTML labels as real text: what a <foreignObject> shows, laid out with the metrics of the book's fonts.

`lift.py` is the way in. Nothing of HTML is left in the drawing: only words, numbers and colours of ours come out.
"""
