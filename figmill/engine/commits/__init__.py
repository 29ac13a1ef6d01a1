"""A book at a commit: checked out into a folder of its own, drawn once, and saved."""
