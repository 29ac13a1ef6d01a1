"""docutils alone: the directive `figmill` and the role `figmill-fact`, as HTML and as LaTeX.

The book is built once for each run of the program. Other writers skip a figure.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, cast

from docutils import nodes
from docutils.core import publish_cmdline
from docutils.parsers.rst import Directive, directives, roles

from figmill.errors import ToolError
from figmill.integrations import lookup
from figmill.integrations.documents.request import ERROR, NOTE, PageRequest
from figmill.integrations.documents.web_page import WebPage, WebUse, Wishes
from figmill.integrations.lookup import Missing, Target
from figmill.integrations.opened import Opened, find, open_book
from figmill.integrations.paste import FORMATS, Paste
from figmill.paths import PACKAGE
from figmill.streams import complain

STYLES = PACKAGE / "integrations" / "files" / "css" / "figmill.css"


def register() -> None:
    """Make the directive and the role known to docutils."""
    directives.register_directive("figmill", FigureDirective)
    roles.register_local_role("figmill-fact", cast(Any, fact_role))  # typed for references alone


def main() -> int:
    """Convert a page to HTML: `rst2html5` with figures, and with their style sheet."""
    styles = ["minimal.css", "plain.css", str(STYLES)]
    publish_cmdline(writer_name="html5", settings_overrides={"stylesheet_path": styles})
    return 0


class FigureDirective(Directive):
    """`.. figmill:: ID`: a figure; its content, if any, replaces the caption."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Callable[[str], Any]] | None] = {
        "name": directives.unchanged,
        "width": directives.unchanged,
        "align": directives.unchanged,
        "theme": lambda text: directives.choice(text, lookup.THEMES),
        "class": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        document = self.state.document
        site = _site(document)
        target = Target(self.arguments[0].removeprefix(lookup.SCHEME))
        seen = document.__dict__.setdefault("figmill_seen", set())
        site.expect([] if target.label in seen else [WebUse(target.label, True)])
        seen.add(target.label)
        caption = " ".join(" ".join(self.content).split())
        attributes = {**self.options, "id": nodes.make_id(self.options.get("name", ""))}
        wishes = Wishes.of(caption, {name: value for name, value in attributes.items() if value})
        shown = site.shown(target, wishes, is_by_itself=True)
        raws: list[nodes.Node] = [
            nodes.raw("", "\n".join(site.html([part]) for part in shown), format="html")
        ]
        if (text := _in_latex(site, target, caption)) is not None:
            raws.append(nodes.raw("", text, format="latex"))
        return [*raws, *_reported(site, document.reporter, self.lineno)]


def fact_role(
    name: str, rawtext: str, text: str, lineno: int, inliner: Any, *_: Any, **__: Any
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """`:figmill-fact:`ID#FACT:.1%``: a fact as text."""
    site = _site(inliner.document)
    target = lookup.target(f"{lookup.SCHEME}{nodes.unescape(text).removeprefix(lookup.SCHEME)}")
    assert target is not None
    fact = site.fact(target, is_in_heading=True)
    if isinstance(fact, str):
        return [nodes.Text(fact)], []
    messages = _reported(site, inliner.reporter, lineno)
    return [nodes.strong(rawtext, str(target))], messages


def _site(document: nodes.document) -> WebPage:
    """The page, through which its figures are found. Addresses are relative to the output file."""
    path = Path(document.current_source or document["source"] or "page.rst").absolute()
    written = document.settings._destination
    here = Path(written).absolute() if written else path
    request = PageRequest("docutils", "", sources=(str(here),))
    return WebPage(request, _book(path.parent), None)


@cache
def _book(folder: Path) -> Opened | ToolError:
    try:
        return open_book(find(folder, None))
    except ToolError as error:
        return error


def _in_latex(site: WebPage, target: Target, caption: str) -> str | None:
    """The figure for LaTeX, if the book has its PDF."""
    if isinstance(site.book, ToolError):
        return None
    answer = lookup.show(site.book.catalogue, target, caption=caption or None)
    if isinstance(answer, Missing) or answer.figure.picture("light", "pdf") is None:
        return None
    return FORMATS["latex"](Paste(answer, site.base))


def _reported(site: WebPage, reporter: Any, line: int) -> list[nodes.system_message]:
    """A message of docutils: an error at the line of the page for anything that is missing. Notes are printed."""
    complain(*(f"figmill: {message.message}" for message in site.messages.values() if message.level == NOTE))
    return [
        (reporter.error if message.level == ERROR else reporter.warning)(
            f"figmill: {message.message}", line=line
        )
        for message in site.messages.values()
        if message.level != NOTE
    ]
