"""The commands that show what a change does to the figures."""
