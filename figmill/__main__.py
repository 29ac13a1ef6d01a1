"""The command, as `python -m figmill` and as installed.

Each step loads what it needs and no more: a glance at the book, then a plain build, then any words at all.
"""

from __future__ import annotations

import sys

from figmill.fastpath import answered, leave, plain
from figmill.streams import stand_in

TYPE_CHECKING = False  # loading `typing` takes longer than the glance
if TYPE_CHECKING:
    from typing import NoReturn


def run() -> NoReturn:
    """The whole process."""
    stand_in()
    seen = None
    asked = plain(sys.argv[1:])
    try:
        if asked is not None:
            is_fresh, seen = answered(*asked)
            if is_fresh:
                leave(0)
    except KeyboardInterrupt:
        leave(130)
    except (OSError, ValueError):
        pass  # a report that cannot be written, say: told by what follows
    from figmill.commands.error_handler import guarded

    if asked is None:
        from figmill import cli

        leave(guarded(cli.run))
    from figmill.commands.build import carry_out, of

    leave(guarded(lambda: carry_out(of(*asked), seen)))


if __name__ == "__main__":
    run()
