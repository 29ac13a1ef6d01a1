"""The checks: one table with each check and its level.

A check with `always` runs in every build. The others, which need a human eye or are a matter of taste, run in `lint`.
A book sets levels in `[tool.figmill.lint]`; a figure states an exception and its reason under `visual.lint`. Standard
library only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

# Limits for the characters of an alt text and a caption, both as written and with facts filled in, if a book sets
# none; and the highest limit that it can set.
ALT, CAPTION, LONGEST = 2000, 600, 20_000
# Characters above which `lint` calls them long.
LONG_ALT, LONG_CAPTION = 400, 120

OFF, WARN, ERROR = LEVELS = ("off", "warn", "error")


@dataclass(frozen=True, slots=True)
class Check:
    """One check. level: the default; always: whether it runs in every build, not only in `lint`.

    page: the page of docs/ with more about it, without its suffix; empty: none.
    """

    about: str
    level: str = WARN
    always: bool = False
    page: str = ""


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "contrast": Check(
            "words under 4.5:1, lines under 3:1 against what lies behind them", always=True, page="themes"
        ),
        "invisible": Check(
            "words or lines in the page's own colour, on the page", always=True, page="themes"
        ),
        "text-outside": Check("words that run out of the picture", always=True, page="text"),
        "text-overflow": Check("a label that runs out of its shape", always=True, page="text"),
        "text-overlap": Check("words over other words", always=True, page="text"),
        "text-squeezed": Check(
            "words that have no room in a wider font that readers may have, even when squeezed",
            always=True,
            page="text",
        ),
        "missing-character": Check("a character that no configured font has: readers see a box", always=True),
        "dead-reference": Check(
            "a paint, clip or label that refers to an id that is not there, or there twice", always=True
        ),
        "left-out": Check(
            "HTML in an SVG that is invisible, or is replaced by the drawing beside it",
            always=True,
            page="drawings",
        ),
        "dropped": Check(
            "content of a drawing program that a still picture cannot show", always=True, page="drawings"
        ),
        "picture": Check(
            "a picture that is published smaller, loses its animation or shows nothing",
            always=True,
            page="pictures",
        ),
        "rasterised": Check(
            "a plot of so many elements that they became a picture", always=True, page="pictures"
        ),
        "unreadable-value": Check("a path, a transform or a colour that cannot be read", always=True),
        "misspelled-key": Check(
            "a key that is almost `visual`, or another word for it, in a question without a figure",
            always=True,
        ),
        "clock": Check("a script that reads the clock: its figure changes by itself", always=True),
        "unseen-reads": Check("a script that reads data which figmill cannot see", always=True),
        "graphviz": Check(
            "what Graphviz could not draw as the graph asks, and drew differently",
            always=True,
            page="graphs",
        ),
        "empty-graph": Check("a graph without a node", always=True, page="graphs"),
        # In `lint` only, because they need a human eye, or are a matter of taste.
        "alt-short": Check("an alt text of fewer than 10 characters"),
        "alt-repeats-caption": Check("an alt text that says what the caption or the title says already"),
        "alt-says-image": Check(
            "an alt text that begins with 'image of', which every screen reader says itself"
        ),
        "alt-file-name": Check("an alt text that is the name of a file"),
        "alt-unfinished": Check("an alt text or a caption that is still to be written"),
        "alt-long": Check(f"an alt text of more than {LONG_ALT} characters, which is read out in one breath"),
        "caption-long": Check(f"a caption of more than {LONG_CAPTION} characters"),
        "units-differ": Check(
            "a quantity in an alt text or a caption that the drawing gives in another unit", page="text"
        ),
        "colour-only": Check(
            "looks that differ only in colour, and that some readers cannot tell apart", page="palette"
        ),
        "off-palette": Check("a colour that is not in the palette", page="palette"),
        "small-text": Check("words under 8 px at the size that the figure is shown", page="text"),
        "text-as-paths": Check("words drawn as shapes, which nobody can select, search or hear"),
        "words-in-picture": Check(
            "words that are part of a picture, which nobody can select, search or hear",
            page="pictures",
        ),
        "not-repeatable": Check("a figure that comes out differently the second time (`lint --twice`)"),
        "unused-source": Check("a source that no figure is drawn from"),
        "needless-exception": Check("an exception under `lint:` that excuses nothing"),
    }
)


def levels(chosen: Iterable[tuple[str, str]], about: Iterable[str] = CHECKS) -> dict[str, str]:
    """The level of each check under a book's settings."""
    settings = dict(chosen)
    return {name: settings.get(name, CHECKS[name].level) for name in about}


def active(chosen: Iterable[tuple[str, str]], every: bool = False) -> frozenset[str]:
    """The checks that a build must run; with `every`, those of `lint` as well."""
    return frozenset(
        name for name, level in levels(chosen).items() if level != OFF and (every or CHECKS[name].always)
    )
