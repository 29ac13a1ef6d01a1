"""The content of a figure in a page: the one module that every host uses. Pure.

A page names a figure as `figmill:ID`, and a fact of it as `figmill:ID#FACT` or `figmill:ID#FACT:FORMAT`. A fact of
an interactive figure follows its controls, unless the address ends in `:declared`.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from urllib.parse import unquote

from figmill.book.names import anchor_of
from figmill.errors import did_you_mean
from figmill.integrations import facts
from figmill.integrations.figures import Catalogue, Figure, PictureFile
from figmill.late_dataclasses import dataclass
from figmill.wording import Words

SCHEME = "figmill:"
THEMES = ("auto", "light", "dark")
DECLARED = "declared"
NOWHERE = "no page shows figure '{0}'; show it on one, with ![](figmill:{0})"
NOT_STATED = "\u2013"  # stands for a fact that a picture of an exploration does not state


@dataclass(frozen=True, slots=True)
class Target:
    """The target of an address: a figure, or a fact of it in a format."""

    label: str
    fact: str | None = None
    form: str = ""
    is_kept: bool = False  # it keeps its declared value

    def __str__(self) -> str:
        fact = "" if self.fact is None else f"#{self.fact}"
        parts = (self.form, DECLARED if self.is_kept else "")
        return f"{SCHEME}{self.label}{fact}{''.join(f':{part}' for part in parts if part)}"


@dataclass(frozen=True, slots=True)
class Embedding:
    """A figure in a page: one picture, or a pair of which the reader sees one.

    - alternates: (theme, picture): `light` and `dark`, or a single one of theme `only`.
    - doubt: a warning for the author of a figure that is shown anyway.
    """

    label: str
    alt: str
    caption: str | None
    alternates: tuple[tuple[str, PictureFile], ...]
    figure: Figure
    doubt: str | None = None

    @property
    def anchor(self) -> str:
        """See `anchor_of`."""
        return anchor_of(self.label)

    @property
    def light(self) -> PictureFile:
        """The picture for print, and for any place with room for only one."""
        return self.alternates[0][1]


@dataclass(frozen=True, slots=True)
class Missing:
    """Nothing can be shown.

    - message: the reason, for the author.
    - target: shown in the page instead.
    """

    message: str
    target: Target


def target(text: str) -> Target | None:
    """The target of `figmill:...`; None for any other address."""
    if not text.startswith(SCHEME):
        return None
    label, _, fact = text.removeprefix(SCHEME).partition("#")
    name, _, written = fact.partition(":")
    form = unquote(written)  # most hosts encode `%` as `%25`
    is_kept = form == DECLARED or form.endswith(f":{DECLARED}")
    return Target(
        unquote(label),
        unquote(name) or None,
        form.removesuffix(DECLARED).removesuffix(":") if is_kept else form,
        is_kept,
    )


def show(
    catalogue: Catalogue,
    wanted: Target,
    *,
    caption: str | None = None,
    alt: str | None = None,
    theme: str = "auto",
    failures: Mapping[str, str] | None = None,
) -> Embedding | Missing:
    """The figure for a page. caption: in place of its own; theme: one of THEMES; failures: label -> reason."""
    figure = catalogue.figures.get(wanted.label)
    failed = (failures or {}).get(wanted.label)
    if figure is None:
        return Missing(_unknown(catalogue, wanted.label, failed), wanted)
    dark = figure.picture("dark")
    light = figure.picture("light") or dark
    if light is None:
        return Missing(f"figure '{wanted.label}' has no SVG; run `figmill`", wanted)
    if theme == "auto" and dark and dark is not light:
        alternates: tuple[tuple[str, PictureFile], ...] = (("light", light), ("dark", dark))
    else:
        alternates = (("only", dark if theme == "dark" and dark else light),)
    return Embedding(
        label=figure.label,
        alt=figure.alt if alt is None else alt,
        caption=(caption or figure.caption or "").strip() or None,
        alternates=alternates,
        figure=figure,
        doubt=_doubt(wanted.label, failed) if figure.is_stale else None,
    )


def say(catalogue: Catalogue, wanted: Target, failures: Mapping[str, str] | None = None) -> str | Missing:
    """The fact named by a page, as text."""
    figure = catalogue.figures.get(wanted.label)
    if figure is None:
        return Missing(_unknown(catalogue, wanted.label, (failures or {}).get(wanted.label)), wanted)
    if wanted.fact is None:
        return Missing(f"name a fact of the figure, as in {SCHEME}{wanted.label}#FACT", wanted)
    if wanted.fact not in figure.facts:
        near = did_you_mean(wanted.fact, figure.facts)
        hint = near or f"; it states: {', '.join(figure.facts) or 'none'}"
        return Missing(f"figure '{wanted.label}' states no fact '{wanted.fact}'{hint}", wanted)
    try:
        return _in_its_language(facts.shown(figure.facts[wanted.fact], wanted.form, wanted.fact), figure)
    except ValueError as error:
        return Missing(f"fact '{wanted.fact}' of figure '{wanted.label}': {error}", wanted)


def interactive_texts(catalogue: Catalogue, wanted: Target) -> tuple[str, ...] | Missing:
    """The text of a fact for each picture of an interactive figure; empty if it is the same for all.

    wanted: a fact that `say` has a text for.
    """
    figure = catalogue.figures[wanted.label]
    explore = figure.explore
    if explore is None or wanted.is_kept or wanted.fact is None:
        return ()
    try:
        texts = tuple(
            " ".join(
                _in_its_language(facts.shown(stated[wanted.fact], wanted.form, wanted.fact), figure).split()
            )
            if wanted.fact in stated
            else NOT_STATED
            for stated in explore.facts
        )
    except ValueError as error:
        return Missing(
            f"fact '{wanted.fact}' of figure '{wanted.label}', in one of its pictures: {error}", wanted
        )
    return texts if len(set(texts)) > 1 else ()


def lost(
    catalogue: Catalogue, wanted: Target, shown: Container[str], failures: Mapping[str, str] | None = None
) -> str | None:
    """Why a link with text leads nowhere. shown: the labels of the figures that the page shows."""
    if wanted.label not in catalogue.figures:
        return _unknown(catalogue, wanted.label, (failures or {}).get(wanted.label))
    if wanted.label not in shown:
        anchor = anchor_of(wanted.label)
        return f"figure '{wanted.label}' is not on this page; link to the page that shows it, with #{anchor}"
    return None


def _in_its_language(text: str, figure: Figure) -> str:
    """A fact with its numbers in the form of the figure's language."""
    return (
        Words({"decimal": figure.decimal, "group": figure.group}).numbers(text) if figure.language else text
    )


def _unknown(catalogue: Catalogue, label: str, failed: str | None) -> str:
    if failed:
        return f"figure '{label}' could not be built: {failed}"
    return f"there is no figure '{label}'{did_you_mean(label, catalogue.figures)}"


def _doubt(label: str, failed: str | None) -> str:
    return f"figure '{label}' is out of date because its last build failed{f': {failed}' if failed else ''}"
