"""Question files -> figures to draw: YAML, its fields, and what the figures of a book refer to."""
