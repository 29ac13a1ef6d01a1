"""A code block in a page, with what its author says about it. Pure; unaware of kinds and figures.

A page is Markdown or reStructuredText, by its suffix. Hosts identify a block by its language and its text alone:
`key_of` is the name that both sides derive from these.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from textwrap import dedent

from figmill.late_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """What a block states under a key.

    - line: in the page.
    - is_yaml: the value is written as YAML, else it is text.
    """

    key: str
    value: str
    line: int
    is_yaml: bool = False


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A code block. Lines count from 1."""

    language: str
    start: int
    """Its first line."""
    end: int
    """The line after its last."""
    first: int
    """The first line of `text`."""
    column: int
    """The number of characters before each line of `text`."""
    prefix: str
    """The text before its fence."""
    text: str
    body: str
    """The text that a host passes to the code that draws it."""
    options: tuple[Option, ...] = ()
    heading: str | None = None
    """The title of its section."""

    @property
    def key(self) -> str:
        return key_of(self.language, self.body)


def key_of(language: str, body: str) -> str:
    """The name of a block by its content. Hosts turn tabs into spaces, and drop blanks at the ends."""
    return hashlib.sha256(f"{language}\n{normal(body)}".encode("utf-8", "surrogateescape")).hexdigest()[:16]


# MyST-Parser takes it for the options of a directive.
_FRONT_MATTER = re.compile(r"---\n(?:.*\n)*?---(?:\n|$)")


def normal(body: str) -> str:
    """The text of a block without what hosts change."""
    lines = "\n".join(line.rstrip() for line in body.expandtabs(4).splitlines()).strip("\n")
    return dedent(_FRONT_MATTER.sub("", dedent(lines), count=1).strip("\n"))


# `%%| fig-cap: words` and the like: comments of the source's language, with which Quarto's cells begin.
_COMMENT = re.compile(
    r"[ \t]*(?:%%|//|#|--|')\|(?P<text>(?P<indent>[ \t]*)(?:(?P<key>[A-Za-z][\w-]*):(?P<value>.*))?.*)"
)
_FIELD = re.compile(r":(?P<key>[A-Za-z][\w-]*):[ \t]*(?P<value>.*)")


def comments(lines: list[str], first: int) -> tuple[Option, ...]:
    """The options in the comments with which a source begins. first: the line of the first.

    As in YAML, lines that are indented further than the first one continue the value above them.
    """
    options: list[Option] = []
    indent = 0
    for number, line in enumerate(lines, first):
        match = _COMMENT.fullmatch(line)
        if match is None:
            break
        if not options:
            indent = len(match["indent"])
        if options and (len(match["indent"]) > indent or not match["text"].strip()):
            last = options[-1]
            options[-1] = replace(last, value=f"{last.value}\n{match['text'][indent:]}".rstrip())
        elif match["key"] is None:
            break
        else:
            options.append(Option(match["key"], match["value"].strip(), number, is_yaml=True))
    return tuple(options)


def fields(lines: list[str], first: int) -> tuple[tuple[Option, ...], int]:
    """The options `:key: value` with which a directive begins, and how many lines they take."""
    options: list[Option] = []
    for number, line in enumerate(lines):
        match = _FIELD.fullmatch(line.strip())
        if match is not None:
            options.append(Option(match["key"], match["value"].strip(), first + number))
        elif options and line.strip() and line[:1] in " \t":  # the value continues
            last = options[-1]
            options[-1] = Option(last.key, f"{last.value} {line.strip()}".strip(), last.line)
        else:
            return tuple(options), number
    return tuple(options), len(lines)


_ATTRIBUTE = re.compile(
    r"""#(?P<id>[\w:.-]+)|\.(?P<class>[\w+-]+)|(?P<key>[A-Za-z][\w-]*)\s*=\s*(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>[^']*)'|(?P<bare>[^\s{}"']+))"""
)


def attributes(text: str, line: int) -> tuple[str | None, tuple[Option, ...]]:
    """The text after a fence, with or without braces: `#id .class key="value"`. The first class, and the rest."""
    name: str | None = None
    options = []
    for match in _ATTRIBUTE.finditer(text):
        if match["id"]:
            options.append(Option("id", match["id"], line))
        elif match["class"]:
            name = name or match["class"]
        else:
            value = match["double"] if match["double"] is not None else match["single"] or match["bare"] or ""
            options.append(Option(match["key"], re.sub(r"\\(.)", r"\1", value), line))
    return name, tuple(options)
