"""The table `style` of the settings: what a book's written guide asks of its drawings. docs/fix.md."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from figmill.config.readers import Setting, WrongError, long_colour, one_of, shown, table_of
from figmill.errors import did_you_mean
from figmill.house_style import EQUAL, Style
from figmill.palette import ROLES, Role

MOST_PX, MOST_COUNT = 1000, 100
FORMS = ("filled", "hollow", "open")  # of arrowheads
_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3}){1,2}")


def _px(value: object, least: float = 0.0) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= MOST_PX:  # type: ignore[operator]
        above = "from 0" if least == 0 else f"from {least:g}"
        raise WrongError(f"must be a number of px {above} to {MOST_PX}, not {shown(value)}")
    return float(value)  # type: ignore[arg-type]


def _length(value: object) -> float:
    """A length that is not 0."""
    return _px(value, 0.1)


def _lengths(least: float) -> Callable[[object], tuple[float, ...]]:
    """One number of px, or a list of those that are allowed."""

    def read(value: object) -> tuple[float, ...]:
        items = value if isinstance(value, list) else [value]
        if not items:
            raise WrongError("must name at least one number of px")
        return tuple(sorted({_px(item, least) for item in items}))

    return read


def _pair(first: str, second: str, single: bool) -> Callable[[object], tuple[float, float]]:
    """A table with two lengths; single: a number alone stands for the first, and for the second as well."""

    def read(value: object) -> tuple[float, float]:
        if not isinstance(value, dict):
            if single:
                return _length(value), _length(value)
            raise WrongError(f"must be a table, like {{{first} = 80, {second} = 40}}, not {shown(value)}")
        for key in value:
            if key not in (first, second):
                near = did_you_mean(key, (first, second)) or f"; choose {first} or {second}"
                raise WrongError(f"is not a length of it{near}", key)
        try:
            return _px(value.get(first, 0)), _px(value.get(second, 0))
        except WrongError as wrong:
            key = next(key for key in (first, second) if not _is_px(value.get(key, 0)))
            raise WrongError(str(wrong), key) from None

    return read


def _is_px(value: object) -> bool:
    try:
        _px(value)
    except WrongError:
        return False
    return True


def _least_text(value: object) -> tuple[float, float]:
    """A size, or a size with the width in print."""
    return (
        (_length(value), 0.0) if not isinstance(value, dict) else _pair("size", "width", single=False)(value)
    )


def _gaps(value: object) -> float | str:
    return EQUAL if value == EQUAL else _length_or(EQUAL, value)


def _length_or(word: str, value: object) -> float:
    if isinstance(value, str):
        near = did_you_mean(value, (word,))
        raise WrongError(f'must be a number of px, or "{word}", not {shown(value)}{near}')
    return _length(value)


def _forms(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    for item in items:
        if item not in FORMS:
            near = did_you_mean(item, FORMS) if isinstance(item, str) else ""
            raise WrongError(
                f"must be {' or '.join(map(repr, FORMS))}, or a list of these, not {shown(item)}{near}"
            )
    return tuple(dict.fromkeys(map(str, items)))


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_COUNT:
        raise WrongError(f"must be a whole number from 1 to {MOST_COUNT}, not {shown(value)}")
    return value


def _colours(value: object) -> tuple[tuple[str, str], ...]:
    """Roles of the palette, and colours; `with_palette` turns roles into their colours."""
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        raise WrongError(f'must be a list of roles and colours, like ["data", "#336699"], not {shown(value)}')
    for item in value:
        if item.startswith("#") and not _COLOUR.fullmatch(item):
            raise WrongError(f'must list roles and colours like "#336699", not {shown(item)}')
    return tuple((long_colour(item) if item.startswith("#") else item, "") for item in value)


def with_palette(style: Style, palette: Iterable[Role]) -> Style:
    """The style with the colours of the roles that it names. Raises WrongError for a role that the palette lacks."""
    roles = {role.name: role for role in palette}
    built_in = {role.name: role for role in ROLES}
    colours: dict[str, str] = {}
    for item, _ in style.colours:
        if item.startswith("#"):
            colours.setdefault(item, item)
        elif item not in roles:
            near = did_you_mean(item, roles) or f"; it has {', '.join(roles)}"
            raise WrongError(f"names the role {shown(item)}, which the palette lacks{near}", "colours", item)
        else:  # a drawing has the built-in colours of a role until it is published
            for role in (roles[item], built_in.get(item, roles[item])):
                colours.setdefault(role.fill, f"the fill of '{item}'")
                colours.setdefault(role.line, f"the line of '{item}'")
                colours.setdefault(role.ink, f"the ink of '{item}'")
    return replace(style, colours=tuple(colours.items()))


_PX = f"px, above 0, at most {MOST_PX}"
_LIST = f"px, at most {MOST_PX}, or a list of allowed px"

STYLE: Mapping[str, Setting] = MappingProxyType(
    {
        "grid": Setting(_length, _PX, "The grid on which the upper left corners of boxes stand.", "10"),
        "padding": Setting(
            _pair("beside", "above", single=True),
            f"px, above 0, at most {MOST_PX}, or a table with `beside` and `above`",
            "The least room between text and the sides of its box: beside it, and above and below it.",
            "{beside = 20, above = 8}",
        ),
        "gaps": Setting(
            _gaps,
            f'{_PX}, or `"equal"`',
            "The gap between neighbours in a row or a column of boxes.",
            '"equal"',
        ),
        "box_sizes": Setting(
            one_of(EQUAL),
            '`"equal"`',
            "Whether boxes of one role, with the same form and colours, have one size.",
            '"equal"',
        ),
        "smallest_box": Setting(
            _pair("width", "height", single=False),
            "a table with `width` and `height` in px",
            "The least size of a box.",
            "{width = 80, height = 40}",
        ),
        "routes": Setting(
            one_of("orthogonal", "straight", "free"),
            '`"orthogonal"`, `"straight"` or `"free"`',
            "How lines between boxes run: along the axes, without bends, or anyhow.",
            '"orthogonal"',
        ),
        "arrow_ends": Setting(
            _px,
            f"px, at most {MOST_PX}",
            "How far the tip of an arrow may be from the border of its box.",
            "2",
        ),
        "clearance": Setting(_length, _PX, "The least distance of text from any line.", "4"),
        "radius": Setting(_lengths(0.0), _LIST, "The radius of the corners of boxes.", "[0, 8]"),
        "line_width": Setting(
            _lengths(0.1), _LIST, "The widths of lines between boxes, and of the outlines of boxes.", "[1, 2]"
        ),
        "arrowheads": Setting(
            _forms,
            '`"filled"`, `"hollow"` or `"open"`, or a list of these',
            "The forms of arrowheads: a filled one, one in another colour than its line, or one of lines alone.",
            '["filled", "open"]',
        ),
        "label_size": Setting(_lengths(0.1), _LIST, "The sizes of all text but titles.", "[12, 14]"),
        "title_size": Setting(
            _lengths(0.1), _LIST, "The sizes of titles: text of a box around boxes, or above all else.", "16"
        ),
        "text_sizes": Setting(
            _count,
            f"a whole number from 1 to {MOST_COUNT}",
            "How many sizes of text a drawing may have.",
            "3",
        ),
        "least_text": Setting(
            _least_text,
            f"px, above 0, at most {MOST_PX}, or a table with `size` and `width`",
            "The least size of text; with `width`, where the drawing is printed that many px wide.",
            "{size = 11, width = 480}",
        ),
        "colours": Setting(
            _colours,
            "a list of roles of the palette and of colours",
            "The colours that drawings may have, beside greys.",
            '["compute", "data", "#336699"]',
        ),
        "most_colours": Setting(
            _count,
            f"a whole number from 1 to {MOST_COUNT}",
            "How many colours a drawing may have, beside greys; a role of the palette counts once.",
            "5",
        ),
    }
)


def style(value: object) -> Style:
    """The table `style`."""
    return Style(**table_of(STYLE, value, "rule", "{grid = 10}"))
