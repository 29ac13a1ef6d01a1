"""A figure's own page: large, in both themes, with its controls and everything known about it. Pure.

Each part that can change carries `data-part`; serve.js puts the new one in its place when the figure changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from figmill.claims.numbers import WrittenNumber
from figmill.engine.resident.views import FigureView, ViewStatus
from figmill.errors import AuthorError
from figmill.model import Expect, File, Origin, Published
from figmill.page_words import Speech
from figmill.serve.controls import Control
from figmill.serve.live import PictureOfChange
from figmill.serve.pages import cards, control_form
from figmill.serve.pages.control_form import dialog, footer
from figmill.serve.pages.markup import NOTHING, Safe, el, joined
from figmill.serve.pages.places import link
from figmill.serve.pages.reader import Reader
from figmill.serve.pages.snippets import snippets
from figmill.serve.snapshot import stamp
from figmill.versions import OWN

# Finds the numbers of a text that the figure contradicts, each with its message.
Judge: TypeAlias = Callable[[str], Iterable[tuple[WrittenNumber, str]]]
STATUS = {
    ViewStatus.CURRENT: "up to date",
    ViewStatus.STALE: "being drawn",
    ViewStatus.FAILED: "failed",
}


def body(
    name: str,
    view: FigureView,
    controls: Sequence[Control],
    reader: Reader,
    hosts: tuple[str, ...],
    judge: Judge,
    change: Sequence[PictureOfChange] = (),
) -> Safe:
    """The main part of the page. judge: finds the false numbers of the figure's texts. change: by the last edit."""
    side, published = control_form.form(name, controls, reader.speech), reader.seen(view)
    return el(
        "main",
        {"id": "figure", "data-name": name, "data-stamp": stamp(view), "data-status": view.status},
        _part("head", _head(view, published, reader)),
        _part("error", cards.error(view, reader) if view.status is ViewStatus.FAILED else NOTHING),
        el(
            "div",
            {"class": "bench" if side else "bench plain"},
            _stage(published, reader.speech),
            _side(side, reader.speech),
            _details(view, published, reader, hosts, judge, change),
        ),
        dialog(reader.speech) if side else NOTHING,
    )


def _side(form: Safe, say: Speech) -> Safe:
    """The controls; a part even if there are none, because a figure may get some."""
    if not form:
        return _part("controls", NOTHING)
    title = el("h2", {"id": "controls-title"}, say("Parameters"))
    held = {"class": "side", "aria-labelledby": "controls-title"}
    return el("section", held, title, _part("controls", form), footer(say))


def _details(
    view: FigureView,
    published: Published | None,
    reader: Reader,
    hosts: tuple[str, ...],
    judge: Judge,
    change: Sequence[PictureOfChange],
) -> Safe:
    """Everything known about the figure, shown beside its picture."""
    say = reader.speech
    nothing = el("p", {}, say("Nothing yet."))
    printed = el("pre", {"tabindex": 0, "dir": "ltr"}, view.printed) if view.printed else NOTHING
    rows = (
        ("What the last edit changed", "change", _change(change, say)),
        ("Facts", "facts", facts(view, reader)),
        (
            "Expected",
            "expected",
            expected(view.expect, None if view.status is ViewStatus.FAILED else (), say),
        ),
        ("Findings", "findings", cards.findings(view.warnings, reader)),
        (
            "What a reader hears and reads",
            "texts",
            texts(published.alt, published.caption, say, judge) if published else nothing,
        ),
        ("Read from", "reads", _reads(view, reader)),
        ("Why it was last built", "why", _why(view, say)),
        ("What its script printed", "printed", printed),
        ("Squeezed in a wider font", "squeezed", NOTHING),
        ("In a page", "snippets", _snippets(view, hosts, say)),
    )
    return el(
        "div", {"class": "details"}, *(_section(say(title), part, content) for title, part, content in rows)
    )


def _part(name: str, content: Safe) -> Safe:
    return el("div", {"data-part": name}, content)


def _section(title: str, part: str, content: Safe) -> Safe:
    """A part with its heading; serve.css leaves out what is empty."""
    return el(
        "section",
        {"aria-labelledby": f"title-{part}"},
        el("h2", {"id": f"title-{part}"}, title),
        _part(part, content),
    )


def _head(view: FigureView, published: Published | None, reader: Reader) -> Safe:
    parts = [view.label, view.kind or ""]
    return el(
        "div",
        {},
        el("h1", {}, cards.titled(view, published)),
        el(
            "p",
            {"class": "source"},
            el("bdi", {"dir": "ltr"}, " · ".join(filter(None, parts))),
            " · ",
            reader.speech(STATUS[view.status]),
            " · ",
            link(view.at, reader),
        ),
    )


def _stage(published: Published | None, say: Speech) -> Safe:
    """The picture with its tools. Without a script, only the picture is shown, light or dark."""
    files = cards.svgs(published) if published else []
    if published is None or not files:
        return el(
            "section",
            {"id": "stage", "class": "empty", "aria-label": say("Picture")},
            el("p", {}, say("No picture yet.")),
        )
    tools = el(
        "div",
        {"class": "tools", "role": "toolbar", "aria-label": say("Picture")},
        el("span", {}, *(_tool(f"show-{theme}", say(word), False) for theme, word in _shown(files))),
        el(
            "span",
            {},
            _tool("out", "−", None, say("Smaller")),
            _tool("fit", say("Fit"), None, say("Fit the width")),
            _tool("actual", "100 %", None, say("Own size")),
            _tool("in", "+", None, say("Larger")),
        ),
    )
    panes = (
        el(
            "div",
            {
                "class": f"pane {file.theme}",
                "data-theme": file.theme,
                "tabindex": 0,
                "role": "region",
                "dir": "ltr",
                "aria-label": say(f"The {file.theme} picture: + and - zoom, arrows move"),
            },
            el(
                "img",
                {
                    "src": cards.picture_address(file.sha256),
                    "alt": published.alt,
                    "dir": say.direction,
                    "width": round(file.width),
                    "height": round(file.height),
                    "draggable": "false",
                },
            ),
        )
        for file in files
    )
    return el(
        "section", {"id": "stage", "aria-label": say("Picture")}, tools, el("div", {"class": "panes"}, *panes)
    )


def _shown(files: Sequence[File]) -> list[tuple[str, str]]:
    if len(files) < 2:
        return []
    return [("light", "Light"), ("dark", "Dark"), ("both", "Both")]


def _tool(name: str, text: str, pressed: bool | None, title: str | None = None) -> Safe:
    state = None if pressed is None else str(pressed).lower()
    return el(
        "button", {"type": "button", "data-tool": name, "aria-pressed": state, "aria-label": title}, text
    )


def _change(change: Sequence[PictureOfChange], say: Speech) -> Safe:
    """The last change as one picture, in the theme of the page, over what it shows."""
    if not change:
        return NOTHING
    legend = "; ".join(change[0].legend)
    alt = f"{say('What the last edit changed')}: {legend}"
    images = (
        el("img", {"class": f"on-{picture.theme}", "src": cards.picture_address(picture.digest), "alt": alt})
        for picture in change
    )
    return el(
        "div",
        {},
        el("div", {"class": f"drawing {'both' if len(change) > 1 else 'one'}", "dir": "ltr"}, *images),
        el("p", cards.IN_ENGLISH, legend),
    )


def facts(view: FigureView, reader: Reader) -> Safe:
    """The facts of the figure as it is published."""
    return cards.facts(dict(view.published.facts) if view.published else {}, reader, reader.numbers(view))


def expected(expect: Expect, unmet: Sequence[AuthorError] | None, say: Speech) -> Safe:
    """What the question expects of the figure; unmet: what the shown figure does not meet; None: unknown."""
    rows = [f"{count} {what}" for what, count in expect.counts.items()]
    rows += [say("the text “{0}”", text) for text in expect.text]
    rows += [f"{fact.name} = {cards.shown(fact.value)}" for fact in expect.facts]  # type: ignore[arg-type]
    if not rows:
        return el("p", {}, say("Nothing."))
    broken = [el("li", cards.IN_ENGLISH, f"{wrong.origin}: {wrong.message}") for wrong in unmet or ()]
    # Always a line: what is below does not move when something is no longer met.
    message = "Not known: the figure has failed." if unmet is None else "The figure has all of it."
    state = (
        el("ul", {"class": "state broken"}, *broken) if broken else el("p", {"class": "state"}, say(message))
    )
    return el("div", {}, state, el("ul", {}, *(el("li", {}, row) for row in rows)))


def texts(alt: str, caption: str | None, say: Speech, judge: Judge) -> Safe:
    """The alternative text and the caption, with the numbers marked that the figure contradicts."""
    rows = [
        (say("Alternative text"), _marked(alt, judge)),
        (say("Caption"), _marked(caption, judge) if caption else say("none")),
    ]
    return el("dl", {}, *(el("div", {}, el("dt", {}, name), el("dd", {}, text)) for name, text in rows))


def _marked(text: str, judge: Judge) -> Safe:
    parts, place = [], 0
    for number, message in judge(text):
        parts += [text[place : number.start], el("mark", {"title": message}, text[number.start : number.end])]
        place = number.end
    return joined((*parts, text[place:]))


def _reads(view: FigureView, reader: Reader) -> Safe:
    paths = view.reads or tuple(filter(None, (view.at.path, view.source)))
    own = [path for path in paths if path.startswith(OWN)]
    folded = el("details", {}, el("summary", {}, reader.speech("Files of figmill")), _list(own, reader))
    return el(
        "div", {}, _list([path for path in paths if path not in own], reader), folded if own else NOTHING
    )


def _list(paths: Iterable[str], reader: Reader) -> Safe:
    return el("ul", {}, *(el("li", {}, link(Origin(path), reader)) for path in paths))


def _why(view: FigureView, say: Speech) -> Safe:
    if not view.reasons:
        return el("p", {}, say("It was up to date when this server began."))
    return el("ul", cards.IN_ENGLISH, *(el("li", {}, reason) for reason in view.reasons))


def _snippets(view: FigureView, hosts: tuple[str, ...], say: Speech) -> Safe:
    facts = view.published.facts if view.published else {}
    rows = (
        el(
            "div",
            {"class": "snippet"},
            el("h3", {}, say(names)),
            el("pre", {"tabindex": 0, "dir": "ltr"}, text),
            el("button", {"type": "button", "data-copy": text}, say("Copy")),
        )
        for names, text in snippets(view.label, facts, hosts)
    )
    return el("div", {}, *rows)
