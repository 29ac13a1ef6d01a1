"""New questions: files that `new` writes, and the sources that they begin with."""
