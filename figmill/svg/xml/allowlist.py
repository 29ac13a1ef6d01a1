"""The rules for what a figure may contain: elements, attributes, links, CSS.

A breach is recorded at its element and checking continues, so that all breaches are reported together. Content that has
no effect in a still picture is left out and recorded. Only drawing tools' boilerplate is dropped silently: metadata,
inert data of other vocabularies, xlink's and Inkscape's attributes, `xml:space` (its meaning is kept, see text.py).
Knows nothing of the order of passes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from figmill.spelling import did_you_mean
from figmill.svg.document import SVG, BreachError, Draft, Element, joined
from figmill.svg.xml import css, vocabulary
from figmill.svg.xml.active_content import check_inert, refusal
from figmill.svg.xml.animations import make_still
from figmill.svg.xml.css import CssError, UnreadError
from figmill.svg.xml.invisible import ParentElement, invisible
from figmill.svg.xml.names import XLINK, XML, is_handler, split
from figmill.svg.xml.references import href

T = TypeVar("T")
MOST_KINDS = 50  # unknown names reported one by one
KNOWN = vocabulary.ELEMENTS | vocabulary.FLOWED
# Attributes whose value is not checked here.
FREE = vocabulary.ATTRIBUTES - vocabulary.PRESENTATION - vocabulary.DROPPED - {
    "href",
    "style",
    "target",
    "white-space",
} | {"xml:space"}
# In a presentation attribute: characters of CSS beyond words and numbers.
UNPLAIN = re.compile(r"[(\\@{}\[\]]")
TARGETS = vocabulary.words("_blank _self _top _parent")


def admit(draft: Draft) -> None:
    """Replace names with plain SVG names, in place; everything forbidden is recorded as a breach."""
    root = draft.root
    space, local = split(root.tag)
    if local != "svg" or space != SVG:
        raise BreachError(root, f'the root is <{local}>; it must be <svg xmlns="{SVG}">')
    make_still(draft)
    _element(draft, root, in_text=False)


def _element(draft: Draft, node: Element, in_text: bool) -> None:
    """Check `node`, known to be in the SVG namespace, and its descendants."""
    tag = split(node.tag)[1]
    if tag not in KNOWN:
        draft.refuse(node, refusal(tag))
    node.tag = tag
    node.attrib = _attributes(draft, node)
    if tag in KNOWN:
        _children(draft, node, in_text or tag == "text" or tag in vocabulary.FLOWED_WORDS)
    else:
        node.children = []  # its allowed content is unknown
    if tag == "a" and "href" not in node.attrib:  # Graphviz wraps nodes with a tooltip
        node.tag = "tspan" if in_text else "g"
        node.attrib = {name: value for name, value in node.attrib.items() if name not in ("target", "rel")}


def _children(draft: Draft, node: Element, in_text: bool) -> None:
    kept: list[Element | str] = []
    place = ParentElement(node.tag, in_text)
    for child in node.children:
        if isinstance(child, str):
            if in_text or node.tag in vocabulary.WORDS_ONLY:
                kept.append(child)
            elif child.strip():
                draft.drop(f"words in <{node.tag}>, outside <text>", node)
            continue
        space, local = split(child.tag)
        try:
            if space != SVG:
                check_inert(child)
            elif local == "metadata":
                check_inert(child, vocabulary.INERT_HTML)  # metadata that no viewer shows
            elif what := invisible(child, place):
                _drop(draft, child, f"{what}{_near(draft, local, KNOWN) if local not in KNOWN else ''}")
            else:
                kept.append(child)
                _element(draft, child, in_text)
        except BreachError as breach:
            draft.refuse(breach.node, breach.message)
    node.children = joined(kept)


def _attributes(draft: Draft, node: Element) -> dict[str, str]:
    kept: dict[str, str] = {}
    for name, value in node.attrib.items():
        try:
            _attribute(draft, node, name, value, kept)
        except BreachError as breach:  # not `with draft.collected()`, which is much slower
            draft.refuse(breach.node, breach.message)
    if "target" in kept and split(node.tag)[1] == "a":
        kept["rel"] = "noopener"  # the opened page cannot control this page
    return kept


def _attribute(draft: Draft, node: Element, name: str, value: str, kept: dict[str, str]) -> None:
    """Add an attribute to `kept`; raises BreachError if it is forbidden."""
    if name.startswith("{"):
        name = _foreign(node, name) or ""
        if not name or (name == "href" and "href" in node.attrib):
            return
    if name == "values" and not split(node.tag)[1].startswith("fe"):
        return  # belongs to an animation, or has no effect
    if name in FREE:
        pass
    elif name in vocabulary.PRESENTATION:
        if UNPLAIN.search(value):
            try:
                value = _presented(draft, node, name, value)
            except UnreadError:
                _css(node, css.check_unseen, name, value)
                draft.drop(f"{name} that cannot be read", node)
                return
        elif css.is_negative(name, value):
            draft.drop(f"{name} that cannot be read", node)
            return
    elif name == "href":
        value = href(node, value)
    elif name == "style":
        _css(node, css.declarations, value, draft.is_dark)
    elif name == "white-space":
        name, value = "xml:space", css.space(value)
    elif name in vocabulary.MARKS:
        pass
    elif name in vocabulary.EDITOR_ATTRIBUTES:
        _css(node, css.check_unseen, name, value)
        return
    elif name in vocabulary.DROPPED or name.startswith("data-"):
        return  # a drawing tool's own data
    elif name in vocabulary.STYLE_ONLY:
        return  # no effect as an attribute, only in CSS
    elif name not in vocabulary.ATTRIBUTES:
        if is_handler(name):
            raise BreachError(node, f"attribute '{name}' is an event handler; remove it")
        _drop(draft, node, f"unknown attribute '{name[:40]}'{_near(draft, name, vocabulary.ATTRIBUTES)}")
        return
    elif name == "target" and value not in TARGETS:
        raise BreachError(node, f"target '{value}' is not one of {', '.join(sorted(TARGETS))}")
    kept[name] = value


def _drop(draft: Draft, node: Element, what: str) -> None:
    """Record what is left out. After the first MOST_KINDS kinds, record it without its name."""
    is_one_of_many = what not in draft.dropped and len(draft.dropped) >= MOST_KINDS
    draft.drop("other unknown elements and attributes" if is_one_of_many else what, node)


def _near(draft: Draft, word: str, spellings: frozenset[str]) -> str:
    """A suggestion for a misspelled word. Each takes milliseconds, so only the first few words get one."""
    if max(len(draft.breaches), len(draft.dropped)) >= MOST_KINDS:
        return ""
    return _did_you_mean(word[:40], spellings)


_did_you_mean = lru_cache(maxsize=1024)(did_you_mean)


def _presented(draft: Draft, node: Element, name: str, value: str) -> str:
    """The normal form of a presentation attribute; the text unchanged if it contains variables, resolved later."""
    if css.VARIABLE in value.lower():
        _css(node, css.no_escapes, value)
        return value
    if css.LIGHT_DARK in value.lower():
        draft.claim(node, name)
    return _css(node, css.value, value, draft.is_dark)


def _css(node: Element, parse: Callable[..., T], *arguments: str | bool) -> T:
    try:
        return parse(*arguments)
    except UnreadError:
        raise
    except CssError as error:
        raise BreachError(node, str(error)) from None


def _foreign(node: Element, name: str) -> str | None:
    """The plain name for an attribute of another namespace; None to drop it."""
    space, local = split(name)
    if is_handler(local):
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
