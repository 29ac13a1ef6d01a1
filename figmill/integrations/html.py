"""A figure as HTML: one `figure` with a wrapper for both themes, and one caption. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from xml.etree.ElementTree import Element, SubElement

from figmill import page_words
from figmill.integrations.figures import PictureFile
from figmill.integrations.lookup import Embedding, Missing
from figmill.late_dataclasses import dataclass
from figmill.publish import exploring
from figmill.publish.legible import box_class, class_of, shown_width, whole_size

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
KEEPS = ("figmill-whole", "figmill-min-")  # the prefixes of the classes that keep a picture legible
NARROW = "(max-width: 480px)"  # the screens that show a figure's narrow form, as in figmill.css
TEXTS = "data-figmill-texts"  # the attribute with all texts of a fact, each on a line
PHRASE = 24  # characters above which a fact is a phrase, which may be broken into lines
_LENGTH = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(px|%|em|rem|ch|vw|cm|mm|in|pt)?")


@dataclass(frozen=True, slots=True)
class FigureLook:
    """The look that a page's author asks for.

    - width: a CSS length.
    - align: left, center or right.
    - title: a tooltip.
    """

    classes: tuple[str, ...] = ()
    width: str | None = None
    align: str | None = None
    host: str = ""
    loading: str = "lazy"
    title: str | None = None
    gallery: bool = False  # keeps a lightbox from showing both themes in a row
    zoom: bool = True  # whether readers can enlarge it


def classes(theme: str, host: str = "", form: str = "") -> str:
    """The classes of one picture of a figure. form: `wide` or `narrow`, if it has one for each."""
    return " ".join(filter(None, (f"figmill-{theme}", SWITCHES[host].get(theme), form and f"figmill-{form}")))


def shown(embedding: Embedding, width: str | None = None) -> list[tuple[str, PictureFile, str]]:
    """The pictures of a figure by itself: theme, picture and form. A page's own width leaves no room for two forms."""
    narrow = {picture.theme: picture for picture in embedding.figure.narrow if picture.format == "svg"}
    pairs = [
        (theme, picture, narrow.get(picture.theme if theme == "only" else theme))
        for theme, picture in embedding.alternates
    ]
    if width is not None or not all(small for *_, small in pairs):
        return [(theme, picture, "") for theme, picture, _ in pairs]
    wide = [(theme, picture, "wide") for theme, picture, _ in pairs]
    return [*wide, *((theme, small, "narrow") for theme, _, small in pairs if small)]


def attributes(
    embedding: Embedding,
    theme: str,
    picture: PictureFile,
    url: str,
    look: FigureLook,
    is_whole: bool = True,
    form: str = "",
) -> dict[str, str]:
    """The attributes of an `img`. is_whole: it stands by itself, and so stays legible; not in a line of text."""
    own = legible(picture, look.width) if is_whole else " ".join(look.classes)
    names = (classes(theme, look.host, form), own)
    values = {"class": " ".join(filter(None, names)), "src": url, "alt": embedding.alt}
    values |= {"title": look.title} if look.title else {}
    values |= {"align": look.align} if look.align and not is_whole else {}
    values |= sizes(picture, look.width, is_whole)
    values |= {"loading": look.loading, "decoding": "async"}
    return values | ({"data-gallery": f"figmill-{theme}"} if look.gallery else {})


def legible(picture: PictureFile, width: str | None) -> str:
    """The class that keeps the text of a picture legible on a narrow screen; empty if it needs none.

    A page's own width stays: in px it is the most that the picture may keep, and any other unit is left to the page.
    """
    wish = _LENGTH.fullmatch(width or "")
    if wish and wish[2] not in (None, "px"):
        return ""
    return class_of(picture.width, picture.smallest, float(wish[1]) if wish else None)


def scroller(embedding: Embedding, names: str) -> dict[str, str]:
    """The attributes that make the wrapper of pictures that may not fit focusable, and name it. names: their classes.

    In Firefox and Safari, a keyboard can scroll nothing else.
    """
    if not any(name in names for name in KEEPS):
        return {}
    from figmill.model import is_made  # few pages need it

    own = embedding.figure.title or embedding.caption
    label = own or (embedding.alt if is_made(embedding.label) else embedding.label)
    return {"tabindex": "0", "role": "group", "aria-label": label}


def sizes(picture: PictureFile, width: str | None, is_whole: bool = False) -> dict[str, str]:
    """Width and height in px, to reserve the space before the picture loads; other units of width become a style.

    is_whole: whether a picture with small text may be larger than it was drawn.
    """
    shown = shown_width(picture.width, picture.smallest) if is_whole else picture.width
    style = {}
    wish = _LENGTH.fullmatch(width or "")
    if wish and wish[2] in (None, "px"):
        shown = float(wish[1])
    elif wish:
        style = {"style": f"width:{wish[1]}{wish[2]};height:auto"}
    across, down = whole_size(picture.width, picture.height, shown)
    return {"width": str(across), "height": str(down), **style}


def width_at(picture: PictureFile, height: str | None) -> str | None:
    """The width in px of a picture whose height a page states; None if it states none in px."""
    wish = _LENGTH.fullmatch(height or "")
    if wish is None or wish[2] not in (None, "px"):
        return None
    return f"{float(wish[1]) * picture.width / picture.height:.4g}"


def figure(
    embedding: Embedding,
    url: Callable[[PictureFile], str],
    look: FigureLook,
    anchor: str | None = None,
    inline: Callable[[PictureFile], str] | None = None,
    *,
    is_linked: bool = False,
) -> Element:
    """The element of a stand-alone figure.

    url: the address of a picture, from this page. inline: returns the text of an SVG to put into the page itself.
    is_linked: it is inline for its links, and otherwise looks as the image would.
    """
    names = ["figmill", *look.classes, *([f"align-{look.align}"] if look.align else [])]
    element = Element("figure", {"class": " ".join(names), **({"id": anchor} if anchor else {})})
    element.append(pictures(embedding, url, look, "div", inline, is_linked=is_linked))
    element.extend(below(embedding, look.width, has_zoom=look.zoom, has_controls=inline is None))
    if embedding.doubt:
        SubElement(element, "p", {"class": "figmill-mark"}).text = embedding.figure.translated(
            page_words.MARK
        )
    if embedding.caption:
        SubElement(element, "figcaption").text = embedding.caption
    return element


def below(embedding: Embedding, width: str | None, *, has_zoom: bool, has_controls: bool) -> list[Element]:
    """What stands below the pictures for the scripts, so that nothing moves when they have come. width: the page's own.

    This is the room for taller pictures, the place of the button that enlarges, and the controls.
    """
    explore = embedding.figure.explore if has_controls else None
    place = _tools(embedding, width) if has_zoom else None
    if explore is None:
        return [] if place is None else [place]
    _, picture = embedding.alternates[0]
    across = int(sizes(picture, width, is_whole=True)["width"])
    free = exploring.room(explore.row, across, legible(picture, width))
    controls = exploring.controls(embedding.label, explore.row, embedding.figure.translated)
    return [part for part in (free, place, controls) if part is not None]


def _tools(embedding: Embedding, width: str | None) -> Element | None:
    """The place of the button of figmill-zoom.js, free where the figure is narrower than it was drawn.

    None where the page asks for a width in another unit than px, so that this cannot be known.
    """
    place = Element("div", {"class": "figmill-tools"})
    for form, picture in {form: picture for _, picture, form in shown(embedding, width)}.items():
        size = sizes(picture, width, is_whole=True)
        if "style" in size:
            return None
        row = SubElement(place, "div", {"class": f"figmill-row figmill-{form}" if form else "figmill-row"})
        # With the 1 px before it, it is as wide as the picture. If it does not fit, it takes a second row.
        SubElement(row, "canvas", {"width": f"{int(size['width']) - 2}", "height": "0"})
    return place


def fact_attributes(label: str, texts: Sequence[str]) -> dict[str, str]:
    """The attributes of a `span` with a fact that follows the controls of a figure. texts: for each of its pictures.

    The style sheet keeps room for the widest one, so that no line of the page moves; not for whole phrases.
    """
    names = "figmill-fact figmill-phrase" if max(map(len, texts)) > PHRASE else "figmill-fact"
    return {"class": names, "data-figmill-fact": label, TEXTS: "\n".join(texts)}


def fact(label: str, text: str, texts: Sequence[str]) -> Element:
    """The element of such a fact."""
    element = Element("span", fact_attributes(label, texts))
    element.text = text
    return element


def pictures(
    embedding: Embedding,
    url: Callable[[PictureFile], str],
    look: FigureLook,
    tag: str = "span",
    inline: Callable[[PictureFile], str] | None = None,
    *,
    is_linked: bool = False,
) -> Element:
    """The wrapper with one picture, or with both; usable by itself inside a line of text."""
    is_whole = tag == "div"
    wrapper = Element(tag, {"class": box_class(is_whole and embedding.figure.is_leftward)})
    forms = shown(embedding, look.width) if is_whole and inline is None else None
    for theme, picture, form in forms or [(theme, picture, "") for theme, picture in embedding.alternates]:
        if inline is None:
            values = attributes(embedding, theme, picture, url(picture), look, is_whole, form)
            SubElement(wrapper, "img", values)
            wrapper.attrib |= scroller(embedding, values["class"])
        else:
            drawn = SubElement(wrapper, "span", {"class": classes(theme, look.host)})
            drawn.text = inline(picture)
            if is_linked:
                drawn.attrib |= linked(theme, picture, look, is_whole)
                wrapper.attrib |= scroller(embedding, drawn.attrib["class"])
    return wrapper


def linked(theme: str, picture: PictureFile, look: FigureLook, is_whole: bool) -> dict[str, str]:
    """The attributes of the element around a drawing that is inline for its links. Arguments as for `attributes`."""
    width = sizes(picture, look.width)
    names = (
        classes(theme, look.host),
        legible(picture, look.width) if is_whole else "",
        "figmill-sized" if look.width else "",
    )
    style = {"style": width.get("style", f"width:{width['width']}px")} if look.width else {}
    return {"class": " ".join(filter(None, names)), **style}


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
    ids = "|".join(map(re.escape, names))
    pattern = re.compile(rf'((?:\bid="|#|aria-[a-z]+="|(?<=[0-9]) ))({ids})(?=["\s);])')
    return pattern.sub(rf"\1\2-again{number}", svg) if names else svg
