"""A figure as it would be with other parameters: checked, drawn and settled like any other, and not published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from figmill.config import Options
from figmill.engine.drawing.outcome import Built, Failed
from figmill.engine.drawing.results import outcomes_of
from figmill.engine.plan import Step, drawing_inputs
from figmill.engine.request import Request
from figmill.engine.resident.views import Supposed
from figmill.errors import AuthorError, held
from figmill.model import Expect, Inputs, Json, Visual
from figmill.publish.expectations import unmet_facts
from figmill.render.pool import Pool
from figmill.store.disk import Disk


def suppose(
    visual: Visual,
    params: Mapping[str, Json],
    disk: Disk,
    options: Options,
    request: Request,
    pool: Pool,
    theme: str | None = None,
) -> Supposed:
    """params: all of them; what is left out has the default of the signature. The cache keeps the drawing.

    theme: the only one that is looked at, where the figure has it.
    """
    wanted = replace(visual, params=dict(params))
    if theme in visual.themes:
        wanted = replace(wanted, themes=(theme,))
    free = replace(wanted, expect=Expect())  # what differs from what is expected is shown all the same
    outcome = _outcome(free, disk, options, request, pool)
    unmet: tuple[AuthorError, ...] = ()
    if isinstance(outcome, Failed) and _is_of_words(outcome, visual):  # they speak of a fact that is gone
        unmet = outcome.errors
        free = replace(free, alt=_literal(visual.alt), caption=visual.caption and _literal(visual.caption))
        outcome = _outcome(free, disk, options, request, pool)
    if isinstance(outcome, Failed):
        return Supposed(None, outcome.errors, seconds=outcome.seconds)
    unmet += tuple(unmet_facts(wanted, outcome.settled.facts))
    if visual.expect.text:  # only who parses the drawing can tell
        of_texts = replace(free, expect=Expect(text=visual.expect.text))
        compared = _outcome(of_texts, disk, options, request, pool)
        unmet += compared.errors if isinstance(compared, Failed) else ()
    return Supposed(outcome.settled, unmet=unmet, seconds=outcome.seconds)


def _is_of_words(failed: Failed, visual: Visual) -> bool:
    """Whether a figure has failed for its alt text and caption alone."""
    return {error.origin for error in failed.errors} <= {visual.at("alt"), visual.at("caption")}


def _literal(text: str) -> str:
    """A text that is shown as it is written, its placeholders too."""
    return text.replace("{", "{{").replace("}", "}}")


def _outcome(visual: Visual, disk: Disk, options: Options, request: Request, pool: Pool) -> Built | Failed:
    nothing = Inputs.of(())
    try:
        fonts = tuple(disk.root / name for name in options.fonts)
        declared = drawing_inputs(
            visual, disk.digest, fonts, options.palette, options.rasterise, options.limits.megapixels
        )
    except Exception as error:
        wrong = held(visual.at(), "looking at its files", error)
        return Failed(Step(visual, nothing, nothing, ("params",), None), (wrong,))
    step = Step(visual, declared, nothing, ("params",), None)
    (outcome,) = outcomes_of((step,), disk, options, request, pool)
    if isinstance(outcome, Built | Failed):
        return outcome
    return Failed(step, (AuthorError(visual.at(), "it was not drawn"),))
