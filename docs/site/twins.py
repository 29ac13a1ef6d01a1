"""A Markdown twin of each page of the site, and `llms.txt`, which lists them: for readers that are programs.

A twin is the page's Markdown. Each figure becomes its description, caption and facts in words, and links lead to the
other twins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from figmill.integrations.figures import Catalogue

FIGURE = re.compile(r"!\[([^\]]*)\]\(figmill:([A-Za-z0-9._-]+)\)")
COMMENT = re.compile(r"<!--.*?-->\s*", re.S)
# The first paragraph that is prose: no heading, list, table, code, picture or HTML.
PROSE = re.compile(r"(?m)^(?![#\-*|>`!<\d\s]|Decided on )\S.*(?:\n\S.*)*")
CODE = re.compile(r"(?ms)^( *)```.*?^ *```")
LAST = "Optional"  # what llmstxt.org calls pages that a program may skip
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Twin:
    """A page for programs. name: its file, relative to the site; section: of the navigation."""

    name: str
    title: str
    section: str
    text: str

    @property
    def first(self) -> str:
        """The first sentence of its prose."""
        match = PROSE.search(CODE.sub("", self.text))
        words = " ".join(LINK.sub(r"\1", match[0] if match else "").split())
        return re.split(r"(?<=[.:!?])\s", words, maxsplit=1)[0].rstrip(":")


def text(markdown: str, catalogue: Catalogue) -> str:
    """A page's Markdown with each figure in words."""

    def in_words(match: re.Match[str]) -> str:
        figure = catalogue.figures.get(match[2])
        if figure is None:
            return match[0]
        lines = [f"**Figure {figure.label}**" + (f": {figure.title}" if figure.title else ""), figure.alt]
        lines += [f"Caption: {match[1] or figure.caption}"] if match[1] or figure.caption else []
        facts = ", ".join(f"{name} = {value}" for name, value in sorted(figure.facts.items()))
        lines += [f"Facts: {facts}"] if facts else []
        return "\n".join(f"> {' '.join(line.split())}" for line in lines)

    return COMMENT.sub("", FIGURE.sub(in_words, markdown)).strip() + "\n"


def llms(name: str, about: str, twins: Iterable[Twin]) -> str:
    """The text of `llms.txt` (llmstxt.org): the site, then each section with its pages."""
    sections: dict[str, list[Twin]] = {}
    for twin in twins:
        sections.setdefault(twin.section, []).append(twin)
    lines = [f"# {name}", "", f"> {about}"]
    for section, pages in sorted(sections.items(), key=lambda row: row[0] == LAST):
        lines += ["", f"## {section}", ""]
        lines += [f"- [{page.title}]({page.name}): {page.first}".removesuffix(": ") for page in pages]
    return "\n".join(lines) + "\n"


def files(name: str, about: str, twins: list[Twin]) -> Mapping[str, str]:
    """Every file of this module, by its path in the site."""
    return {**{twin.name: twin.text for twin in twins}, "llms.txt": llms(name, about, twins)}
