"""One builder that stays: the book in memory, processes warm, and of a change only what it touches."""
