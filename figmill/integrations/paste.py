"""A figure as text to paste, for programs without an integration. Pure.

Captions and alt texts are plain text. Each format has one way to write any text so that readers see exactly that text:
no line of it begins a line of the page, and no character of it is markup.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote
from xml.etree.ElementTree import Element

from figmill.errors import ToolError
from figmill.integrations import html, long_description
from figmill.integrations.figures import DataTable, PictureFile
from figmill.integrations.html import FigureLook
from figmill.integrations.lookup import Embedding
from figmill.late_dataclasses import dataclass

VOID = ("img", "input")  # the elements without an end tag
TEXT_WIDTH = 390  # text width of a LaTeX page in PostScript points, approximately


@dataclass(frozen=True, slots=True)
class Paste:
    """A figure to paste.

    Without the folder, there are no descriptions.

    - base: the address of the output folder from the page.
    - folder: where it is.
    """

    embedding: Embedding
    base: str
    folder: Path | None = None

    def path(self, picture: PictureFile | DataTable) -> str:
        return picture.path if self.base in ("", ".") else f"{self.base.rstrip('/')}/{picture.path}"

    def url(self, picture: PictureFile | DataTable) -> str:
        return quote(self.path(picture), safe="/:@")


def one_line(text: str) -> str:
    """Text as one line. A blank line ends HTML in a Markdown page, and a line's start is where most markup begins."""
    return _BREAKS.sub(" ", text).strip()


_BREAK = "[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff]"  # not the no-break space
_BREAKS = re.compile(f" *(?:{_BREAK} *)+")


def _whole(paste: Paste) -> list[Element]:
    """The elements of a figure: itself, and its long description."""
    figure = html.figure(paste.embedding, paste.url, FigureLook(), paste.embedding.anchor)
    id_ = long_description.id_of(paste.embedding.label)
    if (
        paste.folder is None
        or (below := long_description.details(paste.embedding.figure, paste.folder, paste.url, id_)) is None
    ):
        return [figure]
    long_description.point(figure, id_)
    return [figure, below]


def _html(paste: Paste) -> str:
    return "\n".join(map(element, _whole(paste)))


def element(markup: Element) -> str:
    """An element as HTML that stays the same in any page of Markdown."""
    return _element(markup)


def _element(element: Element) -> str:
    attributes = "".join(f' {name}="{_value(name, value)}"' for name, value in element.attrib.items())
    if element.tag in VOID:
        return f"<{element.tag}{attributes}>"
    inside = _in_html(element.text or "") + "".join(
        _element(child) + (_in_html(child.tail, ends=True) if child.tail else "") for child in element
    )
    return f"<{element.tag}{attributes}>{inside}</{element.tag}>"


def _value(name: str, value: str) -> str:
    """The value of an attribute. The texts of a fact are on lines of their own."""
    lines = value.split("\n") if name == html.TEXTS else [value]
    return "&#10;".join(map(_in_html, lines))


def _in_html(text: str, ends: bool = False) -> str:
    """Text or the value of an attribute; braces would be code to Vue, Hugo and Jekyll. ends: keep its outer blanks."""
    safe = escape(text if ends else one_line(text), quote=False)
    return re.sub(r'["{}]', lambda sign: f"&#{ord(sign[0])};", safe)


def _mdx(paste: Paste) -> str:
    """JSX, for Docusaurus and Astro."""
    return "\n".join(map(_jsx, _whole(paste)))


def _jsx(element: Element) -> str:
    names = {"class": "className", "tabindex": "tabIndex"}
    attributes = "".join(
        f" {names.get(key, key)}={_attribute_in_jsx(value)}" for key, value in element.attrib.items()
    )
    if element.tag in VOID:
        return f"<{element.tag}{attributes} />"
    text = _in_jsx(element.text) if element.text else ""
    inside = "".join(
        _jsx(child) + (f"{{{json.dumps(child.tail)}}}" if child.tail else "") for child in element
    )
    return f"<{element.tag}{attributes}>{text}{inside}</{element.tag}>"


def _attribute_in_jsx(value: str) -> str:
    value = one_line(value)
    return f'"{value}"' if re.fullmatch(r"[\w./:@ -]*", value, re.ASCII) else _in_jsx(value)


def _in_jsx(text: str) -> str:
    """A JavaScript string in braces. Characters that Markdown might read as markup are escaped by number."""
    string = json.dumps(one_line(text), ensure_ascii=False)
    return f"{{{re.sub('[<>&{}`*]', lambda sign: f'{chr(92)}u{ord(sign[0]):04x}', string)}}}"


def _markdown(paste: Paste) -> str:
    """HTML for GitHub: no style sheet, and the picture for the reader's system theme."""
    embedding = paste.embedding
    before, after = around(paste, embedding.anchor, has_caption=embedding.caption is not None)
    return f"{before}{_in_html(embedding.caption or '')}{after}"


def around(paste: Paste, id_: str, second: str = "", *, has_caption: bool) -> tuple[str, str]:
    """The HTML of a figure for GitHub, before and after the text of its caption. second: the id of its picture."""
    begin, end = ("\n<figcaption>", "</figcaption>") if has_caption else ("", "")
    return f"<figure{_id(id_)}>\n{picture(paste, second)}{begin}", f"{end}\n</figure>"


def picture(paste: Paste, id_: str = "") -> str:
    """The HTML of a figure's pictures for GitHub, of which the reader's system selects one."""
    embedding = paste.embedding
    dark = next((picture for theme, picture in embedding.alternates if theme == "dark"), None)
    image = Element(
        "img", {"src": paste.url(embedding.light), "alt": embedding.alt, **html.sizes(embedding.light, None)}
    )
    if dark is None:
        return _element(image).replace("<img", f"<img{_id(id_)}", 1)
    small = {
        picture.theme: paste.url(picture) for picture in embedding.figure.narrow if picture.format == "svg"
    }
    rows = [
        (f"{html.NARROW} and (prefers-color-scheme: dark)", small.get("dark")),
        (html.NARROW, small.get("light")),
        ("(prefers-color-scheme: dark)", paste.url(dark)),
    ]
    sources = "".join(f'<source media="{media}" srcset="{_in_html(url)}">' for media, url in rows if url)
    return f"<picture{_id(id_)}>{sources}{_element(image)}</picture>"


def _id(id_: str) -> str:
    return f' id="{_in_html(id_)}"' if id_ else ""


def _rst(paste: Paste) -> str:
    embedding = paste.embedding
    text = _in_rst(embedding.caption or "")
    caption = f"\n\n   {text}" if text else ""
    # docutils reads the size from the file; a scaled picture would become a link. It reads options as they are.
    return (
        f".. figure:: {_path_in_rst(paste.path(embedding.light))}\n   :name: {embedding.anchor}\n   :class: figmill\n"
        f"   :alt: {one_line(embedding.alt)}{caption}"
    )


def _path_in_rst(path: str) -> str:
    return re.sub(r"([\\\s])", r"\\\1", path)


def _in_rst(text: str) -> str:
    """A paragraph. A backslash escapes inline markup, addresses, and anything that begins a block."""
    escaped = re.sub(r"([\\*`|_:@<>\[\]])", r"\\\1", one_line(text))
    is_block = not escaped[:1].isalnum() or re.match(r"\w+[.)](?: |$)", escaped)
    return f"\\ {escaped}" if escaped and is_block else escaped


def _typst(paste: Paste) -> str:
    """Strings, not markup: only a backslash and a quote are special in them."""
    embedding = paste.embedding
    caption = f",\n  caption: {_in_typst(embedding.caption)}" if embedding.caption else ""
    return f"#figure(\n  {typst_image(paste)}{caption},\n) <{embedding.anchor}>"


_TYPST_LENGTH = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<unit>px|%|pt|mm|cm|in|em)?")


def typst_image(paste: Paste, width: str | None = None) -> str:
    """The light picture in code of Typst. width: as a page states it, in px if it names no unit."""
    embedding = paste.embedding
    match = _TYPST_LENGTH.fullmatch(width or "")
    length = ""
    if match is not None:
        in_px = match["unit"] in (None, "px")
        length = f", width: {float(match['number']) * 0.75:g}pt" if in_px else f", width: {match[0]}"
    return f"image({_in_typst(paste.path(embedding.light))}, alt: {_in_typst(embedding.alt)}{length})"


def _in_typst(text: str) -> str:
    return '"' + re.sub(r'([\\"])', r"\\\1", one_line(text)) + '"'


def _latex(paste: Paste) -> str:
    embedding = paste.embedding
    pdf = embedding.figure.picture("light", "pdf")
    if pdf is None:
        raise ToolError(f"LaTeX needs a PDF, and '{embedding.label}' has none; run `figmill export --to pdf`")
    path = paste.path(pdf)
    if unfit := re.search(r"[\\{}%#$&~^]", path):
        raise ToolError(f"LaTeX does not accept '{unfit[0]}' in a path: {path}")
    caption = f"\n  \\caption{{{_in_latex(embedding.caption)}}}" if embedding.caption else ""
    points = pdf.width * 0.75
    size = f"width={points:g}bp" if points < TEXT_WIDTH else r"width=\linewidth"
    return (
        f"\\begin{{figure}}\n  \\centering\n  \\includegraphics[{size}, alt={{{_in_latex(embedding.alt)}}}]"
        f"{{{path}}}{caption}\n  \\label{{{embedding.anchor}}}\n\\end{{figure}}"
    )


_COMMANDS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}


def _in_latex(text: str) -> str:
    """Text in an argument; two hyphens, commas or apostrophes in a row would become another character."""
    apart = re.sub(r"([-,'])(?=\1)", "\\1\0", one_line(text))
    return "".join(_COMMANDS.get(letter, letter) for letter in apart).replace("\0", "{}")


def _in_markdown(text: str) -> str:
    """Text in a line of Markdown: what could be markup is escaped by its number, which is text everywhere."""
    acting = r"_|[^\w\s,()/%.+-]|^[+-](?![0-9])|(?<![^0-9])[.)](?= |$)"
    return re.sub(acting, lambda sign: f"&#{ord(sign[0])};", one_line(text))


def _in_line_of_jsx(text: str) -> str:
    line = one_line(text)
    return line if re.fullmatch(r"[\w ,().%+-]*", line) and line[:1].isalnum() else _in_jsx(line)


def _in_line_of_typst(text: str) -> str:
    line = one_line(text)
    return line if re.fullmatch(r"[\w,.%]*", line) and "_" not in line else f"#{_in_typst(line)}"


FORMATS: Mapping[str, Callable[[Paste], str]] = MappingProxyType(
    {"html": _html, "mdx": _mdx, "md": _markdown, "rst": _rst, "typst": _typst, "latex": _latex}
)
# A fact as text in a line of a page.
FACTS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "html": _in_html,
        "mdx": _in_line_of_jsx,
        "md": _in_markdown,
        "rst": _in_rst,
        "typst": _in_line_of_typst,
        "latex": _in_latex,
    }
)
