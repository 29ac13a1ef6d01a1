"""The pages around the figures: the gallery, a file with its lines, and the page for what is missing. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from figmill.serve.pages import cards
from figmill.serve.pages.markup import Safe, el
from figmill.serve.snapshot import Snapshot


def page(title: str, token: str, main: Safe, snapshot: Snapshot, modules: Sequence[str] = ()) -> bytes:
    """A whole page. token: its script sends it with requests to render or write. modules: more scripts."""
    head = el(
        "head",
        {},
        el("meta", {"charset": "utf-8"}),
        el("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}),
        el("meta", {"name": "color-scheme", "content": "light dark"}),
        el("meta", {"name": "figmill-token", "content": token}),
        el("title", {}, title),
        el("link", {"rel": "icon", "href": "/files/icon.svg"}),
        el("link", {"rel": "stylesheet", "href": "/files/serve.css"}),
        el("script", {"src": "/files/serve.js"}),  # at once: it sets the theme before anything is painted
        *(el("script", {"type": "module", "src": f"/files/{name}"}) for name in modules),
    )
    themes = (
        el("option", {"value": theme}, word)
        for theme, word in (("", "System"), ("light", "Light"), ("dark", "Dark"))
    )
    bar = el(
        "header",
        {"class": "bar"},
        el("a", {"href": "/", "class": "home"}, "Figures"),
        el("span", {"id": "live", "role": "status", "aria-live": "polite"}),
        el("label", {"class": "theme"}, "Theme ", el("select", {"id": "theme"}, *themes)),
    )
    trouble = el("div", {"id": "trouble", "role": "alert"}, snapshot.trouble)
    html = el("html", {"lang": "en"}, head, el("body", {}, bar, trouble, main))
    return b"<!DOCTYPE html>\n" + html.encode("utf-8", "replace")


def gallery(snapshot: Snapshot, root: Path, editor: str | None) -> Safe:
    """All figures as cards."""
    views = snapshot.views
    is_begun = snapshot.version > 0
    failed = sum(view.status == "failed" for view in views.values())
    shown = (cards.card(name, view, root, editor) for name, view in views.items())
    return el(
        "main",
        {"id": "gallery"},
        el("h1", {"class": "unseen"}, "Figures"),
        el(
            "div",
            {"class": "find"},
            el("label", {}, "Find ", el("input", {"type": "search", "id": "find", "autocomplete": "off"})),
            el(
                "p",
                {"id": "count", "role": "status"},
                count(len(views), failed) if is_begun else "Being built…",
            ),
        ),
        el("div", {"id": "cards"}, *shown),
    )


def count(figures: int, failed: int) -> str:
    words = "1 figure" if figures == 1 else f"{figures} figures"
    return f"{words}, {failed} failed" if failed else words


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
    box = el("div", {"class": "scroll", "tabindex": 0, "role": "region", "aria-label": path}, table)
    return el("main", {"id": "source"}, el("h1", {}, path), box)


def missing(words: str) -> Safe:
    return el(
        "main",
        {},
        el("h1", {}, "Not here"),
        el("p", {}, words),
        el("p", {}, el("a", {"href": "/"}, "All figures")),
    )
