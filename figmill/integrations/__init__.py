"""Figures in pages: what of a figure stands in this kind of page, and a thin file for each host.

`figures.py` and `page.py` answer, from the manifest alone. Nothing here draws, or knows how a figure is drawn.
"""
