"""A figure as a card of the gallery, and the pieces that the figure's own page shares with it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from figmill.engine.resident.views import FigureView, ViewStatus
from figmill.model import Fact, File, Published, Warned, is_made
from figmill.serve.pages.markup import NOTHING, Attributes, Safe, el
from figmill.serve.pages.places import link
from figmill.serve.pages.reader import Reader
from figmill.serve.snapshot import stamp

# Messages of checks and errors are in English, like the command.
IN_ENGLISH: Attributes = {"lang": "en", "dir": "ltr"}


def picture_address(sha256: str) -> str:
    return f"/picture/{sha256}.svg"


def card(name: str, view: FigureView, reader: Reader) -> Safe:
    """One figure in the gallery. Its `data-stamp` changes with everything on it."""
    is_failed = view.status is ViewStatus.FAILED
    published = reader.seen(view)
    heading = titled(view, published)
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
        error(view, reader) if is_failed else NOTHING,
        pictures(published, reader.page_of(name), reader.speech("{0}, large", view.label))
        if published
        else NOTHING,
        el(
            "div",
            {"class": "words"},
            el("h2", {}, el("a", {"href": reader.page_of(name)}, heading)),
            el("p", {}, caption) if caption else NOTHING,
            el("p", {"class": "source"}, el("bdi", {"dir": "ltr"}, source)),
            findings(view.warnings, reader) if view.warnings else NOTHING,
        ),
    )


def titled(view: FigureView, published: Published | None) -> str:
    """The title of a figure in a reader's language: that of its edition, else that of its question.

    A block of a page without a title or an id of its own has its place as a title.
    """
    if published is not None and published is not view.published and published.title:
        return published.title
    named = view.title or (published.title if published else None)
    return named or (f"{view.at.path}:{view.at.line}" if is_made(view.label) else view.label)


def pictures(published: Published, target: str, label: str) -> Safe:
    """The picture of each theme; the page shows that of its own theme; a click leads to the figure's page."""
    shown = [_image(file, published.alt) for file in svgs(published)]
    both = "both" if len(shown) > 1 else "one"
    return el("a", {"class": f"drawing {both}", "href": target, "aria-label": label}, *shown)


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


def error(view: FigureView, reader: Reader) -> Safe:
    """Why a figure failed, each reason at its place."""
    say = reader.speech
    old = say("Below: its last good picture.") if view.published and svgs(view.published) else ""
    return el(
        "div",
        {"class": "error", "role": "group", "aria-label": say("{0} has failed", view.label)},
        *(
            el(
                "div",
                IN_ENGLISH,
                el("p", {}, link(wrong.origin, reader), " ", wrong.message),
                el("pre", {"tabindex": 0}, wrong.detail) if wrong.detail else NOTHING,
            )
            for wrong in view.errors
        ),
        el("p", {"class": "old"}, old) if old else NOTHING,
    )


def findings(warnings: Iterable[Warned], reader: Reader) -> Safe:
    """Findings of checks as a list; a text if there are none."""
    rows = [
        el("li", {}, link(warning.origin, reader), f" {warning.message} ", el("code", {}, warning.check))
        for warning in warnings
    ]
    if not rows:
        return el("p", {}, reader.speech("None."))
    return el("ul", {"class": "findings", **IN_ENGLISH}, *rows)


def facts(values: dict[str, Fact], reader: Reader, numbers: Callable[[str], str] = str) -> Safe:
    """Facts as a table of names and values."""
    rows = (
        el("tr", {}, el("th", {"scope": "row"}, name), el("td", {}, el("bdi", {}, shown(value, numbers))))
        for name, value in sorted(values.items())
    )
    if not values:
        return el("p", {}, reader.speech("It states none."))
    return el("table", {"class": "facts"}, el("tbody", {}, *rows))


def shown(value: Fact, numbers: Callable[[str], str] = str) -> str:
    """A fact as text for a reader. numbers: writes numbers as their language does."""
    if isinstance(value, list):
        return ", ".join(shown(item, numbers) for item in value)
    return numbers(f"{value:.6g}") if isinstance(value, float) else str(value)
