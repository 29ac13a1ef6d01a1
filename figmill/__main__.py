"""The command, as `python -m figmill` and as installed: a glance at the book, and all else by cli.py."""

from __future__ import annotations

import sys

from figmill.glance import answered, leave, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def run() -> NoReturn:
    """The whole process."""
    seen = None
    try:
        asked = plain(sys.argv[1:])
        if asked is not None:
            fresh, seen = answered(*asked)
            if fresh:
                leave(0)
    except KeyboardInterrupt:
        leave(130)
    except (OSError, ValueError):
        pass  # a report that cannot be written, say: told by what follows
    from figmill import cli

    cli.run(seen)


if __name__ == "__main__":
    run()
