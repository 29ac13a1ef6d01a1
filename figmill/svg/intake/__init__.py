"""Runs once on each accepted drawing: rewrites constructs of particular tools in plain SVG."""
