"""The links of a drawing that stands in a page: which it has, and where the host of the page leads them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from html import escape, unescape
from pathlib import Path
from urllib.parse import unquote

from figmill.errors import ToolError
from figmill.integrations.lookup import Embedding
from figmill.integrations.picture_content import LINK, content, targets

AUTO, ALWAYS, NEVER = "auto", "always", "never"
WISHES = (AUTO, ALWAYS, NEVER)

_ID = re.compile(r'\bid="([^"]+)"')
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//")
_END = "</a>"
_DESCRIPTION = re.compile("(<desc[^>]*>)[^<]*(</desc>)")


def wish(value: object, name: str = "inline") -> str:
    """The setting `inline`; `true` and `false` are its older values. Raises ToolError for any other value."""
    if value in WISHES:
        return str(value)
    if isinstance(value, bool) or str(value).lower() in ("true", "false"):
        return ALWAYS if str(value).lower() == "true" else NEVER
    raise ToolError(f"{name} is one of {', '.join(WISHES)}, not '{value}'")


def dead(labels: Sequence[str], why: str) -> str:
    """The message about links of figures that no reader of the page can follow."""
    names = ", ".join(f"'{label}'" for label in labels[:5]) + (", ..." if len(labels) > 5 else "")
    return f"the links of figure{'s' * (len(labels) > 1)} {names} cannot be followed: {why}"


NOT_WANTED = "the page shows it as an image (inline: never)"
HAS_CONTROLS = "a figure with controls is shown as an image; inline: always shows it without them"
NOT_HERE = "this output shows figures as images"


def why_dead(embedding: Embedding, folder: Path, wanted: str) -> str | None:
    """Why readers cannot follow the links of a figure shown as an image; None: it has no links."""
    if not of(folder, embedding):
        return None
    return HAS_CONTROLS if wanted == AUTO and embedding.figure.explore else NOT_WANTED


def is_inline(embedding: Embedding, folder: Path, wanted: str) -> bool:
    """Whether a page shows the drawing itself. wanted: one of WISHES; auto: if readers can follow a link in it."""
    if wanted == AUTO:
        return embedding.figure.explore is None and bool(of(folder, embedding))
    return wanted == ALWAYS


def of(folder: Path, embedding: Embedding) -> tuple[str, ...]:
    """The targets of a figure's links, each once. folder: of the pictures."""
    return content(folder, embedding.light.path).targets


def ids(text: str) -> list[str]:
    """The ids in a piece of HTML."""
    return _ID.findall(text)


def outward(svg: str) -> tuple[str, ...]:
    """Those that do not lead to an element of the drawing."""
    own = {f"#{name}" for name in ids(svg)}
    return tuple(target for target in targets(svg) if target not in own)


def is_elsewhere(target: str) -> bool:
    """Whether a target is a whole address, which no host resolves."""
    return bool(_SCHEME.match(target)) and not target.startswith("figmill:")


def no_page(target: str) -> str:
    """The message about a link to a page that does not exist."""
    return f"a link of the figure leads to '{target}', and there is no such page"


def no_part(target: str) -> str:
    """The message about a link to a part of a page that does not exist."""
    return f"a link of the figure leads to '{target}', and the page has no such part"


def lost(
    target: str, here: Path, ids_here: Container[str], suffixes: tuple[str, ...] = (".md",)
) -> str | None:
    """Why a link of a drawing leads nowhere, as far as the sources tell. here: the page; ids_here: those on it."""
    if is_elsewhere(target) or target.startswith(("figmill:", "/", "?")):
        return None
    path, fragment = parts(target)
    if path:
        is_lost = path.endswith(suffixes) and not (here.parent / path).is_file()
        return no_page(target) if is_lost else None
    return None if fragment in ids_here or not fragment else no_part(target)


def parts(target: str) -> tuple[str, str]:
    """The path and the fragment of a relative target, without their escapes."""
    path, _, fragment = target.partition("#")
    return unquote(path), unquote(fragment)


def led(svg: str, addresses: Mapping[str, str], alt: str) -> str:
    """A drawing with its links led to these addresses; its other links stay. alt: the page's own.

    A picture is one image to a screen reader; with links it is a group of things. A link without words gets its target
    as its name, or leaves the order of the keyboard if a link with words leads to the same place.
    """
    named = {match["target"] for match in LINK.finditer(svg) if _has_words(svg, match)}
    pieces, at = [], 0
    for match in LINK.finditer(svg):
        target = unescape(match["target"])
        look = ""
        if not _has_words(svg, match):
            look = (
                ' tabindex="-1" aria-hidden="true"'
                if match["target"] in named
                else f' aria-label="{match["target"]}"'
            )
            named.add(match["target"])
        address = escape(addresses.get(target, target))
        pieces += [svg[at : match.start()], f'<a {match["before"]}href="{address}"{match["after"]}{look}>']
        at = match.end()
    svg = ("".join(pieces) + svg[at:]).replace(' role="img"', ' role="group"', 1)
    return _DESCRIPTION.sub(lambda match: f"{match[1]}{escape(alt, quote=False)}{match[2]}", svg, count=1)


def _has_words(svg: str, link: re.Match[str]) -> bool:
    inside = svg[link.end() : svg.find(_END, link.end())]
    return "<text" in inside or "<title" in inside or bool(re.sub("<[^>]*>", "", inside).strip())


def as_html(target: str) -> str:
    """The address of a page of Markdown, as mdBook names it: a README is the index of its folder."""
    path, sign, fragment = target.partition("#")
    stem = re.sub(r"(^|/)README$", r"\1index", posixpath.splitext(path)[0])
    return f"{stem}.html{sign}{fragment}"


def each(svg: str, address: Callable[[str], str | None]) -> Iterator[tuple[str, str]]:
    """Target -> address, for the outward links of a drawing. address: None: it stays as it is."""
    for target in outward(svg):
        new = None if is_elsewhere(target) else address(target)
        if new is not None:
            yield target, new
