"""Whole documents of hosts that are not written in Python: pandoc, Quarto, mystmd.

The host hands over its document as JSON, once, and gets it back with all figures and facts in it, and the messages for
its author. It runs `figmill page --json` for this.
"""
