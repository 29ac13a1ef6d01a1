"""From steps to outcomes: drawn, taken from the cache, or failed."""
