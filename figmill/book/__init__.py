"""From question files to figures: YAML, its fields, and everything the figures of a book refer to."""
