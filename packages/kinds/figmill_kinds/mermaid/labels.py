"""Labels of a diagram as a browser would show them: characters for their names, HTML that formats text. Pure.

Mermaid writes labels into SVG text, where a tag or the name of a character would show literally. So each word
between two tags is put between marks, single characters without a width that Mermaid takes for letters; in the drawing
the marks become styled parts of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from lxml import etree

from figmill.kind import Remark
from figmill.kind.source_text import unescaped

SVG = "{http://www.w3.org/2000/svg}"
# The tags that a picture can show, with what they set; characters for private use stand for them.
STYLES: Mapping[str, Mapping[str, str]] = {
    "b": {"font-weight": "bold"},
    "i": {"font-style": "italic"},
    "u": {"text-decoration": "underline"},
    "s": {"text-decoration": "line-through"},
    "code": {"font-family": "monospace"},
    "small": {"font-size": "0.83em"},
    "big": {"font-size": "1.2em"},
    "sub": {"font-size": "0.75em", "dy": "0.3em"},
    "sup": {"font-size": "0.75em", "dy": "-0.45em"},
}
_SAME = {"strong": "b", "em": "i", "kbd": "code", "tt": "code", "del": "s", "strike": "s", "ins": "u"}
_OPEN = {chr(0xEC00 + number): name for number, name in enumerate(STYLES)}
_CLOSE = {chr(0xEC10 + number): name for number, name in enumerate(STYLES)}
BEGIN, END = ({name: mark for mark, name in marks.items()} for marks in (_OPEN, _CLOSE))
DOLLARS = "\uec20"  # `$$` of prices, which Mermaid would give to a program for formulas that is not here
MARKS = "".join((*_OPEN, *_CLOSE))
_MARK = re.compile(f"([{MARKS}])")
# Tags that only group or link; a picture shows their text.
_BARE = "span|font|center|mark|a|p|div|pre|ul|ol|li|h[1-6]"
_TAG = re.compile(rf"<(/?)({'|'.join((*STYLES, *_SAME))}|{_BARE})(?:\s[^<>\n]*)?>", re.IGNORECASE)
_UNLABELLED = re.compile(r'["|]|--|==')  # what is not within one label
_QUOTE, _CLOSED = re.compile('"'), re.compile(r'["\])}|\n]')  # where a label ends
# Parts of HTML that begin a new line.
_OPENING = r"<(?:p|li|div|ul|ol|pre|h[1-6])\b"
_BLOCK = re.compile(
    rf"</(?:p|li|div|ul|ol|pre|h[1-6])>[ \t]*(?=[^\s<\"|\])}}]|{_OPENING}|</?(?:b|i)>)", re.IGNORECASE
)
_RULE = re.compile(r"<hr\s*/?>", re.IGNORECASE)
_BEGIN = re.compile(rf"([^\s>\"`(\[{{|])[ \t]*(?={_OPENING})", re.IGNORECASE)
_ITEM = re.compile(r"<li>[ \t]*", re.IGNORECASE)
_NAMED = re.compile(r"[#&]#?(\w{2,32});|&#(\d{2,7})")  # in HTML, a number needs no semicolon
_STORED = re.compile("\ufb02\xb0\xb0?(\\w+)\xb6\xdf")  # as Mermaid stores `#35;` and `#quot;`


def marked(text: str) -> str:
    """A source with marks around each word that a tag formats, and without these tags; line breaks stay."""
    if "$$" in text:
        text = text.replace("$$", DOLLARS)
    if "<" not in text or _MARK.search(text):
        return text
    text = _RULE.sub("<br/>", _ITEM.sub("<li>• ", _BEGIN.sub(r"\1<br/>", _BLOCK.sub("<br/>", text))))
    tags = [tag for tag in _TAG.finditer(text) if tag[1] or not _is_alone(tag, text)]
    pairs = list(_pairs(tags, text))
    cuts = sorted({(tag.start(), tag.end()) for tag in tags} | {(close, close) for *_, close in pairs})
    parts: list[str] = []
    end = 0
    for start, after in (*cuts, (len(text), len(text))):
        styles = [style for style, begin, close in pairs if begin <= end and start <= close]
        parts.append(_around_words(text[end:start], styles))
        end = after
    return "".join(parts)


def _is_alone(tag: re.Match[str], text: str) -> bool:
    """Whether an opening tag may be part of a name, like `List<b>`: nothing is closed in its line."""
    at = tag.start()
    last = text.find("\n", at)
    is_closed = text.find("</", text.rfind("\n", 0, at) + 1, last if last >= 0 else len(text)) >= 0
    return text[at - 1 : at].isalnum() and not is_closed and not _is_quoted(text, at)


def _is_quoted(text: str, at: int) -> bool:
    return text.count('"', text.rfind("\n", 0, at) + 1, at) % 2 == 1


def _pairs(tags: list[re.Match[str]], text: str) -> Iterator[tuple[str, int, int]]:
    """The style, the begin and the end of each pair of tags that is within one label.

    A tag without an end formats the rest of its label.
    """
    waiting: list[tuple[str, int]] = []
    for tag in tags:
        name = _SAME.get(tag[2].lower(), tag[2].lower())
        if not tag[1]:
            waiting.append((name, tag.end()))
        elif waiting and waiting[-1][0] == name:
            _, begin = waiting.pop()
            inside = text[begin : tag.start()]
            is_quoted = "\n" not in inside or text.count('"', 0, begin) % 2 == 1
            if name in STYLES and is_quoted and not _UNLABELLED.search(_TAG.sub("", inside)):
                yield name, begin, tag.start()
    for name, begin in waiting:
        last = (_QUOTE if _is_quoted(text, begin) else _CLOSED).search(text, begin)
        if name in STYLES and last is not None:
            yield name, begin, last.start()


def _around_words(text: str, styles: list[str]) -> str:
    if not styles:
        return text
    begin = "".join(BEGIN[style] for style in styles)
    end = "".join(END[style] for style in reversed(styles))
    parts = re.split(r"(\s+|<[^<>]*>)", text)
    return "".join(
        word if number % 2 or not word else f"{begin}{word}{end}" for number, word in enumerate(parts)
    )


def signs(text: str) -> dict[str, str]:
    """The characters that a source names, like `&infin;`, `#quot;` and `#9829;`, by their name."""
    names = {match[1] or match[2] for match in _NAMED.finditer(text)}
    characters = {name: _sign(name) for name in sorted(names)}
    return {name: sign for name, sign in characters.items() if not sign.startswith("&") or name == "amp"}


def with_signs(text: str) -> str:
    """A text of Mermaid's model with the characters for the names that Mermaid stores."""
    return _STORED.sub(lambda match: _sign(match[1]), text)


def _sign(name: str) -> str:
    return unescaped(f"&{'#' if name.isdigit() else ''}{name};")


def plain(text: str) -> str:
    """The text of a label as a reader sees it: characters for their names, one line, no marks."""
    return " ".join(unescaped(seen(with_signs(text))).split())


def seen(text: str) -> str:
    """A text without marks, as a reader sees it."""
    return _MARK.sub("", text).replace(DOLLARS, "$$")


_STYLED = re.compile(r"<(span|font)\s[^<>\n]*>", re.IGNORECASE)


def remarks(rows: Sequence[tuple[int, str]]) -> Iterator[Remark]:
    """The parts of a source's labels that its picture does not show, each kind once, at its first line.

    rows: the lines without settings and comments, each with its number.
    """
    styles = ((number, match[1]) for number, line in rows for match in _STYLED.finditer(line))
    for number, tag in islice(styles, 1):
        yield Remark("left-out", f"the style of `<{tag}>` is left out of labels", number)


def shown(root: etree._Element, characters: Mapping[str, str]) -> None:
    """Put characters for their names into the text of a drawing, and styled parts for its marks.

    characters: by name, see `signs`.
    """
    for text in list(root.iter(f"{SVG}text")):
        for part in list(text.iter()):
            part.text = _named(part.text, characters)
            part.tail = _named(part.tail, characters) if part is not text else part.tail
        for part in list(text.iter()):
            if part.text and _MARK.search(part.text):
                _style(part, 0, part.text)
        for part in list(text.iter()):
            parent = part.getparent()
            if part is not text and parent is not None and part.tail and _MARK.search(part.tail):
                after = part.tail
                part.tail = None
                _style(parent, parent.index(part) + 1, after)


def unmarked(svg: bytes) -> bytes:
    """A drawing without marks in names and ids."""
    text = svg.decode()
    return seen(text).encode() if is_marked(text) else svg


def is_marked(text: str) -> bool:
    """Whether a text has marks."""
    return DOLLARS in text or _MARK.search(text) is not None


def _named(text: str | None, characters: Mapping[str, str]) -> str | None:
    if text is None:
        return None
    text = text.replace(DOLLARS, "$$")
    return (
        _NAMED.sub(lambda match: characters.get(match[1] or match[2], match[0]), text) if characters else text
    )


def _style(parent: etree._Element, at: int, text: str) -> None:
    """Replace a text of an element by parts with the styles of its marks.

    at: 0 for its own text, else the place of the first part among its children.
    """
    if at == 0:
        parent.text = None
    active: list[str] = []
    lowered = 0.0  # em below the line of text
    for piece in _MARK.split(text):
        if piece in _OPEN:
            active.append(_OPEN[piece])
        elif piece in _CLOSE:
            if _CLOSE[piece] in active:
                active.remove(_CLOSE[piece])
        elif piece:
            part = etree.Element(f"{SVG}tspan")
            part.text = piece
            size = 1.0
            level = 0.0
            for style in active:
                for name, value in STYLES[style].items():
                    if name == "font-size":
                        size *= float(value.removesuffix("em"))
                    elif name == "dy":
                        level += float(value.removesuffix("em"))
                    else:
                        part.set(name, value)
            if size != 1.0:
                part.set("font-size", f"{size:g}em")
            if level != lowered:
                part.set("dy", f"{(level - lowered) / size:.3g}em")
            lowered = level
            parent.insert(at, part)
            at += 1
    following = parent.getnext()
    if lowered and following is not None and following.get("x") is None:
        following.set("dy", f"{-lowered:.3g}em")
