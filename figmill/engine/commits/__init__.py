"""A book as it was at a commit: checked out aside, drawn once, and kept."""
