"""Checks for problems that readers have, one per file. Each check is a pass that warns and changes at most a colour."""
