"""The words of a label of draw.io, which is plain text or HTML. Pure."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_BREAKS = frozenset(["br", "div", "p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "tr", "td", "th"])
_UNSEEN = ("script", "style")
_EMPTY = ("br", "hr", "img", "col", "wbr")
# What the editor leaves in a label when cells are pasted into it.
_HIDDEN = re.compile(r"font-size:\s*0|(?:^|;)\s*color:\s*(?:transparent|rgba\([^)]*,\s*0\))")


class _Words(HTMLParser):
    """Collects the visible text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.open: list[tuple[str, bool]] = []  # the open tags, and whether each hides its text

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BREAKS:
            self.parts.append(" ")
        if tag not in _EMPTY:
            hides = tag in _UNSEEN or bool(_HIDDEN.search(dict(attrs).get("style") or ""))
            self.open.append((tag, hides))

    def handle_endtag(self, tag: str) -> None:
        if any(tag == name for name, _ in self.open):
            while self.open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        if not any(hides for _, hides in self.open):
            self.parts.append(data.replace("\u200b", ""))


def text_of(label: str, *, is_html: bool) -> str:
    """The words of a label, with a blank between two."""
    if not is_html:
        return " ".join(label.split())
    reader = _Words()
    reader.feed(label)
    reader.close()
    return " ".join("".join(reader.parts).split())
