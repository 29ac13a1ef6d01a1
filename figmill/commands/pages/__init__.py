"""The commands for pages: a figure to paste, and what a host needs."""
