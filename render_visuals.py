"""Build the figures of this book: `python render_visuals.py --help`."""

from figmill.__main__ import run

if __name__ == "__main__":
    run()
