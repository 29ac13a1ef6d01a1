"""The images of a page that may become figures: where each is written, what it shows, and the id of its figure. Pure.

The page stays as it is. A build and a host read the same page with these functions, or the host knows an image by its
address and its alt text: `id_of` makes the same id of both.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from html import unescape
from textwrap import dedent
from types import MappingProxyType
from urllib.parse import unquote

from figmill.book.pages import block_ids, markdown, restructuredtext
from figmill.book.pages.blocks import Option, fields
from figmill.late_dataclasses import dataclass

MOST = 1000  # images that are figures, in one page
_DIRECTIVES = frozenset(("image", "figure"))

_ADDRESS = r"(?:<(?P<angled>[^<>\n]*)>|(?P<address>(?:[^()<>\"'\n]|\([^()\n]*\))+?))"
_TITLE = r"(?:[ \t\n]+(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'))?"
_MARKUP = re.compile(
    # not markup, or elements that choose their images themselves
    r"(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|<!--.*?-->"
    r"|<(?P<element>pre|code|script|style|svg|picture)\b.*?</(?P=element)\s*>)"
    rf"|!\[(?P<alt>{markdown.WORDS})\](?:\([ \t]*{_ADDRESS}{_TITLE}[ \t]*\)|\[(?P<name>[^\[\]]*)\]|(?![\[(]))"
    r"|(?P<tag><img\b(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>)",
    re.S | re.I,
)
_DEFINITION = re.compile(
    rf"^ {{0,3}}\[(?P<name>[^\[\]]+)\]:[ \t]*(?:<(?P<angled>[^<>\n]*)>|(?P<address>\S+)){_TITLE}[ \t]*$", re.M
)
_ATTRIBUTE = re.compile(
    r"(?P<key>[A-Za-z][\w:-]*)(?:\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s\"'>]+)))?"
)
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|.*[?#{}]")
_LETTERS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class PageImage:
    """An image in a page, from `start` to before `end` of its text; of a directive, its first line.

    - address: as written.
    - attributes: those of an element of HTML.
    """

    start: int
    end: int
    line: int
    column: int
    address: str
    alt: str
    title: str = ""
    heading: str | None = None
    is_html: bool = False
    is_directive: bool = False
    attributes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def images(path: str, text: str, suffixes: Iterable[str]) -> Iterator[PageImage]:
    """The local images of a page whose names end in one of the suffixes. text: with LF line ends."""
    suffixes = tuple(suffixes)
    folded = text.casefold()
    if any(f".{suffix}" in folded for suffix in suffixes):
        read = _of_rst if path.endswith(".rst") else _of_markdown
        yield from (image for image in read(text) if is_local(image.address, suffixes))


def is_local(address: str, suffixes: Iterable[str]) -> bool:
    """Whether an address is that of a file of the site that ends in one of the suffixes, and asks for nothing more."""
    name = unquote(address).casefold()
    return not _ELSEWHERE.match(address) and name.endswith(tuple(f".{suffix}" for suffix in suffixes))


def places(page: str, image: PageImage, folder: str = "") -> tuple[str, ...]:
    """Where an image of a page may be in the book, the most likely place first.

    folder: of the pages, where addresses that begin with a slash start. Hosts leave addresses in HTML alone, so these
    may start from the address of the published page, which is often a folder of its own.
    """
    starts = [posixpath.dirname(page)]
    stem = posixpath.splitext(page)[0]
    if image.is_html and posixpath.basename(stem).casefold() not in ("index", "readme"):
        starts.append(stem)
    return tuple(dict.fromkeys(filter(None, (place(start, image.address, folder) for start in starts))))


def place(start: str, address: str, folder: str = "") -> str | None:
    """The path in the book of an address on a page in the folder `start`; None if it leads out of the book."""
    name = unquote(address)
    joined = posixpath.join(folder, name.lstrip("/")) if name.startswith("/") else posixpath.join(start, name)
    path = posixpath.normpath(joined)
    return None if path.startswith(("../", "/")) or path in ("..", ".") or "\0" in path else path


def folder_of(page: str, folders: Iterable[str]) -> str:
    """The folder of pages that holds a page."""
    holding = [name for name in folders if name == "." or page.startswith(f"{name}/")]
    deepest = max(holding, key=len, default="")
    return "" if deepest == "." else deepest


def id_of(path: str, alt: str) -> str:
    """The id of the figure that an image is: of its path in the book, and of its alt text as any host passes it on."""
    letters = "".join(_LETTERS.findall(alt)).casefold()
    return block_ids.id_of(path, f"{path}\0{letters}" if letters else path)


def _of_markdown(text: str) -> Iterator[PageImage]:
    lines = text.split("\n")
    starts = _starts(lines)
    numbers, directives = markdown.prose(lines)
    written = set(numbers)
    plain = "\n".join(line if n in written else " " * len(line) for n, line in enumerate(lines))
    for each in directives:
        if each.name in _DIRECTIVES and each.argument:
            yield _of_directive(starts, each.at, each.argument, each.options)
    named: dict[str, re.Match[str]] | None = None
    for match in _MARKUP.finditer(plain):
        if match["code"]:
            continue
        number = plain.count("\n", 0, match.start())
        before = lines[number][: match.start() - starts[number]]
        if not before.strip(" \t") and markdown.is_example(lines, number, before):
            continue
        at = (match.start(), match.end(), number + 1, len(before) + 1)
        if match["tag"]:
            given = _attributes(match["tag"][4:])
            if given.get("src"):
                alt, title = given.get("alt", ""), given.get("title", "")
                yield PageImage(*at, given["src"], _plain(alt), title, is_html=True, attributes=given)
            continue
        alt, source = match["alt"], match
        if match["address"] is None and match["angled"] is None:
            if named is None:
                named = {row["name"].casefold(): row for row in reversed([*_DEFINITION.finditer(plain)])}
            definition = named.get((match["name"] or alt).casefold())
            if definition is None:
                continue
            source = definition
        title = source["double"] or source["single"] or ""
        address = source["angled"] if source["angled"] is not None else source["address"]
        yield PageImage(*at, address.strip(), _plain(markdown.plain(alt)), unescape(title))


def _of_rst(text: str) -> Iterator[PageImage]:
    lines = text.split("\n")
    starts = _starts(lines)
    for each in restructuredtext.directives(lines, ()):
        if each.name in _DIRECTIVES and each.argument:
            inside = dedent("\n".join(lines[each.at + 1 : each.end])).split("\n")
            options, _ = fields(inside, each.at + 2)
            yield _of_directive(starts, each.at, each.argument, options, each.heading)


def _of_directive(
    starts: list[int], at: int, argument: str, options: Iterable[Option], heading: str | None = None
) -> PageImage:
    given = {option.key: option.value.strip("\"'") for option in options}
    alt = " ".join(given.get("alt", "").split())
    start, end = starts[at], starts[at + 1] - 1
    return PageImage(start, end, at + 1, 1, argument, alt, heading=heading, is_directive=True)


def _starts(lines: list[str]) -> list[int]:
    """Where each line begins in the text, and where the one after the last would."""
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _attributes(text: str) -> dict[str, str]:
    """The attributes of an element, the first of each name, in lower case."""
    given: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(text):
        value = next((match[name] for name in ("double", "single", "bare") if match[name] is not None), "")
        given.setdefault(match["key"].lower(), unescape(value))
    return given


def _plain(alt: str) -> str:
    """An alt text on one line, without the markup of Markdown."""
    return " ".join(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", unescape(alt)).split())
