"""Kinds of figure from text and from editors' files, for figmill. Each is a folder that imports figmill.kind alone."""

__version__ = "0.1.0"
