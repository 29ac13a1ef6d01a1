"""The command line: the options that commands share, and what a build is asked for."""
