"""SVG as text: parsed, checked against the allowlist, and written. Knows nothing of what is painted."""
