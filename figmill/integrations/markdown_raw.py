"""Python-Markdown: figures of code blocks inside HTML, where Markdown is not read, and what is left of such blocks.

Hosts draw a code block wherever it stands, because their preprocessor puts the HTML of a block into Python-Markdown's
stash. For figures that stand in the stash, this module adds an image to the end of the page, so that the processors of
the host see it like any other image; once all of them have run, its HTML moves to its place in the stash.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.postprocessors import Postprocessor
from markdown.treeprocessors import Treeprocessor

from figmill.integrations import leftover
from figmill.integrations.lookup import SCHEME, Target
from figmill.integrations.markdown_fences import MARK, FencePreprocessor


class StashedFigures(Treeprocessor):
    """The figures in the stash. `enter` puts them into the tree; `run`, the last of all, moves them out again."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(md)
        self._boxes: list[tuple[int, Element]] = []  # the number in the stash, and the parent of the figure

    def enter(self, root: Element) -> None:
        """Add an image for each mark in the stash."""
        self._boxes = []
        for number, text in enumerate(self.md.htmlStash.rawHtmlBlocks):
            for match in MARK.finditer(text) if isinstance(text, str) else ():
                box = SubElement(root, "div")
                # a figure in place of a block, but only pictures where the page has an image
                holder = SubElement(box, "span" if ";" in match["name"] else "p")
                SubElement(holder, "img", {"src": f"{SCHEME}{match['name']}", "alt": ""})
                self._boxes.append((number, box))

    def run(self, root: Element) -> None:
        stash = self.md.htmlStash.rawHtmlBlocks
        for number, box in self._boxes:
            root.remove(box)
            figure = "".join(map(self.md.serializer, box)).strip()
            text = stash[number]
            assert isinstance(text, str)
            start, end = MARK.search(text).span()  # type: ignore[union-attr]  # one mark for each box, in order
            stash[number] = f"{text[:start]}{figure}{text[end:]}"
        self._boxes = []


class LeftPostprocessor(Postprocessor):
    """Restore blocks that the host treats as code after all, and report addresses that nothing has read.

    - is_led: whether the host will replace the address of a link later.
    """

    def __init__(
        self,
        md: Markdown,
        fences: FencePreprocessor,
        is_led: Callable[[Target], bool],
        report: Callable[[Target, str], None],
    ) -> None:
        super().__init__(md)
        self.fences, self.is_led, self.report = fences, is_led, report

    def run(self, text: str) -> str:
        page = MARK.sub(lambda match: escape(self.fences.sources[match["name"]], quote=False), text)
        for left in leftover.left_over(page):
            if not self.is_led(left):
                self.report(left, leftover.message(left))
        return page
