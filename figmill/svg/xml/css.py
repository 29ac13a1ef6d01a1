"""CSS values and declarations allowed in a figure: checked token by token, brought into one form.

This module knows nothing of elements, or of the meaning of properties other than the shorthands `font`, `marker` and
`background`. No escapes, no functions except those in vocabulary.py, no url() except of an id in the same file.
Properties without effect in a still picture are recorded and left out. Declarations that no browser can read are left
out too, and the others stay (CSS Syntax 3, section 9).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import tinycss2

from figmill.late_dataclasses import dataclass
from figmill.svg.colour import is_paint
from figmill.svg.xml import vocabulary

SHORTHANDS = frozenset(("font", "marker", "background", "white-space"))
MAX_STYLE = 50_000
COLOURED = vocabulary.PAINTS | vocabulary.COLORS
UNREAL = vocabulary.words("nan inf infinity -inf -infinity")
# kinds of declarations
KEPT, PENDING, CUSTOM, MOVING, BARRED, UNSEEN = (
    "kept",
    "pending",
    "custom",
    "moving",
    "barred",  # forbidden where an element has it
    "unseen",
)
LIGHT_DARK, VARIABLE = "light-dark(", "var("
KNOWN = vocabulary.PRESENTATION | vocabulary.STYLE_ONLY | SHORTHANDS
# Properties that browsers also accept with a vendor prefix.
ALIASED = vocabulary.words("transform transform-origin filter clip-path") | vocabulary.ANIMATION_CSS
REFUSED_FUNCTIONS = vocabulary.words("url src image-set expression attr element")
# Functions whose result depends on the reader's page or device, or that paint more than one colour.
SEEN_FUNCTIONS = vocabulary.words("""clamp conic-gradient env linear-gradient max min radial-gradient
    repeating-conic-gradient repeating-linear-gradient repeating-radial-gradient round sibling-index""")
# At-rules that browsers apply inside a block.
NESTED = vocabulary.words("import media supports layer container scope starting-style")
# Values of refused properties that do not change the picture.
WITHOUT_EFFECT = {
    "scale": ("none", "1", "100%", "1 1"),
    "translate": ("none", "0", "0px", "0 0", "0px 0px"),
    "zoom": ("1", "100%", "normal"),
    "offset-path": ("none",),
    "mask-image": ("none",),
    "-webkit-mask": ("none",),
    "-webkit-mask-image": ("none",),
    "-webkit-text-stroke-width": ("0", "0px"),
}
TURNING = re.compile(r"\s*(?:(?:invert\([0-9.]+%?\)|hue-rotate\(-?[0-9.]+deg\))\s*)+")
WIDE = vocabulary.words("inherit initial unset revert revert-layer")


class CssError(ValueError):
    """The reason why a piece of CSS is forbidden in a figure."""


class UnreadError(CssError):
    """The reason why browsers ignore a piece of CSS. figmill ignores it too."""


@dataclass(frozen=True, slots=True)
class CssDeclaration:
    """One property with its value in normal form."""

    name: str
    value: str
    important: bool = False
    kind: str = KEPT
    own: bool = False  # the author chose its colours for the current theme


@lru_cache(maxsize=8192)
def value(text: str, is_dark: bool = False) -> str:
    """The normal form of a presentation attribute's value. Raises CssError if it is forbidden."""
    no_escapes(text)
    try:
        return _normal(_chosen(tinycss2.parse_component_value_list(text), is_dark))
    except RecursionError:
        raise CssError("brackets nested too deep in CSS") from None


@lru_cache(maxsize=8192)
def declarations(text: str, is_dark: bool = False) -> tuple[CssDeclaration, ...]:
    """The declarations of a style attribute, shorthands expanded. Raises CssError if one is forbidden."""
    if len(text) > MAX_STYLE:
        raise CssError(f"a style of {len(text):,} characters; at most {MAX_STYLE:,} are allowed")
    no_escapes(text)
    parsed = tinycss2.parse_blocks_contents(text, skip_comments=True, skip_whitespace=True)
    try:
        return tuple(parsed_declarations(parsed, is_dark))
    except RecursionError:
        raise CssError("brackets nested too deep in CSS") from None


def parsed_declarations(parsed: Iterable[Any], is_dark: bool = False) -> Iterator[CssDeclaration]:
    """The declarations of a block; those left out have kind UNSEEN and only a name."""
    for item in parsed:
        if item.type == "at-rule" and item.lower_at_keyword in NESTED:
            raise CssError(f"@{item.at_keyword} is not allowed in a figure's CSS")
        if item.type == "qualified-rule":
            raise CssError("a rule inside a rule; write it beside that rule, with its whole selector")
        if item.type != "declaration":
            yield CssDeclaration("that cannot be read", "", kind=UNSEEN)
            continue
        name = item.lower_name
        prefixed = name.removeprefix("-webkit-")
        if prefixed in ALIASED:
            name = prefixed
        if name.startswith("--"):
            yield CssDeclaration(item.name, tinycss2.serialize(item.value).strip(), item.important, CUSTOM)
        elif name in vocabulary.EDITOR_CSS or name.startswith("-inkscape-"):
            _check_unseen(name, item.value)
        elif name in vocabulary.ANIMATION_CSS:
            yield CssDeclaration(name, tinycss2.serialize(item.value).strip(), item.important, MOVING)
        elif name in vocabulary.REFUSED_CSS:
            _check_unseen(name, item.value)
            text = tinycss2.serialize(item.value).strip().lower()
            has_effect = text not in WIDE and text not in WITHOUT_EFFECT.get(name, ())
            yield CssDeclaration(name, text, item.important, BARRED if has_effect else UNSEEN)
        elif not knows(name):
            _check_unseen(name, item.value)
            yield CssDeclaration(name, "", kind=UNSEEN)
        elif _calls(item.value, "var"):
            yield CssDeclaration(name, tinycss2.serialize(item.value).strip(), item.important, PENDING)
        else:
            own = _calls(item.value, "light-dark")
            try:
                text = _normal(_chosen(item.value, is_dark) if own else item.value)
            except UnreadError:
                _check_unseen(name, item.value)
                yield CssDeclaration(
                    f"{name}: {tinycss2.serialize(item.value).strip()[:20]}", "", kind=UNSEEN
                )
                continue
            for long, longhand in _longhands(name, text):
                # An open bracket swallows what follows; no value of these has a semicolon.
                is_broken = long in vocabulary.STYLE_ONLY and ";" in longhand
                is_broken |= long in COLOURED and not is_paint(longhand)
                if is_broken or is_negative(long, longhand):  # earlier declarations hold
                    yield CssDeclaration(f"{long}: {longhand[:20]}", "", kind=UNSEEN)
                else:
                    yield CssDeclaration(long, longhand, item.important, KEPT, own)


def check_unseen(name: str, text: str) -> None:
    """Raise CssError if an attribute that is left out refers outside the figure, as for declarations."""
    no_escapes(text)
    try:
        _check_unseen(name, tinycss2.parse_component_value_list(text))
    except RecursionError:
        raise CssError("brackets nested too deep in CSS") from None


def knows(name: str) -> bool:
    """Whether a property has an effect in figures."""
    return name in KNOWN


def is_negative(name: str, text: str) -> bool:
    """Whether a value is below 0 for a property that cannot be: browsers ignore it. Mermaid writes such widths."""
    return name in vocabulary.NOT_NEGATIVE and text.startswith("-")


def _check_unseen(name: str, tokens: list[Any]) -> None:
    """Raise CssError for a property that acts, or refers outside the figure."""
    if name in vocabulary.ACTIVE_CSS:
        raise CssError(barred(name))
    for token in _all(tokens):
        if token.type == "url":
            _url(token.value)
        elif token.type == "function" and token.lower_name in REFUSED_FUNCTIONS:
            _function(token)


def barred(name: str) -> str:
    """The message for a property that is forbidden in a figure."""
    return f"CSS property '{name}' is not allowed in a figure"


def _all(tokens: Iterable[Any]) -> Iterator[Any]:
    """Each token, and recursively those in functions and blocks."""
    for token in tokens:
        yield token
        inside = token.arguments if token.type == "function" else getattr(token, "content", None)
        if isinstance(inside, list):
            yield from _all(inside)


def _calls(tokens: Iterable[Any], name: str) -> bool:
    return any(token.type == "function" and token.lower_name == name for token in _all(tokens))


def _chosen(tokens: list[Any], is_dark: bool) -> list[Any]:
    """The tokens with each light-dark() replaced by its value for the theme (CSS Color 5, 6)."""
    chosen: list[Any] = []
    for token in tokens:
        if token.type != "function":
            chosen.append(token)
        elif token.lower_name == "light-dark":
            comma = next((at for at, part in enumerate(token.arguments) if part == ","), None)
            if comma is None:
                raise UnreadError("light-dark() needs two colours")
            light, dark = token.arguments[:comma], token.arguments[comma + 1 :]
            chosen += _chosen(dark if is_dark else light, is_dark)
        else:
            token.arguments = _chosen(token.arguments, is_dark)
            chosen.append(token)
    return chosen


def no_escapes(text: str) -> None:
    if "\\" in text:
        raise CssError("a backslash in CSS; write the character itself")


def _normal(tokens: Iterable[Any]) -> str:
    """The tokens as text after checking each: url() unquoted, white space as one space."""
    return " ".join("".join(map(_token, tokens)).split())


def _token(token: Any) -> str:
    kind = token.type
    if kind in ("whitespace", "comment"):
        return " "
    if kind == "url":
        return _url(token.value)
    if kind == "function":
        return _function(token)
    if kind == "dimension":
        return f"{token.representation}{token.unit}"  # not escaped, as `1e` would be
    if kind == "string":
        return _string(token.value)
    if kind == "() block":
        return f"({_normal(token.content)})"
    if kind in ("error", "at-keyword", "{} block", "[] block", "unicode-range"):
        raise UnreadError(f"CSS that cannot be read at '{token.serialize()[:60]}'")
    return str(token.serialize())


def _string(text: str) -> str:
    """A string in the kind of quotes it does not contain: figures' CSS has no escapes."""
    quote = "'" if '"' in text else '"'
    if quote in text or set(text) & set(";\n"):
        raise CssError(
            f"the string '{text[:40]}' in CSS contains both kinds of quotes, a semicolon or a line break; "
            "remove them"
        )
    return f"{quote}{text}{quote}"


def _function(token: Any) -> str:
    if token.lower_name not in vocabulary.CSS_FUNCTIONS:
        is_seen = token.lower_name in REFUSED_FUNCTIONS | SEEN_FUNCTIONS
        raise (CssError if is_seen else UnreadError)(f"{token.name}() is not allowed in a figure's CSS")
    if token.lower_name != "url":
        for part in token.arguments:
            if part.type == "ident" and part.lower_value in UNREAL:
                raise UnreadError(f"{part.value} in {token.name}() is not a number")
        return f"{token.name}({_normal(token.arguments)})"
    inside = [part for part in token.arguments if part.type not in ("whitespace", "comment")]
    if len(inside) != 1 or inside[0].type != "string":
        raise CssError("url() needs one #id")
    return _url(inside[0].value)


def _url(target: str) -> str:
    target = target.strip()
    if not target.startswith("#") or len(target) == 1 or set(target) & set(" \t\n\r()'\""):
        raise CssError(f"url({target[:60]}) leaves the figure; only url(#id) is allowed")
    return f"url({target})"


def turns_colours(text: str) -> bool:
    """Whether a filter only changes colours."""
    return bool(TURNING.fullmatch(text))


def space(text: str) -> str:
    """The `xml:space` value equivalent to a `white-space` value."""
    return "preserve" if text.strip().startswith(("pre", "break-spaces")) else "default"


def _longhands(name: str, text: str) -> Iterator[tuple[str, str]]:
    if name == "font":
        yield from _font(text)
    elif name == "marker":
        yield from ((f"marker-{place}", text) for place in ("start", "mid", "end"))
    elif name == "background":
        if any(
            token.type not in ("ident", "hash", "function")
            for token in tinycss2.parse_component_value_list(text)
        ):
            raise CssError("'background' can only be a colour")
        yield "background-color", text
    elif name == "white-space":
        yield "xml:space", space(text)
    else:
        yield name, text


def _font(text: str) -> Iterator[tuple[str, str]]:
    """CSS 2.1 section 15.8: [style variant weight]? size [/ line-height]? family."""
    if text in WIDE:
        yield from ((name, text) for name in ("font-style", "font-weight", "font-size", "font-family"))
        return
    tokens = tinycss2.parse_component_value_list(text)
    if len(tokens) == 1:  # caption, menu, ...: a system font of the reader
        return
    longhands = {
        "font-style": "normal",
        "font-variant": "normal",
        "font-weight": "normal",
        "font-stretch": "normal",
    }
    for token in tokens:
        word = token.serialize().lower()
        if token.type == "whitespace" or word == "normal":
            continue
        if word in ("italic", "oblique"):
            longhands["font-style"] = word
        elif word == "small-caps":
            longhands["font-variant"] = word
        elif word in ("bold", "bolder", "lighter") or (token.type == "number" and "1" <= word[:1] <= "9"):
            longhands["font-weight"] = word
        elif word.endswith(("condensed", "expanded")):
            longhands["font-stretch"] = word
        else:
            break
    else:
        return  # no size: invalid, and ignored as CSS requires
    family = "".join(map(_token, tokens[tokens.index(token) + 1 :])).strip()
    if family.startswith("/"):
        family = family[1:].strip().partition(" ")[2]
    yield from longhands.items()
    yield "font-size", _token(token)
    yield "font-family", family
