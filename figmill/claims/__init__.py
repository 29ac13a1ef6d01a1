"""Claims: the numbers in the text about a figure, bound to what the figure states."""
