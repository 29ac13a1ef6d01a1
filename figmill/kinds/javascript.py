"""V8 for renderers that are written in JavaScript: one engine per process, or one per drawing.

V8 reserves a terabyte of addresses and uses little of it, so a limit on addresses would end it; instead, its heap has a
limit. A script cannot open files or the network: V8 alone offers neither.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

HEAP = 1 << 30  # bytes of V8's heap
STEPS = 200_000  # timers that one drawing may run


class ScriptError(Exception):
    """A script threw. `text` is its message, `data` what the driver reports with it."""

    def __init__(self, text: str, data: Any = None) -> None:
        super().__init__(text)
        self.text, self.data = text, data


class SlowError(Exception):
    """A drawing ran out of time or memory; the text says which."""


def evaluated(scripts: Sequence[str], timeout: float) -> str:
    """The value of the last script, a text, in a new V8 that ends with it. Raises ScriptError, SlowError.

    timeout: seconds for all scripts.
    """
    from py_mini_racer import JSEvalException, JSOOMException, JSTimeoutException, MiniRacer

    end = time.monotonic() + timeout
    context = MiniRacer()
    context.set_hard_memory_limit(HEAP)
    try:
        for text in scripts[:-1]:
            context.eval(text + "\n;0", timeout_sec=max(0.001, end - time.monotonic()))
        answer = context.eval(scripts[-1], timeout_sec=max(0.001, end - time.monotonic()))
    except JSTimeoutException:
        raise SlowError(f"took longer than {timeout:g} s") from None
    except JSOOMException:
        raise SlowError(f"needed more than {HEAP >> 20} MiB") from None
    except JSEvalException as error:
        raise ScriptError(str(error)) from None
    finally:
        context.close()
    return answer if isinstance(answer, str) else ""


@dataclass(slots=True)
class Engine:
    """A V8 in which scripts have been loaded. timeout: seconds for one drawing."""

    scripts: Sequence[str]
    _context: Any = field(default=None)

    def load(self) -> None:
        """Start V8 and run the scripts, once."""
        if self._context is None:
            from py_mini_racer import MiniRacer

            context = MiniRacer()
            context.set_hard_memory_limit(HEAP)
            for text in self.scripts:
                context.eval(text + "\n;0")
            self._context = context

    def call(self, function: str, *arguments: Any, timeout: float) -> Any:
        """What `function` of the driver resolves to, as JSON. Raises ScriptError, SlowError.

        The driver's `__begin(name, arguments)` starts it, `__runNextTimer()` runs what it waits for, and `__answer()`
        returns its result as JSON text, or nothing while it is not there.
        """
        from py_mini_racer import JSEvalException, JSOOMException, JSTimeoutException

        self.load()
        end = time.monotonic() + timeout
        try:
            self._eval(f"__begin({json.dumps(function)}, {json.dumps(arguments)}); 0", end)
            for _ in range(STEPS):
                answer = self._eval("__answer()", end)
                if answer or not self._eval("__runNextTimer()", end):
                    break
            answer = answer or self._eval("__answer()", end)
        except JSTimeoutException:
            self._context = None
            raise SlowError(f"took longer than {timeout:g} s") from None
        except JSOOMException:
            self._context = None
            raise SlowError(f"needed more than {HEAP >> 20} MiB") from None
        except JSEvalException as error:
            raise ScriptError(str(error)) from None
        if not answer:
            raise ScriptError("it ended without a drawing")
        result = json.loads(answer)
        if "error" in result:
            raise ScriptError(result["error"]["message"], result["error"])
        return result["value"]

    def _eval(self, text: str, end: float) -> Any:
        return self._context.eval(text, timeout_sec=max(0.001, end - time.monotonic()))
