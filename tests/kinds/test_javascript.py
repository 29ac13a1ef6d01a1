"""V8 for renderers in JavaScript: what a source does not find there, and what a cancelled script leaves behind."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

pytest.importorskip("py_mini_racer")
from figmill.kind.javascript import ScriptError, evaluated

MEMORY = 1 << 30
GONE = [
    "WebAssembly",
    "SharedArrayBuffer",
    "Atomics",
    "setTimeout",
    "clearTimeout",
    "ShadowRealm",
    "Worker",
    "require",
]
COMPILERS = [
    "eval('1')",
    "(0, eval)('1')",
    "globalThis.eval('1')",
    "Function('return 1')()",
    "new Function('return 1')()",
    "(() => {}).constructor('return 1')()",
    "(async () => {}).constructor('return 1')()",
    "(function* () {}).constructor('yield 1')()",
    "(async function* () {}).constructor('yield 1')()",
    "Reflect.construct(Function, ['return 1'])()",
    "Object.getPrototypeOf(function* () {}).constructor('yield 1')()",
    "class A extends Function {}; new A('return 1')()",
    "[].map.constructor('return 1')()",
    "new Proxy(Function, {})('return 1')",  # what an iframe would reach is the same realm, too
]


def test_a_source_finds_neither_threads_nor_memory_outside_the_heap() -> None:
    types = ", ".join(f"{name}: typeof globalThis.{name}" for name in GONE)
    told = evaluated((f"JSON.stringify({{{types}}})",), 10, MEMORY)
    assert json.loads(told) == dict.fromkeys(GONE, "undefined")


def test_no_text_is_compiled() -> None:
    runs = ", ".join(f"() => {{ {text} }}" for text in COMPILERS)
    attempt = "(run) => { try { run(); return 'compiled' } catch (error) { return `${error}` } }"
    told = json.loads(evaluated((f"JSON.stringify([{runs}].map({attempt}))",), 10, MEMORY))
    refusal = "EvalError: Code generation from strings disallowed"
    assert [text for text, error in zip(COMPILERS, told, strict=True) if refusal not in error] == []
    with pytest.raises(ScriptError, match=refusal):
        evaluated((f"{COMPILERS[0]}; 'compiled'",), 10, MEMORY)


def test_ordinary_code_runs() -> None:
    text = "const f = (x) => x.map((y) => y * 2); JSON.stringify([...f([1, 2])])"
    assert evaluated((text,), 10, MEMORY) == "[2,4]"


STOPPED = """
import time
from figmill.kind.javascript import SlowError, evaluated
for text in ("/^(a+)+$/.test('a'.repeat(40) + 'b')", "for (;;) ;", "'a'.repeat(2 ** 24).split('').sort(() => 0.5)"):
    for _ in range(3):
        try:
            evaluated((text,), 0.2, 1 << 30)
        except SlowError as error:
            assert "took longer than 0.2 s" in str(error)
        else:
            raise AssertionError(text)
time.sleep(1)
import os; os._exit(0)
"""


def test_a_cancelled_script_prints_nothing() -> None:
    """V8 stops a moment after it was asked to, and reports that: its context must still be there."""
    done = subprocess.run([sys.executable, "-c", STOPPED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("text", ["m.push(new Uint8Array(1 << 25).fill(1))", "m.push({a: [1, 2, 3]})"])
def test_what_it_allocates_ends_at_its_limit(text: str) -> None:
    """V8 says so, or it ends its process, where it can do nothing without memory."""
    code = (
        "from figmill.kind.javascript import SlowError, evaluated\n"
        f"try: evaluated(('let m = []; for (;;) {text}',), 60, 64 << 20)\n"
        "except SlowError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        assert done.stdout == "needed more than 64 MiB\n"
    else:
        assert done.returncode == -signal.SIGTRAP, done


@pytest.mark.skipif(sys.platform != "linux", reason="no other system has these limits")
def test_the_limits_of_a_script_end_with_its_test() -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    assert soft == hard
