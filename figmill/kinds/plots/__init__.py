"""matplotlib without its text: which colours are data, what becomes a picture, what draw() may return."""
