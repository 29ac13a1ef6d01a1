"""mdBook: the chapters of a book in Markdown, with their figures as HTML. Speaks the protocol of preprocessors.

mdBook hands over its context and all chapters as JSON, and takes the chapters back. Blocks are found by a parser of
CommonMark; only the lines that show a figure or write a fact of it change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from figmill.errors import ToolError
from figmill.integrations import leftover, links, lookup
from figmill.integrations.documents.request import ERROR, PageMessage, PageRequest, SiteFolder
from figmill.integrations.documents.web_page import (
    WORDS,
    WebPage,
    WebUse,
    Wishes,
    fences_of,
    split_at_words,
)
from figmill.integrations.lookup import Target
from figmill.integrations.opened import Opened
from figmill.integrations.paste import FACTS, element
from figmill.late_dataclasses import dataclass

Json: TypeAlias = dict[str, Any]

_USE = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<image>!?)\[(?P<words>(?:[^\[\]\\]|\\.|\[[^\[\]]*\](?:\([^()]*\))?)*)\]"
    r"\(\s*(?:<(?P<angled>figmill:[^<>\n]*)>|(?P<address>figmill:[^\s()<>]+))(?:\s+(?:\"[^\"]*\"|'[^']*'))?\s*\)",
    re.S,
)
_PREFIX = re.compile(r"(?:[ \t]*>)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")


@dataclass(frozen=True, slots=True)
class _ChapterPart:
    """Lines of a chapter, from `start` to before `end`, that are text or a code block."""

    start: int
    end: int
    kind: str  # of the block
    language: str = ""
    body: str = ""


def chapters(book: Json) -> Iterator[Json]:
    """All chapters of mdBook's book that have a file, whichever of its versions wrote it."""
    items: list[Any] = book["items"] if "items" in book else book["sections"]
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            chapter = item["Chapter"]
            if chapter.get("path"):
                yield chapter
            yield from chapters({"items": chapter.get("sub_items", ())})


def with_figures(context: Json, book: Json, opened: Opened | ToolError) -> list[PageMessage]:
    """Put the figures into the chapters of a book, in place; returns the messages about them."""
    src = Path(context["root"]) / context["config"]["book"].get("src", "src")
    messages: list[PageMessage] = []
    wanted = links.wish(
        context["config"].get("preprocessor", {}).get("figmill", {}).get("inline", links.AUTO)
    )
    signs = ["figmill:"]
    if isinstance(opened, Opened):
        signs += [*opened.fences, *map(".{}".format, opened.images)]
    for chapter in chapters(book):
        if any(sign in chapter["content"] for sign in signs):
            path = src / (chapter.get("source_path") or chapter["path"])
            pages = SiteFolder(str(src))
            request = PageRequest(
                "mdbook",
                chapter["content"],
                sources=(str(path),),
                public=pages,
                pages=pages,
                inline=wanted,
            )
            chapter["content"], chapter_messages = chapter_with_figures(request, opened)
            messages += chapter_messages
    return messages


def chapter_with_figures(
    request: PageRequest, opened: Opened | ToolError
) -> tuple[str, tuple[PageMessage, ...]]:
    """The Markdown of a chapter with its figures, and the messages about it."""
    site = WebPage(request, opened, fences_of(request, opened), in_lines=False)
    request = replace(request, document=_with_addresses(request.document, site))
    lines = request.document.split("\n")
    parts = list(_parts(request.document))
    settled: list[tuple[_ChapterPart, str, Target | None]] = []
    for part in parts:
        text = "\n".join(lines[part.start : part.end])
        target = site.fence(part.language, part.body) if part.kind == "fence" else None
        if target is not None or part.kind != "fence":
            settled.append((part, text, target))
    site.expect(_uses(settled))
    site.check("".join(leftover.of_token(token.as_dict()) for token in _tokens(request.document)))
    for part, new in [(part, _placed(site, part, text, target)) for part, text, target in settled][::-1]:
        lines[part.start : part.end] = new.split("\n")
    return "\n".join(lines), tuple(site.messages.values())


def _with_addresses(text: str, site: WebPage) -> str:
    """The chapter with figmill's images in place of those that are figures. In HTML, nothing reads Markdown."""
    for image, label in reversed(site.images.of(text) if site.images else []):
        if not image.is_html and not image.is_directive:
            lines = "\n" * text.count("\n", image.start, image.end)  # which keep those of messages
            text = f"{text[: image.start]}![]({lookup.SCHEME}{label}){lines}{text[image.end :]}"
    return text


def _tokens(text: str) -> list[Any]:
    """The tokens of a chapter. Raises ToolError if there is no parser."""
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        raise ToolError(
            "mdBook needs markdown-it-py; install it with pip install 'figmill[mdbook]'"
        ) from None
    return MarkdownIt("commonmark").enable("table").parse(text)


def _parts(text: str) -> Iterator[_ChapterPart]:
    tokens = _tokens(text)
    for at, token in enumerate(tokens):
        if token.type == "fence" and token.map:
            info = token.info.split(None, 1)[:1] or [""]
            start, end = token.map
            yield _ChapterPart(start, end, "fence", info[0].split(",")[0].strip("{}"), token.content)
        elif token.type == "inline" and token.map and "figmill:" in token.content:
            start, end = token.map
            is_heading = tokens[at - 1].type == "heading_open"
            yield _ChapterPart(start, end, "heading" if is_heading else "words")


def _lone(part: _ChapterPart, text: str) -> re.Match[str] | None:
    """The image that is the whole of a paragraph."""
    prefix = _PREFIX.match(text)
    match = _USE.match(text, prefix.end() if prefix else 0)
    is_whole = match is not None and not text[match.end() :].strip() and part.kind == "words"
    return match if is_whole and match is not None and match["image"] and not match["code"] else None


def _target(match: re.Match[str]) -> Target | None:
    return None if match["code"] else lookup.target(match["angled"] or match["address"])


def _uses(settled: list[tuple[_ChapterPart, str, Target | None]]) -> Iterator[WebUse]:
    for part, text, fence in settled:
        if fence is not None:
            yield WebUse(fence.label, True)
            continue
        lone = _lone(part, text)
        for match in _USE.finditer(text):
            if match["image"] and (target := _target(match)):
                yield WebUse(target.label, lone is not None)


def _placed(site: WebPage, part: _ChapterPart, text: str, fence: Target | None) -> str:
    """The lines of a part with its figures and facts."""
    lone = _lone(part, text) if fence is None else None
    target = fence or (_target(lone) if lone else None)
    if target is not None:
        prefix = text[: _PREFIX.match(text).end()]  # type: ignore[union-attr]
        caption = lone["words"].strip() if lone else ""
        return _figure(site, target, caption, prefix)

    def new(match: re.Match[str]) -> str:
        target = _target(match)
        if target is None:
            return match[0]
        if match["image"]:
            return site.html(site.shown(target, Wishes(), is_by_itself=False))
        if target.fact is not None or not match["words"].strip():
            fact = site.fact(target, is_in_heading=part.kind == "heading")
            return FACTS["md"](fact) if isinstance(fact, str) else element(fact)
        return f"[{match['words']}]({site.link(target)})"

    return _USE.sub(new, text)


def _figure(site: WebPage, target: Target, caption: str, prefix: str) -> str:
    """The lines of a figure by itself. Text of the page stands between blank lines, so that it stays Markdown."""
    # Only the facts in a caption: mdBook handles its other markup.
    inside = _USE.sub(lambda match: _words_of(site, match), caption)
    text = site.html(site.shown(target, Wishes(WORDS if caption else None), is_by_itself=True))
    next_prefix = re.sub(r"[^>\s]", " ", prefix)
    blank = next_prefix.rstrip()
    if WORDS not in text:
        return f"{prefix}{text}\n{blank}"
    before, after = split_at_words(text)
    lines = [before, "", *inside.split("\n"), "", after]
    rows = [f"{next_prefix}{line}" if line else blank for line in lines]
    return "\n".join([f"{prefix}{before}", *rows[1:], blank])


def _words_of(site: WebPage, match: re.Match[str]) -> str:
    target = _target(match)
    if target is None or target.fact is None:
        return match[0]
    fact = site.fact(target, is_in_heading=True)
    return FACTS["md"](fact) if isinstance(fact, str) else element(fact)


def unbuilt(messages: list[PageMessage]) -> list[str]:
    """The lines of errors, which end mdBook's build."""
    return [line_of(message) for message in messages if message.level == ERROR]


def line_of(message: PageMessage) -> str:
    """A message as a line, with its place."""
    place = f"{message.file}{f':{message.line}' if message.line else ''}: " if message.file else ""
    return f"{place}{message.message}"
