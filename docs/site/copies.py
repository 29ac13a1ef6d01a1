"""The page "Figures to copy": each figure beside its source, so that the two cannot drift apart.

Most figures come from the book in docs/copy/, which is built for this page. Those of generators come from the showcase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import twins

from figmill.integrations import html
from figmill.integrations.figures import Catalogue, Figure
from figmill.integrations.opened import open_book

BOOK = "docs/copy"
FOLDER = "copies"  # of the pictures in the site
GROUPS = ("Networks", "Data", "Processes", "Measurements", "Hardware")
# A figure of the showcase -> its group, and the generator that draws it.
GENERATED = {
    "cloud-2882": ("Networks", "message_sequence"),
    "cloud-2880": ("Networks", "bit_fields"),
    "shop-sql": ("Data", "sql"),
    "shop-imports": ("Data", "imports"),
    "cloud-2848": ("Processes", "pipeline_bubble"),
    "cloud-2847": ("Measurements", "queueing"),
    "cloud-2868": ("Measurements", "roofline"),
}
# The suffix of a source -> the language of its block.
LANGUAGES = {
    ".dot": "dot",
    ".mmd": "mermaid",
    ".d2": "d2",
    ".bob": "text",
    ".wavedrom": "js",
    ".ebnf": "ebnf",
    ".json": "json",
    ".py": "python",
    ".svg": "xml",
    ".excalidraw": "json",
}
LONGEST = 60  # lines of a source that the page shows in full


@dataclass(frozen=True)
class Copied:
    """A figure with its question and its source. address: the folder of its pictures, relative to the page."""

    group: str
    figure: Figure
    question: str
    source: Path | None  # None: a generator's, which `new --from` copies
    generator: str | None
    address: str
    folder: Path  # of its manifest


def copied(root: Path, showcase: Catalogue) -> list[Copied]:
    """All figures of the page. Builds the book in docs/copy/. Raises ToolError if a figure fails."""
    book = root / BOOK
    opened = open_book(book)
    if opened.lines:
        raise ValueError("\n".join(opened.lines))
    found = []
    for label, figure in opened.catalogue.figures.items():
        question = (book / f"questions/{label}.yaml").read_text(encoding="utf-8")
        group = re.search(r"^group: (\w+)$", question, re.MULTILINE)
        if group is None or group[1] not in GROUPS:
            raise ValueError(f"{BOOK}/questions/{label}.yaml: `group` must be one of {', '.join(GROUPS)}")
        source, folder = book / figure.source, opened.catalogue.folder
        found.append(Copied(group[1], figure, _declared(question), source, None, FOLDER, folder))
    for label, (name, generator) in GENERATED.items():
        if showcase_figure := showcase.figures.get(label):
            path = next((root / "questions").glob(f"*/{label}.yaml"))
            question = _declared(path.read_text(encoding="utf-8"))
            found.append(Copied(name, showcase_figure, question, None, generator, "figures", showcase.folder))
    return sorted(found, key=lambda one: GROUPS.index(one.group))


def pictures(root: Path) -> Iterator[tuple[str, Path]]:
    """(its path in the site, its file) of each picture and each table of the book."""
    catalogue = open_book(root / BOOK).catalogue
    for figure in catalogue.figures.values():
        for picture in figure.pictures:
            if picture.format == "svg":
                yield f"{FOLDER}/{picture.path}", catalogue.folder / picture.path
        for table in figure.description.tables if figure.description else ():
            yield f"{FOLDER}/{table.path}", catalogue.folder / table.path


def in_both_themes(root: Path, label: str) -> str:
    """A figure of the book, light on one side and dark on the other, with a handle between the two."""
    figure = open_book(root / BOOK).catalogue.figures[label]
    light, dark = (figure.picture(theme) for theme in ("light", "dark"))
    assert light is not None and dark is not None
    size = f'width="{light.width:.0f}" height="{light.height:.0f}"'
    return (
        f'<div class="themes"><div><img class="light" src="{FOLDER}/{light.path}" alt="{escape(figure.alt)}" {size}>'
        f'<img class="dark" src="{FOLDER}/{dark.path}" alt="" {size}>'
        '<input type="range" value="50" aria-label="How much of the figure is light, in percent"></div></div>'
    )


def in_words(root: Path, label: str) -> str:
    """The same for programs."""
    opened = open_book(root / BOOK).catalogue
    return "\n".join(twins.figure(opened.figures[label], opened.folder, FOLDER, "index.md"))


def page(root: Path, every: Sequence[Copied]) -> str:
    """The figures as Markdown: first thumbnails that link to the figures, then each figure beside its source."""
    cards = "".join(
        f'<li><a href="#{one.figure.label}">{_small(one)}<b>{_title(one)}</b></a></li>' for one in every
    )
    return "\n".join([f'<ul class="cards small">{cards}</ul>', "", *_groups(root, every, _drawn)])


def told(root: Path, every: Sequence[Copied], name: str) -> str:
    """The same for programs: each figure in words, with its source. name: of the page."""

    def in_words(one: Copied) -> str:
        return "\n".join(twins.figure(one.figure, one.folder, one.address, name))

    return "\n".join(_groups(root, every, in_words))


def _groups(root: Path, every: Sequence[Copied], shown: Callable[[Copied], str]) -> list[str]:
    lines: list[str] = []
    for group in GROUPS:
        lines += [f"## {group}", ""]
        for one in every:
            if one.group == group:
                lines += _shown(one, root, shown)
    return lines


def _drawn(one: Copied) -> str:
    caption = f"<figcaption>{escape(one.figure.caption)}</figcaption>" if one.figure.caption else ""
    return f'<figure class="figmill">{_picture(one)}{caption}</figure>'


def _shown(one: Copied, root: Path, shown: Callable[[Copied], str]) -> Iterator[str]:
    yield f"### {_title(one)} {{#{one.figure.label}}}\n"
    yield '<div class="pair" markdown="1">\n'
    yield f"{shown(one)}\n"
    yield '<div markdown="1">\n'
    if one.source is None:
        yield f"```sh\nfigmill new {_id(one)} --from {one.generator}\n```\n"
        yield "This copies the script and its data. The declaration says what to draw:\n"
        yield f"```yaml\n{one.question}```\n"
    else:
        text = one.source.read_text(encoding="utf-8").strip("\n")
        name = one.source.relative_to(root / BOOK).as_posix()
        if len(text.splitlines()) > LONGEST:
            yield f'??? abstract "`{name}`"\n'
            yield from _indented(LANGUAGES[one.source.suffix], text)
        else:
            yield f"`{name}`\n"
            yield f"```{LANGUAGES[one.source.suffix]}\n{text}\n```\n"
        yield '??? example "Its declaration"\n'
        yield f"    `questions/{one.figure.label}.yaml`\n"
        yield from _indented("yaml", one.question)
    yield "</div>\n\n</div>\n"


def _indented(language: str, text: str) -> Iterator[str]:
    yield f"    ```{language}"
    yield from (f"    {line}".rstrip() for line in text.splitlines())
    yield "    ```\n"


def _declared(question: str) -> str:
    """The id, the title and the figure of a question, without the keys that are the book's own."""
    parts = re.findall(r"^(?:id|title|visual):.*\n(?:[ ].*\n)*", question, re.MULTILINE)
    return "".join(parts)


def _small(one: Copied) -> str:
    """A thumbnail, which says nothing beside the title."""
    return f'<span class="figmill-picture">{"".join(_images(one, "", is_legible=False))}</span>'


def _picture(one: Copied) -> str:
    """A figure that keeps its text legible, in a box that scrolls where it must."""
    images = "".join(_images(one, escape(one.figure.alt), is_legible=True))
    box = f'tabindex="0" role="group" aria-label="{_title(one)}"' if "figmill-min" in images else ""
    return f'<div class="figmill-picture" {box}>{images}</div>'


def _images(one: Copied, alt: str, *, is_legible: bool) -> Iterator[str]:
    for theme in ("light", "dark"):
        found = one.figure.picture(theme)
        assert found is not None
        size = f'width="{found.width:.0f}" height="{found.height:.0f}"'
        names = f"figmill-{theme} {html.legible(found, None) if is_legible else ''}".strip()
        place = f'class="{names}" src="{one.address}/{found.path}"'
        yield f'<img {place} alt="{alt}" {size} loading="lazy" decoding="async">'


def _title(one: Copied) -> str:
    return escape(one.figure.title or one.figure.label)


def _id(one: Copied) -> str:
    """An id for the reader's own figure."""
    assert one.generator is not None
    return one.generator.replace("_", "-")
