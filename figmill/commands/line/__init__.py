"""The command line: the options that commands share, and the order for a build."""
