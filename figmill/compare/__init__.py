"""What a change of a book does to its figures, for a person: in words, in pixels, as one page, as Markdown."""
