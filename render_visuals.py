"""Build the figures of this book: `python render_visuals.py --help`."""

import sys

import figmill  # noqa: F401  # it may lie in this folder, which is taken from the path before anything else is loaded

if __name__ == "__main__":
    if not sys.flags.safe_path:
        del sys.path[0]  # the book: its modules would stand for those of Python
    from figmill.__main__ import run

    run()
