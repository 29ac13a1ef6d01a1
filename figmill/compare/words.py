"""Two SVGs in normal form -> what a reviewer would say of the change. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from figmill.model import Fact, Published

PAINTED = ("fill", "stroke", "stop-color", "flood-color", "lighting-color", "color")
COLOUR = re.compile(r"#[0-9a-f]{3,8}\b", re.I)
LONGEST = 80  # characters of a text
MOST = 6  # words, facts or colours that are named; the others are counted
SPOKEN = ("title", "desc")


@dataclass(frozen=True, slots=True)
class Content:
    """What a drawing in normal form holds: its words, its colours, and all the rest as one string."""

    words: tuple[str, ...]
    colours: tuple[str, ...]
    shapes: str
    size: tuple[str, str]


def content(svg: bytes) -> Content:
    from lxml import etree  # only where there is something to compare

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)
    root = etree.fromstring(svg, parser)
    words: list[str] = []
    colours: list[str] = []
    shapes: list[str] = []
    for node in root.iter():
        tag = etree.QName(node).localname
        if tag in SPOKEN or any(etree.QName(above).localname in SPOKEN for above in node.iterancestors()):
            continue
        if tag == "text":
            words.append(" ".join("".join(map(str, node.itertext())).split()))
        attributes = []
        for name, value in sorted(node.attrib.items()):
            if name in PAINTED:
                colours.append(value)
            elif name not in ("id", "aria-labelledby"):
                attributes.append(f"{name}={value}")
        shapes.append(f"{tag} {' '.join(attributes)}")
    size = (str(root.get("width", "")), str(root.get("height", "")))
    return Content(tuple(words), tuple(colours), "\n".join(shapes), size)


def said(
    before: bytes | None, after: bytes | None, then: Published | None, now: Published | None, is_seen: bool
) -> tuple[str, ...]:
    """The change of one figure, a phrase for each thing that a reviewer cares for.

    then, now: what is published with it. is_seen: whether any pixel differs.
    """
    if before is None or after is None:
        return ("a new figure",) if before is None else ("the figure is gone",)
    notes = [*_of_drawing(content(before), content(after), is_seen)] if before != after else []
    if then is not None and now is not None:
        notes += _of_texts(then, now)
    if not notes and before != after:
        notes.append("nothing that one can see")
    return tuple(notes)


def _of_drawing(old: Content, new: Content, is_seen: bool) -> Iterator[str]:
    gone, come = (list((Counter(a.words) - Counter(b.words)).elements()) for a, b in ((old, new), (new, old)))
    if len(gone) == len(come) and gone:
        yield "words: " + _listed([f"'{a}' is now '{b}'" for a, b in zip(gone, come, strict=True)])
    else:
        if come:
            yield "new words: " + _listed([f"'{word}'" for word in sorted(come, key=len, reverse=True)])
        if gone:
            yield "words gone: " + _listed([f"'{word}'" for word in sorted(gone, key=len, reverse=True)])
    if not is_seen:
        return
    if old.size != new.size:
        yield f"size: {' x '.join(old.size)} is now {' x '.join(new.size)} px"
    if old.colours != new.colours:
        changed = list(dict.fromkeys(
            (a, b) for a, b in zip(old.colours, new.colours, strict=False) if a != b
        )) if len(old.colours) == len(new.colours) else []  # fmt: skip
        if changed:
            yield "colours: " + _listed([f"{a} is now {b}" for a, b in changed])
        elif set(old.colours) != set(new.colours):
            yield "other colours"
    if old.shapes != new.shapes and not (gone or come) and old.size == new.size:
        same_count = old.shapes.count("\n") == new.shapes.count("\n")
        yield "places and shapes only" if same_count else _counted(old.shapes, new.shapes)


def _counted(old: str, new: str) -> str:
    more = new.count("\n") - old.count("\n")
    return f"{abs(more)} shape{'s' if abs(more) > 1 else ''} {'more' if more > 0 else 'fewer'}"


def _of_texts(then: Published, now: Published) -> Iterator[str]:
    for name in ("title", "alt", "caption"):
        old, new = getattr(then, name), getattr(now, name)
        if old != new:
            yield f"{name}: {_told(old, new)}"
    if facts := list(_of_facts(then.facts, now.facts)):
        yield "facts: " + _listed(facts)


def _of_facts(then: Mapping[str, Fact], now: Mapping[str, Fact]) -> Iterator[str]:
    for name in sorted({*then, *now}):
        if name not in then:
            yield f"{name} = {_short(now[name])} (new)"
        elif name not in now:
            yield f"{name} is gone"
        elif then[name] != now[name]:
            yield f"{name}: {_short(then[name])} is now {_short(now[name])}"


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _told(old: str | None, new: str | None) -> str:
    """A text before and after, from the first word that differs."""
    if old is None or new is None:
        return f"{_quoted(old)} is now {_quoted(new)}"
    one, other = old.split(), new.split()
    same = next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    start = max(0, same - 2)
    before, after = (" ".join(words[start:]) for words in (one, other))
    more = "..." if start else ""
    return f"{_quoted(more + before)} is now {_quoted(more + after)}"


def _quoted(text: str | None) -> str:
    if text is None:
        return "none"
    return f"'{text if len(text) <= LONGEST else text[: LONGEST - 3] + '...'}'"


def _listed(parts: list[str]) -> str:
    more = f" and {len(parts) - MOST} more" if len(parts) > MOST else ""
    return ", ".join(parts[:MOST]) + more
