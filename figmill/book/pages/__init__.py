"""Pages as a source of questions: the code blocks in a page that hold figures."""
