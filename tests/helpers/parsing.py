"""ast.parse that is not disturbed, so that a failing test says why.

In Python 3.11 a parser that is entered again before it has come back raises "SystemError: AST constructor recursion
depth mismatch". The garbage collector does that: it may run while a tree is made, and what it then ends may have a
traceback printed, for which Python parses the line. pytest parses the file of a failing test to show where it failed,
so it would lose the reason, and end the whole run.
"""

from __future__ import annotations

import ast
import functools
import gc
from typing import Any

_parse = ast.parse


@functools.wraps(_parse)
def undisturbed(*arguments: Any, **named: Any) -> Any:
    """The tree of a text, made while nothing is collected; made once more if it was disturbed all the same."""
    collects = gc.isenabled()
    gc.disable()
    try:
        return _parse(*arguments, **named)
    except SystemError:
        return _parse(*arguments, **named)
    finally:
        if collects:
            gc.enable()


def install() -> None:
    """For everything in this process."""
    ast.parse = undisturbed
