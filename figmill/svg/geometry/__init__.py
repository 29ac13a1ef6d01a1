"""Geometry: what is painted, how wide words are, and how much room they have."""
