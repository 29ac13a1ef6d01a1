"""New questions: the files that `new` writes, and their first sources."""
