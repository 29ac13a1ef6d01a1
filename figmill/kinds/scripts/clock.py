"""Finds where a script reads the clock, because its figure would be different tomorrow. Pure.

It searches the script's text for the functions in READINGS, by the names under which the script imports them. A reading
that measures a duration (`perf_counter`, the difference of two `time.time()`) is not reported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from figmill.kind.job import Remark

MOST = 3  # readings reported per script
# A function that returns the current time -> the number of arguments with which it no longer does so.
READINGS: Mapping[str, int] = MappingProxyType(
    {
        "datetime.datetime.now": 2,
        "datetime.datetime.utcnow": 1,
        "datetime.datetime.today": 1,
        "datetime.date.today": 1,
        "time.time": 1,
        "time.time_ns": 1,
        "time.localtime": 1,
        "time.gmtime": 1,
        "time.ctime": 1,
        "time.asctime": 1,
        "time.strftime": 2,
        "pandas.Timestamp.now": 2,
        "pandas.Timestamp.today": 2,
        "pandas.Timestamp.utcnow": 1,
    }
)
NOW = ("now", "today")  # as text, for the functions below
OF_TEXT = frozenset({"numpy.datetime64", "pandas.Timestamp", "pandas.to_datetime"})


def remarks(data: bytes) -> tuple[Remark, ...]:
    """A remark for each of the first readings in a script; none for a script that Python cannot parse."""
    try:
        tree = ast.parse(data)
        readings = dict.fromkeys(_readings(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(
        Remark(
            "clock", f"`{name}()` reads the clock, so the figure changes by itself; write a fixed time", line
        )
        for line, name in [*readings][:MOST]
    )


def _readings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    names = dict(_imported(tree))
    measured = set(_measured(tree))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = _dotted(node.func)
        first, _, rest = called.partition(".")
        full = ".".join(part for part in (names.get(first, ""), rest) if part)
        given = len(node.args) + len(node.keywords)
        if (full in READINGS and given < READINGS[full] and node not in measured) or (
            full in OF_TEXT and _is_now(node.args[:1])
        ):
            yield node.lineno, called


def _is_now(arguments: list[ast.expr]) -> bool:
    return any(isinstance(argument, ast.Constant) and argument.value in NOW for argument in arguments)


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that a script imports, and what each stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (top, top)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _dotted(node: ast.expr) -> str:
    """`datetime.now` as written; empty for anything but names and dots."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=inner, attr=name) if before := _dotted(inner):
            return f"{before}.{name}"
    return ""


def _measured(tree: ast.Module) -> Iterator[ast.expr]:
    """The calls whose values are only subtracted: `start = time.time()`, `time.time() - start`."""
    subtracted: set[str] = set()
    used: set[str] = set()
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            for side in (node.left, node.right):
                inside.add(side)
                if isinstance(side, ast.Name):
                    subtracted.add(side.id)
                elif isinstance(side, ast.Call):
                    yield side
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in inside:
            used.add(node.id)
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                if name in subtracted - used:
                    yield call
