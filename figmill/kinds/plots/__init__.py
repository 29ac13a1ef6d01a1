"""What matplotlib draws, besides its words: which colours are data, what becomes a picture, what draw() may return."""
