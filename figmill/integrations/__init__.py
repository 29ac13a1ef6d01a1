"""Figures in pages: how a figure appears in each kind of page, with a thin file for each host.

`figures.py` and `lookup.py` answer from the manifest alone. Hosts in other languages pass their whole document to
`documents/`. Nothing here draws, or knows how a figure is drawn.
"""
