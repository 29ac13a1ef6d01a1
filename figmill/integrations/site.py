"""Links to figures and numbers of figures in a site, once all its pages are converted. Pure.

Until then a page holds marks: the address `figmill:LABEL` in a link to a figure of another page, and an empty span of
the class `figmill-number` before a caption.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from html import escape

from figmill.late_dataclasses import dataclass

_LINK = re.compile(r'<a (?P<before>[^>]*?)href="figmill:(?P<label>[^"#]+)"(?P<after>[^>]*)>(?P<empty></a>)?')
_SPAN = re.compile(r'<span class="figmill-number" data-figmill-figure="(?P<label>[^"]+)"></span>')


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a figure on another page, or one that shows a number."""

    page: str
    label: str
    where: str  # the beginning of a message about it
    is_number: bool = False


def home_of(
    link_page: str, label: str, home: Mapping[str, str], shown: Mapping[str, Iterable[str]]
) -> str | None:
    """The page that a link leads to: its own page, if that shows the figure."""
    return link_page if label in shown.get(link_page, ()) else home.get(label)


def homes(order: Iterable[str], shown: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Label -> the first page that shows the figure. order: the reading order of the pages."""
    first_pages: dict[str, str] = {}
    for page in order:
        for label in shown.get(page, ()):
            first_pages.setdefault(label, page)
    return first_pages


def lost(links: Iterable[Link], home: Mapping[str, str]) -> list[Link]:
    """The links to figures that no page shows, one for each place."""
    return list(dict.fromkeys(link for link in links if link.label not in home))


def numbered(pages: Mapping[str, str], wording: str) -> tuple[dict[str, str], dict[tuple[str, str], str]]:
    """The pages with numbers before their captions, and (page, label) -> the number of its first place there.

    pages: contents by name, in the readers' order; numbers continue from page to page. wording: `{}` is the number.
    """
    count = itertools.count(1)
    numbers: dict[tuple[str, str], str] = {}

    def fill(page: str, match: re.Match[str]) -> str:
        number = wording.replace("{}", str(next(count)))
        numbers.setdefault((page, match["label"]), number)
        return f'<span class="figmill-number">{escape(number)}: </span>'

    return {page: _SPAN.sub(partial(fill, page), content) for page, content in pages.items()}, numbers


def led(content: str, address: Callable[[str], str], number: Callable[[str], str]) -> str:
    """A page whose links lead to their figures. number: the text of a link without words."""

    def link(match: re.Match[str]) -> str:
        inside = f"{escape(number(match['label']))}</a>" if match["empty"] else ""
        return f'<a {match["before"]}href="{address(match["label"])}"{match["after"]}>{inside}'

    return _LINK.sub(link, content)
