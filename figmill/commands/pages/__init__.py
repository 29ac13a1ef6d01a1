"""The commands for pages: a figure to paste, and the files of a host."""
