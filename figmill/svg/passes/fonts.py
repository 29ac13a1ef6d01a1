"""Gives every text of a book the same font stack, or the one for code.

Handles names only, no font files. Quotes each name if necessary. Weight, style and size stay.
"""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType

import tinycss2

from figmill.svg.document import Draft, Element
from figmill.svg.geometry.text_layout import BROAD, NARROW, OFFICE, SERIF, TextStyle
from figmill.svg.spec import Sheet
from figmill.svg.xml import vocabulary
from figmill.svg.xml.css import WIDE
from figmill.svg.xml.numbers import fixed

GENERIC = vocabulary.words("""serif sans-serif monospace cursive fantasy system-ui math emoji fangsong ui-serif
    ui-sans-serif
    ui-monospace ui-rounded""")
MONOSPACED = vocabulary.words(
    """cascadia consolas courier fixed hack inconsolata menlo monaco monospace terminal ui-monospace"""
)
MONO_WORDS = vocabulary.words("mono monospace monospaced code console courier typewriter")
# A name as in CSS: letters, digits, `_`, `-` and everything that is not ASCII. Its classes list the excluded
# characters, because Python takes long to compile ranges of that many characters.
WORD = re.compile(r"-?[^\x00-@\[-^`{-\x7f][^\x00-,./:-@\[-^`{-\x7f]*")
INITIAL_SIZE = "16"
# Parts of names, without spaces, that tell how wide a font is; the first match decides.
KINDS: tuple[tuple[tuple[str, ...], str | None], ...] = (
    (("calibri", "carlito"), OFFICE),
    (("narrow", "condensed", "compressed"), NARROW),
    (
        ("sans-serif", "sansserif", "arial", "helvetica", "liberationsans", "roboto", "system-ui", "segoe"),
        None,
    ),
    (("verdana", "dejavusans", "bitstreamvera", "lucida", "tahomabold"), BROAD),
    (
        (
            "times",
            "serif",
            "georgia",
            "garamond",
            "cambria",
            "palatino",
            "stix",
            "cmr",
            "cmmi",
            "computermodern",
            "book",
        ),
        SERIF,
    ),
)
SHARE_OF_SIZE = re.compile(r"larger|smaller|.*(?:[0-9.]em|%)", re.I)

# Style words that Graphviz and drawing programs put into the family name, with their CSS properties.
FACES = MappingProxyType(
    {
        "bold": ("font-weight", "bold"),
        "italic": ("font-style", "italic"),
        "oblique": ("font-style", "italic"),
        "bolditalic": ("font-style", "italic"),
    }
)


def unify_fonts(draft: Draft, sheet: Sheet) -> None:
    """Give every <text> its font stack; elements inside set it only if it differs, and elements outside never."""
    _unify(draft.root, sheet, SERIF if sheet.own_fonts else stack(sheet.font), None)
    _settle_shares(draft.root)
    _size(draft.root, None, False)
    _drop_resets(draft.root)


def _unify(node: Element, sheet: Sheet, current: str, written: str | None) -> None:
    """current: the stack in force. written: the one set by the nearest ancestor, once inside a <text>."""
    family = node.attrib.pop("font-family", None)
    if family is not None and family.lower() not in WIDE - {"initial"}:
        _keep_face(node, family)
        current = choose(family, sheet.font, sheet.mono)
        if sheet.own_fonts and current == stack(sheet.font):
            current = kind(family) or current
    if (
        (node.tag == "text" or written is not None)
        and current != written
        and node.tag not in ("title", "desc")
    ):
        node.attrib["font-family"] = current
        written = current
    for child in node.children:
        if isinstance(child, Element):
            _unify(child, sheet, current, written)


def _keep_face(node: Element, family: str) -> None:
    """Keep the face of `Helvetica Bold`, `Helvetica,bold` and `Arial-BoldMT`, which are laid out in bold."""
    for word in re.split(r"[\s,\-'\"]+", family.casefold()):
        name = word.removesuffix("mt")
        if name in FACES:
            attribute, value = FACES[name]
            node.attrib.setdefault(attribute, value)
            if name == "bolditalic":
                node.attrib.setdefault("font-weight", "bold")


def _settle_shares(node: Element) -> None:
    """Make a relative font size without a size around it absolute: otherwise it would depend on the page's."""
    size = node.attrib.get("font-size")
    if size is None:
        for child in node.elements():
            if child.tag not in ("defs", "symbol"):  # their size depends on the element that uses them
                _settle_shares(child)
    elif SHARE_OF_SIZE.fullmatch(size.strip()):
        node.attrib["font-size"] = fixed(TextStyle().of(node.attrib).size)


def _size(node: Element, text: Element | None, sized: bool) -> None:
    """Give text without a font size the initial one: inline in a page it would inherit the page's."""
    if node.tag == "text":
        text = node
    sized = sized or "font-size" in node.attrib
    for child in node.children:
        if isinstance(child, Element):
            if child.tag not in ("title", "desc"):
                _size(child, text, sized)
        elif text is not None and not sized and child.strip():
            text.attrib["font-size"] = INITIAL_SIZE
            return


def _drop_resets(root: Element) -> None:
    """Drop the resets of a `font` shorthand for properties that the figure never sets."""
    nodes = root.walk()
    for name in ("font-style", "font-variant", "font-weight", "font-stretch"):
        setting = [node for node in nodes if name in node.attrib]
        if all(node.attrib[name] == "normal" for node in setting):
            for node in setting:
                del node.attrib[name]


@lru_cache(maxsize=1024)
def choose(family: str, font: str, mono: str) -> str:
    """The book's stack for a font-family: monospaced if its first name or its generic fallback is."""
    if stack(family) == stack(font):
        return stack(font)
    if stack(family) == stack(mono):
        return stack(mono)
    names = [name.casefold() for name in split(family)]
    first = names[0] if names else ""
    is_mono = (
        "monospace" in names or first in MONOSPACED or bool(MONO_WORDS & set(re.split(r"[\s\-]+", first)))
    )
    return stack(mono) if is_mono else stack(font)


@lru_cache(maxsize=1024)
def kind(family: str) -> str | None:
    """The stack of the first known name, if it is wider or narrower than Arial; None for Arial and similar fonts."""
    for name in split(family.casefold()):
        plain = name.replace(" ", "")
        for signs, its in KINDS:
            if any(word in plain for word in signs):
                return its
    return None


@lru_cache(maxsize=1024)
def stack(family: str) -> str:
    """A font-family with each name quoted separately if necessary."""
    return ", ".join(name if _is_bare(name) else f"'{name}'" for name in split(family))


def split(family: str) -> list[str]:
    """The names of a font-family, unquoted. A quoted string that lists several names is split."""
    names = []
    for part in _parts(family):
        names += [name.strip(" '\"") for name in part.split(",")]
    return [name for name in names if name]


def _parts(family: str) -> list[str]:
    parts = [""]
    for token in tinycss2.parse_component_value_list(family):
        if token == ",":
            parts.append("")
        elif token.type in ("string", "ident"):
            parts[-1] += token.value
        else:
            parts[-1] += " " if token.type == "whitespace" else token.serialize()
    return [" ".join(part.replace("\\", " ").split()) for part in parts]


def _is_bare(name: str) -> bool:
    return name.lower() in GENERIC or all(WORD.fullmatch(word) for word in name.split(" "))
