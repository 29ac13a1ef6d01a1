"""A page of a site that is not a Python program, in any notation: its figures, facts, links and messages.

Knows the book and where the site publishes files; does not know nodes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote
from xml.etree.ElementTree import Element

from figmill.book.names import anchor_of
from figmill.errors import ToolError
from figmill.host import files
from figmill.integrations import (
    claims,
    figures,
    html,
    leftover,
    links,
    long_description,
    lookup,
    picture_content,
    sources,
)
from figmill.integrations.documents.request import (
    ERROR,
    NOTE,
    WARNING,
    PageMessage,
    PageRequest,
    SiteFolder,
)
from figmill.integrations.fences import PageFences
from figmill.integrations.figures import DataTable, PictureFile
from figmill.integrations.html import FigureLook
from figmill.integrations.images import PageImages
from figmill.integrations.lookup import Embedding, Missing, Target
from figmill.integrations.opened import Opened
from figmill.integrations.paste import element
from figmill.integrations.relative_address import way
from figmill.late_dataclasses import dataclass
from figmill.paths import relative

WORDS = "\ue000"  # in a caption: the place of text that the host writes itself
_DRAWING = re.compile("\ue001([0-9]+)\ue001")  # the place of a drawing in the page itself
_CODE = {ord(sign): f"&#{ord(sign)};" for sign in "{}"}  # which are code to Vue


@dataclass(frozen=True, slots=True)
class WebUse:
    """A place of a page that shows a figure."""

    label: str
    is_by_itself: bool  # in a block of its own, not in a line of text


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a page states about a figure besides its id."""

    caption: str | None = None
    id: str | None = None  # in addition to `fig-ID`
    width: str | None = None
    align: str | None = None
    theme: str = "auto"
    classes: tuple[str, ...] = ()
    inline: str | None = None

    @classmethod
    def of(cls, caption: str | None, attributes: Mapping[str, str]) -> Wishes:
        """The wishes in the text and the attributes of an image."""
        get = attributes.get
        theme = get("theme", "auto")
        return cls(
            caption or None,
            get("id"),
            get("width"),
            get("align"),
            theme if theme in lookup.THEMES else "auto",
            tuple(get("class", "").split()),
            get("inline"),
        )


MARKDOWN = (".md", ".mdx", ".markdown")
# What replaces an image: the figure and its long description, or a mark if there is no figure.
Shown: TypeAlias = tuple[Element, ...]


class WebPage:
    """The page while its figures are put into it. uses: all places that show a figure, in the order of the page.

    Call `shown` once for each of them, in this order.

    - in_blocks, in_lines: where the notation can hold a drawing.
    """

    def __init__(
        self,
        request: PageRequest,
        book: Opened | ToolError,
        fences: PageFences | None,
        *,
        in_blocks: bool = True,
        in_lines: bool = True,
    ) -> None:
        self._can_hold = {True: in_blocks, False: in_lines}
        self._drawings: list[str] = []
        self.request, self.fences = request, fences
        self.images = PageImages(book, page_path(request)) if isinstance(book, Opened) else None
        self.path = page_path(request)
        self.book = self._published(book)
        self.text = fences.text if fences else _text(self.path)
        self.messages: dict[str, PageMessage] = {}  # each once
        self._anchors: dict[str, int] = {}
        self._by_itself: frozenset[str] = frozenset()
        self._counts: Counter[str] = Counter()
        self._homes: Mapping[str, str] | None = None
        if request.build and isinstance(book, Opened):
            for line in book.lines:
                self.messages[line] = PageMessage(WARNING, line)

    def expect(self, uses: Iterable[WebUse]) -> None:
        """Record where the page shows figures: one place of each gets its id, the first in a block of its own."""
        seen: Counter[str] = Counter()
        firsts: dict[str, tuple[bool, int]] = {}
        for use in uses:
            rank = (not use.is_by_itself, seen[use.label])
            firsts[use.label] = min(firsts.get(use.label, rank), rank)
            seen[use.label] += 1
        self._anchors = {label: number for label, (_, number) in firsts.items()}
        self._by_itself = frozenset(label for label, (is_in_line, _) in firsts.items() if not is_in_line)

    def fence(self, language: str, body: str) -> Target | None:
        """The figure of a code block; None if it is not one."""
        if self.fences is None:
            return None
        label = self.fences.label(language, body)
        if label is not None:
            return Target(label)
        if (message := self.fences.message(language, body)) is not None:
            self._add(WARNING, message, self.fences.line(language, body))
        return None

    def image(self, address: str, alt: str) -> Target | None:
        """The figure of an image of the page; None if it is not one."""
        label = self.images.label(address, alt) if self.images else None
        return None if label is None else Target(label)

    # ------------------------------------------------------------ figures

    def shown(self, target: Target, wishes: Wishes, *, is_by_itself: bool) -> Shown:
        """What replaces an image."""
        number = self._counts[target.label]
        self._counts[target.label] += 1
        if isinstance(self.book, ToolError):
            return (self._mark(Missing(str(self.book), target)),)
        answer = lookup.show(
            self.book.catalogue,
            target,
            caption=wishes.caption,
            theme=wishes.theme,
            failures=self.book.failures,
        )
        if isinstance(answer, Missing):
            return (self._mark(answer),)
        if answer.doubt:
            self._warn(WARNING, answer.doubt, target)
        anchor = answer.anchor if self._anchors.get(target.label) == number else None
        look = FigureLook(wishes.classes, wishes.width, wishes.align)
        inline = self._inline(answer, target, number, wishes, is_by_itself=is_by_itself)
        is_linked = bool(links.of(self.book.catalogue.folder, answer))
        if not is_by_itself:
            pictures = html.pictures(answer, self._url, look, inline=inline, is_linked=is_linked)
            return (_named(pictures, wishes.id, anchor),)
        whole = html.figure(answer, self._url, look, inline=inline, is_linked=is_linked)
        figure = _named(whole, wishes.id, anchor)
        id_ = long_description.id_of(answer.label) if anchor else None
        below = long_description.details(answer.figure, self.book.catalogue.folder, self._data_url, id_)
        if below is None:
            return (figure,)
        if id_:
            long_description.point(figure, id_)
        return figure, below

    def _inline(
        self, answer: Embedding, target: Target, number: int, wishes: Wishes, *, is_by_itself: bool
    ) -> Callable[[PictureFile], str] | None:
        """What puts a drawing into the page itself, if it is inline; warns about dead links."""
        assert isinstance(self.book, Opened)
        folder = self.book.catalogue.folder
        wanted = self.request.inline if wishes.inline is None else wishes.inline
        wanted = wanted if wanted in links.WISHES else links.ALWAYS
        is_inline = links.is_inline(answer, folder, wanted)
        if is_inline and self._can_hold[is_by_itself]:
            return partial(self._drawn, answer, target, number)
        why = links.NOT_HERE if is_inline else links.why_dead(answer, folder, wanted)
        if why is not None and links.of(folder, answer):
            self._warn(NOTE, links.dead([answer.label], why), target)
        return None

    def _drawn(self, answer: Embedding, target: Target, number: int, picture: PictureFile) -> str:
        """The mark of a drawing, in place of which `html` puts it."""
        assert isinstance(self.book, Opened)
        svg = html.inlined(figures.read(self.book.catalogue.folder, picture.path).decode(), number)
        addresses = dict(links.each(svg, partial(self._led, target)))
        svg = links.led(svg, addresses, answer.alt) if picture_content.targets(svg) else svg
        self._drawings.append(re.sub("\n *", " ", svg).translate(_CODE))
        return f"\ue001{len(self._drawings) - 1}\ue001"

    def _led(self, figure: Target, link: str) -> str | None:
        """The resolved address of a link in a drawing, or None to keep it as written."""
        if (target := lookup.target(link)) is not None:
            return self.link(target, figure)
        pages, (path, fragment) = self.request.pages, links.parts(link)
        if not path or pages is None or not path.endswith(MARKDOWN):
            return None
        if link.startswith("/"):
            return None
        if (message := links.lost(link, self.path, (), MARKDOWN)) is not None:
            self._warn(WARNING, message, figure)
            return None
        if pages.address is None:
            return None if self.request.host == "markdown-it" else links.as_html(link)
        place = self._place(self.path.parent / path, pages)
        return f"{place}#{quote(fragment)}" if fragment else place

    def html(self, shown: Iterable[Element]) -> str:
        """Elements as HTML that stays the same in any page of Markdown."""
        return _DRAWING.sub(lambda match: self._drawings[int(match[1])], "".join(map(element, shown)))

    @property
    def base(self) -> str:
        """The path of the output folder from the page's own."""
        assert isinstance(self.book, Opened)
        folder = self.book.catalogue.folder.resolve()
        return way(folder, self.path.parent.resolve())

    def _published(self, book: Opened | ToolError) -> Opened | ToolError:
        """The book, if the site publishes its figures."""
        public = self.request.public
        if public is None or isinstance(book, ToolError):
            return book
        folder = Path(public.folder).resolve()
        if book.catalogue.folder.resolve().is_relative_to(folder):
            return book
        place = relative(folder, book.root.resolve())
        return ToolError(
            f'the site publishes the files in {place}/ only: set output = "{place}/figmill" in the settings of the book'
        )

    def _url(self, picture: PictureFile | DataTable) -> str:
        assert isinstance(self.book, Opened)
        public, path = self.request.public, self.book.catalogue.folder.resolve() / picture.path
        return _address(path, public, self.path.parent)

    def _data_url(self, table: DataTable) -> str:
        return self._url(table)

    # ------------------------------------------------------------ facts and links

    def fact(self, target: Target, *, is_in_heading: bool) -> Element | str:
        """A fact as text; as an element if it follows the controls of a figure on the page, or is missing."""
        if isinstance(self.book, ToolError):
            return self._mark(Missing(str(self.book), target))
        text = lookup.say(self.book.catalogue, target, self.book.failures)
        if isinstance(text, Missing):
            return self._mark(text)
        if is_in_heading or target.label not in self._by_itself:
            return text
        texts = lookup.interactive_texts(self.book.catalogue, target)
        if isinstance(texts, Missing):
            self._warn(ERROR, texts.message, target)
            return text
        return html.fact(target.label, text, texts) if texts else text

    def link(self, target: Target, named: Target | None = None) -> str:
        """The address of a figure, on this page or another. named: what the page names, if it is another figure."""
        named = named or target
        here = f"#{anchor_of(target.label)}"
        if isinstance(self.book, ToolError):
            self._warn(ERROR, str(self.book), named)
            return here
        message = lookup.lost(self.book.catalogue, target, self._anchors, self.book.failures)
        if message is None:
            return here
        home = self._home(target.label) if target.label in self.book.catalogue.figures else None
        if home is not None:
            return home + here
        is_known = target.label in self.book.catalogue.figures and self.request.pages is not None
        self._warn(ERROR, lookup.NOWHERE.format(target.label) if is_known else message, named)
        return here

    def _home(self, label: str) -> str | None:
        """The address of the first page of the site that shows a figure."""
        pages = self.request.pages
        if pages is None or isinstance(self.book, ToolError):
            return None
        docs = Path(pages.folder).resolve()
        if self._homes is None:
            self._homes = sources.showing_pages(docs)
        figure = self.book.catalogue.figures[label]
        if figure.fence is not None:
            home = self.book.root.resolve() / figure.source
        elif label in self._homes:
            home = docs / self._homes[label]
        else:
            return None
        if pages.address is None:
            return quote(way(home, self.path.parent), safe="/:")
        return self._place(home, pages)

    def _place(self, path: Path, pages: SiteFolder) -> str:
        """The address of a page of the site."""
        name = Path(relative(path.resolve(), Path(pages.folder).resolve())).with_suffix("").as_posix()
        slug = "" if name == "index" else f"{name.removesuffix('/index')}/"
        return f"{(pages.address or '').rstrip('/')}/{quote(slug.lower())}"

    # ------------------------------------------------------------ messages

    def _mark(self, answer: Missing) -> Element:
        self._warn(ERROR, answer.message, answer.target)
        return html.missing(answer)

    def check(self, written: str) -> None:
        """Report the addresses in the text and HTML of a page that nothing reads. written: these, as HTML."""
        for left in leftover.left_over(written):
            self._warn(ERROR, leftover.message(left), left)
        if isinstance(self.book, Opened):
            for line, message in claims.contradicted(self.book, self.path, self.text):
                self._add(WARNING, message, line)

    def _warn(self, level: str, message: str, target: Target) -> None:
        self._add(level, message, sources.line_of(self.text, target))

    def _add(self, level: str, message: str, line: int | None) -> None:
        self.messages.setdefault(message, PageMessage(level, message, str(self.path), line))

    @property
    def watched(self) -> tuple[str, ...]:
        """The folders and the file whose changes may change the page."""
        if isinstance(self.book, ToolError):
            return ()
        manifest = self.book.catalogue.folder / "manifest.json"
        return tuple(str(path.resolve()) for path in (manifest, *self.book.watched))


def page_path(request: PageRequest) -> Path:
    """The file of the page."""
    return Path(*request.sources[:1]).absolute()


def fences_of(request: PageRequest, book: Opened | ToolError) -> PageFences | None:
    """The code blocks in the page; None without a book."""
    return PageFences(book, page_path(request)) if isinstance(book, Opened) else None


def split_at_words(text: str) -> tuple[str, str]:
    """The HTML of a figure before and after the text of its caption."""
    before, _, after = text.partition(WORDS)
    return before, after


def _named(element: Element, id_: str | None, anchor: str | None) -> Element:
    """An element with one id, and inside it one with the other."""
    first, second = (id_, anchor) if id_ and id_ != anchor else (anchor, None)
    if first:
        element.set("id", first)
    if second:
        named = Element("span", {"id": second})
        if element.tag != "figure":
            named.append(element)
            named.set("id", second)
            return named
        element.insert(0, named)
    return element


def _address(path: Path, public: SiteFolder | None, here: Path) -> str:
    if public is None or public.address is None:
        return quote(way(path, here.resolve()), safe="/:@")
    inside = relative(path, Path(public.folder).resolve())
    return f"{public.address.rstrip('/')}/{quote(inside, safe='/:@')}"


def _text(path: Path) -> str:
    try:
        return files.read(path).decode("utf-8", "replace")
    except OSError:
        return ""
