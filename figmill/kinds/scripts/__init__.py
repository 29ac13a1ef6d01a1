"""Reads an author's script without running it: the parameters of draw(), advice, readings of the clock."""
