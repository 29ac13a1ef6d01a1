"""Runs once on each accepted drawing: rewrites constructs of particular tools as plain SVG."""
