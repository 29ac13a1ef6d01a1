"""What a program may do with a book: list, draw, check, preview, and write a question."""
