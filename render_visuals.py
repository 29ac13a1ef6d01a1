"""Build the figures of this book: `python render_visuals.py --help`."""

from figmill.cli import run

if __name__ == "__main__":
    run()
