"""The pages around the figures: the gallery, a file with its lines, and the page for what is missing. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence

from figmill import page_words
from figmill.engine.resident.views import ViewStatus
from figmill.page_words import Speech
from figmill.serve.pages import cards
from figmill.serve.pages.markup import NOTHING, Safe, el
from figmill.serve.pages.reader import Reader
from figmill.serve.snapshot import Snapshot

# Texts of pages that scripts write as well.
SHARED = ("1 figure", "{0} figures", "{0} of {1}", "{0} failed", "Copied")


def page(
    title: str,
    token: str,
    main: Safe,
    snapshot: Snapshot,
    reader: Reader,
    at: str,
    modules: Sequence[str] = (),
) -> bytes:
    """A whole page. token: its script sends it with requests to render or write. modules: more scripts.

    at: its address in the book's own language, which leads to the same page in the others.
    """
    say = reader.speech
    texts = json.dumps(say.of((*SHARED, *page_words.english("serve script"))), ensure_ascii=False)
    head = el(
        "head",
        {},
        el("meta", {"charset": "utf-8"}),
        el("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        el("meta", {"name": "color-scheme", "content": "light dark"}),
        el("meta", {"name": "figmill-token", "content": token}),
        el("meta", {"name": "figmill-texts", "content": texts}),
        el("title", {}, title),
        el("link", {"rel": "icon", "href": "/files/icon.svg"}),
        *(el("link", {"rel": "stylesheet", "href": f"/files/{name}.css"}) for name in ("look", "serve")),
        el("script", {"src": "/files/serve.js"}),  # at once: it sets the theme before anything is painted
        *(el("script", {"type": "module", "src": f"/files/{name}"}) for name in modules),
    )
    themes = (
        el("option", {"value": theme}, say(word))
        for theme, word in (("", "System"), ("light", "Light"), ("dark", "Dark"))
    )
    bar = el(
        "header",
        {"class": "bar"},
        el("a", {"href": f"{reader.base}/", "class": "home"}, say("Figures")),
        el("span", {"id": "live", "role": "status", "aria-live": "polite"}),
        _languages(reader, at),
        el("label", {}, say("Theme"), " ", el("select", {"id": "theme"}, *themes)),
    )
    trouble = el("div", {"id": "trouble", "role": "alert", "dir": "auto"}, snapshot.trouble)
    html = el(
        "html",
        {"lang": say.code, "dir": say.direction, "data-base": reader.base},
        head,
        el("body", {}, bar, trouble, main),
    )
    return b"<!DOCTYPE html>\n" + html.encode("utf-8", "replace")


def _languages(reader: Reader, at: str) -> Safe:
    """The choice of a language, each with the address of this page in it; nothing if the book has only one."""
    if len(reader.languages) < 2:
        return NOTHING
    options = (
        el(
            "option",
            {
                "value": reader.base_of(language) + at,
                "lang": speech.code,
                "dir": speech.direction,
                "selected": language == reader.speech.language,
            },
            speech.name,
        )
        for language in reader.languages
        for speech in [reader.speech.into(language)]
    )
    choice = el("select", {"id": "language", "autocomplete": "off"}, *options)
    return el("label", {}, reader.speech("Language"), " ", choice)


def gallery(snapshot: Snapshot, reader: Reader) -> Safe:
    """All figures as cards."""
    views, say = snapshot.views, reader.speech
    failed = sum(view.status is ViewStatus.FAILED for view in views.values())
    shown = (cards.card(name, view, reader) for name, view in views.items())
    return el(
        "main",
        {"id": "gallery", "data-unbuilt": None if snapshot.is_begun else ""},
        el("h1", {"class": "unseen"}, say("Figures")),
        el(
            "div",
            {"class": "find"},
            el(
                "label",
                {"class": "search"},
                say("Search"),
                " ",
                el("input", {"type": "search", "id": "find", "autocomplete": "off"}),
            ),
            el(
                "p",
                {"id": "count", "role": "status"},
                count(len(views), failed, say) if snapshot.is_begun else say("Being built…"),
            ),
        ),
        el("p", {"id": "none", "role": "status", "hidden": True}, say("No figure has all of these words.")),
        el("div", {"id": "cards"}, *shown),
    )


def count(figures: int, failed: int, say: Speech) -> str:
    text = say.count("1 figure", "{0} figures", figures)
    return f"{text}, {say('{0} failed', failed)}" if failed else text


def source(path: str, lines: Sequence[str]) -> Safe:
    """A file of the book, with a target for each line."""
    rows = (
        el(
            "tr",
            {"id": f"L{number}"},
            el("th", {"scope": "row"}, str(number)),
            el("td", {}, el("code", {}, line)),
        )
        for number, line in enumerate(lines, 1)
    )
    table = el("table", {"class": "lines"}, el("tbody", {}, *rows))
    box = el(
        "div", {"class": "scroll", "dir": "ltr", "tabindex": 0, "role": "region", "aria-label": path}, table
    )
    return el("main", {"id": "source"}, el("h1", {"dir": "auto"}, path), box)


def missing(message: str, reader: Reader) -> Safe:
    return el(
        "main",
        {},
        el("h1", {}, reader.speech("Not here")),
        el("p", {}, message),
        el("p", {}, el("a", {"href": f"{reader.base}/"}, reader.speech("All figures"))),
    )
