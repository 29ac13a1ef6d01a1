"""A figure as text to paste, for programs without an integration. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from types import MappingProxyType
from urllib.parse import quote
from xml.etree.ElementTree import Element

from figmill.errors import ToolError
from figmill.integrations import html
from figmill.integrations.figures import Picture
from figmill.integrations.html import Look
from figmill.integrations.page import Embedding

TEXT_WIDTH = 390  # text width of a LaTeX page in PostScript points, approximately


@dataclass(frozen=True, slots=True)
class Paste:
    """A figure to paste. base: the address of the output folder from the page."""

    embedding: Embedding
    base: str

    def path(self, picture: Picture) -> str:
        return picture.path if self.base in ("", ".") else f"{self.base.rstrip('/')}/{picture.path}"

    def url(self, picture: Picture) -> str:
        return quote(self.path(picture), safe="/:@")


def _html(paste: Paste) -> str:
    return html.text(html.figure(paste.embedding, paste.url, Look(), paste.embedding.anchor))


def _mdx(paste: Paste) -> str:
    """JSX, for Docusaurus and Astro."""
    return _jsx(html.figure(paste.embedding, paste.url, Look(), paste.embedding.anchor))


def _jsx(element: Element) -> str:
    names = {"class": "className"}
    attributes = "".join(f' {names.get(key, key)}="{escape(value)}"' for key, value in element.attrib.items())
    if element.tag == "img":
        return f"<img{attributes} />"
    words = re.sub(r"[{}]", lambda brace: f"{{'{brace[0]}'}}", escape(element.text or "", quote=False))
    return f"<{element.tag}{attributes}>{words}{''.join(map(_jsx, element))}</{element.tag}>"


def _markdown(paste: Paste) -> str:
    """HTML for GitHub: no style sheet, and the picture for the reader's system theme."""
    one = paste.embedding
    image = html.text(
        Element("img", {"src": paste.url(one.light), "alt": one.alt, **html.sizes(one.light, None)})
    )
    dark = next((picture for theme, picture in one.alternates if theme == "dark"), None)
    if dark:
        media = "(prefers-color-scheme: dark)"
        image = f'<picture><source media="{media}" srcset="{escape(paste.url(dark))}">{image}</picture>'
    caption = f"\n<figcaption>{escape(one.caption, quote=False)}</figcaption>" if one.caption else ""
    return f'<figure id="{escape(one.anchor)}">\n{image}{caption}\n</figure>'


def _rst(paste: Paste) -> str:
    one = paste.embedding
    caption = f"\n\n   {_rst_words(one.caption)}" if one.caption else ""
    # docutils reads the size from the file; a scaled picture would become a link
    return (
        f".. figure:: {paste.path(one.light)}\n   :name: {one.anchor}\n   :class: figmill\n"
        f"   :alt: {' '.join(one.alt.split())}{caption}"
    )


def _rst_words(text: str) -> str:
    return re.sub(r"([\\*`|_])", r"\\\1", " ".join(text.split()))


def _typst(paste: Paste) -> str:
    one = paste.embedding
    alt = " ".join(one.alt.split()).replace("\\", "\\\\").replace('"', '\\"')
    words = re.sub(r"([\\#*_`$<>@\[\]~/])", r"\\\1", one.caption or "")
    caption = f",\n  caption: [{words}]" if one.caption else ""
    return f'#figure(\n  image("{paste.path(one.light)}", alt: "{alt}"){caption},\n) <{one.anchor}>'


def _latex(paste: Paste) -> str:
    one = paste.embedding
    pdf = one.figure.picture("light", "pdf")
    if pdf is None:
        raise ToolError(f"LaTeX takes a PDF, and '{one.label}' has none; run `render-visuals --to pdf`")
    caption = f"\n  \\caption{{{_tex(one.caption)}}}" if one.caption else ""
    points = pdf.width * 0.75
    size = f"width={points:g}bp" if points < TEXT_WIDTH else r"width=\linewidth"
    return (
        f"\\begin{{figure}}\n  \\centering\n  \\includegraphics[{size}, alt={{{_tex(one.alt)}}}]"
        f"{{{paste.path(pdf)}}}{caption}\n  \\label{{{one.anchor}}}\n\\end{{figure}}"
    )


_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}


def _tex(text: str) -> str:
    return "".join(_TEX.get(letter, letter) for letter in " ".join(text.split()))


FORMATS: Mapping[str, Callable[[Paste], str]] = MappingProxyType(
    {"html": _html, "mdx": _mdx, "md": _markdown, "rst": _rst, "typst": _typst, "latex": _latex}
)
