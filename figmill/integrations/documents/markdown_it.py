"""markdown-it, for VitePress and Eleventy: a page of its tokens with its figures.

The host hands over all tokens of a page. The text of a figure's caption stays tokens, so it keeps its markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any, TypeAlias

from figmill.integrations import leftover, lookup
from figmill.integrations.documents.request import PageAnswer, PageRequest, text_of, tree
from figmill.integrations.documents.web_page import (
    WORDS,
    WebPage,
    WebUse,
    Wishes,
    fences_of,
    page_path,
    split_at_words,
)
from figmill.integrations.lookup import Target
from figmill.integrations.opened import BookFinder
from figmill.integrations.paste import FACTS, element

_DRAWING = re.compile("<svg .*?</svg>", re.S)
_LINK = re.compile("<a [^>]*>|</a>")
_ATTRIBUTE = re.compile('([a-z-]+)="([^"]*)"')
MarkdownToken: TypeAlias = dict[str, Any]


def answered(request: PageRequest, book_of: BookFinder) -> PageAnswer:
    """The page with its figures and facts."""
    book = book_of(page_path(request).parent, None)
    site = WebPage(request, book, fences_of(request, book))
    written = tree(request.document)
    site.check("".join(map(leftover.of_token, written)))
    tokens = [_settled(token, site) for token in written]
    site.expect(_uses(tokens))
    return PageAnswer(text_of(list(_placed(tokens, site))), tuple(site.messages.values()), site.watched)


def _settled(token: MarkdownToken, site: WebPage) -> MarkdownToken:
    """Put figmill's image in place of a code block or an image that is a figure."""
    if token["type"] == "inline" and token.get("children"):
        return {**token, "children": [_settled(child, site) for child in token["children"]]}
    if token["type"] == "image":
        return _settled_image(token, site)
    if token["type"] != "fence":
        return token
    info = token["info"].split()
    target = site.fence(info[0].strip("{}") if info else "", token["content"])
    if target is None:
        return token
    image = _token("image", tag="img", attrs=[["src", str(target)], ["alt", ""]], children=[])
    return _token("figmill_block", children=[image], level=token.get("level", 0))


def _settled_image(token: MarkdownToken, site: WebPage) -> MarkdownToken:
    attributes = dict(token.get("attrs") or ())
    alt = "".join(child["content"] for child in token.get("children") or ())
    target = site.image(str(attributes.get("src", "")), alt or token["content"])
    if target is None:
        return token
    return {**token, "attrs": [*{**attributes, "src": str(target)}.items()], "children": [], "content": ""}


def _target(token: MarkdownToken, kind: str, name: str) -> Target | None:
    """What an image or the beginning of a link names."""
    attributes = dict(token.get("attrs") or ())
    return lookup.target(attributes.get(name, "")) if token["type"] == kind else None


def _image_of(token: MarkdownToken) -> Target | None:
    return _target(token, "image", "src")


def _lone(tokens: list[MarkdownToken], at: int) -> MarkdownToken | None:
    """The image that is the whole of the paragraph or list item whose text is at this place."""
    token = tokens[at]
    if token["type"] == "figmill_block":
        return token["children"][0]  # type: ignore[no-any-return]
    if token["type"] != "inline" or not at or tokens[at - 1]["type"] != "paragraph_open":
        return None
    children = [
        child for child in token["children"] or () if child["type"] != "text" or child["content"].strip()
    ]
    return children[0] if len(children) == 1 and _image_of(children[0]) else None


def _uses(tokens: list[MarkdownToken]) -> Iterator[WebUse]:
    for at, token in enumerate(tokens):
        lone = _lone(tokens, at)
        for child in token.get("children") or ():
            if target := _image_of(child):
                yield WebUse(target.label, child is lone)


def _placed(tokens: list[MarkdownToken], site: WebPage) -> Iterator[MarkdownToken]:
    skips, is_in_heading = 0, False
    for at, token in enumerate(tokens):
        if token["type"] in ("heading_open", "heading_close"):
            is_in_heading = token["type"] == "heading_open"
        if skips:
            skips -= 1
            continue
        if token["type"] == "paragraph_open" and _lone(tokens, at + 1):
            yield from _figure(tokens[at + 1], site)
            skips = 2
        elif token["type"] == "figmill_block":
            yield from _figure(token, site)
        elif token.get("children"):
            yield {**token, "children": list(_in_line(token["children"], site, is_in_heading=is_in_heading))}
        else:
            yield token


def _wishes(image: MarkdownToken, caption: str | None) -> Wishes:
    attributes = {name: str(value) for name, value in image.get("attrs") or ()}
    return Wishes.of(caption, attributes)


def _figure(token: MarkdownToken, site: WebPage) -> Iterator[MarkdownToken]:
    """The tokens of a figure by itself. token: its paragraph's text, or its block."""
    image = next(child for child in token["children"] if _image_of(child))
    target = _image_of(image)
    assert target is not None
    caption = list(_in_line(image.get("children") or [], site, is_in_heading=False))
    shown = site.shown(target, _wishes(image, WORDS if caption else None), is_by_itself=True)
    text = site.html(shown)
    level = token.get("level", 0)
    if WORDS not in text:
        yield _block(f"{text}\n", level)
        return
    before, after = split_at_words(text)
    yield _block(before, level)
    yield _token("inline", children=caption, level=level)
    yield _token("html_block", content=f"{after}\n", level=level)


def _block(text: str, level: int) -> MarkdownToken:
    """The HTML of a figure. The links of its drawing are those of Markdown, which hosts resolve and check."""
    parts = list(_parts(text, level))
    if len(parts) == 1:
        return _token("html_block", content=text, level=level)
    return _token("inline", children=parts, level=level)


def _parts(text: str, level: int) -> Iterator[MarkdownToken]:
    at = 0
    for drawing in _DRAWING.finditer(text):
        for link in _LINK.finditer(text, drawing.start(), drawing.end()):
            yield _token("html_inline", content=text[at : link.start()], level=level)
            attributes = [[name, unescape(value)] for name, value in _ATTRIBUTE.findall(link[0])]
            kind, nesting = ("link_close", -1) if link[0] == "</a>" else ("link_open", 1)
            yield _token(kind, tag="a", attrs=attributes or None, nesting=nesting, level=level)
            at = link.end()
    yield _token("html_inline", content=text[at:], level=level)


def _in_line(children: list[MarkdownToken], site: WebPage, *, is_in_heading: bool) -> Iterator[MarkdownToken]:
    is_fact = False  # in a link that becomes a fact, or whose fact is missing
    for at, child in enumerate(children):
        if is_fact:
            is_fact = child["type"] != "link_close"
            continue
        if target := _image_of(child):
            shown = site.shown(target, _wishes(child, None), is_by_itself=False)
            yield from _parts(site.html(shown), child.get("level", 0))
        elif target := _target(child, "link_open", "href"):
            if target.fact is not None or children[at + 1]["type"] == "link_close":
                is_fact = True
                fact = site.fact(target, is_in_heading=is_in_heading)
                level = child.get("level", 0)
                if not isinstance(fact, str):
                    yield _token("html_inline", content=element(fact), level=level)
                elif "{" in fact:  # which Vue would run
                    yield _token("html_inline", content=FACTS["html"](fact), level=level)
                else:
                    yield _token("text", content=fact, level=level)
            else:
                attributes = [pair for pair in child["attrs"] if pair[0] != "href"]
                yield {**child, "attrs": [["href", site.link(target)], *attributes]}
        else:
            yield child


def _token(kind: str, **keys: Any) -> MarkdownToken:
    plain = {"tag": "", "attrs": None, "map": None, "nesting": 0, "level": 0, "children": None, "content": ""}
    more = {
        "markup": "",
        "info": "",
        "meta": None,
        "block": kind in ("html_block", "inline"),
        "hidden": False,
    }
    return {"type": kind, **plain, **more, **keys}
