"""Checks for readers' problems, one a file. Each is a pass that warns and changes at most a colour."""
