"""The code blocks in a page of Markdown, whichever host reads it. Pure.

Lines are read one by one, because every Markdown has its own containers: a fence may stand in a quotation, a list, an
admonition or a tab, and the ends of all of these differ. A fence inside another fence is an example, not a block.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from figmill.book.pages.blocks import Option, PageBlock, attributes, comments, fields
from figmill.late_dataclasses import dataclass

_OPEN = re.compile(
    r"(?P<prefix>(?:[ \t]*>)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)"
    r"(?P<fence>`{3,}(?=[^`]*$)|~{3,}|:{3,})[ \t]*(?P<info>.*)"
)
# The words of a link or an image, from after `[` to before `]`; a link may stand in them.
WORDS = r"(?:[^\[\]\\]|\\.|\[[^\[\]]*\](?:\([^()]*\))?)*"
_DIRECTIVE = re.compile(r"\{(?P<name>[A-Za-z][\w:+-]*)(?:[ ,][^{}]*)?\}(?P<rest>.*)")
_BRACES = re.compile(r"\{(?P<inside>[^{}]*)\}")
_LANGUAGE = re.compile(r"(?P<name>[A-Za-z][\w+#.-]*)(?P<rest>(?:[ \t{].*)?)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(?P<words>.*?)[ \t]*#*[ \t]*(?:\{[^{}]*\})?[ \t]*")
# What holds indented blocks: lists, admonitions, tabs, definitions, footnotes.
_HOLDER = re.compile(
    r"[ \t]*(?:>[ \t]*)*(?:[-*+]|\d{1,9}[.)]|!!!|\?\?\?\+?|===[!+]?|:|\[\^[^\]]+\]:|///)(?:[ \t]|$)"
)
# Directives and cells whose content is not Markdown.
VERBATIM = frozenset(
    (
        "code",
        "code-block",
        "sourcecode",
        "code-cell",
        "parsed-literal",
        "literalinclude",
        "raw",
        "math",
        "eval-rst",
        "highlight",
        "python",
        "r",
        "julia",
        "ojs",
        "bash",
        "sh",
        "sql",
        "js",
        "html",
        "css",
        "latex",
        "tikz",
    )
)
# Keys that hosts take in the block `---` of a directive, besides those of the source itself.
TAKEN = frozenset(
    ["id", "label", "name", "alt", "fig-alt", "caption", "fig-cap", "width", "expect", "align", "class"]
)


@dataclass(frozen=True, slots=True)
class _Fence:
    """An opened fence.

    - language: None if it has none.
    - is_directive: its name is in braces, with an argument.
    """

    sign: str
    prefix: str
    language: str | None
    options: tuple[Option, ...]
    is_directive: bool
    argument: str = ""

    def closes(self, line: str) -> bool:
        text = line.strip()
        return len(text) >= len(self.sign) and text == self.sign[0] * len(text)

    def without_prefix(self, line: str) -> str | None:
        """A line without the text before the fence; None: it is outside the quotation that holds the fence."""
        inside = line
        for _ in range(self.prefix.count(">")):
            stripped = inside.lstrip(" \t")
            if not stripped.startswith(">"):
                return None
            inside = stripped[1:]
        return _outdented(inside, len(self.prefix.rpartition(">")[2].expandtabs(4)))


def blocks(text: str, languages: Container[str]) -> Iterator[PageBlock]:
    """The blocks in these languages, in the order of the page. text: with LF line ends."""
    lines = text.split("\n")
    for part in _parts(lines, languages):
        if part.fence is not None and part.is_figure:
            yield _block(lines, part.at, part.end, part.fence, part.heading)


@dataclass(frozen=True, slots=True)
class MarkdownDirective:
    """The first line of a directive such as ```` ```{figure} flow.svg ````: its name, argument and options."""

    at: int
    name: str
    argument: str
    options: tuple[Option, ...]


def prose(lines: list[str]) -> tuple[list[int], list[MarkdownDirective]]:
    """The numbers of the lines of a page that are text, and its directives that are not code. Both count from 0."""
    written, directives = [], []
    for part in _parts(lines, ()):
        if part.fence is None:
            written.append(part.at)
        elif part.fence.is_directive and part.fence.language:
            inside = [part.fence.without_prefix(line) or "" for line in lines[part.at + 1 : part.end]]
            options, _, _ = _directive_options(inside, part.at + 2)
            directives.append(MarkdownDirective(part.at, part.fence.language, part.fence.argument, options))
    return written, directives


@dataclass(frozen=True, slots=True)
class _PagePart:
    """A line of text, or a fence from line `at` to `end`: one that is a figure, or a directive with text in it."""

    at: int
    end: int
    fence: _Fence | None
    heading: str | None
    is_figure: bool = False


def _parts(lines: list[str], languages: Container[str]) -> Iterator[_PagePart]:
    """What a page consists of, without code."""
    at, heading = end_of_front_matter(lines), None
    closers: set[int] = set()  # lines that end the current containers
    while at < len(lines):
        line = lines[at]
        if line.lstrip().startswith("<!--") and "-->" not in line:
            at = next((n for n in range(at, len(lines)) if "-->" in lines[n]), len(lines))
        elif at in closers:
            pass
        elif match := _OPEN.fullmatch(line):
            fence = _fence(match, at + 1)
            end, is_closed = _end(lines, at, fence)
            is_code = fence.sign[0] != ":" or (fence.is_directive and fence.language in languages)
            is_figure = is_code and fence.language in languages and not is_example(lines, at, fence.prefix)
            if is_figure and is_closed:
                yield _PagePart(at, end, fence, heading, True)
                at = end
            elif is_closed and fence.is_directive and fence.language not in VERBATIM:
                closers.add(end)
                yield _PagePart(at, end, fence, heading)
            elif is_code:
                at = end
        else:
            if match := _HEADING.fullmatch(line):
                heading = plain(match["words"]) or heading
            yield _PagePart(at, at, None, heading)
        at += 1


def end_of_front_matter(lines: list[str]) -> int:
    """The number of lines of the YAML front matter of a page, with its delimiters."""
    if lines[0].rstrip() != "---":
        return 0
    return next((n + 1 for n, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)


def plain(title: str) -> str:
    """The text of a title without the markup of emphasis, code and links."""
    return re.sub(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?|[`*]", r"\1", title).strip()


def _fence(match: re.Match[str], line: int) -> _Fence:
    prefix, sign, info = match["prefix"], match["fence"], match["info"].strip()
    if parts := _DIRECTIVE.fullmatch(info):
        name, options = parts["name"], attributes(parts["rest"], line)[1]
        return _Fence(sign, prefix, name, options, True, parts["rest"].strip())
    if parts := _BRACES.fullmatch(info):
        name, options = attributes(parts["inside"], line)
        return _Fence(sign, prefix, name, options, False)
    if parts := _LANGUAGE.fullmatch(info):
        return _Fence(sign, prefix, parts["name"], attributes(parts["rest"], line)[1], False)
    return _Fence(sign, prefix, None, (), False)


def _end(lines: list[str], at: int, fence: _Fence) -> tuple[int, bool]:
    """The last line of a fence, and whether that closes it: it may end with its quotation, or with the page."""
    for number in range(at + 1, len(lines)):
        line = fence.without_prefix(lines[number])
        if line is None:
            return number - 1, False
        if fence.closes(line):
            return number, True
    return len(lines), False


def is_example(lines: list[str], at: int, prefix: str) -> bool:
    """Whether a fence or an image is itself code, because it is indented and nothing above it holds it.

    prefix: the text before it.
    """
    depth = len(prefix) - len(prefix.lstrip(" \t"))
    if ">" in prefix or len(lines[at][:depth].expandtabs(4)) < 4:
        return False
    for line in reversed(lines[:at]):
        indent = len(line) - len(line.lstrip(" \t"))
        if line.strip() and len(line[:indent].expandtabs(4)) < len(lines[at][:depth].expandtabs(4)):
            if _HOLDER.match(line):
                return False
            depth = indent
            if depth == 0:
                return True
    return True


def _block(lines: list[str], at: int, end: int, fence: _Fence, heading: str | None) -> PageBlock:
    assert fence.language is not None
    inside = [fence.without_prefix(line) or "" for line in lines[at + 1 : end]]
    options, skip, body_from = list(fence.options), 0, 0
    if fence.is_directive:
        given, skip, body_from = _directive_options(inside, at + 2)
        options += given
    cell = comments(inside[skip:], at + 2 + skip)
    options += cell
    body = "\n".join(inside[body_from:])
    skip += len(cell)
    text = inside[skip:]
    number = next((n for n, line in enumerate(text) if line.strip()), 0)
    raw = lines[at + 1 + skip + number] if text else ""
    column = len(raw) - len(text[number]) if text else 0
    return PageBlock(
        fence.language,
        at + 1,
        end + 2,
        at + 2 + skip,
        column,
        fence.prefix,
        "".join(f"{line}\n" for line in text),
        body,
        tuple(options),
        heading,
    )


def _directive_options(inside: list[str], first: int) -> tuple[tuple[Option, ...], int, int]:
    """The options with which a directive begins; the number of lines before its source, and before its body."""
    if inside and inside[0].rstrip() == "---":
        end = next((n for n, line in enumerate(inside[1:], 1) if line.rstrip() == "---"), None)
        if end is not None:
            rows = [
                (number, *line.partition(":")[::2]) for number, line in enumerate(inside[1:end], first + 1)
            ]
            if any(key.strip() in TAKEN for _, key, _ in rows):
                options = tuple(
                    Option(key.strip(), value.strip(), number, is_yaml=True)
                    for number, key, value in rows
                    if key.strip() and value.strip()
                )
                return options, end + 1, end + 1
            return (), 0, end + 1  # the front matter of the source itself
    options, count = fields(inside, first)
    return options, count, count


def _outdented(line: str, width: int) -> str:
    """A line without its first `width` columns of blanks."""
    column = 0
    for number, letter in enumerate(line):
        if column >= width or letter not in " \t":
            return line[number:]
        column += 4 - column % 4 if letter == "\t" else 1
    return ""
