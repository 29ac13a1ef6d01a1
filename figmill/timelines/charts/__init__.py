"""Timelines and tables of them as figures, and as text. Knows no simulator."""
