"""The gallery: one page with every figure, its caption, source and facts. Pure: equal figures give equal bytes."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from urllib.parse import quote

from figmill.model import Fact, File, Published
from figmill.publish.manifest import Texts, relative, texts

NAME = "index.html"

STYLE = """
:root { color-scheme: light dark;
  --page: #fff; --text: #2b2b2b; --muted: #5a5a5a; --rule: #dfe3e8; --card: #fff }
@media (prefers-color-scheme: dark) {
  :root { --page: #121212; --text: #ececec; --muted: #b4bac4; --rule: #333945; --card: #1e2129 }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 1180px; padding: 2rem 1.25rem 4rem; background: var(--page);
  color: var(--text); font: 16px/1.5 "Helvetica Neue", Helvetica, Arial, sans-serif }
h1 { font-size: 1.5rem; margin: 0 }
header p { margin: .25rem 0 2rem; color: var(--muted) }
main { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 34rem), 1fr)) }
figure { margin: 0; border: 1px solid var(--rule); border-radius: 6px; background: var(--card);
  overflow: hidden; display: flex; flex-direction: column }
.drawing { padding: 1rem; display: flex; align-items: center; justify-content: center; flex: 1 }
.drawing.paper { background: #fff }
.drawing img { max-width: 100%; height: auto }
figcaption { border-top: 1px solid var(--rule); padding: .75rem 1rem 1rem; font-size: .875rem }
h2 { font-size: 1rem; margin: 0 }
h2 a { color: inherit; text-decoration: none }
figcaption p, details { margin: .25rem 0 0 }
summary { cursor: pointer }
.source, details { color: var(--muted);
  font-family: SFMono-Regular, Menlo, Consolas, monospace; font-size: .75rem }
.stale { color: #a31f34; font-weight: bold }
@media (prefers-color-scheme: dark) { .stale { color: #ff93a6 } }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: .5rem 0 0 }
dd { margin: 0; overflow-wrap: anywhere }
""".strip()


def page(figures: Iterable[tuple[Published, str]], folder: str, kept: Texts | None = None) -> bytes:
    """The page of (figure, status) pairs. folder: where the page will be; its links are relative to that.

    kept: the cards of earlier pages of this folder.
    """
    cards = texts(figures, lambda figure, status: _card(figure, status, folder), kept)
    count = "1 figure" if len(cards) == 1 else f"{len(cards)} figures"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Figures</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n"
        f"<header>\n<h1>Figures</h1>\n<p>{count}</p>\n</header>\n<main>\n{''.join(cards)}</main>\n</body>\n</html>\n"
    ).encode()


def _card(figure: Published, status: str, folder: str) -> str:
    label = figure.label
    stale = ' <span class="stale">stale</span>' if status == "stale" else ""
    caption = f"<p>{escape(figure.caption)}</p>\n" if figure.caption else ""
    return (
        f'<figure id="{escape(label)}">\n{_drawing(figure, folder)}<figcaption>\n'
        f'<h2><a href="#{escape(label)}">{escape(figure.title or label)}</a>{stale}</h2>\n{caption}'
        f'<p class="source">{escape(label)} · {escape(figure.kind)} · {escape(figure.source)}</p>\n'
        f"{_facts(figure)}</figcaption>\n</figure>\n"
    )


def _drawing(figure: Published, folder: str) -> str:
    svgs = {file.theme: file for file in figure.files if file.format == "svg"}
    light, dark = svgs.get("light"), svgs.get("dark")
    if light is None:
        return ""
    size = f'width="{round(light.width)}" height="{round(light.height)}"'
    image = f'<img src="{_link(light, folder)}" alt="{escape(figure.alt)}" {size} loading="lazy">'
    if dark is None:
        return f'<div class="drawing paper">{image}</div>\n'
    source = f'<source srcset="{_link(dark, folder)}" media="(prefers-color-scheme: dark)">'
    return f'<div class="drawing"><picture>{source}{image}</picture></div>\n'


def _link(file: File, folder: str) -> str:
    return escape(quote(relative(file.path, folder)))


def _facts(figure: Published) -> str:
    if not figure.facts:
        return ""
    rows = "".join(
        f"<dt>{escape(n)}</dt><dd>{escape(_shown(v))}</dd>" for n, v in sorted(figure.facts.items())
    )
    count = "1 fact" if len(figure.facts) == 1 else f"{len(figure.facts)} facts"
    return f"<details><summary>{count}</summary><dl>{rows}</dl></details>\n"


def _shown(value: Fact) -> str:
    if isinstance(value, list):
        return ", ".join(_shown(item) for item in value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)
