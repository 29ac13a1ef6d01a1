"""The gallery: one page with every figure, its caption, source and facts. Pure: equal figures give equal bytes.

One file without network access: its style and scripts are inline, allowed by their digests, and no others run. It is
in the book's language. Cards in other languages lie in it as templates, which its script puts into their places.
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import quote
from xml.etree.ElementTree import tostring

from figmill import page_words
from figmill.model import Edition, Fact, File, Published, PublishedStatus
from figmill.page_words import EDGES, NODES, SUMMARY, Speech
from figmill.paths import LOOK, PACKAGE
from figmill.publish import exploring
from figmill.publish.legible import TURNED, box_class, class_of, shown_width, whole_size
from figmill.publish.manifest import exploration, relative
from figmill.store.memory import Finding
from figmill.wording import Words

NAME = "index.html"
HERE = PACKAGE / "publish" / "files"
PAGES = PACKAGE / "integrations" / "files"  # shared with the hosts' pages
STYLES = (PAGES / "css" / "figmill.css", LOOK, HERE / "gallery.css")
SCRIPTS = (HERE / "gallery.js", PAGES / "js" / "figmill-explore.js")

ENGLISH = Speech()
GENERATOR = '<meta name="generator" content="figmill">'
TEMPLATE = "<template lang="  # before a card in another language
# A card's track, kind and status, as HTML.
TRAITS = re.compile('<figure [^>]*? data-track="([^"]*)" data-kind="([^"]*)" data-status="([^"]*)"')
CLOSES = ' class="close"'


def _bar(speech: Speech, languages: Iterable[str], figures: int) -> str:
    """The title, the number of figures, and the choices of a language and a theme, which work with a script."""
    count = speech.count("1 figure", "{0} figures", figures)
    themes = "".join(
        f'<option value="{value}" data-say="{text}">{escape(speech(text))}</option>'
        for value, text in (("auto", "System"), ("light", "Light"), ("dark", "Dark"))
    )
    return (
        f'<header class="bar">\n<h1 data-say="Figures">{escape(speech("Figures"))}</h1>\n'
        f'<p id="count" role="status">{escape(count)}</p>\n{_picker(speech, languages)}'
        f'<label>{_said(speech, "Theme")} <select id="theme" autocomplete="off">{themes}</select></label>\n</header>\n'
    )


def _find(speech: Speech, cards: Iterable[str]) -> str:
    """Search, and a filter for each trait in which figures differ. They work with a script."""
    traits = [trait.groups() for card in cards if (trait := TRAITS.match(card))]
    columns = (sorted(set(column)) for column in zip(*traits, strict=True))
    filters = "".join(
        f'<label>{_said(speech, name)} <select data-filter="{name.lower()}" autocomplete="off">'
        f"{_option(speech, '', 'all')}{''.join(_option(speech, value, value) for value in values)}</select></label>\n"
        for name, values in zip(("Track", "Kind", "Status"), columns, strict=False)
        if len(values) > 1
    )
    return (
        f'<div class="find" role="search">\n<label class="search">{_said(speech, "Search")} '
        f'<input type="search" id="search" autocomplete="off" aria-keyshortcuts="/"></label>\n{filters}</div>\n'
    )


def _option(speech: Speech, value: str, text: str) -> str:
    """value: as HTML. Of its texts, a page's language has those of figmill itself."""
    said = f' data-say="{text}"' if text in ("all", *PublishedStatus) else ""
    return f'<option value="{value}"{said}>{escape(speech(text)) if said else text}</option>'


def _picker(speech: Speech, languages: Iterable[str]) -> str:
    """The choice of a language; nothing if there is only one."""
    every = [speech.into(language) for language in languages]
    if not every:
        return ""
    options = "".join(
        f'<option value="{code}" lang="{code}" dir="{language.direction}">{escape(language.name)}</option>'
        for language in (speech, *every)
        for code in [escape(language.code)]
    )
    name = _said(speech, "Language")
    return f'<label>{name} <select id="language" autocomplete="off">{options}</select></label>\n'


def _large(speech: Speech) -> str:
    """One figure, large."""

    def button(action: str, text: str, more: str = "") -> str:
        label = escape(speech(text))
        return f'<button type="button"{more} data-do="{action}" data-say="{text}">{label}</button>\n'

    return (
        '<dialog aria-labelledby="large-title">\n<div class="actions">\n'
        f"{button('before', 'Previous')}{button('next', 'Next')}"
        f"{button('id', 'Copy id')}{button('markdown', 'Copy Markdown')}"
        f'<span id="status" role="status"></span>\n{button("close", "Close", CLOSES)}'
        '</div>\n<div class="large"></div>\n</dialog>\n'
    )


def _said(speech: Speech, text: str) -> str:
    """A text that a script can put into another language."""
    return f'<span data-say="{escape(text)}">{escape(speech(text))}</span>'


def page(
    figures: Iterable[tuple[Published, PublishedStatus]],
    folder: str,
    warnings: Iterable[Finding] = (),
    speech: Speech = ENGLISH,
) -> bytes:
    """The page of (figure, status) pairs. folder: the page's place; its links are relative to it."""
    ordered = sorted(figures, key=lambda pair: pair[0].order)
    return joined(
        {figure.label: card(figure, status, folder, speech) for figure, status in ordered}, warnings, speech
    )


def joined(
    cards: Mapping[str, str],
    warnings: Iterable[Finding],
    speech: Speech = ENGLISH,
    languages: Iterable[str] = (),
) -> bytes:
    """The page of these cards, by the labels of their figures, in order.

    warnings: of the build, in order. speech: the book's language; languages: its others, in the order of its settings.
    """
    others = _languages_of(cards.values(), languages)
    begin, end = _around(speech.code, speech.direction, speech("Figures"))
    none = "No figure has all of these words."
    return (
        f"{begin}{_bar(speech, others, len(cards))}<main>\n{_find(speech, cards.values())}"
        f"{_warnings(tuple(warnings), cards.keys(), speech)}"
        f'<p id="none" data-say="{none}" hidden>{escape(speech(none))}</p>\n'
        f'<div class="cards">\n{"".join(cards.values())}</div>\n</main>\n'
        f"{_large(speech)}{_texts(speech, others)}{end}"
    ).encode()


def _languages_of(cards: Iterable[str], first: Iterable[str]) -> list[str]:
    """The other languages in which there are cards: in this order, then any of single figures."""
    codes = {code for text in cards if TEMPLATE in text for code in re.findall(f'{TEMPLATE}"([^"]+)"', text)}
    ordered = [code for code in (name.replace("_", "-") for name in first) if code in codes]
    return [*ordered, *sorted(codes.difference(ordered))]


def _texts(speech: Speech, languages: Iterable[str]) -> str:
    """The page's own texts for its script, by language; English ones are left out."""
    every = (speech, *map(speech.into, languages))
    texts = {
        language.code: {"dir": language.direction, "texts": language.of(page_words.english("gallery"))}
        for language in every
    }
    data = json.dumps(texts, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="texts">{data}</script>\n'


@cache
def _around(language: str, direction: str, title: str) -> tuple[str, str]:
    """The page before and after the body's own content."""
    style = "".join(map(_text, STYLES))
    first, second = map(_text, SCRIPTS)
    policy = (
        "default-src 'none'; img-src 'self' file: data:; base-uri 'none'; form-action 'none'; "
        f"style-src '{_digest(style)}'; script-src '{_digest(first)}' '{_digest(second)}'"
    )
    begin = (
        f'<!DOCTYPE html>\n<html lang="{escape(language)}" dir="{direction}" data-theme="auto">\n'
        '<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{GENERATOR}\n<title>{escape(title)}</title>\n"
        f"<style>{style}</style>\n<script>{first}</script>\n</head>\n<body>\n"
    )
    return begin, f"<script>{second}</script>\n</body>\n</html>\n"


def is_one(begin: bytes) -> bool:
    """Whether the beginning of a file is that of a gallery: by its title or its generator, and its first style."""
    is_named = GENERATOR.encode() in begin or b"<title>Figures</title>" in begin
    return is_named and b"/* figmill:" in begin


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").replace("\r\n", "\n")


def _digest(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _warnings(warnings: tuple[Finding, ...], labels: Collection[str], speech: Speech) -> str:
    """The build's warnings, each with its place and a link to its figure. They are in English, as everywhere."""
    if not warnings:
        return ""
    rows = "".join(
        f"<li><code>{escape(str(warned.origin))}</code> {escape(warned.message)} [{escape(warned.check)}]"
        f"{_to(label) if label in labels else ''}</li>\n"
        for label, warned in warnings
    )
    count = speech.count("1 warning", "{0} warnings", len(warnings))
    name = "Warnings of the build"
    return (
        f'<section class="warnings" data-name="{name}" aria-label="{escape(speech(name))}">\n'
        f'<details><summary data-count="{len(warnings)}">{escape(count)}</summary>\n'
        f'<ul lang="en" dir="ltr">\n{rows}</ul>\n</details>\n</section>\n'
    )


def _to(label: str) -> str:
    return f' <a href="#{escape(label)}">{escape(label)}</a>'


def card(figure: Published, status: PublishedStatus, folder: str, speech: Speech = ENGLISH) -> str:
    """One figure of the page, and for each of its other languages a template of the same."""
    cards = _card(figure, status, folder, speech, None)
    for edition in figure.editions:
        translated = speech.into(edition.language)
        other = _card(figure.in_language(edition.language), status, folder, translated, edition)
        cards += f'{TEMPLATE}"{escape(translated.code)}">{other}</template>\n'
    return cards


def _card(
    figure: Published, status: PublishedStatus, folder: str, speech: Speech, edition: Edition | None
) -> str:
    label = figure.label
    numbers = Words({"decimal": edition.decimal, "group": edition.group} if edition else {}).numbers
    is_old = status is PublishedStatus.STALE
    stale = f' <span class="stale">{escape(speech("stale"))}</span>' if is_old else ""
    caption = f"<p>{escape(figure.caption)}</p>\n" if figure.caption else ""
    source = f"{label} · {figure.kind} · {_source(figure)}"
    spoken = f' lang="{escape(speech.code)}" dir="{speech.direction}"' if edition else ""
    sign = f' data-decimal="{escape(edition.decimal)}"' if edition and edition.decimal != "." else ""
    return (
        f'<figure class="figmill card" id="{escape(label)}" data-track="{escape(figure.track)}"'
        f' data-kind="{escape(figure.kind)}" data-status="{status}"{spoken}{sign}>\n'
        f"{_drawing(figure, folder, edition)}{_controls(figure, folder, speech)}<figcaption>\n"
        f'<h2><a href="#{escape(label)}">{escape(figure.title or label)}</a>{stale}</h2>\n{caption}'
        f'<p class="source"><bdi dir="ltr">{escape(source)}</bdi></p>\n'
        f"{'' if edition else _languages(figure, folder, speech)}{_facts(figure, speech, numbers)}"
        f"{_data(figure, folder, speech, numbers)}"
        "</figcaption>\n</figure>\n"
    )


def _source(figure: Published) -> str:
    return figure.source if figure.line is None else f"{figure.source}:{figure.line}"


def _controls(figure: Published, folder: str, speech: Speech) -> str:
    if figure.explore is None:
        return ""
    row = exploring.reduced(exploration(figure.explore, folder))
    place = exploring.controls(figure.label, row, speech)
    place.set("data-figmill-hash", "keep")
    return f"{tostring(place, encoding='unicode', method='html')}\n"


def _drawing(figure: Published, folder: str, edition: Edition | None) -> str:
    svgs = {file.theme: file for file in figure.files if file.format == "svg"}
    light, dark = svgs.get("light"), svgs.get("dark")
    if light is None:
        return ""
    alt = escape(figure.alt)
    narrow = {file.theme: file for file in figure.narrow}
    every = (*svgs.values(), *figure.narrow)
    names = " ".join(filter(None, (class_of(file.width, file.smallest) for file in every)))
    label = escape(figure.title or figure.label)
    scrolls = f' tabindex="0" role="group" aria-label="{label}"' if names else ""
    box = box_class(edition is not None and edition.is_rtl and figure.kind in TURNED)
    if dark is None:
        only = _forms("only", light, narrow.get("light"), alt, folder)
        return f'<div class="{box} paper"{scrolls}>{only}</div>\n'
    pair = _forms("light", light, narrow.get("light"), alt, folder)
    pair += _forms("dark", dark, narrow.get("dark"), alt, folder)
    return f'<div class="{box}"{scrolls}>{pair}</div>\n'


def _forms(theme: str, wide: File, narrow: File | None, alt: str, folder: str) -> str:
    """A picture, and its form for narrow screens."""
    if narrow is None:
        return _image(wide, theme, alt, folder)
    return _image(wide, f"{theme} figmill-wide", alt, folder) + _image(
        narrow, f"{theme} figmill-narrow", alt, folder
    )


def _image(file: File, theme: str, alt: str, folder: str) -> str:
    across, down = whole_size(file.width, file.height, shown_width(file.width, file.smallest))
    size = f'width="{across}" height="{down}"'
    names = " ".join(filter(None, (f"figmill-{theme}", class_of(file.width, file.smallest))))
    source = f'src="{_link(file, folder)}" alt="{alt}" {size}'
    return f'<img class="{names}" {source} loading="lazy" decoding="async">'


def _link(file: File, folder: str) -> str:
    return escape(quote(relative(file.path, folder)))


def _languages(figure: Published, folder: str, speech: Speech) -> str:
    """Links to the figure in other languages."""
    links = ", ".join(
        f'<a href="{_link(edition.files[0], folder)}" hreflang="{code}"'
        f' title="{escape(edition.title or figure.label)}">{code}</a>'
        for edition in figure.editions
        for code in [escape(edition.language.replace("_", "-"))]
    )
    return f'<p class="source">{escape(speech("In other languages:"))} {links}</p>\n' if links else ""


def _facts(figure: Published, speech: Speech, numbers: Callable[[str], str]) -> str:
    if not figure.facts:
        return ""
    rows = "".join(
        f'<dt dir="ltr">{escape(n)}</dt><dd><bdi>{escape(_shown(v, numbers))}</bdi></dd>'
        for n, v in sorted(figure.facts.items())
    )
    count = speech.count("1 fact", "{0} facts", len(figure.facts))
    return f"<details><summary>{escape(count)}</summary><dl>{rows}</dl></details>\n"


def _data(figure: Published, folder: str, speech: Speech, numbers: Callable[[str], str]) -> str:
    """The description that a question states, and links to the data."""
    if figure.description is None:
        return ""
    text = f"<p>{escape(figure.description.text)}</p>" if figure.description.text else ""
    rows = "".join(
        f'<li><a href="{escape(quote(relative(table.path, folder)))}" download>{escape(title)}</a>, {count}</li>'
        for table in figure.description.tables
        for title in [speech(table.title) if table.title in (NODES, EDGES) else table.title]
        for count in [escape(speech.count("1 row", "{0} rows", table.total, numbers(f"{table.total:,}")))]
    )
    files = f"<ul>{rows}</ul>" if rows else ""
    return f"<details><summary>{escape(speech(SUMMARY))}</summary>{text}{files}</details>\n"


def _shown(value: Fact, numbers: Callable[[str], str]) -> str:
    if isinstance(value, list):
        return ", ".join(_shown(item, numbers) for item in value)
    return numbers(f"{value:.6g}") if isinstance(value, float) else str(value)
