"""The exit codes of every command; docs/reference/commands.md lists them. Standard library only.

Which of them a build or `lint` returns, `report/model.py` decides; `diff` and `claims` decide theirs.
"""

WELL = 0
FAILED = 1
"""A figure or a finding failed, or the build could not be finished."""
USAGE = 2
"""The command line, a setting or the machine does not allow the command."""
DIFFERS = 3
"""With --check: something would change."""
