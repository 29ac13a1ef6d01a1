"""Titles that state facts: the author's title, with facts in braces as in an alt text, or the generator's own title."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from figmill_timelines import units


@dataclass(frozen=True, slots=True)
class _TitleFact:
    """A fact that a title may show in any format of its type, and with its unit."""

    name: str
    value: Any

    def __format__(self, form: str) -> str:
        return (
            units.stated(self.value, form, self.name)
            if units.FORM.fullmatch(form)
            else format(self.value, form)
        )

    def __getitem__(self, at: int | str) -> _TitleFact:
        return _TitleFact(self.name, self.value[at])


def titled(title: str, default: str, facts: Mapping[str, Any]) -> str:
    """`{bubble_fraction:.0%} idle` becomes `25% idle`, `{wall_s:si}` becomes `16.6 h`. Without a title: `default`.

    ValueError for a fact that the figure does not state, and for braces without a fact; `{{` is a brace.
    """
    if not title:
        return default
    try:
        return title.format_map({name: _TitleFact(name, value) for name, value in facts.items()})
    except KeyError as error:
        name = str(error.args[0])
        near = get_close_matches(name, facts, n=1)
        hint = f"; did you mean '{near[0]}'?" if near else f"; choose one of {', '.join(facts)}"
        raise ValueError(f"title: no fact '{name}'{hint}") from None
    except (ValueError, IndexError, AttributeError, TypeError) as error:
        raise ValueError(
            f"title: '{title}': {error}; facts stand as {{name:.1%}}, a brace as '{{{{'"
        ) from None
