"""matplotlib without its text: which colours are data, what becomes a picture, and what draw() may return."""
