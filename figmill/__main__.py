"""The command, as `python -m figmill` and as installed.

Each step loads only what it needs: first the fast path, then a plain build, then the command line with its options.
"""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # the current folder, whose modules would shadow Python's own

from figmill.fastpath import answered, leave, plain
from figmill.streams import LostOutputError, complain, stand_in

TYPE_CHECKING = False  # loading `typing` takes longer than the fast path
if TYPE_CHECKING:
    from typing import NoReturn


def run() -> "NoReturn":
    """Run the whole process."""
    stand_in()
    seen = None
    arguments = plain(sys.argv[1:])
    try:
        if arguments is not None:
            is_fresh, seen = answered(*arguments)
            if is_fresh:
                leave(0)
    except KeyboardInterrupt:
        leave(130)
    except LostOutputError as error:
        complain(f"figmill: {error}")
        leave(1)
    except (OSError, ValueError):
        pass  # such as an unreadable folder: the next step reports it
    from figmill import cli  # loads ten times as much as the fast path

    leave(cli.main(arguments, seen))


if __name__ == "__main__":
    run()
