"""Two SVGs in normal form -> the change in a reviewer's words. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from figmill import xml_tree
from figmill.compare.matching import Matching, matching, renamed_words
from figmill.compare.parts import directed, text_of
from figmill.late_dataclasses import dataclass
from figmill.model import Fact, Published
from figmill.svg import LinePart, Skeleton

PAINTED = ("fill", "stroke", "stop-color", "flood-color", "lighting-color", "color")
LONGEST = 80  # characters of a text
MOST = 6  # words, facts or colours that are named; the rest are counted
SPOKEN = ("title", "desc")


@dataclass(frozen=True, slots=True)
class DrawingContent:
    """The content of a drawing in normal form: its texts, its colours, and all the rest as one string."""

    texts: tuple[str, ...]
    colours: tuple[str, ...]
    shapes: str
    size: tuple[str, str]

    @property
    def tags(self) -> list[str]:
        """The elements in their order."""
        return [line.partition(" ")[0] for line in self.shapes.split("\n")]


UNSEEN = "nothing visible"


def content(svg: bytes) -> DrawingContent:
    from lxml import etree  # loaded only if there is something to compare

    root = xml_tree.parsed(svg)
    texts: list[str] = []
    colours: list[str] = []
    shapes: list[str] = []
    for node in root.iter():
        tag = etree.QName(node).localname
        if tag in SPOKEN or any(etree.QName(above).localname in SPOKEN for above in node.iterancestors()):
            continue
        if tag == "text":
            texts.append(" ".join("".join(map(str, node.itertext())).split()))
        attributes = []
        for name, value in sorted((str(name), str(value)) for name, value in node.items()):
            if name in PAINTED:
                colours.append(value)
            elif name not in ("id", "aria-labelledby"):
                attributes.append(f"{name}={value}")
        shapes.append(f"{tag} {' '.join(attributes)}")
    size = (str(root.get("width", "")), str(root.get("height", "")))
    return DrawingContent(tuple(texts), tuple(colours), "\n".join(shapes), size)


def phrases(
    before: bytes | None,
    after: bytes | None,
    then: Published | None,
    now: Published | None,
    is_seen: bool | None,
) -> tuple[str, ...]:
    """The change of one figure, a phrase for each thing that matters to a reviewer.

    then, now: the figure as published. is_seen: whether any pixel differs; None: unknown.
    """
    if before is None or after is None:
        return ("a new figure",) if before is None else ("the figure is gone",)
    notes: list[str] = []
    if before != after:
        old, new = content(before), content(after)
        if is_seen is None:
            is_seen = old != new
        notes += _of_drawing(old, new, matching(before, after), is_seen)
    if then is not None and now is not None:
        notes += _of_texts(then, now)
    if is_seen and not notes:
        notes.append("the picture")
    if not notes and before != after:
        notes.append(UNSEEN)
    return tuple(notes)


def _of_drawing(
    old: DrawingContent, new: DrawingContent, match: Matching | None, is_seen: bool
) -> Iterator[str]:
    come_nodes, gone_nodes, renamed = _nodes(match) if match else ((), (), ())
    of_graph = list(_of_graph(match)) if match else []
    yield from of_graph
    before = (*gone_nodes, *(a for a, _ in renamed))
    after = (*come_nodes, *(b for _, b in renamed))
    gone = _others(list((Counter(old.texts) - Counter(new.texts)).elements()), before)
    come = _others(list((Counter(new.texts) - Counter(old.texts)).elements()), after)
    pairs = list(renamed_words(match)) if match else []
    if len(gone) == len(come):
        pairs += zip(gone, come, strict=True)
        gone, come = [], []
    if pairs:
        changes = Counter(f"{_quoted(a)} is now {_quoted(b)}" for a, b in pairs)
        yield "words: " + _listed([_times(text, count) for text, count in changes.items()])
    if come:
        yield "new words: " + _listed(_counted_words(come))
    if gone:
        yield "words gone: " + _listed(_counted_words(gone))
    if not is_seen:
        return
    if old.size != new.size:
        yield f"size: {_size(old.size, new.size)} is now {_size(new.size, old.size)} px"
    recoloured = list(_of_colours(old, new))
    yield from recoloured
    if old.shapes == new.shapes or gone or come or pairs or of_graph:
        return  # words, nodes and edges already describe the change of shapes
    if counted := list(_counted(old, new)):
        yield "shapes: " + _listed(counted)
    elif old.size == new.size:
        yield "places and shapes" if recoloured else "places and shapes only"


def _counted_words(texts: list[str]) -> list[str]:
    """Each text once, longest first, with the number of times that it occurs."""
    counts = sorted(Counter(texts).items(), key=lambda row: len(row[0]), reverse=True)
    return [_times(_quoted(word), count) for word, count in counts]


def _times(text: str, count: int) -> str:
    return text if count == 1 else f"{text} ({count} times)"


def _size(mine: tuple[str, str], other: tuple[str, str]) -> str:
    """Width and height, in whole px if the two then differ."""
    whole = [[f"{float(side or 0):.0f}" for side in size] for size in (mine, other)]
    return " x ".join(whole[0] if whole[0] != whole[1] else mine)


def _nodes(match: Matching) -> tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The texts of the new boxes and of those that are gone; the renamed boxes and labels, before and after."""
    old, new = match.old, match.new
    renamed = [(text_of(old.boxes[i]), text_of(new.boxes[j])) for i, j in match.boxes.renamed]
    renamed += [(old.labels[i].words, new.labels[j].words) for i, j in match.labels.renamed]
    return (
        tuple(text_of(new.boxes[j]) for j in match.boxes.new),
        tuple(text_of(old.boxes[i]) for i in match.boxes.gone),
        tuple(renamed),
    )


def _of_graph(match: Matching) -> Iterator[str]:
    come, gone, _ = _nodes(match)
    nodes, edges = ("nodes", "edges") if match.is_joined else ("boxes", "lines")
    for names, heading in ((come, f"new {nodes}"), (gone, f"{nodes} gone")):
        if names:
            yield f"{heading}: " + _listed([_quoted(name) for name in names])
    for side, lines, heading in (
        (match.new, match.lines.new, f"new {edges}"),
        (match.old, match.lines.gone, f"{edges} gone"),
    ):
        if lines:
            yield f"{heading}: " + _listed([_ends(side, side.lines[number]) for number in lines])
    if match.are_restyled(match.lines):
        yield f"{edges} drawn differently: " + _listed(
            [_ends(match.new, match.new.lines[j]) for _, j in match.lines.restyled]
        )
    if match.moved:
        yield f"{nodes} moved: " + _listed([_quoted(text_of(match.new.boxes[j])) for _, j in match.moved])


def _ends(side: Skeleton, line: LinePart) -> str:
    start, end = (
        "no box" if number is None else _quoted(text_of(side.boxes[number])) for number in directed(line)
    )
    return f"{start} to {end}"


def _of_colours(old: DrawingContent, new: DrawingContent) -> Iterator[str]:
    """The colours that the same shapes had and have; for other shapes, the new and the removed colours."""
    if len(old.colours) == len(new.colours) and old.tags == new.tags:
        changed = [(a, b) for a, b in zip(old.colours, new.colours, strict=True) if a != b]
        if changed:
            yield "colours: " + _listed([f"{a} is now {b}" for a, b in dict.fromkeys(changed)])
        return
    come, gone = (sorted({*a.colours} - {*b.colours} - {"none"}) for a, b in ((new, old), (old, new)))
    if come:
        yield "new colours: " + _listed(come)
    if gone:
        yield "colours gone: " + _listed(gone)


def _others(texts: list[str], nodes: tuple[str, ...]) -> list[str]:
    """The texts that do not name a node in the message."""
    left = Counter(texts)
    named = " ".join(nodes)
    return [
        word for word in left.elements() if word and word not in nodes and f" {word} " not in f" {named} "
    ]


def _counted(old: DrawingContent, new: DrawingContent) -> Iterator[str]:
    """For each sort of shape, how many more or fewer there are; groups are not shapes."""
    before, after = Counter(old.tags), Counter(new.tags)
    for tag in sorted({*before, *after} - {"g", "svg", "text", "tspan", "defs"}):
        more = after[tag] - before[tag]
        if more:
            yield f"{abs(more)} {tag} {'more' if more > 0 else 'fewer'}"


def _of_texts(then: Published, now: Published) -> Iterator[str]:
    for name in ("title", "alt", "caption"):
        old, new = getattr(then, name), getattr(now, name)
        if old != new:
            yield f"{name}: {_from_difference(old, new)}"
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


def _from_difference(old: str | None, new: str | None) -> str:
    """A text before and after, from shortly before the first word that differs."""
    if old is None or new is None:
        return f"{_quoted(old)} is now {_quoted(new)}"
    old_words, new_words = old.split(), new.split()
    same = next(
        (n for n, (a, b) in enumerate(zip(old_words, new_words, strict=False)) if a != b),
        min(len(old_words), len(new_words)),
    )
    start = max(0, same - 2)
    before, after = (" ".join(text[start:]) for text in (old_words, new_words))
    more = "..." if start else ""
    return f"{_quoted(more + before)} is now {_quoted(more + after)}"


def _quoted(text: str | None) -> str:
    if text is None:
        return "none"
    return f"'{text if len(text) <= LONGEST else text[: LONGEST - 3] + '...'}'"


def _listed(parts: list[str]) -> str:
    more = f" and {len(parts) - MOST} more" if len(parts) > MOST else ""
    return ", ".join(parts[:MOST]) + more
