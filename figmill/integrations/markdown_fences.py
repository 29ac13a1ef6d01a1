"""Python-Markdown: a code block or an image that is a figure becomes figmill's image before anything else reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown import Markdown
from markdown.preprocessors import Preprocessor
from markdown.util import ETX, STX

from figmill.book.names import anchor_of
from figmill.book.pages import markdown
from figmill.book.pages.blocks import PageBlock
from figmill.integrations.fences import PageFences
from figmill.integrations.images import PageImages, wishes
from figmill.integrations.lookup import SCHEME
from figmill.integrations.markdown_places import Place

# After the preprocessors that put other files into the page, such as snippets (32), and before those that take blocks
# of code (25): Material's own diagrams never see a block that is a figure.
PRIORITY = 28
_FENCE = re.compile("```|~~~|:::")  # most pages have no block, and need no closer look
_IMAGE = re.compile(r"!\[|<img", re.I)
# The image in place of a block. No page can contain its signs: Python-Markdown removes them (priority 30). name: the
# label; of an image of the page itself, also its number there.
MARK = re.compile(rf"!\[\]\({STX}{SCHEME}(?P<name>[^{ETX}]+){ETX}\)")


class FencePreprocessor(Preprocessor):
    """Replace code blocks and images.

    - wishes: name in a mark -> what the author wrote for the page alone: the id, a width in percent.
    - sources: name -> the text in the page.
    """

    def __init__(self, md: Markdown, place: Place) -> None:
        super().__init__(md)
        self.place = place
        self.wishes: dict[str, dict[str, str]] = {}
        self.sources: dict[str, str] = {}

    def run(self, lines: list[str]) -> list[str]:
        self.wishes, self.sources = {}, {}
        text = "\n".join(lines)
        if _IMAGE.search(text) and (images := self.place.images()) is not None:
            text = self._without_images(text, images)
            lines = text.split("\n")
        page = self.place.fences(text) if _FENCE.search(text) else None
        if page is None or not page.languages:
            return lines
        blocks = list(markdown.blocks(text, page.languages))
        new = list(lines)
        for block, label in reversed([*self._figures(blocks, page)]):
            self.sources[label] = "\n".join(new[block.start - 1 : block.end - 1])
            new[block.start - 1 : block.end - 1] = _image(block, label)
        return new

    def _without_images(self, text: str, images: PageImages) -> str:
        """The text with marks in place of the images that are figures."""
        for number, (image, label) in reversed([*enumerate(images.of(text))]):
            if image.is_directive:
                continue
            name = f"{label};{number}"
            self.sources[name] = text[image.start : image.end]
            self.wishes[name] = wishes(image)
            text = f"{text[: image.start]}![]({STX}{SCHEME}{name}{ETX}){text[image.end :]}"
        return text

    def _figures(self, blocks: list[PageBlock], page: PageFences) -> Iterator[tuple[PageBlock, str]]:
        """The blocks that are figures, each with its label; the others stay what they were."""
        for block in blocks:
            label = page.label(block.language, block.body)
            if label is not None:
                options = {option.key: option.value for option in reversed(block.options)}
                self.wishes[label] = {
                    **(
                        {"id": options["id"]}
                        if options.get("id", anchor_of(label)) != anchor_of(label)
                        else {}
                    ),
                    **({"width": options["width"]} if options.get("width", "").endswith("%") else {}),
                }
                yield block, label
            elif (message := page.message(block.language, block.body)) is not None:
                line = page.line(block.language, block.body)
                self.place.warn(
                    f"{'' if page.name is None else f'{page.name}:{line or block.start}: '}{message}"
                )


def _image(block: PageBlock, label: str) -> list[str]:
    """The lines that replace a block inside its list or quotation."""
    blank = block.prefix.rstrip() if block.prefix.rstrip().endswith(">") else ""
    begins_item = block.prefix.strip(" \t>") != ""
    return [*(() if begins_item else (blank,)), f"{block.prefix}![]({STX}{SCHEME}{label}{ETX})", blank]
