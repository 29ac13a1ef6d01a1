"""A Markdown twin of each page of the site, and `llms.txt`, which lists them: for readers that are programs.

A twin is the page's Markdown without what only the site's theme understands. Each figure becomes words: its alt text,
caption, facts, lists and tables. Links lead to the other twins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname, join, relpath
from xml.etree.ElementTree import Element

from figmill.integrations import long_description
from figmill.integrations.facts import shown
from figmill.integrations.figures import Catalogue, Figure

FIGURE = re.compile(r"^!\[([^\]]*)\]\(figmill:([A-Za-z0-9._-]+)\)$")
FACT = re.compile(r"(`[^`\n]+`)|\[\]\(figmill:([A-Za-z0-9._-]+)#([A-Za-z_][A-Za-z0-9_]*)(?::([^)\s]+))?\)")
COMMENT = re.compile(r"<!--.*?-->\s*", re.S)
FENCE = re.compile(r"^ *(`{3,}|~{3,})")
# What only the theme understands: a box around Markdown, a collapsed block, the id of a heading.
BOX = re.compile(r"^</?div\b[^>]*>$")
COLLAPSED = re.compile(r'^(?:\?\?\?\+?|!!!) +\w+(?: +"([^"]*)")?$')
ID = re.compile(r"^(#+ .*?) *\{#[^}]*\}$")
# A block that is not prose: heading, list, table, quote, picture, HTML, code. A decision begins with its date.
OTHER = re.compile(r"#|[-*+] |\d+\. |\||>|!\[|<|```|~~~| {4}|Decided on ")
CODE = re.compile(r"(?ms)^( *)```.*?^ *```")
LAST = "Optional"  # what llmstxt.org calls pages that a program may skip
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
SENTENCE = re.compile(r"(?<=[.:!?])(?<!et al\.)(?<!e\.g\.)\s+(?=[^a-z]|figmill\b)")
ROWS = 30  # of a table in a twin; its file has all


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
        blocks = re.split(r"\n\s*\n", CODE.sub("", self.text))
        prose = next((block for block in blocks if block.strip() and not OTHER.match(block)), "")
        words = " ".join(LINK.sub(r"\1", prose).split())
        return SENTENCE.split(words, maxsplit=1)[0].rstrip(":")


def text(markdown: str, catalogue: Catalogue, name: str = "") -> str:
    """A page's Markdown with each figure in words. name: the twin's file, relative to the site."""
    lines: list[str] = []
    begun, is_collapsed = (
        "",
        False,
    )  # the fence of the code that the line is in; whether it is in a collapsed block
    for line in COMMENT.sub("", markdown).split("\n"):
        is_collapsed = is_collapsed and (not line or line.startswith("    "))
        whole = line[4:] if is_collapsed else line
        if fence := FENCE.match(whole):
            begun = "" if begun and fence[1].startswith(begun) else begun or fence[1]
        elif not begun:
            if opened := COLLAPSED.match(whole):
                is_collapsed, whole = True, f"**{opened[1]}**" if opened[1] else ""
            whole = "" if BOX.match(whole) else ID.sub(r"\1", whole)
            whole = "\n".join(_in_words(whole, catalogue, name))
        if whole or begun or (lines and lines[-1]):
            lines.append(whole)
    return "\n".join(lines).strip() + "\n"


def _in_words(line: str, catalogue: Catalogue, name: str) -> Iterator[str]:
    """A line outside code: a figure as a quotation, a fact as its number, anything else as it is."""
    match = FIGURE.match(line)
    if match and match[2] in catalogue.figures:
        yield from figure(catalogue.figures[match[2]], catalogue.folder, "figures", name, match[1])
        return

    def number(match: re.Match[str]) -> str:
        known = catalogue.figures.get(match[2] or "")
        if known is None or match[3] not in known.facts:
            return match[0]
        return shown(known.facts[match[3]], match[4] or "", match[3])

    yield FACT.sub(number, line)


def figure(figure: Figure, folder: Path, place: str, name: str, caption: str = "") -> Iterator[str]:
    """A figure as lines of a quotation.

    folder: of its manifest; place: of its files in the site; name: the twin's file; caption: the page's own.
    """
    caption = caption or figure.caption or ""
    lines = [f"**Figure {figure.label}**" + (f": {figure.title}" if figure.title else ""), figure.alt]
    lines += [f"Caption: {caption}"] if caption else []
    facts = ", ".join(f"{fact} = {value}" for fact, value in sorted(figure.facts.items()))
    lines += [f"Facts: {facts}"] if facts else []
    yield from (f"> {' '.join(line.split())}" for line in lines)
    found = long_description.details(
        figure, folder, lambda table: relpath(join(place, table.path), dirname(name) or ".")
    )
    for part in found if found is not None else ():
        if part.tag != "summary":
            yield ">"
            yield from (f"> {line}".rstrip() for line in _part(part))


def _part(part: Element) -> Iterator[str]:
    """A paragraph, a list or a table of a description as Markdown."""
    grid = part.find("table")
    if part.tag in ("ul", "ol"):
        yield from _list(part, "")
    elif grid is not None:
        yield from _table(grid)
    else:
        yield "".join(_inline(part))


def _inline(part: Element) -> Iterator[str]:
    yield part.text or ""
    for child in part:
        words = "".join(_inline(child))
        marks = {"strong": f"**{words}**", "a": f"[{words}]({child.get('href')})"}
        yield marks.get(child.tag, words) + (child.tail or "")


def _list(part: Element, indent: str) -> Iterator[str]:
    mark = "1." if part.tag == "ol" else "-"
    for item in part:
        yield f"{indent}{mark} {' '.join((item.text or '').split())}"
        for inner in item:
            yield from _list(inner, indent + " " * (len(mark) + 1))


def _table(grid: Element) -> Iterator[str]:
    head, *rows = ([" ".join((cell.text or "").split()) for cell in row] for row in grid.iter("tr"))
    some = f"; {ROWS} of {len(rows)} rows" if len(rows) > ROWS else ""
    yield f"**{grid.findtext('caption')}**{some}"
    yield ""
    for row in (head, ["---"] * len(head), *rows[:ROWS]):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


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
