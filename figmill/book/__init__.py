"""From question files to figures: YAML, its keys, and everything that the figures of a book refer to."""
