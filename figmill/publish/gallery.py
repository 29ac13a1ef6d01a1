"""The gallery: one page with every figure, its caption, source and facts. Pure: equal figures give equal bytes.

One file without network access: its style and scripts are inline, allowed by their digests, and no others run.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import quote

from figmill.model import Fact, File, Published
from figmill.paths import PACKAGE
from figmill.publish import exploring
from figmill.publish.legible import class_of, shown_width
from figmill.publish.manifest import exploration, relative
from figmill.store.memory import Finding

NAME = "index.html"
HERE = PACKAGE / "publish" / "files"
PAGES = PACKAGE / "integrations" / "files"  # shared with the hosts' pages
STYLES = (PAGES / "css" / "figmill.css", HERE / "gallery.css")
SCRIPTS = (HERE / "gallery.js", PAGES / "js" / "figmill-explore.js")

TOOLS = """\
<div class="tools" role="search" hidden>
<label class="search">Search <input type="search" id="search" autocomplete="off" aria-keyshortcuts="/"></label>
<label>Track <select data-filter="track" autocomplete="off"><option value="">all</option></select></label>
<label>Kind <select data-filter="kind" autocomplete="off"><option value="">all</option></select></label>
<label>Status <select data-filter="status" autocomplete="off"><option value="">all</option></select></label>
<fieldset><legend>Theme</legend><div class="choices">
<label><input type="radio" name="theme" value="auto" autocomplete="off">auto</label>
<label><input type="radio" name="theme" value="light" autocomplete="off">light</label>
<label><input type="radio" name="theme" value="dark" autocomplete="off">dark</label>
</div></fieldset>
</div>
"""
LARGE = """\
<dialog aria-labelledby="large-title">
<div class="bar">
<button type="button" data-do="before" aria-keyshortcuts="ArrowLeft">Previous</button>
<button type="button" data-do="next" aria-keyshortcuts="ArrowRight">Next</button>
<button type="button" data-do="id">Copy id</button>
<button type="button" data-do="markdown">Copy Markdown</button>
<span id="status" role="status"></span>
<button type="button" class="close" data-do="close">Close</button>
</div>
<div class="large"></div>
</dialog>
"""


def page(figures: Iterable[tuple[Published, str]], folder: str, warnings: Iterable[Finding] = ()) -> bytes:
    """The page of (figure, status) pairs. folder: the page's place; its links are relative to it."""
    ordered = sorted(figures, key=lambda pair: pair[0].order)
    return joined({figure.label: card(figure, status, folder) for figure, status in ordered}, warnings)


def joined(cards: Mapping[str, str], warnings: Iterable[Finding]) -> bytes:
    """The page of these cards, by the labels of their figures, in order. warnings: of the build, in order."""
    count = "1 figure" if len(cards) == 1 else f"{len(cards)} figures"
    begin, end = _around()
    figures = "".join(cards.values())
    return (
        f'{begin}<header>\n<h1>Figures</h1>\n<p id="count" role="status">{count}</p>\n</header>\n{TOOLS}'
        f"{_warnings(tuple(warnings), cards.keys())}"
        f'<main>\n<p id="none" hidden>No figure has all of these words.</p>\n{figures}</main>\n{LARGE}{end}'
    ).encode()


@cache
def _around() -> tuple[str, str]:
    """The page before and after the body's own content, equal in every book."""
    style = "".join(map(_text, STYLES))
    first, second = map(_text, SCRIPTS)
    policy = (
        "default-src 'none'; img-src 'self' file: data:; base-uri 'none'; form-action 'none'; "
        f"style-src '{_digest(style)}'; script-src '{_digest(first)}' '{_digest(second)}'"
    )
    begin = (
        '<!DOCTYPE html>\n<html lang="en" data-theme="auto">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>Figures</title>\n'
        f"<style>{style}</style>\n<script>{first}</script>\n</head>\n<body>\n"
    )
    return begin, f"<script>{second}</script>\n</body>\n</html>\n"


def is_one(begin: bytes) -> bool:
    """Whether the beginning of a file is that of a gallery: by its title, and its first style."""
    return b"<title>Figures</title>" in begin and b"/* figmill:" in begin


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").replace("\r\n", "\n")


def _digest(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _warnings(warnings: tuple[Finding, ...], labels: Collection[str]) -> str:
    """The build's warnings, each with its place and a link to its figure."""
    if not warnings:
        return ""
    rows = "".join(
        f"<li><code>{escape(str(warned.origin))}</code> {escape(warned.message)} [{escape(warned.check)}]"
        f"{_to(label) if label in labels else ''}</li>\n"
        for label, warned in warnings
    )
    count = "1 warning" if len(warnings) == 1 else f"{len(warnings)} warnings"
    return (
        '<section class="warnings" aria-label="Warnings of the build">\n'
        f"<details><summary>{count}</summary>\n<ul>\n{rows}</ul>\n</details>\n</section>\n"
    )


def _to(label: str) -> str:
    return f' <a href="#{escape(label)}">{escape(label)}</a>'


def card(figure: Published, status: str, folder: str) -> str:
    """One figure of the page."""
    label = figure.label
    stale = ' <span class="stale">stale</span>' if status == "stale" else ""
    caption = f"<p>{escape(figure.caption)}</p>\n" if figure.caption else ""
    return (
        f'<figure class="figmill card" id="{escape(label)}" data-track="{escape(figure.track)}"'
        f' data-kind="{escape(figure.kind)}" data-status="{status}">\n'
        f"{_drawing(figure, folder)}{_controls(figure, folder)}<figcaption>\n"
        f'<h2><a href="#{escape(label)}">{escape(figure.title or label)}</a>{stale}</h2>\n{caption}'
        f'<p class="source">{escape(label)} · {escape(figure.kind)} · {escape(_source(figure))}</p>\n'
        f"{_languages(figure, folder)}{_facts(figure)}{_data(figure, folder)}</figcaption>\n</figure>\n"
    )


def _source(figure: Published) -> str:
    return figure.source if figure.line is None else f"{figure.source}:{figure.line}"


def _controls(figure: Published, folder: str) -> str:
    if figure.explore is None:
        return ""
    data = escape(exploring.data(exploration(figure.explore, folder)))
    label = escape(figure.label)
    return (
        f'<div class="figmill-explore" data-figmill-figure="{label}" data-figmill-hash="keep"'
        f' data-figmill-explore="{data}"></div>\n'
    )


def _drawing(figure: Published, folder: str) -> str:
    svgs = {file.theme: file for file in figure.files if file.format == "svg"}
    light, dark = svgs.get("light"), svgs.get("dark")
    if light is None:
        return ""
    alt = escape(figure.alt)
    narrow = {file.theme: file for file in figure.narrow}
    every = (*svgs.values(), *figure.narrow)
    names = " ".join(filter(None, (class_of(file.width, file.smallest) for file in every)))
    words = escape(figure.title or figure.label)
    scrolls = f' tabindex="0" role="group" aria-label="{words}"' if names else ""
    if dark is None:
        only = _forms("only", light, narrow.get("light"), alt, folder)
        return f'<div class="figmill-picture paper"{scrolls}>{only}</div>\n'
    pair = _forms("light", light, narrow.get("light"), alt, folder)
    pair += _forms("dark", dark, narrow.get("dark"), alt, folder)
    return f'<div class="figmill-picture"{scrolls}>{pair}</div>\n'


def _forms(theme: str, wide: File, narrow: File | None, alt: str, folder: str) -> str:
    """A picture, and its form for narrow screens."""
    if narrow is None:
        return _image(wide, theme, alt, folder)
    return _image(wide, f"{theme} figmill-wide", alt, folder) + _image(
        narrow, f"{theme} figmill-narrow", alt, folder
    )


def _image(file: File, theme: str, alt: str, folder: str) -> str:
    across = shown_width(file.width, file.smallest)
    size = f'width="{round(across)}" height="{round(file.height * across / (file.width or 1))}"'
    names = " ".join(filter(None, (f"figmill-{theme}", class_of(file.width, file.smallest))))
    source = f'src="{_link(file, folder)}" alt="{alt}" {size}'
    return f'<img class="{names}" {source} loading="lazy" decoding="async">'


def _link(file: File, folder: str) -> str:
    return escape(quote(relative(file.path, folder)))


def _languages(figure: Published, folder: str) -> str:
    """Links to the figure in other languages."""
    links = ", ".join(
        f'<a href="{_link(one.files[0], folder)}" hreflang="{code}" title="{escape(one.title or figure.label)}">'
        f"{code}</a>"
        for one in figure.editions
        for code in [escape(one.language.replace("_", "-"))]
    )
    return f'<p class="source">In other languages: {links}</p>\n' if links else ""


def _facts(figure: Published) -> str:
    if not figure.facts:
        return ""
    rows = "".join(
        f"<dt>{escape(n)}</dt><dd>{escape(_shown(v))}</dd>" for n, v in sorted(figure.facts.items())
    )
    count = "1 fact" if len(figure.facts) == 1 else f"{len(figure.facts)} facts"
    return f"<details><summary>{count}</summary><dl>{rows}</dl></details>\n"


def _data(figure: Published, folder: str) -> str:
    """The description that a question states, and links to the data."""
    if figure.description is None:
        return ""
    text = f"<p>{escape(figure.description.text)}</p>" if figure.description.text else ""
    rows = "".join(
        f'<li><a href="{escape(quote(relative(table.path, folder)))}" download>{escape(table.title)}</a>, '
        f"{table.total:,} row{'s' if table.total != 1 else ''}</li>"
        for table in figure.description.tables
    )
    files = f"<ul>{rows}</ul>" if rows else ""
    return f"<details><summary>Description and data</summary>{text}{files}</details>\n"


def _shown(value: Fact) -> str:
    if isinstance(value, list):
        return ", ".join(_shown(item) for item in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)
