"""The findings on a finished figure: each step looks for one problem. Pure.

A step reads a `FigureDraft` and yields findings with their places. STEPS has their order, which is that of reports. The
module that settles the figure decides which findings are errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from figmill import checks
from figmill.errors import one_line
from figmill.kind.job import Raw, Remark
from figmill.kinds import KINDS
from figmill.late_dataclasses import dataclass
from figmill.model import Origin, Translation, Visual, Warned
from figmill.publish import added_checks, made_alt, not_drawn
from figmill.publish.placeholders import short
from figmill.publish.same_units import differing
from figmill.svg import Normal

CONTRADICTED = "contradicted"  # as in claims/messages.py

# A formula in TeX that a drawing program would have set in a browser.
FORMULA = re.compile(r"\$\$[^$]*[\\^_][^$]*\$\$")


@dataclass(frozen=True, slots=True)
class FigureDraft:
    """A figure in its normal form and with its texts, before it is judged."""

    visual: Visual
    raw: Raw
    alt: str
    caption: str | None
    forms: tuple[tuple[str, Normal], ...]
    """Each theme with its form, light first."""
    active: frozenset[str]
    """The checks whose findings are wanted."""
    asked: tuple[str, ...] = ()
    """The messages of a drawing in another language."""
    has_own_words: bool = True
    """Whether its words are those of the source, not a translation made after its layout."""
    is_quiet: bool = False
    """Whether a build leaves out what a drawing program puts into every export."""

    @property
    def texts(self) -> Sequence[str]:
        """The words of the picture."""
        return self.forms[0][1].texts


Step = Callable[[FigureDraft], Iterator[Warned]]


def findings(draft: FigureDraft) -> tuple[Warned, ...]:
    """The findings of all steps, each once. Raises ToolError if another package's check fails."""
    return tuple(dict.fromkeys(finding for step in STEPS for finding in step(draft)))


def place(visual: Visual, line: int | None, column: int | None = None) -> Origin:
    """The place in a hand drawing; for a renderer's SVG, which no author sees, only the source."""
    if KINDS[visual.kind].by_hand:
        return Origin(visual.source, line, column)
    return visual.placed(Origin(visual.drawn_from))


def own_source(visual: Visual) -> bool:
    """Whether a figure in another language is drawn from a source of its own, whose text is in that language."""
    return visual.translation is not None and visual.translation.source is not None


def _of_the_renderer(draft: FigureDraft) -> Iterator[Warned]:
    """The renderer's remarks, at lines of the source."""
    yield from _remarked(draft, draft.raw.remarks)


def _not_drawn(draft: FigureDraft) -> Iterator[Warned]:
    """Labels and relations of the source that the picture lacks."""
    if not_drawn.CHECK in draft.active:
        yield from _remarked(draft, tuple(not_drawn.findings(draft.raw, draft.texts, draft.has_own_words)))


def _remarked(draft: FigureDraft, remarks: Sequence[Remark]) -> Iterator[Warned]:
    for remark in remarks:
        if remark.check in draft.active:
            origin = draft.visual.placed(Origin(draft.visual.drawn_from, remark.line))
            yield Warned(origin, remark.message, remark.check)


def _of_the_normal_form(draft: FigureDraft) -> Iterator[Warned]:
    """What the passes and the checks of the drawing found, in any theme."""
    for _, form in draft.forms:
        for line, message, check in form.warnings:
            yield Warned(place(draft.visual, line), one_line(message), check)


def _formulas(draft: FigureDraft) -> Iterator[Warned]:
    """Formulas left as TeX in a hand drawing; the other kinds report theirs."""
    if not KINDS[draft.visual.kind].by_hand or not ("dropped" in draft.active or draft.is_quiet):
        return
    for formula in dict.fromkeys(match[0] for text in draft.texts for match in FORMULA.finditer(text)):
        before, is_there, _ = draft.raw.svg.partition(formula.encode())
        line = before.count(b"\n") + 1 if is_there else None
        message = f"the formula {formula[:60]} stands as its source; export it as shapes"
        yield Warned(place(draft.visual, line), message, "dropped")


def _unseen_reads(draft: FigureDraft) -> Iterator[Warned]:
    if draft.raw.unseen and "unseen-reads" in draft.active:
        what = f"loads {one_line(draft.raw.unseen)}, whose reads figmill cannot see here"
        message = f"{what}: name its files under `inputs`"
        yield Warned(place(draft.visual, None), message, "unseen-reads")


def _units_that_differ(draft: FigureDraft) -> Iterator[Warned]:
    """A quantity with one unit in the texts and with another in the picture."""
    if "units-differ" in draft.active:
        texts = {"alt": draft.alt, "caption": draft.caption or ""}
        for key, message in differing(texts, draft.texts):
            yield Warned(draft.visual.at(key), message, "units-differ")


def _contradicted(draft: FigureDraft) -> Iterator[Warned]:
    """A number in the figure's own texts that its facts, its params or its picture contradict."""
    visual = draft.visual
    if (
        CONTRADICTED not in draft.active
        or visual.translation is not None
        or visual.explored
        or visual.language
    ):
        return
    # imported here: their patterns take a tenth of the time of a build that settles elsewhere
    from figmill.claims import messages

    texts = {"alt": visual.alt, "caption": visual.caption, "title": visual.title, "describe": visual.describe}
    for key, text in texts.items():
        if isinstance(text, str):
            facts, params = draft.raw.facts, visual.params
            for message in messages.contradictions(text, visual.label, facts, params, draft.texts):
                yield Warned(visual.at(key), message, CONTRADICTED)


def _no_alt(draft: FigureDraft) -> Iterator[Warned]:
    lacks = not draft.visual.alt and not made_alt.described(draft.raw.facts)
    if lacks and "alt-missing" in draft.active:
        message = f"no alt text: people who cannot see it are told '{made_alt.short(draft.alt)}'"
        yield Warned(draft.visual.at(), message, "alt-missing")


def _untranslated(draft: FigureDraft) -> Iterator[Warned]:
    into = draft.visual.translation
    if into is not None and "untranslated" in draft.active:
        for message in _lacking(draft.visual, into, draft.asked):
            yield Warned(Origin(into.file), message, "untranslated")


def _lacking(visual: Visual, into: Translation, wanted: Sequence[str]) -> Iterator[str]:
    """The parts of a figure that have no translation, in one line."""
    lacking = [] if into.source else [text for text in wanted if text not in into.messages]
    texts = [key for key in ("title", "alt", "caption") if getattr(visual, key) and not getattr(into, key)]
    if isinstance(visual.describe, str) and not into.describe:
        texts.append("describe")
    parts = []
    if lacking:
        shown = ", ".join(f"'{short(text, 30)}'" for text in lacking[:3])
        more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
        parts.append(f"{len(lacking)} of {len(wanted)} texts in the drawing ({shown}{more})")
    if texts:
        parts.append(", ".join(texts))
    if parts:
        yield f"'{visual.label}' in {into.language} has no translation of {'; '.join(parts)}"


def _of_packages(draft: FigureDraft) -> Iterator[Warned]:
    """The findings of other packages' checks. Raises ToolError if one fails."""
    figure = checks.CheckedFigure(
        name=draft.visual.label,
        kind=draft.visual.kind,
        source=draft.visual.source,
        pages={theme: form.svg for theme, form in draft.forms},
        texts=tuple(draft.texts),
        alt=draft.alt,
        caption=draft.caption,
        facts=draft.raw.facts,
    )
    for check, message in added_checks.findings(figure, draft.active):
        yield Warned(place(draft.visual, None), message, check)


STEPS: tuple[Step, ...] = (
    _of_the_renderer,
    _not_drawn,
    _of_the_normal_form,
    _formulas,
    _unseen_reads,
    _units_that_differ,
    _contradicted,
    _no_alt,
    _untranslated,
    _of_packages,
)
