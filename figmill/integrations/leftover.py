"""Addresses `figmill:ID` that a host has left in a page of HTML, where readers would see them. Pure.

Every host asks this once its page is HTML, or about the HTML that an author wrote into the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from html.parser import HTMLParser
from typing import Any

from figmill.integrations.lookup import SCHEME, Target, target

CODE = frozenset(("code", "pre", "kbd", "samp", "script", "style", "textarea", "title"))
ADDRESSES = frozenset(("src", "href", "srcset", "poster", "data"))
REPORTED = "figmill-mark"  # the class of a mark that has been reported
_ADDRESS = re.compile(rf"(?<![\w.-]){SCHEME}[A-Za-z0-9][\w.-]*(?:#[\w.-]+)?")


def message(left: Target) -> str:
    """The message for the author of the page."""
    return (
        f"{left} stands in the page as text, because the host reads no Markdown there; if it is inside HTML, move it "
        "out or let the host read the inside as Markdown; if readers should see it, mark it as code"
    )


def left_over(page: str) -> tuple[Target, ...]:
    """The addresses in the text and in the attributes of a page of HTML, each once; not those in code."""
    if SCHEME not in page:
        return ()
    reader = _AddressReader()
    reader.feed(page)
    reader.close()
    return tuple(dict.fromkeys(reader.targets))


def in_text(text: str) -> tuple[Target, ...]:
    """The addresses in a text without markup."""
    targets = (target(match[0].rstrip(".-")) for match in _ADDRESS.finditer(text))
    return tuple(address for address in targets if address is not None)


def of_mdast(node: Mapping[str, Any]) -> str:
    """The HTML and the text in a page of mdast nodes, as HTML; without code, and without what becomes elements."""
    if node["type"] in ("html", "text"):
        value = str(node.get("value", ""))
        return value if node["type"] == "html" else escape(value)
    return "".join(map(of_mdast, node.get("children", ())))


def of_token(token: Mapping[str, Any]) -> str:
    """The same for a token of markdown-it."""
    if token.get("children"):
        return "".join(map(of_token, token["children"]))
    if token["type"] in ("html_block", "html_inline"):
        return str(token["content"])
    return escape(str(token["content"])) if token["type"] == "text" else ""


def of_pandoc(node: Any) -> str:
    """The same for nodes of pandoc."""
    if isinstance(node, list):
        return "".join(map(of_pandoc, node))
    if not isinstance(node, dict) or "t" not in node:  # attributes and addresses
        return ""
    kind, content = node["t"], node.get("c", [])
    if kind == "Str":
        return escape(str(content))
    if kind in ("RawBlock", "RawInline"):
        return str(content[1]) if content[0] == "html" else ""
    if kind in ("Code", "CodeBlock", "Math"):
        return ""
    return " " if kind in ("Space", "SoftBreak", "LineBreak") else of_pandoc(content)


class _AddressReader(HTMLParser):
    """Collects addresses.

    - _within: the names of the open elements whose text does not count, outermost first.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.targets: list[Target] = []
        self._within: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if self._within:
            if tag == self._within[0]:
                self._within.append(tag)
        elif tag in CODE or REPORTED in values.get("class", "").split():
            self._within.append(tag)
        else:
            addresses = (target(values[name]) for name in ADDRESSES & values.keys())
            self.targets += [address for address in addresses if address is not None]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._within and tag == self._within[0]:
            self._within.pop()

    def handle_data(self, data: str) -> None:
        if not self._within:
            self.targets += in_text(data)
