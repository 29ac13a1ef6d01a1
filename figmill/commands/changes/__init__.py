"""The commands that show the effect of a change on the figures."""
