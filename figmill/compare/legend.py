"""A matching of two drawings -> what has changed, in words: the counts below its picture. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from figmill.compare.matching import Matching


def legend(match: Matching) -> tuple[str, ...]:
    """A text for each sort of change, such as `added: 1 node, 2 edges`; and what the picture does not show."""
    return tuple(_texts(match))


def _texts(match: Matching) -> Iterator[str]:
    box, line = ("node", "edge") if match.is_joined else ("box", "line")
    sorts = ((box, match.boxes), (line, match.lines), ("label", match.labels))
    for what, sign, each in (("added", "+", "new"), ("removed", "−", "gone"), ("renamed", "", "renamed")):
        counts = [counted(len(getattr(its, each)), noun) for noun, its in sorts if getattr(its, each)]
        if counts:
            yield f"{sign} {what}: {', '.join(counts)}".strip()
    if match.moved:
        yield f"moved: {counted(len(match.moved), box)}"
    if looks := [counted(len(its.restyled), noun) for noun, its in sorts if match.are_restyled(its)]:
        yield f"~ drawn differently: {', '.join(looks)}"
    for noun, its in sorts:
        if its.restyled and not match.are_restyled(its):
            yield f"most {plural(noun)} are drawn differently: not marked"
    if match.is_new_layout:
        yield "the layout is new: most have another place"
    elif match.shifted:
        yield f"{counted(match.shifted, box)} made room"
    if match.rest:
        yield f"{counted(match.rest, 'other shape')} {'differs' if match.rest == 1 else 'differ'}: not marked"


def counted(count: int, noun: str) -> str:
    return f"{count} {noun if count == 1 else plural(noun)}"


def plural(noun: str) -> str:
    return f"{noun}es" if noun.endswith("x") else f"{noun}s"
