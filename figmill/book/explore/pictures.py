"""The pictures of an interactive figure: one for every combination of values, each with its own file.

Pure. A picture is a figure like any other, except that `expect` and the name belong to the declared one only.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from figmill.book.explore.values import alike, shown
from figmill.book.names import file_name_problem
from figmill.book.sources import folded
from figmill.model import Expect, Json, Translation, Visual

NARROW = "narrow"  # the name of a figure's form for narrow screens
LANGUAGE = "language"  # what distinguishes a figure in another language
LONGEST = 80  # characters of a name; Windows allows 260 for a whole path
# Values that are readable in a file name, on every file system.
_PLAIN = re.compile(r"-?[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?")


def pictures(visual: Visual) -> tuple[Visual, ...]:
    """Every picture of a figure, the last parameter varying fastest; the declared one is unchanged.

    Empty for a figure without `explore`.
    """
    if not visual.explore:
        return ()
    every = []
    numbers = product(*(range(len(values)) for values in visual.explore.values()))
    choices = zip(combinations(visual.explore), numbers, names(visual.explore), strict=True)
    for params, chosen, name in choices:
        if is_declared(visual, params):
            every.append(visual)
            continue
        # An error about a value that draw() does not accept gets the value's own line.
        places = {
            f"params.{key}": visual.at("explore", key, str(number))
            for key, number in zip(params, chosen, strict=True)
        }
        every.append(
            replace(
                visual,
                params={**visual.params, **params},
                output=f"{visual.output.removesuffix('.svg')}/{name}.svg",
                origins={**visual.origins, **places},
                expect=Expect(),
                explore={},
                explored={**visual.explored, **params},
            )
        )
    return tuple(every)


def further(visual: Visual) -> tuple[Visual, ...]:
    """The further pictures of a figure: its forms, then the figure in each other language, with its forms."""
    forms = _forms(visual)
    if not visual.translations:
        return forms
    others = (translated(visual, translation) for translation in visual.translations)
    return (*forms, *(form for other in others for form in (other, *_forms(other))))


def _forms(visual: Visual) -> tuple[Visual, ...]:
    """The other pictures of a figure's exploration, or its narrow form."""
    if visual.narrow:
        return (narrow_form(visual),)
    return tuple(form for form in pictures(visual) if form is not visual)


def translated(visual: Visual, into: Translation) -> Visual:
    """A figure in another language."""
    return replace(
        visual,
        output=f"{visual.output.removesuffix('.svg')}.{into.language}.svg",
        source=into.source or visual.source,
        title=into.title or visual.title,
        alt=into.alt or visual.alt,
        caption=into.caption or visual.caption,
        describe=into.describe or visual.describe,
        expect=Expect(),
        translations=(),
        translation=into,
        explored={LANGUAGE: into.language},
    )


def narrow_form(visual: Visual) -> Visual:
    """A figure as narrow screens show it. An error about one of its params gets the line of `narrow`."""
    places = {f"params.{key}": visual.at("narrow", "params", key) for key in visual.narrow}
    return replace(
        visual,
        params={**visual.params, **visual.narrow},
        output=f"{visual.output.removesuffix('.svg')}.narrow.svg",
        origins={**visual.origins, **places},
        expect=Expect(),
        width=None,
        narrow={},
        explored={**visual.explored, NARROW: True},
    )


def combinations(explore: Mapping[str, tuple[Json, ...]]) -> Iterator[dict[str, Json]]:
    """Every choice of one value per parameter, the last parameter varying fastest."""
    for values in product(*explore.values()):
        yield dict(zip(explore, values, strict=True))


def is_declared(visual: Visual, params: Mapping[str, Json]) -> bool:
    """Whether these are the values that the question declares."""
    return all(alike(visual.params[name]) == alike(value) for name, value in params.items())


def names(explore: Mapping[str, tuple[Json, ...]]) -> list[str]:
    """The file names of all combinations, without suffix: the values joined by hyphens.

    If that is not a safe name, or not unique regardless of case, a digest of the values follows.
    """
    choices = list(combinations(explore))
    joined = ["-".join(map(shown, params.values())) for params in choices]
    plain = [_short(text) for text in joined]
    times = Counter(folded(text) for text in plain)
    return [
        name if _is_fit(text) and times[folded(name)] == 1 else f"{name}-{_digest(params)}"
        for name, text, params in zip(plain, joined, choices, strict=True)
    ]


def _is_fit(text: str) -> bool:
    """Whether the text is a valid file name everywhere."""
    is_named = _PLAIN.fullmatch(text) and not file_name_problem(text) and len(text) <= LONGEST
    return bool(is_named) and not text.casefold().endswith(".dark")


def _short(text: str) -> str:
    """The text with everything unsuitable for a file name replaced."""
    if _is_fit(text):
        return text
    parts = re.findall(r"[A-Za-z0-9]+", text)
    return "_".join(parts)[:LONGEST].strip("_") or "value"


def _digest(params: Mapping[str, Json]) -> str:
    text = json.dumps(list(params.items()), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]
