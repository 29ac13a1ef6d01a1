"""The enclosure of an author's code: the sandbox, and the kernel features it uses."""
