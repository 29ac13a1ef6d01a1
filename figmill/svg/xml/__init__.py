"""SVG as text: parsed, checked against the allowlist, and written. Unaware of what is painted."""
