"""The command line: the options that commands share, the order for a build, and what is told of one."""
