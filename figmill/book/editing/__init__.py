"""Edits to the text of a question file: only the affected lines change."""
