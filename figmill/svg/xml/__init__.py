"""SVG as text: parsed, held to the list of what may stand in a figure, and written. Unaware of what is painted."""
