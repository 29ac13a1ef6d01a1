"""Where text about figures is: a figure's own texts, the prose of its question, and pages that show it. Pure.

A passage is a text with the figures that it is about. Each of its characters has a place in its file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from figmill.book import stated_language
from figmill.book.names import label_of
from figmill.book.nodes import ListNode, MapNode, Node, Scalar
from figmill.claims.context import OWN, PAGE, PROSE
from figmill.late_dataclasses import dataclass

if TYPE_CHECKING:
    from figmill.model import Origin

# The texts of a figure, and what else of a question is not prose about it.
TEXTS = ("alt", "caption", "title", "describe")
_NO_PROSE = frozenset(("id", "track", "visual", "visuals", "tags", "sources", "references", "urls", "links"))


@dataclass(frozen=True, slots=True)
class Passage:
    """A text about figures.

    - near: the labels of those that it is about.
    - far: of others on its page.
    - kind: OWN, PROSE or PAGE, see bind.py.
    - source, start: the file's text, and where the passage begins in it; words of YAML may be folded or quoted there.
    """

    path: str
    text: str
    near: tuple[str, ...]
    far: tuple[str, ...]
    kind: str
    source: str
    start: int
    key: str = ""
    """Where it is in a question, as `visual.alt`; empty: in a page."""

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """The characters of the file that write these of the passage; None if the file writes them otherwise.

        Blanks and line breaks of the file may be others than those of the text.
        """
        if not self.key:
            return self.start + start, self.start + end
        place = self.start
        for letter in self.text[:start]:
            place = _after(self.source, place, letter)
            if place < 0:
                return None
        first = _next(self.source, place) if start < end and not self.text[start].isspace() else place
        last = first
        for letter in self.text[start:end]:
            last = _after(self.source, last, letter)
            if last < 0:
                return None
        return first, last

    def origin(self, start: int, end: int) -> Origin:
        """The place of some characters; that of the passage if they are written otherwise."""
        span = self.span(start, end)
        place = self.start if span is None else span[0]
        from figmill.model import Origin  # most passages say nothing wrong

        line = self.source.count("\n", 0, place) + 1
        return Origin(self.path, line, place - self.source.rfind("\n", 0, place))


def _next(source: str, place: int) -> int:
    while place < len(source) and source[place].isspace():
        place += 1
    return place


def _after(source: str, place: int, letter: str) -> int:
    """The place after a letter of the text; blanks take none: a file may fold them. -1: another letter is there."""
    if letter.isspace():
        return place
    place = _next(source, place)
    return place + 1 if source[place : place + 1] == letter else -1


def of_question(path: str, source: str, rows: Iterable[tuple[Scalar, Node]], id_: str) -> Iterator[Passage]:
    """The passages of a question file; none in another language than English. rows: its top-level keys.

    id_: of the question. Its prose is about all its figures. A title is that of its figure.
    """
    if stated_language.of_question(rows := list(rows)):
        return
    nodes = {key.text: node for key, node in rows}
    figures = list(_figures(nodes, id_))
    labels = tuple(label for label, _, _ in figures)
    starts = _line_starts(source)
    for label, figure, word in figures:
        for key, item in figure.rows:
            if isinstance(key, Scalar) and key.text in TEXTS and isinstance(item, Scalar):
                rest = tuple(other for other in labels if other != label)
                yield _scalar(path, source, starts, item, (label,), rest, OWN, f"{word}.{key.text}")
    if labels:
        for name, node in nodes.items():
            if name == "title" and isinstance(node, Scalar):
                yield _scalar(
                    path, source, starts, node, labels, (), OWN if len(labels) == 1 else PROSE, name
                )
            elif name not in _NO_PROSE:
                for at, scalar in scalars(node, name):
                    yield _scalar(path, source, starts, scalar, labels, (), PROSE, at)


def _figures(nodes: dict[str, Node], id_: str) -> Iterator[tuple[str, MapNode, str]]:
    if isinstance(single := nodes.get("visual"), MapNode):
        yield id_, single, "visual"
    if isinstance(several := nodes.get("visuals"), ListNode):
        for number, item in enumerate(several.items):
            if isinstance(item, MapNode):
                names = (
                    value.text
                    for key, value in item.rows
                    if isinstance(key, Scalar) and key.text == "name" and isinstance(value, Scalar)
                )
                if name := next(names, None):
                    yield f"{id_}-{name}", item, f"visuals.{number}"


def scalars(node: Node, name: str) -> Iterator[tuple[str, Scalar]]:
    """The text values under a key, each with its key path."""
    if isinstance(node, Scalar):
        yield name, node
    elif isinstance(node, ListNode):
        for number, item in enumerate(node.items):
            yield from scalars(item, f"{name}.{number}")
    else:
        for key, item in node.rows:
            if isinstance(key, Scalar):
                yield from scalars(item, f"{name}.{key.text}")


def _line_starts(source: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", source))]


_INDICATOR = re.compile(r"[|>][-+0-9]*[ \t]*(?:#[^\n]*)?\n|[\"']")


def _scalar(
    path: str,
    source: str,
    starts: Sequence[int],
    scalar: Scalar,
    near: tuple[str, ...],
    far: tuple[str, ...],
    kind: str,
    key: str,
) -> Passage:
    start = starts[(scalar.at.line or 1) - 1] + (scalar.at.column or 1) - 1
    indicator = _INDICATOR.match(source, start)
    begin = start if scalar.plain or indicator is None else indicator.end()
    return Passage(path, scalar.text, near, far, kind, source, begin, key)


# Not prose: front matter, code blocks, code in a line, comments, addresses of links, markup, math.
_NO_TEXT = re.compile(
    r"""\A---\n.*?^(?:---|\.\.\.)[ \t]*$
      | ^(?P<indent>[ \t>]*)(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)
      | <!--.*?-->
      | ^[ ]{4,}[^\n]*$ (?<!^\S)
      | <[A-Za-z/][^<>]*>
      | ^\[[^\]\n]+\]:[^\n]*
      | ^\.\.[ ][^\n]*
      | ^[ ]+:[\w-]+:[^\n]*
      | \$\$.*?\$\$""",
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_HEADING = re.compile(r"^(?:\#{1,6}[ ][^\n]*|[^\n]+\n(?:={3,}|-{3,}|~{3,}|\^{3,})[ \t]*)$", re.MULTILINE)
_REFERENCE = re.compile(
    r"""figmill:(?P<label>[^\s\#()<>"'`\]]+)
      | ^[ \t]*\.\.[ ]figmill::[ ]*(?P<directive>\S+)
      | ^[ \t]*:{3,}\{figmill\}[ ]*(?P<myst>\S+) | ^[ \t]*`{3,}\{figmill\}[ ]*(?P<fence>\S+)
      | !\[[^\]]*\]\([^)\s]*?(?P<file>[^/()\s]+?)(?:\.dark)?\.(?:svg|png)(?:[?\#][^)\s]*)?[^)]*\)
      | <img[^>]*?\bsrc=["'][^"']*?(?P<src>[^/"']+?)(?:\.dark)?\.(?:svg|png)["']
      | ^[ \t]*\.\.[ ](?:figure|image)::[ ]*\S*?(?P<image>[^/\s]+?)(?:\.dark)?\.(?:svg|png)""",
    re.MULTILINE | re.VERBOSE,
)
# In reStructuredText, a block of code is what is indented below one of these.
_LITERAL = re.compile(
    r"""^([ \t]*)(?:\.\.[ ](?:code|code-block|sourcecode|parsed-literal|highlight)::[^\n]*|(?!\.\.[ ])[^\n]*::)[ \t]*\n
        (?:[ \t]*\n | \1[ \t]+\S[^\n]*(?:\n|\Z))+""",
    re.MULTILINE | re.VERBOSE,
)
# A fence of MyST whose content is part of the page, such as a note or a grid.
_DIRECTIVE = re.compile(r"[ \t>]*[`~]+\{(?!code|parsed-literal|raw|literalinclude)")
_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
_EXEMPT = re.compile(
    r"(?:<!--|\.\.)\s*figmill-claims:\s*off[ \t]+(?P<reason>[^\s-][^\n]*?)(?:-->|$)", re.MULTILINE
)
_BLANK = re.compile(r"\n[ \t>]*\n")


@dataclass(frozen=True, slots=True)
class _Shown:
    at: int
    label: str


def of_page(
    path: str, source: str, labels: Collection[str], blocks: Iterable[tuple[int, str]] = ()
) -> Iterator[Passage]:
    """The passages of a page, in Markdown or reStructuredText: its paragraphs in sections that show a figure.

    None in another language than English. labels: of all figures of the book. blocks: the line and the label of each
    code block that is a figure. A paragraph is about the figures that it names, else about the nearest one of its
    section: the one before it, or the first. A reference in an example of code shows nothing.
    """
    shown = [
        _Shown(match.start(), label)
        for match in _REFERENCE.finditer(source)
        if (label := _label(match[match.lastgroup or 0], labels)) is not None
    ]
    blocks = list(blocks)
    if not (shown or blocks) or stated_language.of_page(source):
        return
    examples = _examples(source, path.endswith(".rst"))
    shown = [each for each in shown if not any(start < each.at < end for start, end in examples)]
    if blocks:
        starts = _line_starts(source)
        shown += [_Shown(starts[line - 1], label) for line, label in blocks if line <= len(starts)]
    if not shown:
        return
    shown.sort(key=lambda reference: reference.at)
    every = tuple(dict.fromkeys(reference.label for reference in shown))
    exempt = [_paragraph_of(source, match.end()) for match in _EXEMPT.finditer(source)]
    text = _NO_TEXT.sub(_blanks, source)
    headings = [0, *(match.start() for match in _HEADING.finditer(text)), len(text)]
    for begin, end in pairwise(headings):
        inside = [reference for reference in shown if begin <= reference.at < end]
        if not inside:
            continue
        for first, last in _paragraphs(text, begin, end):
            if any(start < last and first < stop for start, stop in exempt):
                continue
            near = _near(first, last, inside)
            far = tuple(label for label in every if label not in near)
            yield Passage(path, text[first:last], near, far, PAGE, source, first)


def _examples(source: str, is_rst: bool) -> list[tuple[int, int]]:
    """The spans of a page's code. A fence that is a figure begins where its reference does, and not before."""
    if is_rst:
        return [match.span() for match in _LITERAL.finditer(source)]
    fenced = [
        match.span()
        for match in _NO_TEXT.finditer(source)
        if (match["fence"] and not _DIRECTIVE.match(match[0])) or match[0].startswith("<!--")
    ]
    return fenced + [match.span() for match in _CODE.finditer(source)]


def _label(name: str, labels: Collection[str]) -> str | None:
    name = PurePosixPath(name).name
    return next((label for label in (name, label_of(name)) if label in labels), None)


def _blanks(match: re.Match[str]) -> str:
    return "\n".join(" " * len(line) for line in match[0].split("\n"))


def _paragraph_of(source: str, after: int) -> tuple[int, int]:
    """The paragraph that follows a comment, or the one that the comment ends."""
    place = _next(source, after)
    match = _BLANK.search(source, place)
    return after, len(source) if match is None else match.start()


def _paragraphs(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    first = begin
    for match in _BLANK.finditer(text, begin, end):
        if text[first : match.start()].strip():
            yield first, match.start()
        first = match.end()
    if text[first:end].strip():
        yield first, end


def _near(first: int, last: int, inside: Sequence[_Shown]) -> tuple[str, ...]:
    named = tuple(dict.fromkeys(reference.label for reference in inside if first <= reference.at < last))
    if named:
        return named
    before = [reference.label for reference in inside if reference.at < first]
    return (before[-1],) if before else (inside[0].label,)
