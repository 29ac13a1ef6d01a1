"""Checks for problems that readers have, one per file. Each is a pass that warns and at most changes a colour."""
