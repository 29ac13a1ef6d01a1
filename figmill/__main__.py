"""`python -m figmill`."""

from figmill.cli import main

main()
