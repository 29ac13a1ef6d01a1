"""The numbers that an author's script states: what draw() returns, and `figmill.facts(mean=...)` in any script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from figmill.errors import ToolError
from figmill.kind import answer
from figmill.model import Fact

_recordings: list[dict[str, Fact]] = []  # of this process, not of a thread: a script may have several


def facts(**values: Any) -> None:
    """State numbers of the figure that this script draws. Outside a build, this only checks them.

    Of equal names, the last counts. Raises ToolError, which a build reports at the line of the call.
    """
    try:
        stated = plain(values)
    except answer.WrongAnswerError as error:
        raise ToolError(str(error)) from None
    for recording in _recordings:
        recording.update(stated)


@contextmanager
def recording() -> Iterator[dict[str, Fact]]:
    """While the context is open, its value gets what `facts` states."""
    stated: dict[str, Fact] = {}
    _recordings.append(stated)
    try:
        yield stated
    finally:
        _recordings.pop()


def plain(facts: Mapping[str, Any]) -> dict[str, Fact]:
    """The facts as JSON values; numbers of numpy and fractions become Python's. Raises WrongAnswerError."""
    return answer.facts_of({name: _plain(name, value) for name, value in facts.items()})


def _plain(name: object, value: Any) -> Any:
    """A fact in Python's own types, as far as possible."""
    items = value.tolist() if hasattr(value, "tolist") else value
    return (
        [_number(name, item) for item in items] if isinstance(items, list | tuple) else _number(name, items)
    )


def _number(name: object, value: Any) -> Any:
    plain = value.item() if hasattr(value, "item") else value
    if plain is None or isinstance(plain, bool | int | float | str | list | tuple | Mapping):
        return plain
    if not hasattr(plain, "__float__"):
        return plain
    try:
        return float(plain)  # of a fraction or a decimal
    except (OverflowError, ValueError, TypeError) as error:
        raise answer.WrongAnswerError(f"fact '{name}' cannot be stated as a number: {error}") from None
