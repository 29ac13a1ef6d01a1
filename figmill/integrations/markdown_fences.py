"""Python-Markdown: a code block that is a figure becomes an image before anything else reads the block."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown import Markdown
from markdown.preprocessors import Preprocessor
from markdown.util import ETX, STX

from figmill.book.pages import markdown
from figmill.book.pages.blocks import PageBlock
from figmill.integrations.fences import PageFences
from figmill.integrations.markdown_places import Place
from figmill.integrations.page import SCHEME, anchor_of

# After the preprocessors that put other files into the page, such as snippets (32), and before those that take blocks
# of code (25): Material's own diagrams never see a block that is a figure.
PRIORITY = 28
_FENCE = re.compile("```|~~~|:::")  # most pages have no block, and need no closer look
# The image in place of a block. No page can contain its signs: Python-Markdown removes them (priority 30).
MARK = re.compile(rf"!\[\]\({STX}{SCHEME}(?P<label>[^{ETX}]+){ETX}\)")


class FencePreprocessor(Preprocessor):
    """Replace code blocks.

    wishes: label -> what the author wrote for the page alone: the id, a width in percent. sources: label -> its lines.
    """

    def __init__(self, md: Markdown, place: Place) -> None:
        super().__init__(md)
        self.place = place
        self.wishes: dict[str, dict[str, str]] = {}
        self.sources: dict[str, str] = {}

    def run(self, lines: list[str]) -> list[str]:
        self.wishes, self.sources = {}, {}
        text = "\n".join(lines)
        page = self.place.fences(text) if _FENCE.search(text) else None
        if page is None or not page.languages:
            return lines
        blocks = list(markdown.blocks(text, page.languages))
        new = list(lines)
        for block, label in reversed([*self._figures(blocks, page)]):
            self.sources[label] = "\n".join(new[block.start - 1 : block.end - 1])
            new[block.start - 1 : block.end - 1] = _image(block, label)
        return new

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
    """The lines in place of a block, in the list or quotation that it stands in."""
    blank = block.prefix.rstrip() if block.prefix.rstrip().endswith(">") else ""
    begins_item = block.prefix.strip(" \t>") != ""
    return [*(() if begins_item else (blank,)), f"{block.prefix}![]({STX}{SCHEME}{label}{ETX})", blank]
