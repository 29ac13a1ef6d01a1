"""A figure as HTML: one `figure` with a wrapper for both themes, and one caption. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from xml.etree.ElementTree import Element, SubElement

from figmill.integrations.figures import ExplorationData, Picture
from figmill.integrations.page import Embedding, Missing

# The note on a figure whose last build failed.
MARK = "Out of date: the last build of this figure failed."

# Classes in addition to `figmill-light` and `figmill-dark` by which a host's own style sheet switches pictures.
# `dark-light` keeps pydata's filter off an already dark picture. mystmd's are those of Tailwind; there, a picture in a
# line needs another one.
SWITCHES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "": {},
        "sphinx": {"light": "only-light light-only", "dark": "only-dark dark-only", "only": "dark-light"},
        "quarto": {"light": "light-content", "dark": "dark-content"},
        "myst": {"light": "dark:hidden", "dark": "hidden dark:block"},
        "myst-line": {"light": "dark:hidden", "dark": "hidden dark:inline"},
    }
)
PHRASE = 24  # characters above which a fact is a phrase, which may be broken into lines
_LENGTH = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(px|%|em|rem|ch|vw|cm|mm|in|pt)?")


@dataclass(frozen=True, slots=True)
class Look:
    """The look that a page's author asks for. width: a CSS length; align: left, center or right."""

    classes: tuple[str, ...] = ()
    width: str | None = None
    align: str | None = None
    host: str = ""
    loading: str = "lazy"
    gallery: bool = False  # keeps a lightbox from showing both themes in a row


def classes(theme: str, host: str = "") -> str:
    """The classes of one picture of a figure."""
    return " ".join(filter(None, (f"figmill-{theme}", SWITCHES[host].get(theme))))


def attributes(embedding: Embedding, theme: str, picture: Picture, url: str, look: Look) -> dict[str, str]:
    """The attributes of an `img`."""
    found = {"class": classes(theme, look.host), "src": url, "alt": embedding.alt}
    found |= sizes(picture, look.width)
    found |= {"loading": look.loading, "decoding": "async"}
    return found | ({"data-gallery": f"figmill-{theme}"} if look.gallery else {})


def sizes(picture: Picture, width: str | None) -> dict[str, str]:
    """Width and height in px, to reserve the space before the picture loads; other units of width become a style."""
    across, down = picture.width, picture.height
    wish = _LENGTH.fullmatch(width or "")
    plain = {"width": str(round(across)), "height": str(round(down))}
    if wish is None:
        return plain
    if wish[2] in (None, "px"):
        return {"width": str(round(float(wish[1]))), "height": str(round(float(wish[1]) * down / across))}
    return {**plain, "style": f"width:{wish[1]}{wish[2]};height:auto"}


def figure(
    embedding: Embedding,
    url: Callable[[Picture], str],
    look: Look,
    anchor: str | None = None,
    inline: Callable[[Picture], str] | None = None,
) -> Element:
    """The element of a stand-alone figure.

    url: the address of a picture, from this page. inline: returns the text of an SVG to put into the page itself.
    """
    names = ["figmill", *look.classes, *([f"align-{look.align}"] if look.align else [])]
    element = Element("figure", {"class": " ".join(names), **({"id": anchor} if anchor else {})})
    element.append(pictures(embedding, url, look, "div", inline))
    if embedding.figure.explore and inline is None:
        SubElement(element, "div", knobs(embedding.label, embedding.figure.explore))
    if embedding.doubt:
        SubElement(element, "p", {"class": "figmill-mark"}).text = MARK
    if embedding.caption:
        SubElement(element, "figcaption").text = embedding.caption
    return element


def knobs(label: str, explore: ExplorationData) -> dict[str, str]:
    """The attributes of the container for figmill-explore.js's controls; without the script it stays empty."""
    return {"class": "figmill-explore", "data-figmill-figure": label, "data-figmill-explore": explore.data}


def fact_attributes(label: str, texts: Sequence[str]) -> dict[str, str]:
    """The attributes of a `span` with a fact that follows the controls of a figure. texts: for each of its pictures.

    The style sheet keeps room for the widest one, so that no line of the page moves; not for whole phrases.
    """
    names = "figmill-fact figmill-phrase" if max(map(len, texts)) > PHRASE else "figmill-fact"
    return {"class": names, "data-figmill-fact": label, "data-figmill-texts": "\n".join(texts)}


def fact(label: str, text: str, texts: Sequence[str]) -> Element:
    """The element of such a fact."""
    element = Element("span", fact_attributes(label, texts))
    element.text = text
    return element


def pictures(
    embedding: Embedding,
    url: Callable[[Picture], str],
    look: Look,
    tag: str = "span",
    inline: Callable[[Picture], str] | None = None,
) -> Element:
    """The wrapper with one picture, or with both; usable by itself inside a line of text."""
    wrapper = Element(tag, {"class": "figmill-picture"})
    for theme, picture in embedding.alternates:
        if inline is None:
            SubElement(wrapper, "img", attributes(embedding, theme, picture, url(picture), look))
        else:
            SubElement(wrapper, "span", {"class": classes(theme, look.host)}).text = inline(picture)
    return wrapper


def missing(answer: Missing) -> Element:
    """The element shown if there is no figure to show."""
    element = Element("strong", {"class": "figmill-mark"})
    element.text = str(answer.target)
    return element


def inlined(svg: str, number: int) -> str:
    """The text of a published SVG for a page. number: how often the page has already shown this figure.

    In the normal form each id is `<figure>-<theme>-<n>`, so the ids of a second copy can be renamed.
    """
    svg = svg[svg.index("<svg") :].strip()
    if not number:
        return svg
    names = sorted(set(re.findall(r'\bid="([^"]+)"', svg)), key=len, reverse=True)
    known = "|".join(map(re.escape, names))
    pattern = re.compile(rf'((?:\bid="|#|aria-[a-z]+="|(?<=[0-9]) ))({known})(?=["\s);])')
    return pattern.sub(rf"\1\2-again{number}", svg) if names else svg
