"""Geometry: what is painted, how wide text is, and how much room it has."""
