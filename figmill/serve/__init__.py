"""`watch`: the figures of a book as live pages, for the author at this machine only."""
