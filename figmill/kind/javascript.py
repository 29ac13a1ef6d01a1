"""V8 for renderers that are written in JavaScript: one engine per process, or one per drawing.

V8 reserves a terabyte of addresses and uses little of it, so a limit on addresses would end it. Instead its heap has a
limit, and the kernel holds all that the process may write to (limits.hold): the heap does not include the buffers of
arrays. A script cannot open files or the network: V8 alone offers neither.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from figmill.enclosure import limits
from figmill.late_dataclasses import dataclass

HEAP = 1 << 30  # bytes of V8's heap
STEPS = 200_000  # timers that one drawing may run
# Neither eval() nor a constructor of functions compiles text, not even that of an engine.
FLAGS = ("--disallow-code-generation-from-strings",)
# Memory outside V8's heap, memory that threads share, and mini-racer's timers, which need it. A declared name cannot
# be deleted.
WITHOUT = """
for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics"]) delete globalThis[name];
for (const name of ["setTimeout", "clearTimeout", "__timer_manager"]) globalThis[name] = undefined;
"""
# What V8 says where the kernel gives it no more.
REFUSED = ("Array buffer allocation failed", "could not allocate memory")


class ScriptError(Exception):
    """A script threw. `text` is its message, `data` what the driver reports with it."""

    def __init__(self, text: str, data: Any = None) -> None:
        super().__init__(text)
        self.text, self.data = text, data


class SlowError(Exception):
    """A drawing ran out of time or memory; the text says which."""


_stopping: list[Any] = []  # contexts whose script was cancelled


def _context(memory: int) -> Any:
    """A new V8 with a heap limit, which compiles no text of a script. Its start has no limit."""
    from py_mini_racer import DEFAULT_V8_FLAGS, MiniRacer, init_mini_racer

    limits.lift()
    init_mini_racer(flags=(*DEFAULT_V8_FLAGS, *FLAGS), ignore_duplicate_init=True)
    context = MiniRacer()
    context.set_hard_memory_limit(min(HEAP, memory))
    context.eval(WITHOUT)
    return context


def _value(context: Any, text: str, end: float, timeout: float, memory: int) -> Any:
    """The value of a script that must finish by `end`. Raises ScriptError, SlowError."""
    from py_mini_racer import JSEvalException, JSOOMException, JSTimeoutException

    try:
        return context.eval(text, timeout_sec=max(0.001, end - time.monotonic()))
    except JSTimeoutException:
        # V8 stops a moment later, and reports it to its context: one that was closed in the meantime would print a
        # traceback. The pool ends this process after a failure.
        _stopping.append(context)
        raise SlowError(f"took longer than {timeout:g} s") from None
    except JSOOMException:
        raise SlowError(f"needed more than {min(HEAP, memory) >> 20} MiB") from None
    except JSEvalException as error:
        if any(phrase in str(error) for phrase in REFUSED):
            raise SlowError(f"needed more than {memory >> 20} MiB") from None
        raise ScriptError(str(error)) from None


def evaluated(scripts: Sequence[str], timeout: float, memory: int) -> str:
    """The value of the last script, a text, in a new V8 that ends with it. Raises ScriptError, SlowError.

    timeout: seconds for all scripts. memory: bytes that they may use.
    """
    end = time.monotonic() + timeout
    context = _context(memory)
    limits.hold(memory)
    try:
        for text in scripts[:-1]:
            _value(context, text + "\n;0", end, timeout, memory)
        answer = _value(context, scripts[-1], end, timeout, memory)
    finally:
        if context not in _stopping:
            context.close()
    return answer if isinstance(answer, str) else ""


@dataclass(slots=True)
class Engine:
    """A V8 with scripts loaded. timeout: seconds for one drawing; memory: bytes that it may use."""

    scripts: Sequence[str]
    _context: Any = field(default=None)

    def load(self, memory: int) -> None:
        """Start V8 and run the scripts, once."""
        if self._context is None:
            context = _context(memory)
            for text in self.scripts:
                context.eval(text + "\n;0")
            self._context = context

    def call(self, function: str, *arguments: Any, timeout: float, memory: int) -> Any:
        """What `function` of the driver resolves to, as JSON. Raises ScriptError, SlowError.

        The driver's `__begin(name, arguments)` starts it, `__runNextTimer()` runs what it waits for, and `__answer()`
        returns its result as JSON text, or nothing until the result exists.
        """
        self.load(memory)
        limits.hold(memory)
        end = time.monotonic() + timeout

        def value(text: str) -> Any:
            return _value(self._context, text, end, timeout, memory)

        try:
            value(f"__begin({json.dumps(function)}, {json.dumps(arguments)}); 0")
            for _ in range(STEPS):
                answer = value("__answer()")
                if answer or not value("__runNextTimer()"):
                    break
            answer = answer or value("__answer()")
        except SlowError:
            self._context = None
            raise
        if not answer:
            raise ScriptError("it ended without a drawing")
        result = json.loads(answer)
        if "error" in result:
            raise ScriptError(result["error"]["message"], result["error"])
        return result["value"]
