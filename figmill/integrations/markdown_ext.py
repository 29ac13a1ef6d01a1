"""Python-Markdown: `![](figmill:ID)` and `[](figmill:ID#FACT)`, for MkDocs, Zensical and any other user of it.

A thin file over `lookup.py`. `markdown_places.py` or the MkDocs plugin knows where a page is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from markdown import Extension, Markdown
from markdown.inlinepatterns import (
    IMAGE_LINK_RE,
    IMAGE_REFERENCE_RE,
    ImageInlineProcessor,
    ImageReferenceInlineProcessor,
)
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from figmill.book.names import anchor_of
from figmill.errors import ToolError
from figmill.integrations import claims, figures, html, links, long_description, lookup, searched, sources
from figmill.integrations.figures import DataTable, PictureFile
from figmill.integrations.html import FigureLook
from figmill.integrations.lookup import Embedding, Missing, Target
from figmill.integrations.markdown_fences import PRIORITY, FencePreprocessor
from figmill.integrations.markdown_links import LinkedDrawings
from figmill.integrations.markdown_places import AnyPage, Place
from figmill.integrations.markdown_raw import LeftPostprocessor, StashedFigures
from figmill.integrations.markdown_uses import Use, address_of, anchors, link_of, name_of, uses
from figmill.integrations.opened import Opened
from figmill.late_dataclasses import dataclass
from figmill.paths import relative

NUMBER = "figmill-number"  # class of the element that shows a figure's number


class TextPreprocessor(Preprocessor):
    """Keeps the source text of a page, because the converter loses the line numbers that warnings need."""

    text = ""

    def run(self, lines: list[str]) -> list[str]:
        self.text = "\n".join(lines)
        return lines


def place_of(path: Path | None, text: str, target: Target) -> str:
    """`PAGE.md:12: `, for the line that first names the target. text: used if there is no file."""
    name = "line " if path is None else relative(path)
    try:
        text = text if path is None else path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return f"{name}: "
    number = sources.line_of(text, target)
    if number is None:
        return "" if path is None else f"{name}: "
    return f"{name}{'' if path is None else ':'}{number}: "


@cache  # MkDocs makes a converter for each page
def keeping_words(processor: Any) -> Any:
    """A processor for figmill's images alone: their text becomes their only child (Python-Markdown drops markup)."""

    class FigureImage(processor):  # type: ignore[misc]
        def handleMatch(  # noqa: N802 - the name that Python-Markdown calls
            self, m: re.Match[str], data: str
        ) -> tuple[Element | None, int | None, int | None]:
            image, start, end = super().handleMatch(m, data)
            if image is None or lookup.target(address_of(image)) is None:
                return None, None, None
            SubElement(image, "span").text = self.getText(data, m.end(0))[0]
            return image, start, end

    return FigureImage


class FigureTreeprocessor(Treeprocessor):
    """Replace images and links to `figmill:`.

    - led: the addresses of links that the host replaces later.
    """

    def __init__(
        self,
        md: Markdown,
        place: Place,
        written: TextPreprocessor,
        fences: FencePreprocessor,
        stashed: StashedFigures,
        linked: LinkedDrawings,
        inline: object,
    ) -> None:
        super().__init__(md)
        self.place, self.written, self.fences = place, written, fences
        self.inline = self._wish(inline)
        self.stashed, self.linked = stashed, linked
        self.led: set[str] = set()

    def _wish(self, value: object) -> str:
        """The setting `inline`; an invalid one is reported, and the default counts."""
        try:
            return links.wish(value)
        except ToolError as error:
            self.place.warn(str(error))
            return links.AUTO

    def report(self, target: Target, message: str) -> None:
        """Warn the author of the page, at the line that first names the target."""
        self.place.warn(f"{place_of(self.place.source, self.written.text, target)}{message}")

    def run(self, root: Element) -> None:
        self.led = set()
        self.stashed.enter(root)
        shown = uses(root)
        if not shown:
            return
        for use in shown:
            for name, value in self.fences.wishes.get(name_of(use.child), {}).items():
                if use.child.tag == "img" and name not in use.child.attrib:
                    use.child.set(name, value)
        ids = {use.target.label: use.child.get("id") for use in reversed(shown) if use.child.get("id")}
        named, book = anchors(root, shown), self.place.book()
        here = Here(
            frozenset(use.target.label for use in shown if use.child.tag == "img"),
            frozenset()
            if self.inline == links.ALWAYS
            else frozenset(use.target.label for use in shown if self._may_be_interactive(use)),
        )
        self.linked.enter(root)
        numbers: Counter[str] = Counter()
        reported: set[str] = set()
        for use in shown:
            where = partial(place_of, self.place.source, self.written.text, use.target)
            led: dict[str, Element] = {}
            if use.is_link or (use.is_number and self.place.has_numbers):
                messages = [self._lead(book, use, here, ids.get(use.target.label), where)]
            else:
                messages = [self._replace(book, use, here, named, numbers, led)]
            for link in map(link_of, led.values()):
                if link is not None:
                    messages.append(self._lead(book, link, here, ids.get(link.target.label), where))
            for message in messages:
                if message and message not in reported:
                    reported.add(message)
                    self.place.warn(f"{where()}{message}")
        if isinstance(book, Opened):
            self._judge(book)
            self.place.shows(here.shown & book.catalogue.figures.keys())

    def _judge(self, book: Opened) -> None:
        """Report the numbers of the page that its figures contradict."""
        path, text = self.place.source, self.written.text
        if path is not None and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
        for line, message in claims.contradicted(book, path or Path(), text):
            self.place.warn(f"{f'line {line}' if path is None else f'{relative(path)}:{line}'}: {message}")

    def _lead(
        self, book: Opened | ToolError, use: Use, here: Here, id_: str | None, where: Callable[[], str]
    ) -> str | None:
        """Point a link at its figure, on this page or another; returns the message for the author, if any."""
        label = use.target.label
        use.child.set("href", f"#{id_ or anchor_of(label)}")
        if isinstance(book, ToolError):
            return str(book)
        if label not in book.catalogue.figures or (label in here.shown and not use.is_number):
            return lookup.lost(book.catalogue, use.target, here.shown, book.failures)
        address = self.place.elsewhere(label, where(), is_number=use.is_number)
        if address is None:
            return lookup.lost(book.catalogue, use.target, here.shown, book.failures)
        use.child.set("href", address)
        self.led.add(address)
        if use.is_number:
            use.child.set("class", NUMBER)
        return None

    def _replace(
        self,
        book: Opened | ToolError,
        use: Use,
        here: Here,
        named: Mapping[str, Element],
        numbers: Counter[str],
        led: dict[str, Element],
    ) -> str | None:
        """Replace an element in the page by the figure or fact; returns the message for the author, if any.

        led: collects the links of a drawing.
        """
        parent, child, target = use.parent, use.child, use.target
        if isinstance(book, ToolError):
            _put(parent, child, html.missing(Missing("", target)))
            return str(book)
        if child.tag == "a":
            text = lookup.say(book.catalogue, target, book.failures)
            if isinstance(text, Missing):
                _put(parent, child, html.missing(text))
                return text.message
            texts = (
                lookup.interactive_texts(book.catalogue, target) if target.label in here.interactive else ()
            )
            if isinstance(texts, Missing):
                _put_text(parent, child, text)
                return texts.message
            if texts and not use.is_in_heading:
                _put(parent, child, html.fact(target.label, text, texts))
            else:
                _put_text(parent, child, text)
            return None
        answer = lookup.show(book.catalogue, target, theme=child.get("theme", "auto"), failures=book.failures)
        if isinstance(answer, Missing):
            _put(parent, child, html.missing(answer))
            return answer.message
        number = numbers[answer.label]
        numbers[answer.label] += 1
        look = FigureLook(
            tuple(child.get("class", "").split()),
            child.get("width") or html.width_at(answer.light, child.get("height")),
            child.get("align"),
            gallery=True,
            zoom=self.place.has_zoom,
            loading=child.get("loading", "lazy"),
            title=child.get("title"),
        )
        wanted, folder = self._wanted(child), book.catalogue.folder
        where = partial(place_of, self.place.source, self.written.text, target)
        is_linked = bool(links.of(folder, answer))
        inline = None
        if links.is_inline(answer, folder, wanted):
            inline = self._svg(book, number, answer.alt if is_linked else None, led, where)
        elif (why := links.why_dead(answer, folder, wanted)) is not None:
            self.place.note(f"{where()}{links.dead([answer.label], why)}")
        ids = [child.get("id"), answer.anchor if named.get(answer.label) is child else None]
        if use.is_by_itself and use.above is not None:
            element = html.figure(answer, self.place.url, look, None, inline, is_linked=is_linked)
            self._let_search(element[0], answer, book, inline is not None)
            if answer.figure.explore and inline is None:
                self.place.publish(answer.figure.explore.pictures)
            if use.caption is not None:
                _set_caption(element, use.caption)
            if self.place.has_numbers:
                _number(element, answer.label)
            _name(element, element[0], ids)
            element.tail = parent.tail
            _put_whole(use.above, parent, element)
            self._describe(use.above, element, answer, book, is_first=not number)
        else:
            element = html.pictures(answer, self.place.url, look, "span", inline, is_linked=is_linked)
            self._let_search(element, answer, book, inline is not None)
            outer = Element("span")
            outer.append(element)
            _name(element, outer, ids)
            _put(parent, child, outer if outer.get("id") else element)
        return answer.doubt

    def _describe(
        self, above: Element, figure: Element, embedding: Embedding, book: Opened, *, is_first: bool
    ) -> None:
        """Put the long description after a figure, to which its pictures point. is_first: on this page."""
        id_ = long_description.id_of(embedding.label) if is_first else None
        details = long_description.details(embedding.figure, book.catalogue.folder, self._data_url, id_)
        if details is None:
            return
        if id_:
            long_description.point(figure, id_)
        details.tail, figure.tail = figure.tail, None
        at = list(above).index(figure)
        if "grid" not in str(above.get("class", "")).split():
            above.insert(at + 1, details)
            return
        cell = Element("div")  # Material's grid makes a cell of each of its children
        cell.tail, details.tail = details.tail, None
        above.remove(figure)
        cell.extend((figure, details))
        above.insert(at, cell)

    def _data_url(self, table: DataTable) -> str:
        return self.place.url(PictureFile("", "csv", table.path, 0, 0))

    def _let_search(self, wrapper: Element, embedding: Embedding, book: Opened, is_inline: bool) -> None:
        """Put the text of a picture beside it for the search index, which reads that of an inline drawing itself."""
        if self.place.is_searched and not is_inline:
            wrapper.append(searched.hidden(searched.words(embedding.figure, book.catalogue.folder)))

    def _wanted(self, image: Element) -> str:
        """The wish of the page for this image, or else of the site: one of links.WISHES."""
        written = image.get("inline")
        return self.inline if written is None else written if written in links.WISHES else links.ALWAYS

    def _may_be_interactive(self, use: Use) -> bool:
        return use.is_by_itself and use.above is not None and self._wanted(use.child) != links.ALWAYS

    def _svg(
        self,
        book: Opened,
        number: int,
        alt: str | None,
        led: dict[str, Element],
        where: Callable[[], str],
    ) -> Callable[[PictureFile], str]:
        """The text of a picture, stashed so that the converter does not treat it as Markdown.

        alt: of a figure with links, which `led` collects.
        """

        def text(picture: PictureFile) -> str:
            svg = html.inlined(figures.read(book.catalogue.folder, picture.path).decode(), number)
            return self.md.htmlStash.store(svg) if alt is None else self.linked.add(svg, alt, led, where)

        return text


@dataclass(frozen=True, slots=True)
class Here:
    """The figures of a page, by label."""

    shown: frozenset[str]
    interactive: frozenset[str]  # those that get controls if they have parameters


def _number(figure: Element, label: str) -> None:
    """Make room for the number before the caption; the host fills it in once it knows all pages."""
    caption = figure.find("figcaption")
    if caption is not None:
        number = Element("span", {"class": NUMBER, "data-figmill-figure": label})
        number.tail, caption.text = caption.text, None
        caption.insert(0, number)


def _set_caption(figure: Element, text: Element) -> None:
    """Use the text of a page as the caption of a figure."""
    caption = figure.find("figcaption")
    if caption is not None:
        figure.remove(caption)
    text.tag = "figcaption"
    figure.append(text)


def _name(element: Element, other: Element, ids: Iterable[str | None]) -> None:
    """Give an element its id; a second one goes on another element of the figure."""
    for holder, id_ in zip((element, other), filter(None, ids), strict=False):
        holder.set("id", id_)


def _put(parent: Element, child: Element, element: Element) -> None:
    element.tail = child.tail
    _put_whole(parent, child, element)


def _put_whole(parent: Element, child: Element, element: Element) -> None:
    index = list(parent).index(child)
    parent[index] = element


def _put_text(parent: Element, child: Element, text: str) -> None:
    """Replace an element by text; trees have no text nodes."""
    index = list(parent).index(child)
    content = text + (child.tail or "")
    parent.remove(child)
    if index:
        before = parent[index - 1]
        before.tail = (before.tail or "") + content
    else:
        parent.text = (parent.text or "") + content


class FigmillExtension(Extension):
    """The extension.

    - place: given by a host that knows its pages itself.
    """

    def __init__(self, place: Place | None = None, **settings: Any) -> None:
        self.place = place
        self.config = {
            "root": ["", "The book; default: the nearest folder upwards that has questions/"],
            "folder": ["", "The address of the output folder; default: from the page's own folder"],
            "build": [True, "Build the book before its figures are shown"],
            "inline": [
                links.AUTO,
                "Whether the SVGs stand in the page itself: auto (if they have links), always or never",
            ],
            "language": ["", "The language of the pages; default: that of the theme, or of the book"],
            "strict": [False, "Raise an error if a page names something that does not exist"],
        }
        nested = settings.pop("markdown", None)  # `[... .figmill.markdown]` in TOML, without quotes
        super().__init__(**{**settings, **(nested or {})})

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name that Python-Markdown calls
        """Register the processors of `figmill:`."""
        get = self.getConfig
        place = self.place or AnyPage(
            md, get("root"), get("folder"), get("build"), get("strict"), get("language")
        )
        written = TextPreprocessor(md)
        md.preprocessors.register(written, "figmill", 1000)
        fences = FencePreprocessor(md, place)
        md.preprocessors.register(fences, "figmill_fences", PRIORITY)
        # each just before the one that it replaces for figmill's images
        image = keeping_words(ImageInlineProcessor)(IMAGE_LINK_RE, md)
        reference = keeping_words(ImageReferenceInlineProcessor)(IMAGE_REFERENCE_RE, md)
        md.inlinePatterns.register(image, "figmill_image", 151)
        md.inlinePatterns.register(reference, "figmill_image_reference", 141)
        # after attr_list (8), before toc (5) and the relative links of MkDocs (0)
        stashed = StashedFigures(md)
        linked = LinkedDrawings(md, place)
        figures = FigureTreeprocessor(md, place, written, fences, stashed, linked, get("inline"))
        md.treeprocessors.register(figures, "figmill", 6)
        md.treeprocessors.register(linked, "figmill_links", -999)
        md.treeprocessors.register(stashed, "figmill_stashed", -1000)
        left = LeftPostprocessor(md, fences, lambda target: str(target) in figures.led, figures.report)
        md.postprocessors.register(left, "figmill_left", -1000)


def makeExtension(**settings: Any) -> FigmillExtension:  # noqa: N802 - the name that Python-Markdown calls
    """The factory that Python-Markdown calls for `figmill.markdown`."""
    return FigmillExtension(**settings)
