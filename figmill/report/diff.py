"""The diff of a file before and after. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from figmill.model import Change

BINARY = (b"\x89PNG", b"%PDF")
LINE = 10_000  # characters per line: pictures take more, and show nothing as text
LINES = 400  # per diff; a longer one is cut, with a note


def verb(change: Change) -> str | None:
    """`create`, `change` or `remove`; None if the bytes are equal."""
    if change.before == change.after:
        return None
    if change.before is None:
        return "create"
    return "remove" if change.after is None else "change"


def changes_between(
    before: Mapping[str, bytes], after: Mapping[str, bytes], paths: Iterable[str]
) -> tuple[Change, ...]:
    """The files at these paths before and after, each light one before its dark twin."""
    ordered = sorted(paths, key=lambda path: (path.endswith(".dark.svg"), path))
    return tuple(Change(path, before.get(path), after.get(path)) for path in ordered)


def diff(change: Change) -> Iterator[str]:
    """The unified diff as lines without line ends, in the form that `git apply` reads."""
    from difflib import unified_diff  # only dry runs show diffs

    old = "/dev/null" if change.before is None else f"a/{change.target}"
    new = "/dev/null" if change.after is None else f"b/{change.target}"
    if _is_binary(change.before) or _is_binary(change.after):
        yield f"Binary files {old} and {new} differ"
        return
    before, after = _lines(change.before), _lines(change.after)
    for number, line in enumerate(unified_diff(before, after, old, new, n=2, lineterm="")):
        if number == LINES:
            yield f"... cut after {LINES} lines"
            return
        yield line if len(line) <= LINE else f"{line[:LINE]}... cut, {len(line):,} characters"


def _is_binary(data: bytes | None) -> bool:
    return data is not None and data.startswith(BINARY)


def _lines(data: bytes | None) -> list[str]:
    return [] if data is None else data.decode("utf-8", "replace").splitlines()
