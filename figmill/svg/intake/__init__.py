"""Done once to each accepted drawing: constructs that only some tools write are rewritten plainly."""
