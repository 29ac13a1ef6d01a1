"""The code blocks in a page of reStructuredText: directives named after a language, and `code-block`. Pure."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from figmill.book.pages.blocks import PageBlock, comments, fields
from figmill.late_dataclasses import dataclass

_DIRECTIVE = re.compile(
    r"(?P<indent>[ \t]*)\.\.[ \t]+(?:\|[^|]+\|[ \t]+)?(?P<name>[A-Za-z][\w:-]*)::(?:[ \t]+(?P<rest>.*))?[ \t]*"
)
_COMMENT = re.compile(r"(?P<indent>[ \t]*)\.\.(?:[ \t]+(?![\w:-]+::|_|\[|\|).*)?[ \t]*")
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*")
CODE = frozenset(("code-block", "code", "sourcecode"))
VERBATIM = CODE | frozenset(
    ("parsed-literal", "literalinclude", "raw", "math", "productionlist", "highlight")
)


def blocks(text: str, languages: Container[str]) -> Iterator[PageBlock]:
    """The blocks in these languages, in the order of the page. text: with LF line ends."""
    lines = text.split("\n")
    for each in directives(lines, languages):
        if each.language in languages:
            assert each.language is not None
            block = _block(lines, each.at, each.end, each.language, each.indent, each.heading)
            if block is not None:
                yield block


@dataclass(frozen=True, slots=True)
class RstDirective:
    """A directive in the lines from `at` to before `end`."""

    at: int
    end: int
    indent: str
    name: str
    argument: str
    language: str | None  # that of its code, if it holds code
    heading: str | None


def directives(lines: list[str], languages: Container[str]) -> Iterator[RstDirective]:
    """The directives of a page, without those in examples. Nothing is read in code of other languages than these."""
    at, heading = 0, None
    while at < len(lines):
        line = lines[at]
        if match := _DIRECTIVE.fullmatch(line):
            name, argument = match["name"], (match["rest"] or "").strip()
            language = argument if name in CODE else name if not argument else None
            end = _end(lines, at, match["indent"])
            yield RstDirective(at, end, match["indent"], name, argument, language, heading)
            if language in languages or name in VERBATIM:
                at = end - 1
        elif _COMMENT.fullmatch(line) or (line.rstrip().endswith("::") and line.strip()):
            at = _end(lines, at, line[: len(line) - len(line.lstrip())]) - 1  # a comment, or a literal block
        elif (
            at
            and _ADORNMENT.fullmatch(line)
            and lines[at - 1].strip()
            and len(line) >= len(lines[at - 1].strip())
        ):
            heading = re.sub(r":[\w:-]+:`([^`<]*)[^`]*`|[`*]", r"\1", lines[at - 1]).strip() or heading
        at += 1


def _end(lines: list[str], at: int, indent: str) -> int:
    """The line after the indented ones below a line."""
    width = len(indent.expandtabs())
    end = at + 1
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if not line.strip():
            continue
        if len(line[: len(line) - len(line.lstrip())].expandtabs()) <= width:
            break
        end = number + 1
    return end


def _block(
    lines: list[str], at: int, end: int, language: str, indent: str, heading: str | None
) -> PageBlock | None:
    options, count = fields([line.strip() for line in lines[at + 1 : end]], at + 2)
    inside = lines[at + 1 + count : end]
    widths = [len(line) - len(line.lstrip()) for line in inside if line.strip()]
    if not widths:
        return None
    column = min(widths)
    text = [line[column:] for line in inside]
    blank = next(number for number, line in enumerate(text) if line.strip())
    text = text[blank:]
    first = at + 2 + count + blank
    cell = comments(text, first)
    return PageBlock(
        language,
        at + 1,
        end + 1,
        first + len(cell),
        column,
        indent,
        "".join(f"{line}\n" for line in text[len(cell) :]),
        "\n".join(text),
        (*options, *cell),
        heading,
    )
