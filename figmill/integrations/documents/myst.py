"""mystmd and Jupyter Book 2: a page of its nodes with its figures. Reads the project's other pages, for links.

figmill.mjs hands the page over, before mystmd numbers figures and resolves references. A figure is one `container` with
two images, and shows its declared values: mystmd's theme accepts no script from a page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from figmill import page_words
from figmill.errors import ToolError
from figmill.host import files
from figmill.host.trees import walk
from figmill.integrations import claims, html, leftover, links, long_description, page, sources
from figmill.integrations.documents import myst_details
from figmill.integrations.documents.request import (
    ERROR,
    NOTE,
    WARNING,
    PageAnswer,
    PageMessage,
    PageRequest,
    text_of,
    tree,
)
from figmill.integrations.fences import PageFences
from figmill.integrations.figures import Picture
from figmill.integrations.opened import BookFinder, Opened
from figmill.integrations.page import Missing, Target, anchor_of
from figmill.integrations.paste import Paste
from figmill.model import is_made
from figmill.paths import relative

MystNode: TypeAlias = dict[str, Any]

# A figure by itself: an image, or a directive with its options.
_SHOWN = re.compile(
    r"^[ \t]*(?:!\[.*\]\(figmill:(?P<image>[\w.-]+)\)"
    r"|[:`]{3,}\{figm?[a-z]*\} *(?:figmill:)?(?P<directive>[\w.-]+))[ \t]*$"
    r"(?P<options>(?:\n[ \t]*:.*:.*$)*)",
    re.M,
)
_LABEL = re.compile(r"^[ \t]*:(?:label|name):[ \t]*(\S+)", re.M)
_CODE = re.compile(r"^([`~]{3,})(?!.*\{).*?^\1", re.M | re.S)
_NO_LETTERS = re.compile("[^a-z0-9]+")


def answered(request: PageRequest, book_of: BookFinder) -> PageAnswer:
    """The page with its figures and facts."""
    path = Path(*request.sources[:1]).absolute()
    host_page = _MystPage(path, book_of(path.parent, None), is_printed=request.format not in ("", "html"))
    written = tree(request.document)
    host_page.check(leftover.of_mdast(written))
    root = host_page.with_figures(written, "root")[0]
    host_page.lead(root, list(_containers(root)))
    return PageAnswer(text_of(root), tuple(host_page.messages.values()))


class _MystPage:
    """The page while its figures are put into it, with the messages about it. is_printed: the output is for print."""

    def __init__(self, path: Path, book: Opened | ToolError, is_printed: bool = False) -> None:
        self.path, self.book, self.is_printed = path, book, is_printed
        self.fences = PageFences(book, path) if isinstance(book, Opened) else None
        self.messages: dict[str, PageMessage] = {}  # each once
        self._counts: Counter[str] = Counter()

    def with_figures(self, node: MystNode, parent: str) -> list[MystNode]:
        """The nodes that replace a node and everything below it. parent: the type of the node above."""
        kind = node["type"]
        if "value" in node and (shown := self._of_block(node)) is not None:
            width = self.fences.share(language_of(node), node["value"]) if self.fences else None
            image = {**node, "type": "image", "alt": None, **({"width": width} if width else {})}
            return self._figure(image, shown, is_block=True)
        target = _target(node)
        if kind == "image" and target:
            return self._in_line(node, target) if parent == "paragraph" else self._figure(node, target)
        if kind == "link" and target and (target.fact is not None or not node.get("children")):
            return [self._fact(node, target)]
        if "children" not in node:
            return [node]
        if kind == "container":
            for child in node["children"]:
                if child["type"] == "image" and (shown := _target(child)):
                    return self._filled(node, child, shown)
        below = [new for child in node["children"] for new in self.with_figures(child, kind)]
        return [{**node, "children": below}]

    def _of_block(self, node: MystNode) -> Target | None:
        """The figure of a code block, or of a directive of its language, whose node mystmd names after it."""
        language = language_of(node)
        if self.fences is None or language not in self.fences.languages:
            return None
        label = self.fences.label(language, node["value"])
        if label is None and (message := self.fences.message(language, node["value"])) is not None:
            self._warn(message, node, WARNING)
        return None if label is None else Target(label)

    def _embedded(self, node: MystNode, target: Target) -> Paste | Missing:
        if isinstance(self.book, ToolError):
            return self._lost(Missing(str(self.book), target), node)
        answer = page.show(
            self.book.catalogue,
            target,
            alt=node.get("ownAlt"),
            theme=node.get("theme") or ("light" if self.is_printed else "auto"),
        )
        if isinstance(answer, Missing):
            return self._lost(answer, node)
        if self.is_printed:  # paper has one width
            answer = replace(answer, figure=replace(answer.figure, narrow=()))
        if answer.doubt:
            self._warn(answer.doubt, node, WARNING)
        if links.of(self.book.catalogue.folder, answer):
            self._warn(links.dead([answer.label], links.NOT_HERE), node, NOTE)
        way = relative(self.book.catalogue.folder, self.path.parent)
        return Paste(answer, way, self.book.catalogue.folder)

    def _figure(self, node: MystNode, target: Target, is_block: bool = False) -> list[MystNode]:
        """A figure in place of an image by itself or of a code block, and its description."""
        paste = self._embedded(node, target)
        if isinstance(paste, Missing):
            return [_paragraph([_mark(paste)])]
        alt = node.get("alt")
        place = {"position": node["position"]} if "position" in node else {}
        container = {"type": "container", "kind": "figure", **place, "class": "figmill"}
        caption = [_paragraph([_text(alt)])] if alt else None
        figure = {
            **container,
            **self._with_number(container, target, is_block and not is_made(target.label)),
            "children": _inside(paste, node, caption),
        }
        return [figure, *_details(paste)]

    def _filled(self, container: MystNode, image: MystNode, target: Target) -> list[MystNode]:
        """A figure in a container that the page itself contains, and its description."""
        is_own = not (image.get("data") or {}).get("altTextIsAutoGenerated")
        node = {"ownAlt": image.get("alt") if is_own else None, **image}
        paste = self._embedded(node, target)
        if isinstance(paste, Missing):
            return [_paragraph([_mark(paste)])]
        caption = next((child for child in container["children"] if child["type"] == "caption"), None)
        others = [
            new
            for child in container["children"]
            if child is not caption and child is not image
            for new in self.with_figures(child, "container")
        ]
        inlines = caption and self.with_figures(caption, "container")[0]["children"]
        names = " ".join(filter(None, ("figmill", container.get("class"))))
        figure = {
            **container,
            **self._with_number(container, target),
            "class": names,
            "children": [*_inside(paste, node, inlines), *others],
        }
        return [figure, *_details(paste)]

    def _with_number(self, container: MystNode, target: Target, is_home: bool = False) -> MystNode:
        """The keys by which mystmd numbers a figure with two pictures once. Its label is unique in the project.

        is_home: this is the code block that states the figure's id, and so the place `#fig-ID`.
        """
        label = target.label
        keys = {"enumerated": container.get("enumerated", True), "noSubcontainers": True, "figmill": label}
        if container.get("identifier"):
            return keys
        if is_home:
            return {**keys, **named(anchor_of(label))}
        self._counts[label] += 1
        count = self._counts[label]
        number = f"-{count}" if count > 1 else ""
        return {**keys, **named(f"{anchor_of(label)}-{slug(self.path)}{number}")}

    def _in_line(self, node: MystNode, target: Target) -> list[MystNode]:
        paste = self._embedded(node, target)
        return [_mark(paste)] if isinstance(paste, Missing) else _images(paste, node, "myst-line")

    def _fact(self, node: MystNode, target: Target) -> MystNode:
        if isinstance(self.book, ToolError):
            return _mark(self._lost(Missing(str(self.book), target), node))
        text = page.say(self.book.catalogue, target)
        return _mark(self._lost(text, node)) if isinstance(text, Missing) else _text(text)

    def lead(self, node: MystNode, containers: Iterable[MystNode]) -> None:
        """Point links with text at the figures that they name."""
        for child in node.get("children", ()):
            self.lead(child, containers)
        target = _target(node) if node["type"] == "link" else None
        if target is None:
            return
        label = target.label
        here = next(
            (container["identifier"] for container in containers if container["figmill"] == label), None
        )
        identifier = here or self._elsewhere(node, target)
        if identifier is not None:
            node["url"] = f"#{identifier}"

    def _elsewhere(self, node: MystNode, target: Target) -> str | None:
        """The identifier of a figure on another page."""
        if isinstance(self.book, ToolError) or target.label not in self.book.catalogue.figures:
            message = (
                str(self.book)
                if isinstance(self.book, ToolError)
                else page.lost(self.book.catalogue, target, ())
            )
            self._lost(Missing(message or "", target), node)
            return None
        figure = self.book.catalogue.figures[target.label]
        if figure.fence is not None:
            home = Path(relative(self.book.root / figure.source))
            place = f"-{slug(home)}" if is_made(target.label) else ""
            return named(f"{anchor_of(target.label)}{place}")["identifier"]
        identifier = identifier_in_project(target.label)
        if identifier is None:
            self._lost(Missing(page.NOWHERE.format(target.label), target), node)
        return identifier

    def check(self, written: str) -> None:
        """Report the addresses in the text and HTML of a page that nothing reads. written: these, as HTML."""
        for left in leftover.left_over(written):
            text = files.read(self.path).decode("utf-8", "replace") if self.path.is_file() else ""
            message = PageMessage(ERROR, leftover.message(left), str(self.path), sources.line_of(text, left))
            self.messages.setdefault(message.message, message)
        if isinstance(self.book, Opened) and self.path.is_file():
            text = files.read(self.path).decode("utf-8", "replace")
            for line, words in claims.contradicted(self.book, self.path, text):
                self.messages.setdefault(words, PageMessage(WARNING, words, str(self.path), line))

    def _lost(self, answer: Missing, node: MystNode) -> Missing:
        self._warn(answer.message, node, ERROR)
        return answer

    def _warn(self, message: str, node: MystNode, level: str) -> None:
        start = (node.get("position") or {}).get("start") or {}
        place = (str(self.path), start.get("line"), start.get("column"))
        key = message if level == ERROR else f"{message}:{start.get('line')}"
        self.messages.setdefault(key, PageMessage(level, message, *place))


def language_of(node: MystNode) -> str:
    """The language of a code block, or of a directive of that name."""
    return str(node.get("lang") or "") if node["type"] == "code" else str(node["type"])


def _target(node: MystNode) -> Target | None:
    """The target of an image or a link. A fact always has its declared value here."""
    address = node.get("url")
    return page.target(address) if isinstance(address, str) else None


def _images(paste: Paste, node: MystNode, host: str) -> list[MystNode]:
    """One image, or one for each theme."""
    look = {"align": node["align"]} if node.get("align") else {}
    return [
        {
            "type": "image",
            "url": paste.path(picture),
            "alt": paste.embedding.alt,
            "class": " ".join(
                filter(
                    None, (html.classes(theme, host, form), _legible(picture, node, host), node.get("class"))
                )
            ),
            "width": node.get("width") or f"{round(picture.width)}px",
            **look,
        }
        for theme, picture, form in (
            html.shown(paste.embedding, node.get("width"))
            if host == "myst"
            else [(theme, picture, "") for theme, picture in paste.embedding.alternates]
        )
    ]


def _legible(picture: Picture, node: MystNode, host: str) -> str:
    return html.legible(picture, node.get("width")) if host == "myst" else ""


def _inside(paste: Paste, node: MystNode, caption: list[MystNode] | None) -> list[MystNode]:
    """The children of a figure: its pictures, a mark where it is out of date, and one caption."""
    children = _images(paste, node, "myst")
    if paste.embedding.doubt:
        children.append(
            {
                **_paragraph([_strong([_text(paste.embedding.figure.translated(page_words.MARK))])]),
                "class": "figmill-mark",
            }
        )
    text = paste.embedding.caption
    content = caption or ([_paragraph([_text(text)])] if text else None)
    return [*children, {"type": "caption", "children": content}] if content else children


def _details(paste: Paste) -> list[MystNode]:
    """The disclosure below a figure that has a long description."""
    if paste.folder is None:
        return []
    disclosure = long_description.details(paste.embedding.figure, paste.folder, paste.url)
    return [] if disclosure is None else myst_details.nodes(disclosure)


def _text(text: str) -> MystNode:
    return {"type": "text", "value": text}


def _strong(children: list[MystNode]) -> MystNode:
    return {"type": "strong", "children": children}


def _paragraph(children: list[MystNode]) -> MystNode:
    return {"type": "paragraph", "children": children}


def _mark(answer: Missing) -> MystNode:
    """The node in place of something that cannot be shown."""
    return {**_strong([_text(str(answer.target))]), "class": "figmill-mark"}


def _containers(node: MystNode) -> Iterator[MystNode]:
    """The figures of figmill in a page."""
    if "figmill" in node:
        yield node
    for child in node.get("children", ()):
        yield from _containers(child)


# ---------------------------------------------------------------- labels


def named(label: str) -> dict[str, str]:
    """A label as mystmd keeps it in a node."""
    identifier = re.sub("[^a-z0-9-]+", "-", label.lower())
    return {"label": label, "identifier": identifier, "html_id": label.lower()}


def slug(path: Path) -> str:
    """The part of a figure's label that names its page. The project is in the current folder."""
    name = Path(relative(path)).with_suffix("").as_posix().lower()
    return _NO_LETTERS.sub("-", name)


def identifier_in_project(label: str) -> str | None:
    """The identifier of a figure on the first page of the project that shows it; mystmd leads a link there."""
    for path in _pages(Path.cwd()):
        text = _CODE.sub("", files.read(path).decode("utf-8", "replace"))
        for match in _SHOWN.finditer(text):
            if (match["image"] or match["directive"]) == label:
                option = _LABEL.search(match["options"])
                return named(option[1] if option else f"{anchor_of(label)}-{slug(path)}")["identifier"]
    return None


def _pages(root: Path) -> list[Path]:
    """The pages of a project, by their names."""
    folders = walk(str(root), ["."], _enters, whole=False)
    names = [
        f"{folder}/{entry.name}"[2:] for folder, inside in folders for entry in inside if _is_page(entry.name)
    ]
    return [root / name for name in sorted(names, key=lambda name: name.split("/"))]


def _enters(folder: str) -> bool:
    return folder[0] not in "._" and folder != "node_modules"


def _is_page(name: str) -> bool:
    return name.endswith(".md") and name[0] not in "._"
