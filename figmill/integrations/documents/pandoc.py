"""pandoc and Quarto: a document of pandoc's nodes with its figures. Reads the document's sources, for lines and pages.

figmill.lua hands the document over. A web page gets both themes, GitHub's Markdown a `<picture>`, LaTeX the PDF, Word
the PNG, and everything else the light SVG.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from figmill import page_words
from figmill.book.names import anchor_of
from figmill.errors import ToolError
from figmill.host import files
from figmill.integrations import claims, figures, html, leftover, links, long_description, lookup, sources
from figmill.integrations.documents import pandoc_fences
from figmill.integrations.documents import pandoc_nodes as nodes
from figmill.integrations.documents.pandoc_nodes import PandocNode
from figmill.integrations.documents.pandoc_uses import PandocUse, ShownFigures, shown, use_of
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
from figmill.integrations.figures import PictureFile
from figmill.integrations.html import FigureLook
from figmill.integrations.lookup import Embedding, Missing, Target
from figmill.integrations.opened import BookFinder, Opened
from figmill.integrations.paste import Paste, around, element, picture, typst_image
from figmill.integrations.relative_address import way
from figmill.late_dataclasses import dataclass
from figmill.paths import PACKAGE, relative
from figmill.publish.legible import box_class

WEB = frozenset({"html", "html4", "html5", "chunkedhtml", "revealjs", "s5", "slidy", "slideous", "dzslides"})
EPUB = frozenset({"epub", "epub2", "epub3"})
MARKDOWN = frozenset({"gfm", "commonmark", "commonmark_x"})
# The outputs that take another file than the SVG.
FILES: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("latex", "beamer", "context"), "pdf")
    | dict.fromkeys(("docx", "odt", "opendocument", "pptx", "rtf"), "png")
)
# The dark themes of revealjs. pandoc uses the first if a document names no theme.
DARK_DECKS = ("black", "black-contrast", "blood", "dracula", "league", "moon", "night")
# Outputs that contain their pictures: pandoc looks for pictures from the folder that it runs in.
HOLDERS = frozenset({".pdf", ".docx", ".odt", ".pptx", ".rtf", ".epub"})
SCRIPTS = PACKAGE / "integrations/files/js"
# A Div of this class becomes HTML in figmill.lua, between its attributes `before` and `after`: only pandoc can write
# the text of its caption.
AS_HTML = "figmill-as-html"


@dataclass(frozen=True, slots=True)
class PageSettings:
    """The key `figmill` of a document's metadata.

    - root: the book.
    - path: the address of its output folder.
    - pages: the other pages of the book.
    - zoom: whether readers can enlarge figures.
    - inline: whether drawings stand in a web page itself, one of links.WISHES.
    """

    root: str | None
    path: str | None
    pages: tuple[str, ...]
    zoom: bool = False
    inline: str = links.AUTO


def answered(request: PageRequest, book_of: BookFinder) -> PageAnswer:
    """The document with its figures and facts."""
    document = tree(request.document)
    settings = settings_of(document["meta"])
    book = book_of(Path.cwd(), settings.root)
    content = [document["blocks"], document["meta"]]
    lost: tuple[PageMessage, ...] = ()
    if isinstance(book, Opened):
        if "lang" in document["meta"]:
            book = book.in_language(nodes.stringified(document["meta"]["lang"]))
        content, lost = pandoc_fences.with_figures(content, request.sources, book)
    labels = book.catalogue.figures.keys() if isinstance(book, Opened) else ()
    host_page = _PandocPage(
        request, settings, book, shown(content, labels), _theme(request, document["meta"])
    )
    if host_page.is_web:
        host_page.refuse_leftovers(document["blocks"])
    host_page.judge()
    blocks, meta = host_page.rewritten(content)
    if host_page.is_web and request.host == "pandoc":  # Quarto publishes the scripts as files
        wanted = {"explore": host_page.has_controls, "zoom": settings.zoom}
        for name in (name for name, is_wanted in wanted.items() if is_wanted):
            script = files.read(SCRIPTS / f"figmill-{name}.js").decode()
            blocks.append(nodes.html_block(f"<script>\n{script}</script>"))
    document = {**document, "blocks": blocks, "meta": meta}
    return PageAnswer(text_of(document), (*host_page.messages.values(), *lost))


def settings_of(meta: Mapping[str, Any]) -> PageSettings:
    """The settings in a document's metadata."""
    table = meta.get("figmill", {}).get("c")
    table = table if isinstance(table, dict) else {}
    root, path = (nodes.stringified(table[name]) if name in table else None for name in ("root", "path"))
    pages = table.get("pages", {}).get("c")
    zoom = table.get("zoom", {}).get("c") is True
    names = tuple(map(nodes.stringified, pages if isinstance(pages, list) else ()))
    return PageSettings(root, path, names, zoom, _inline(table.get("inline")))


def _inline(node: Any) -> str:
    if node is None:
        return links.AUTO
    return links.wish(node["c"] if node["t"] == "MetaBool" else nodes.stringified(node), "figmill: inline")


def _theme(request: PageRequest, meta: Mapping[str, Any]) -> str:
    """Which pictures a page shows: a deck of revealjs has no theme switch, and is either light or dark."""
    if request.format != "revealjs":
        return "auto"
    named = request.theme or (nodes.stringified(meta["theme"]) if "theme" in meta else DARK_DECKS[0])
    return "dark" if named in DARK_DECKS else "light"


class _PandocPage:
    """The document while its figures are put into it, with the messages about it."""

    def __init__(
        self,
        request: PageRequest,
        settings: PageSettings,
        book: Opened | ToolError,
        shown: ShownFigures,
        theme: str,
    ) -> None:
        self.theme = theme
        self.request, self.settings, self.book, self.shown = request, settings, book, shown
        self.is_web, self.is_ebook = request.format in WEB, request.format in EPUB
        self.is_typst = request.format == "typst" and request.host == "pandoc"  # Quarto has its own figures
        self.base = settings.path or self._base()
        self.has_controls = False
        self.messages: dict[str, PageMessage] = {}  # each once
        self._is_in_heading = False
        self._drawn: Counter[str] = Counter()

    def rewritten(self, content: Any) -> Any:
        return nodes.rewritten(content, self._new)

    def _new(self, node: PandocNode) -> list[PandocNode]:
        """The nodes that replace a node."""
        if use := use_of(node):
            return [self._by_itself(use), *self._below(use)] if use.is_by_itself else self._in_line(use)
        if node["t"] == "Link" and (target := lookup.target(node["c"][2][0])):
            if target.fact is not None or not node["c"][1]:
                return [self._fact(target)]
            return self._link(node, target)
        if node["t"] == "Header":
            self._is_in_heading = True
            heading = self._inside(node)
            self._is_in_heading = False
            return [heading]
        return [self._inside(node)]

    def _inside(self, node: PandocNode) -> PandocNode:
        return {**node, "c": self.rewritten(node["c"])} if "c" in node else node

    # ------------------------------------------------------------ figures

    def _embedded(self, use: PandocUse) -> Paste | Missing:
        if isinstance(self.book, ToolError):
            return self._lost(Missing(str(self.book), use.target))
        answer = lookup.show(self.book.catalogue, use.target, theme=use.wish("theme") or self.theme)
        if isinstance(answer, Missing):
            return self._lost(answer)
        if answer.doubt:
            self.warn(answer.doubt, use.target, WARNING)
        paste = Paste(answer, self.base, self.book.catalogue.folder)
        self._tell_of_links(use, paste)
        return paste

    def _by_itself(self, use: PandocUse) -> PandocNode:
        paste = self._embedded(use)
        if isinstance(paste, Missing):
            return nodes.paragraph([_mark(paste)])
        embedding = paste.embedding
        default = nodes.plain(nodes.words(embedding.caption)) if embedding.caption else None
        caption = self.rewritten(use.caption) or ([default] if default else [])
        id_, second = self._ids(use)
        if self.request.format in MARKDOWN:
            return _for_forges(paste, id_, second, caption)
        if self.is_typst and not caption:  # pandoc would write a number, and nothing after it
            look = typst_image(paste, use.wish("width"))
            block = nodes.div([nodes.typst_block(f"#align(center, {look})")], nodes.attributes(id_))
            return nodes.div([block], nodes.attributes(second)) if second else block
        pictures = nodes.plain(self._pictures(use, paste))
        if not self.is_web:
            wrapper = nodes.div([pictures], nodes.attributes(second)) if second else pictures
            return nodes.figure([wrapper], caption, nodes.attributes(id_))
        blocks = [nodes.div([pictures], _wrapper(second, paste, use.wish("width")))]
        has_controls = embedding.figure.explore is not None and self._wanted(use) != links.ALWAYS
        self.has_controls |= has_controls
        has_zoom = self.settings.zoom
        below = html.below(embedding, use.wish("width"), has_zoom=has_zoom, has_controls=has_controls)
        blocks += [nodes.html_block(element(part)) for part in below]
        if embedding.doubt:
            mark = nodes.plain([nodes.string(embedding.figure.translated(page_words.MARK))])
            blocks.append(nodes.div([mark], nodes.attributes(classes=["figmill-mark"])))
        classes = ["figmill", *use.image["c"][0][1]]
        return nodes.figure(blocks, caption, nodes.attributes(id_, classes))

    def _below(self, use: PandocUse) -> list[PandocNode]:
        """The long description after a figure, in web pages and electronic books."""
        if not (self.is_web or self.is_ebook) or isinstance(self.book, ToolError):
            return []
        answer = lookup.show(self.book.catalogue, use.target)
        if isinstance(answer, Missing):
            return []
        paste = Paste(answer, self.base)
        disclosure = long_description.details(
            answer.figure,
            self.book.catalogue.folder,
            (lambda _: None) if self.is_ebook else paste.url,
            self._data_id(use),
        )
        if disclosure is None:
            return []
        if self.is_ebook:  # for search engines; pandoc would write its name alone, which no XHTML may have
            del disclosure.attrib["data-search-exclude"]
        return [nodes.html_block(element(disclosure))]

    def _data_id(self, use: PandocUse) -> str | None:
        """The id of the long description, at the one place of the page that has it; else None."""
        label = use.target.label
        return long_description.id_of(label) if self.shown.anchors.get(label) is use.image else None

    def _details(self, use: PandocUse, paste: Paste) -> dict[str, str]:
        """The attributes by which a picture points to its long description."""
        id_ = self._data_id(use) if use.is_by_itself and paste.folder else None
        disclosure = (
            None
            if id_ is None
            else long_description.details(paste.embedding.figure, paste.folder or Path(), lambda _: None)
        )
        return {"aria-details": id_} if id_ and disclosure is not None else {}

    def _in_line(self, use: PandocUse) -> list[PandocNode]:
        paste = self._embedded(use)
        if isinstance(paste, Missing):
            return [_mark(paste)]
        id_, second = self._ids(use)
        if self.request.format in MARKDOWN:
            return [nodes.html_in_line(picture(paste, second or id_))]  # links lead to the second
        inlines = self._pictures(use, paste, is_whole=False)
        if self.is_web or id_:
            classes = ["figmill-picture"] if self.is_web else []
            inlines = [nodes.span(inlines, nodes.attributes(id_, classes))]
        return [nodes.span(inlines, nodes.attributes(second))] if second else inlines

    def _ids(self, use: PandocUse) -> tuple[str, str]:
        """The id of a figure, and a second one; empty: none."""
        label = use.target.label
        anchor = anchor_of(label) if self.shown.anchors.get(label) is use.image else ""
        return (use.id, anchor) if use.id else (anchor, "")

    def _pictures(self, use: PandocUse, paste: Paste, is_whole: bool = True) -> list[PandocNode]:
        """The pictures of a figure for this kind of output: both for web pages, else one."""
        embedding = paste.embedding
        look = FigureLook(width=use.wish("width"), host="quarto" if self.request.host == "quarto" else "")
        if self._is_inline(use, paste):
            return [
                self._drawing(use, paste, html.linked(theme, picture, look, is_whole), picture)
                for theme, picture in embedding.alternates
            ]
        if self.is_web:
            return [
                self._image(
                    paste,
                    picture,
                    html.attributes(embedding, theme, picture, "", look, is_whole, form)
                    | self._details(use, paste),
                )
                for theme, picture, form in self._forms(embedding, look, is_whole)
            ]
        form = FILES.get(self.request.format, "svg")
        picture = embedding.figure.picture(embedding.light.theme, form)
        if picture is None:
            message = f"figure '{embedding.label}' has no {form.upper()}; run figmill export --to {form}"
            self.warn(message, use.target, ERROR)
            picture = embedding.light
        if self.is_typst:  # pandoc would leave out the alt text
            code = typst_image(paste, look.width)
            return [nodes.typst_in_line(f"#{code}" if is_whole else f"#box({code})")]
        sizes = html.sizes(picture, None) if form == "png" or self.is_ebook else {}
        if self.is_ebook:  # a reader that makes it narrower keeps its shape only without a height
            sizes = {"class": "figmill-picture", "width": look.width or sizes["width"]}
        elif look.width:
            sizes = {"width": look.width}
        return [self._image(paste, picture, sizes)]

    def _wanted(self, use: PandocUse) -> str:
        wish = use.wish("inline")
        return self.settings.inline if wish is None else wish if wish in links.WISHES else links.ALWAYS

    def _is_inline(self, use: PandocUse, paste: Paste) -> bool:
        """Whether the drawing itself stands in the page."""
        is_there = self.is_web and paste.folder is not None
        return is_there and links.is_inline(paste.embedding, paste.folder or Path(), self._wanted(use))

    def _tell_of_links(self, use: PandocUse, paste: Paste) -> None:
        """Warn that readers cannot follow the links of a figure shown as an image."""
        folder = paste.folder or Path()
        why = (
            None
            if self._is_inline(use, paste)
            else links.why_dead(paste.embedding, folder, self._wanted(use))
        )
        if why is not None:
            message = links.dead([paste.embedding.label], why if self.is_web else links.NOT_HERE)
            self.warn(message, use.target, NOTE)

    def _drawing(
        self, use: PandocUse, paste: Paste, look: Mapping[str, str], picture: PictureFile
    ) -> PandocNode:
        """A drawing in the page. pandoc itself leaves relative links in a page as they are written."""
        assert paste.folder is not None
        svg = figures.read(paste.folder, picture.path).decode()
        number = self._drawn[picture.path]
        self._drawn[picture.path] += 1
        svg = html.inlined(svg, number)
        addresses = dict(links.each(svg, lambda target: self._led(lookup.target(target), use)))
        svg = links.led(svg, addresses, paste.embedding.alt)
        return nodes.span([nodes.html_in_line(svg)], _attributes(look))

    def _led(self, target: Target | None, use: PandocUse) -> str | None:
        """The address of a figure to which a drawing leads."""
        return None if target is None else self._address_of(target, use.target)

    def _forms(
        self, embedding: Embedding, look: FigureLook, is_whole: bool
    ) -> list[tuple[str, PictureFile, str]]:
        if is_whole:
            return html.shown(embedding, look.width)
        return [(theme, picture, "") for theme, picture in embedding.alternates]

    def _image(self, paste: Paste, picture: PictureFile, look: Mapping[str, str]) -> PandocNode:
        address = paste.url(picture) if self.is_web else paste.path(picture)
        attributes = {name: value for name, value in look.items() if name not in ("src", "alt")}
        return nodes.image(nodes.words(paste.embedding.alt), address, _attributes(attributes))

    def _base(self) -> str:
        """The address of the output folder from the document that is written."""
        if isinstance(self.book, ToolError):
            return "."
        output = self.request.output
        is_holder = output is None or posixpath.splitext(output)[1] in HOLDERS
        if is_holder:  # pandoc reads the pictures itself
            return relative(self.book.catalogue.folder)
        return way(self.book.catalogue.folder, Path(output or "").absolute().parent)

    # ------------------------------------------------------------ facts and links

    def _fact(self, target: Target) -> PandocNode:
        if isinstance(self.book, ToolError):
            return _mark(self._lost(Missing(str(self.book), target)))
        text = lookup.say(self.book.catalogue, target)
        if isinstance(text, Missing):
            return _mark(self._lost(text))
        texts: tuple[str, ...] | Missing = ()
        if self.is_web and not self._is_in_heading and target.label in self.shown.by_itself:
            texts = lookup.interactive_texts(self.book.catalogue, target)
        if isinstance(texts, Missing):
            self._lost(texts)
        elif texts:
            return nodes.span([nodes.string(text)], _attributes(html.fact_attributes(target.label, texts)))
        return nodes.string(text)

    def _link(self, node: PandocNode, target: Target) -> list[PandocNode]:
        """A link with text to a figure of this page or another."""
        attr, inlines, (_, title) = node["c"]
        inlines, address = self.rewritten(inlines), self._address_of(target, target)
        return list(inlines) if address is None else [nodes.link(inlines, address, attr, title)]

    def _address_of(self, target: Target, named: Target) -> str | None:
        """The address of a figure; None if it is on another page and the document has one page alone.

        named: what the source of the page names, for the lines of messages.
        """
        label = target.label
        address = f"#{self.shown.ids.get(label, anchor_of(label))}"
        if isinstance(self.book, ToolError):
            self.warn(str(self.book), named, ERROR)
        elif label not in self.shown.labels and (message := lookup.lost(self.book.catalogue, target, ())):
            home = self._home(label) if label in self.book.catalogue.figures else None
            if home is None:
                self.warn(self._nowhere(message, label), named, ERROR)
            elif not self.is_web and self.request.format not in MARKDOWN:
                return None
            else:
                address = f"{self._address(home)}#{anchor_of(label)}"
        return address

    def _home(self, label: str) -> str | None:
        """The first of the named pages that shows a figure."""
        assert isinstance(self.book, Opened)
        figure = self.book.catalogue.figures[label]
        source = (self.book.root / figure.source).resolve() if figure.fence is not None else None
        return next(
            (
                name
                for name in self.settings.pages
                if label in sources.shown_in(_text(name)) or source == Path(name).resolve()
            ),
            None,
        )

    def _nowhere(self, message: str, label: str) -> str:
        """Why a link leads nowhere."""
        assert isinstance(self.book, Opened)
        if label not in self.book.catalogue.figures:
            return message
        if self.settings.pages:
            return lookup.NOWHERE.format(label)
        return f"{message}, or name the pages of the book under figmill: pages"

    def _address(self, name: str) -> str:
        """The address of another page, with the suffix of this one."""
        here = Path(next(iter(self.request.sources), ".")).absolute().parent
        address = way(Path(name).absolute(), here)
        if self.request.host != "quarto":  # which resolves links to sources itself
            suffix = posixpath.splitext(self.request.output or "")[1] or ".html"
            address = posixpath.splitext(address)[0] + suffix
        return quote(address, safe="/:")

    # ------------------------------------------------------------ messages

    def refuse_leftovers(self, blocks: list[Any]) -> None:
        """Report an error for every reference that pandoc would publish unchanged."""
        for left in leftover.left_over(leftover.of_pandoc(blocks)):
            self.warn(leftover.message(left), left, ERROR)

    def judge(self) -> None:
        """Report the numbers of each source that a figure contradicts."""
        for name in self.request.sources if isinstance(self.book, Opened) else ():
            assert isinstance(self.book, Opened)
            for line, message in claims.contradicted(self.book, Path(name), _text(name)):
                self.messages.setdefault(message, PageMessage(WARNING, message, name, line))

    def _lost(self, answer: Missing) -> Missing:
        self.warn(answer.message, answer.target, ERROR)
        return answer

    def warn(self, message: str, target: Target, level: str) -> None:
        if message not in self.messages:
            file, line = next(self._lines(target), (None, None))
            self.messages[message] = PageMessage(level, message, file, line)

    def _lines(self, target: Target) -> Iterator[tuple[str, int]]:
        """(file, line) of the first place in each source that names a target: pandoc's nodes have no lines."""
        places = ((name, sources.line_of(_text(name), target)) for name in self.request.sources)
        yield from ((name, line) for name, line in places if line is not None)


def _wrapper(id_: str, paste: Paste, width: str | None) -> list[Any]:
    """The attributes of the element that holds the pictures of a figure in a web page."""
    embedding = paste.embedding
    names = " ".join(html.legible(picture, width) for _, picture in embedding.alternates)
    return _attributes(
        {"id": id_, "class": box_class(embedding.figure.is_leftward), **html.scroller(embedding, names)}
    )


def _mark(answer: Missing) -> PandocNode:
    """The node in place of something that cannot be shown."""
    return nodes.span(
        [nodes.strong([nodes.string(str(answer.target))])], nodes.attributes(classes=["figmill-mark"])
    )


def _for_forges(paste: Paste, id_: str, second: str, caption: list[PandocNode]) -> PandocNode:
    """A figure for GitHub, which accepts no style sheet. Only pandoc can write the caption's nodes as HTML."""
    before, after = around(paste, id_, second, has_caption=bool(caption))
    if not caption:
        return nodes.html_block(before + after)
    pairs = (("before", before), ("after", after))
    return nodes.div(caption, nodes.attributes(classes=[AS_HTML], pairs=pairs))


def _attributes(of_html: Mapping[str, str]) -> list[Any]:
    """Attributes of HTML as those of a node."""
    pairs = ((name, value) for name, value in of_html.items() if name not in ("id", "class"))
    return nodes.attributes(of_html.get("id", ""), of_html.get("class", "").split(), pairs)


def _text(name: str) -> str:
    """A source of the document; empty if it cannot be read, such as standard input a second time."""
    try:
        return files.read(Path(name)).decode("utf-8", "replace")
    except OSError:
        return ""
