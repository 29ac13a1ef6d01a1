"""One module for each command, and what they share. The table of commands is in cli.py."""
