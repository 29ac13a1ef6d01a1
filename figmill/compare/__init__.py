"""Shows a person how a change of a book changes its figures: in words, in pixels, as one page, as Markdown."""
