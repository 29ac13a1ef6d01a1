"""Pages as a source of questions: the blocks of code in a page that hold figures."""
