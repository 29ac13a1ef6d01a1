"""A figure as a card of the gallery, and the pieces that the figure's own page shares with it. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from figmill.engine.resident.views import FAILED, FigureView
from figmill.model import Fact, File, Published, Warned
from figmill.serve.pages.markup import NOTHING, Safe, el
from figmill.serve.pages.places import link
from figmill.serve.snapshot import stamp


def page_of(name: str) -> str:
    """The address of a figure's own page."""
    return f"/figure/{quote(name)}"


def picture_address(sha256: str) -> str:
    return f"/picture/{sha256}.svg"


def card(name: str, view: FigureView, root: Path, editor: str | None) -> Safe:
    """One figure in the gallery. Its `data-stamp` changes with everything on it."""
    is_failed = view.status == FAILED
    published = view.published
    heading = view.title or (published.title if published else None) or view.label
    alt = published.alt if published else None
    caption = published.caption if published else None
    source = " · ".join(filter(None, (view.label, view.kind, view.source)))
    return el(
        "article",
        {
            "class": f"card {view.status}",
            "id": f"card-{name}",
            "data-name": name,
            "data-stamp": stamp(view),
            "data-words": " ".join(filter(None, (view.label, heading, caption, alt))).lower(),
        },
        error(view, root, editor) if is_failed else NOTHING,
        pictures(published, page_of(name), view.label) if published else NOTHING,
        el(
            "div",
            {"class": "words"},
            el("h2", {}, el("a", {"href": page_of(name)}, heading)),
            el("p", {}, caption) if caption else NOTHING,
            el("p", {"class": "source"}, source),
            findings(view, root, editor) if view.warnings else NOTHING,
        ),
    )


def pictures(published: Published, target: str, label: str) -> Safe:
    """The picture of each theme, of which the page's theme shows one; a click leads to the figure's page."""
    shown = [_image(file, published.alt) for file in svgs(published)]
    both = "both" if len(shown) > 1 else "one"
    return el("a", {"class": f"drawing {both}", "href": target, "aria-label": f"{label}, large"}, *shown)


def svgs(published: Published) -> list[File]:
    """The SVG of each theme, the light one first."""
    return sorted((f for f in published.files if f.format == "svg"), key=lambda f: f.theme, reverse=True)


def _image(file: File, alt: str) -> Safe:
    return el(
        "img",
        {
            "class": f"on-{file.theme}",
            "src": picture_address(file.sha256),
            "alt": alt,
            "width": round(file.width),
            "height": round(file.height),
            "loading": "lazy",
        },
    )


def error(view: FigureView, root: Path, editor: str | None) -> Safe:
    """Why a figure failed, each reason at its place."""
    old = "Below: its last good picture." if view.published and svgs(view.published) else ""
    return el(
        "div",
        {"class": "error", "role": "group", "aria-label": f"{view.label} has failed"},
        *(
            el(
                "div",
                {},
                el("p", {}, link(wrong.origin, root, editor), " ", wrong.message),
                el("pre", {"tabindex": 0}, wrong.detail) if wrong.detail else NOTHING,
            )
            for wrong in view.errors
        ),
        el("p", {"class": "old"}, old) if old else NOTHING,
    )


def findings(view: FigureView, root: Path, editor: str | None) -> Safe:
    """The findings of the checks on a figure."""
    return found(view.warnings, root, editor)


def found(warnings: Iterable[Warned], root: Path, editor: str | None) -> Safe:
    """Findings of checks as a list; a text if there are none."""
    rows = [
        el("li", {}, link(one.origin, root, editor), f" {one.message} ", el("code", {}, one.check))
        for one in warnings
    ]
    return el("ul", {"class": "findings"}, *rows) if rows else el("p", {}, "None.")


def facts(values: dict[str, Fact]) -> Safe:
    """Facts as a table of names and values."""
    rows = (
        el("tr", {}, el("th", {"scope": "row"}, name), el("td", {}, shown(value)))
        for name, value in sorted(values.items())
    )
    return el("table", {"class": "facts"}, el("tbody", {}, *rows)) if values else el("p", {}, "None.")


def shown(value: Fact) -> str:
    """A fact as text for a reader."""
    if isinstance(value, list):
        return ", ".join(shown(item) for item in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)
