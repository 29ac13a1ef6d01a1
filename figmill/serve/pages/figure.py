"""A figure's own page: large, in both themes, with its controls and everything known about it. Pure.

Each part that can change carries `data-part`; serve.js puts the new one in its place when the figure changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from figmill.engine.resident.views import FAILED, FigureView
from figmill.errors import AuthorError
from figmill.model import Expect, File, Origin
from figmill.serve.controls import Control
from figmill.serve.pages import cards, control_form
from figmill.serve.pages.control_form import dialog, footer
from figmill.serve.pages.markup import NOTHING, Safe, el
from figmill.serve.pages.places import link
from figmill.serve.pages.snippets import snippets
from figmill.serve.snapshot import stamp

STATUS = {"current": "up to date", "stale": "being drawn", "failed": "failed"}


def body(
    name: str,
    view: FigureView,
    controls: Sequence[Control],
    root: Path,
    editor: str | None,
    hosts: tuple[str, ...],
) -> Safe:
    """The main part of the page."""
    side = control_form.form(name, controls)
    return el(
        "main",
        {"id": "figure", "data-name": name, "data-stamp": stamp(view), "data-status": view.status},
        _part("head", _head(view, root, editor)),
        _part("error", cards.error(view, root, editor) if view.status == FAILED else NOTHING),
        el(
            "div",
            {"class": "bench" if side else "bench plain"},
            _stage(view),
            _side(side),
            _details(view, root, editor, hosts),
        ),
        dialog() if side else NOTHING,
    )


def _side(form: Safe) -> Safe:
    """The controls; a part even if there are none, because a figure may get some."""
    if not form:
        return _part("controls", NOTHING)
    title = el("h2", {"id": "controls-title"}, "Parameters")
    held = {"class": "side", "aria-labelledby": "controls-title"}
    return el("section", held, title, _part("controls", form), footer())


def _details(view: FigureView, root: Path, editor: str | None, hosts: tuple[str, ...]) -> Safe:
    """Everything known about the figure, shown beside its picture."""
    published = view.published
    nothing = el("p", {}, "Nothing yet.")
    printed = el("pre", {"tabindex": 0}, view.printed) if view.printed else NOTHING
    rows = (
        ("Facts", "facts", facts(view)),
        ("Expected", "expected", expected(view.expect, None if view.status == FAILED else ())),
        ("Findings", "findings", cards.found(view.warnings, root, editor)),
        (
            "What a reader hears and reads",
            "texts",
            texts(published.alt, published.caption) if published else nothing,
        ),
        ("Read from", "reads", _reads(view, root, editor)),
        ("Why it was last built", "why", _why(view)),
        ("What its script printed", "printed", printed),
        ("Squeezed in a wider font", "squeezed", NOTHING),
        ("In a page", "snippets", _snippets(view, hosts)),
    )
    return el("div", {"class": "details"}, *(_section(*row) for row in rows))


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


def _head(view: FigureView, root: Path, editor: str | None) -> Safe:
    heading = view.title or view.label
    words = [view.label, view.kind or "", STATUS[view.status]]
    return el(
        "div",
        {},
        el("h1", {}, heading),
        el("p", {"class": "source"}, " · ".join(filter(None, words)), " · ", link(view.at, root, editor)),
    )


def _stage(view: FigureView) -> Safe:
    """The picture with its tools. Without a script it is simply there, light or dark."""
    files = cards.svgs(view.published) if view.published else []
    if not files:
        return el(
            "section",
            {"id": "stage", "class": "empty", "aria-label": "Picture"},
            el("p", {}, "No picture yet."),
        )
    alt = view.published.alt if view.published else ""
    tools = el(
        "div",
        {"class": "tools", "role": "toolbar", "aria-label": "Picture"},
        *(_tool(f"show-{theme}", word, False) for theme, word in _shown(files)),
        el("span", {"class": "gap"}),
        _tool("out", "−", None, "Smaller"),
        _tool("fit", "Fit", None, "Fit the width"),
        _tool("actual", "100 %", None, "Own size"),
        _tool("in", "+", None, "Larger"),
    )
    panes = (
        el(
            "div",
            {"class": f"pane {file.theme}", "data-theme": file.theme, "tabindex": 0, "role": "region",
             "aria-label": f"The {file.theme} picture: + and - zoom, arrows move"},
            el("img", {"src": cards.picture_address(file.sha256), "alt": alt, "width": round(file.width),
                       "height": round(file.height), "draggable": "false"}),
        )
        for file in files
    )  # fmt: skip
    return el(
        "section", {"id": "stage", "aria-label": "Picture"}, tools, el("div", {"class": "panes"}, *panes)
    )


def _shown(files: Sequence[File]) -> list[tuple[str, str]]:
    if len(files) < 2:
        return []
    return [("light", "Light"), ("dark", "Dark"), ("both", "Both")]


def _tool(name: str, words: str, pressed: bool | None, title: str | None = None) -> Safe:
    state = None if pressed is None else str(pressed).lower()
    return el(
        "button", {"type": "button", "data-tool": name, "aria-pressed": state, "aria-label": title}, words
    )


def facts(view: FigureView) -> Safe:
    """The facts of the figure as it is published."""
    return cards.facts(dict(view.published.facts) if view.published else {})


def expected(expect: Expect, unmet: Sequence[AuthorError] | None) -> Safe:
    """What the question expects of the figure; unmet: what the shown figure does not meet; None: unknown."""
    rows = [f"{count} {what}" for what, count in expect.counts.items()]
    rows += [f"the text “{text}”" for text in expect.text]
    rows += [f"{fact.name} = {cards.shown(fact.value)}" for fact in expect.facts]  # type: ignore[arg-type]
    if not rows:
        return el("p", {}, "Nothing.")
    broken = [el("li", {}, f"{wrong.origin}: {wrong.message}") for wrong in unmet or ()]
    # Always a line: what is below does not move when something is no longer met.
    words = "Not known: the figure has failed." if unmet is None else "The figure has all of it."
    state = el("ul", {"class": "state broken"}, *broken) if broken else el("p", {"class": "state"}, words)
    return el("div", {}, state, el("ul", {}, *(el("li", {}, row) for row in rows)))


def texts(alt: str, caption: str | None) -> Safe:
    """The texts that stand for the picture, and below it."""
    rows = [("Alternative text", alt), ("Caption", caption or "none")]
    return el("dl", {}, *(el("div", {}, el("dt", {}, name), el("dd", {}, words)) for name, words in rows))


def _reads(view: FigureView, root: Path, editor: str | None) -> Safe:
    paths = view.reads or tuple(filter(None, (view.at.path, view.source)))
    return el("ul", {}, *(el("li", {}, link(Origin(path), root, editor)) for path in paths))


def _why(view: FigureView) -> Safe:
    if not view.reasons:
        return el("p", {}, "It was up to date when the server started.")
    return el("ul", {}, *(el("li", {}, reason) for reason in view.reasons))


def _snippets(view: FigureView, hosts: tuple[str, ...]) -> Safe:
    known = view.published.facts if view.published else {}
    rows = (
        el("div", {"class": "snippet"}, el("h3", {}, names), el("pre", {"tabindex": 0}, text),
           el("button", {"type": "button", "data-copy": text}, "Copy"))
        for names, text in snippets(view.label, known, hosts)
    )  # fmt: skip
    return el("div", {}, *rows)
