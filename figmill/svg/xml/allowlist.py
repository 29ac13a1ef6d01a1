"""What may stand in a figure: names in the SVG namespace by allowlist, attributes, links, CSS.

A breach is an error at its element. Only boilerplate that drawing tools leave behind is dropped in silence:
metadata, data of other vocabularies that cannot act, xlink's and Inkscape's attributes, `xml:space` (its
meaning is kept, see text.py). Unaware of the order of passes.
"""

from __future__ import annotations

import re

from figmill.errors import did_you_mean
from figmill.svg.document import SVG, BreachError, Draft, Node
from figmill.svg.xml import css, vocabulary
from figmill.svg.xml.css import CssError

XLINK = "http://www.w3.org/1999/xlink"
XHTML = "http://www.w3.org/1999/xhtml"
XML = "http://www.w3.org/XML/1998/namespace"
HTTPS = re.compile(r"https://[A-Za-z0-9.\-]+(?::[0-9]+)?(?:[/?#][A-Za-z0-9._~:/?#\[\]@!$&()*+,;=%'\-]*)?")
# Attributes whose value needs no look here.
FREE = vocabulary.ATTRIBUTES - vocabulary.PRESENTATION - vocabulary.DROPPED - {
    "href",
    "style",
    "target",
    "white-space",
} | {"xml:space"}
# In a presentation attribute, what CSS may make more of than a word or a number.
UNPLAIN = re.compile(r"[(\\@{}\[\]]")
TARGETS = vocabulary.words("_blank _self _top _parent")


def admit(root: Node) -> Draft:
    """The tree with plain SVG names, in place, once everything in it is allowed; Breach where it is not."""
    space, local = split(root.tag)
    if local != "svg" or space != SVG:
        raise BreachError(root, f'the root is <{local}>; it must be <svg xmlns="{SVG}">')
    draft = Draft(root)
    _element(root, in_text=False)
    return draft


def split(name: str) -> tuple[str, str]:
    """Namespace and local name of a name in Clark notation."""
    if name.startswith("{"):
        space, _, local = name[1:].partition("}")
        return space, local
    return "", name


def _element(node: Node, in_text: bool) -> None:
    """Check `node`, known to be in the SVG namespace, and all below it."""
    tag = split(node.tag)[1]
    if tag not in vocabulary.ELEMENTS:
        reason = vocabulary.REFUSED.get(tag.casefold())
        unknown = f"it is not among the elements of a figure{did_you_mean(tag, vocabulary.ELEMENTS)}"
        raise BreachError(node, f"<{tag}> is not allowed: {reason or unknown}")
    if tag in vocabulary.SPANS and not in_text:
        raise BreachError(node, f"<{tag}> stands outside <text>, where nobody sees it")
    node.tag = tag
    node.attrib = _attributes(node)
    _children(node, in_text or tag == "text")
    if tag == "a" and "href" not in node.attrib:  # Graphviz wraps nodes with a tooltip
        node.tag = "tspan" if in_text else "g"
        node.attrib = {name: value for name, value in node.attrib.items() if name not in ("target", "rel")}


def _children(node: Node, in_text: bool) -> None:
    kept: list[Node | str] = []
    for child in node.children:
        if isinstance(child, str):
            if in_text or node.tag in vocabulary.WORDS_ONLY:
                kept.append(child)
            elif child.strip():
                raise BreachError(
                    node, f"'{child.strip()[:40]}' stands in <{node.tag}>, where nobody sees it; use <text>"
                )
            continue
        space, local = split(child.tag)
        if space != SVG:
            check_inert(child)
        elif local == "metadata":
            check_inert(child, vocabulary.INERT_HTML)  # notes on the drawing, which no reader is shown
        elif node.tag in vocabulary.WORDS_ONLY:
            raise BreachError(child, f"<{local}> stands inside <{node.tag}>, which holds words only")
        else:
            _element(child, in_text)
            kept.append(child)
    node.children = kept


def check_inert(node: Node, html: frozenset[str] = frozenset()) -> None:
    """Breach where a subtree that is going to be dropped is more than data; html: elements that may be in it."""
    for part in node.walk():
        space, local = split(part.tag)
        if (space == SVG and (local in vocabulary.ELEMENTS or part is node)) or (
            space == XHTML and local in html
        ):
            pass
        elif (
            space == SVG
            or space in vocabulary.ACTIVE_NAMESPACES
            or local.casefold() in vocabulary.ACTIVE_ELEMENTS
        ):
            where = f"namespace '{space}'" if space else "no namespace"
            raise BreachError(part, f"<{local}> of {where} is not allowed in a figure")
        for name in part.attrib:
            if _is_handler(split(name)[1]):
                raise BreachError(part, f"attribute '{split(name)[1]}' is an event handler; remove it")


def _attributes(node: Node) -> dict[str, str]:
    kept: dict[str, str] = {}
    for name, value in node.attrib.items():
        if name.startswith("{"):
            name = _foreign(node, name) or ""
            if not name or (name == "href" and "href" in node.attrib):
                continue
        if name in FREE:
            pass
        elif name in vocabulary.PRESENTATION:
            if UNPLAIN.search(value):
                value = _css(node, css.value, value)
        elif name == "href":
            value = _href(node, value)
        elif name == "style":
            _css(node, css.declarations, value)
        elif name == "white-space":
            name, value = "xml:space", css.space(value)
        elif name in vocabulary.DROPPED or name.startswith("data-"):
            continue  # notes of a drawing tool to itself
        elif name in vocabulary.STYLE_ONLY:
            continue  # CSS only: as an attribute it says nothing to anybody
        elif name not in vocabulary.ATTRIBUTES:
            raise BreachError(node, _unknown(name, node.tag))
        elif name == "target" and value not in TARGETS:
            raise BreachError(node, f"target '{value}' is not one of {', '.join(sorted(TARGETS))}")
        kept[name] = value
    if "target" in kept and split(node.tag)[1] == "a":
        kept["rel"] = "noopener"  # what is opened gets no hold of the page that shows the figure
    return kept


def _css(node: Node, read: object, value: str) -> str:
    try:
        return read(value)  # type: ignore[operator, no-any-return]
    except CssError as error:
        raise BreachError(node, str(error)) from None


def _foreign(node: Node, name: str) -> str | None:
    """The plain name that an attribute of another namespace has here; None: it is dropped."""
    space, local = split(name)
    if _is_handler(local):
        raise BreachError(node, f"attribute '{local}' is an event handler; remove it")
    if space == XML:
        if local in ("base", "id"):
            raise BreachError(
                node, f"attribute 'xml:{local}' is not allowed{'; use id' if local == 'id' else ''}"
            )
        return {"space": "xml:space", "lang": "lang"}.get(local)
    if space == SVG or space in vocabulary.ACTIVE_NAMESPACES:
        raise BreachError(node, f"attribute '{local}' of namespace '{space}' is not allowed")
    return "href" if space == XLINK and local == "href" else None


def _is_handler(local: str) -> bool:
    """Whether a browser of today or tomorrow may take an attribute for the handler of an event."""
    return local.casefold().startswith("on") and local not in vocabulary.NO_HANDLERS


def _unknown(name: str, tag: str) -> str:
    if _is_handler(name):
        return f"attribute '{name}' is an event handler; remove it"
    return f"attribute '{name}' of <{tag}> is not among those of a figure{did_you_mean(name, vocabulary.ATTRIBUTES)}"


def _href(node: Node, value: str) -> str:
    target = value.strip(" \t\r\n")
    if target.startswith("#") and len(target) > 1 and not set(target) & set(" \t\r\n()'\""):
        return target
    if node.tag == "a":
        if HTTPS.fullmatch(target):
            return target
        raise BreachError(node, f"link to '{target[:60]}'; only absolute https:// links and #id are allowed")
    raise BreachError(node, f"<{node.tag}> refers to '{target[:60]}'; only #id in the same file is allowed")
