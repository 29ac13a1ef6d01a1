"""`python -m figmill`."""

from figmill.cli import run

run()
