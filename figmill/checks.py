"""The checks: one table with each check and its level. Installed packages may add checks.

A check with `always` runs in every build. The others need a human eye or are a matter of taste: `lint` runs them.
At the level `note`, only `lint` runs a check, and what it says is not a finding.
A book sets levels in `[tool.figmill.lint]`; a figure states an exception and its reason under `visual.lint`. A package
adds checks that only read a figure, as entry points `figmill.checks`. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from figmill import versions
from figmill.house_style import RULES
from figmill.late_dataclasses import dataclass
from figmill.plugins import Table
from figmill.versions import Package

if TYPE_CHECKING:
    from figmill.model import Fact

# The most characters of an alt text and a caption, both as written and with facts filled in, if a book sets no limit;
# and the highest limit that it can set.
ALT, CAPTION, LONGEST = 2000, 600, 20_000
# Characters above which `lint` calls them long.
LONG_ALT, LONG_CAPTION = 400, 120

OFF, NOTE, WARN, ERROR = LEVELS = ("off", "note", "warn", "error")
IMAGE_LEFT = "image-left"


@dataclass(frozen=True, slots=True)
class CheckedFigure:
    """A published figure, as the checks of other packages get it.

    name: its id, and its name in a list. source: its path in the book. pages: theme -> SVG in normal form. texts: the
    strings that readers see in it.
    """

    name: str
    kind: str
    source: str
    pages: Mapping[str, bytes]
    texts: tuple[str, ...]
    alt: str
    caption: str | None
    facts: Mapping[str, Fact]


Function: TypeAlias = Callable[[CheckedFigure], Iterable[str]]  # yields a message for each finding


@dataclass(frozen=True, slots=True)
class Check:
    """One check. level: the default; always: whether it runs in every build, not only in `lint`.

    alone: its default level for a drawing outside a book.

    page: the page of docs/ with more about it, without its suffix, and `#` with a heading if it has a section; empty:
    none. function: `module:name` of a Function, for the check of another package. package: the one that provides it;
    None: figmill.
    """

    about: str
    level: str = WARN
    always: bool = False
    page: str = ""
    function: str = ""
    package: Package | None = None
    alone: str = OFF

    @property
    def module(self) -> str:
        return self.function.partition(":")[0]

    def brought_by(self, package: Package) -> Check:
        """The same check, as a package offers it."""
        return replace(self, package=package)


_OWN: Mapping[str, Check] = MappingProxyType(
    {
        "contrast": Check(
            "text below 4.5:1 or lines below 3:1 in contrast to what is behind them",
            always=True,
            page="themes",
            alone=WARN,
        ),
        "invisible": Check("text or lines in the colour of the page", always=True, page="themes", alone=WARN),
        "text-outside": Check("text that runs out of the figure", always=True, page="text", alone=WARN),
        "text-overflow": Check("a label that runs out of its shape", always=True, page="text", alone=WARN),
        "text-overlap": Check("text that overlaps other text", always=True, page="text", alone=WARN),
        "text-squeezed": Check(
            "text that is too wide in a font that readers may have, even when squeezed",
            always=True,
            page="text",
        ),
        "too-wide": Check(
            "a figure so wide that a page shows most of its text below 6 px",
            always=True,
            page="text",
            alone=WARN,
        ),
        "missing-character": Check(
            "a character that none of the configured fonts has: readers see a box", always=True
        ),
        "dead-reference": Check(
            "a paint, clip or label that refers to a missing or repeated id", always=True, alone=WARN
        ),
        "left-out": Check(
            "HTML in an SVG that is invisible, or that the drawing beside it replaces",
            always=True,
            page="sources#svg",
        ),
        "dropped": Check(
            "content of a drawing program that a still picture cannot show", always=True, page="sources#svg"
        ),
        "picture": Check(
            "a picture that figmill publishes smaller, that loses its animation, or that shows nothing",
            always=True,
            page="sources#picture",
        ),
        "dark-picture": Check(
            "a transparent picture with dark ink, which is invisible on the dark page",
            always=True,
            page="sources#picture",
        ),
        "rasterised": Check(
            "a plot of so many elements that they became a picture", always=True, page="sources#matplotlib"
        ),
        "unreadable-value": Check(
            "a path, a transform or a colour that cannot be read", always=True, alone=WARN
        ),
        "misspelled-key": Check(
            "a misspelling or a synonym of the key `visual` in a question without a figure",
            always=True,
        ),
        "clock": Check("a script that reads the clock, so its figure changes without an edit", always=True),
        "untranslated": Check(
            "text of a figure that lacks a translation into one of its languages",
            always=True,
            page="languages",
        ),
        "unseen-reads": Check(
            "a script that reads data through a library that figmill cannot watch", always=True
        ),
        "edge-through-box": Check(
            "a line between two boxes that runs through a third one",
            always=True,
            page="developers/checks",
            alone=WARN,
        ),
        "graphviz": Check(
            "a part of a graph that Graphviz did not draw as the graph asks",
            always=True,
            page="sources#dot",
        ),
        "covered-letter": Check(
            "a name of which a shape or a line hides a letter",
            always=True,
            page="sources",
        ),
        "not-drawn": Check(
            "a label or a line of the source that is not in the picture",
            always=True,
            page="developers/checks",
        ),
        "contradicted": Check(
            "a number in a text about a figure that the figure contradicts", always=True, page="facts"
        ),
        IMAGE_LEFT: Check(
            "an image of a page that figmill cannot draw: the page keeps it as it is",
            always=True,
            page="adopting",
        ),
        "nothing-drawn": Check("a chart without a mark", always=True, page="developers/checks"),
        "empty-graph": Check("a graph without a node", always=True, page="sources#dot"),
        # In `lint` only, because they need a human eye, or are a matter of taste.
        "alt-missing": Check(
            "a code block without an alt text: figmill makes one from the text in its drawing", page="fences"
        ),
        "alt-short": Check("an alt text of fewer than 10 characters"),
        "alt-repeats-caption": Check("an alt text that repeats the caption or the title"),
        "alt-says-image": Check("an alt text that begins with 'image of', which screen readers already say"),
        "alt-file-name": Check("an alt text that is the name of a file"),
        "alt-unfinished": Check("an alt text or a caption that is unfinished"),
        "alt-long": Check(
            f"an alt text of more than {LONG_ALT} characters, which a screen reader reads without a pause"
        ),
        "caption-long": Check(f"a caption of more than {LONG_CAPTION} characters"),
        "undescribed": Check(
            "a drawing of many words, of which its texts say few, without a description: `describe` takes one",
            page="descriptions",
        ),
        "units-differ": Check(
            "a quantity in an alt text or a caption that the drawing gives in another unit", page="text"
        ),
        "colour-only": Check(
            "groups that differ only in colours that some readers cannot tell apart",
            page="themes",
            alone=WARN,
        ),
        "grey-alike": Check(
            "roles or colours that look the same in an export with `--ink grey`",
            always=True,
            page="guide/print",
        ),
        "small-print": Check(
            "an exported PDF whose smallest text is below 6 pt, and the width that it needs",
            always=True,
            page="guide/print",
        ),
        "untagged": Check(
            "an exported PDF that cannot state that it follows PDF/UA-1, and why",
            always=True,
            page="guide/print",
        ),
        "artwork": Check(
            "a logo, a badge or an illustration that figmill leaves as it is in the dark theme",
            page="themes",
        ),
        "off-palette": Check("a colour that is not in the palette", page="themes"),
        "small-text": Check("text below 8 px at the displayed size of the figure", page="text", alone=WARN),
        "long-label": Check("a label of more than 160 characters in one line", page="text", alone=WARN),
        "text-covered": Check("text that a shape covers", page="developers/checks", alone=WARN),
        "line-through-text": Check("text with a line through it", page="developers/checks", alone=WARN),
        "text-astray": Check("text outside the box that it belongs to", page="developers/checks", alone=WARN),
        "loose-arrow": Check("an arrow that points at nothing", page="developers/checks", alone=WARN),
        "short-arrow": Check(
            "an arrow that stops short of its box, where the others of the drawing do not",
            page="developers/checks",
            alone=WARN,
        ),
        "arrow-inside": Check(
            "an arrow that ends inside its box, where the others of the drawing do not",
            page="developers/checks",
            alone=WARN,
        ),
        "edge-ends-nowhere": Check(
            "a line that begins or ends at nothing, where the others of the drawing join boxes",
            page="developers/checks",
            alone=WARN,
        ),
        "boxes-overlap": Check(
            "boxes that overlap, and neither is in the other", page="developers/checks", alone=WARN
        ),
        "clearance": Check(
            "text that nearly touches a line or other text, and boxes that nearly touch",
            level=NOTE,
            page="developers/checks",
            alone=NOTE,
        ),
        "almost-aligned": Check(
            "a box that is 1 to 6 px off the row or column of others", page="developers/checks", alone=WARN
        ),
        "unequal": Check(
            "a box whose size, or a gap in a row, differs a little from the others",
            level=NOTE,
            page="developers/checks",
            alone=NOTE,
        ),
        "mixed-routes": Check(
            "a slanted line among lines that run along the axes",
            level=NOTE,
            page="developers/checks",
            alone=NOTE,
        ),
        "crossings": Check("how often lines cross", level=NOTE, page="developers/checks", alone=NOTE),
        "crowded": Check(
            "text that covers too much of a drawing", level=NOTE, page="developers/checks", alone=NOTE
        ),
        "label-far-from-line": Check(
            "the text of a line that is further from it than the other texts are from theirs",
            page="developers/checks",
            alone=WARN,
        ),
        # the rules of a house style say nothing unless a book states them
        **{rule.check: Check(rule.about, page="fix", alone=WARN) for rule in RULES.values()},
        "small-on-phone": Check(
            "text below 9 px if the drawing is 375 px wide, as on a phone; for drawings outside a book",
            level=OFF,
            page="developers/checks",
            alone=NOTE,
        ),
        "active-content": Check(
            "a script, a handler or a reference to elsewhere in a drawing outside a book; a book refuses it",
            level=OFF,
            page="developers/checks",
            alone=WARN,
        ),
        "text-as-paths": Check(
            "text drawn as shapes, which readers cannot select or search, and screen readers skip", alone=WARN
        ),
        "words-in-picture": Check(
            "text inside a picture, which readers cannot select or search, and screen readers skip",
            page="sources#picture",
        ),
        "not-repeatable": Check("a figure that differs when it is drawn a second time (`lint --twice`)"),
        "unused-source": Check("a source that no figure uses"),
        "needless-exception": Check("an exception under `lint:` for a check that the figure passes"),
    }
)
_NAME = re.compile(r"[a-z][a-z-]{0,39}")


def _fault(name: str, check: Check, _: Mapping[str, Check]) -> str | None:
    """What is wrong with another package's check; None if nothing is."""
    if not _NAME.fullmatch(name):
        return "a name is at most 40 lower-case letters and hyphens"
    if check.level not in LEVELS:
        return f"its level '{check.level}' is none of {', '.join(LEVELS)}"
    if not check.module or not check.function.partition(":")[2]:
        return "its function must be `module:name`"
    return None


CHECKS: Table[Check] = Table("figmill.checks", "check", Check, _OWN, _fault)


def inputs() -> tuple[tuple[str, str], ...]:
    """The packages that add checks, as inputs of every figure."""
    rows = ((check.package, check.module) for check in CHECKS.added.values())
    return tuple(versions.row_of(package, module) for package, module in rows if package is not None)


def levels(chosen: Iterable[tuple[str, str]], about: Iterable[str] = CHECKS) -> dict[str, str]:
    """The level of each check under a book's settings."""
    settings = dict(chosen)
    return {name: settings.get(name, CHECKS[name].level) for name in about}


def levels_alone(chosen: Mapping[str, str]) -> dict[str, str]:
    """The level of each check of figmill for a drawing outside a book, with the levels chosen on the command line."""
    return {name: chosen.get(name, check.alone) for name, check in _OWN.items()}


def active(chosen: Iterable[tuple[str, str]], every: bool = False) -> frozenset[str]:
    """The checks that a build must run; with `every`, those of `lint` as well."""
    return frozenset(
        name
        for name, level in levels(chosen).items()
        if level != OFF and (every or (level != NOTE and CHECKS[name].always))
    )
