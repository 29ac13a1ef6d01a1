"""The resident builder: keeps a book in memory and its processes warm, and builds only what a change affects."""
