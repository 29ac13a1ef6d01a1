"""Draw a figure with other parameters: it is checked, drawn and settled like any other, but not published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from figmill.config import Options
from figmill.engine.drawing.outcome import Built, Failed, strictly
from figmill.engine.drawing.results import outcomes_of
from figmill.engine.keys import Sharing, drawing_inputs
from figmill.engine.plan import Stale, Step
from figmill.engine.resident.views import WhatIf
from figmill.errors import AuthorError, held
from figmill.model import Expect, Inputs, Json, Visual
from figmill.publish.expectations import unmet_facts
from figmill.render.pool import Pool
from figmill.store.cache import Cache, cache_of
from figmill.store.disk import Disk


def what_if(
    visual: Visual,
    params: Mapping[str, Json],
    disk: Disk,
    options: Options,
    pool: Pool,
    theme: str | None = None,
    *,
    is_strict: bool = False,
) -> WhatIf:
    """params: those that are left out have the defaults of the signature.

    The drawing goes into the cache. theme: the only theme to draw, if the figure has it. is_strict: a warning is an
    error.
    """
    draw = partial(_outcome, disk=disk, options=options, cache=cache_of(disk.root, options), pool=pool)
    wanted = replace(visual, params=dict(params))
    if theme in visual.themes:
        wanted = replace(wanted, themes=(theme,))
    free = replace(wanted, expect=Expect())  # a figure that does not match is shown all the same
    outcome = draw(free)
    unmet: tuple[AuthorError, ...] = ()
    # they name a fact that no longer exists
    if isinstance(outcome, Failed) and _is_of_words(outcome, visual):
        unmet = outcome.errors
        free = replace(free, alt=_literal(visual.alt), caption=visual.caption and _literal(visual.caption))
        outcome = draw(free)
    if is_strict and isinstance(judged := strictly(outcome), Failed):
        outcome = judged
    if isinstance(outcome, Failed):
        return WhatIf(None, outcome.errors, seconds=outcome.seconds)
    unmet += tuple(unmet_facts(wanted, outcome.settled.facts))
    if visual.expect.text:  # only a process that parses the drawing can compare these
        of_texts = replace(free, expect=Expect(text=visual.expect.text))
        compared = draw(of_texts)
        unmet += compared.errors if isinstance(compared, Failed) else ()
    return WhatIf(outcome.settled, unmet=unmet, seconds=outcome.seconds)


def _is_of_words(failed: Failed, visual: Visual) -> bool:
    """Whether a figure failed only because of its alt text or caption."""
    return {error.origin for error in failed.errors} <= {visual.at("alt"), visual.at("caption")}


def _literal(text: str) -> str:
    """A text whose placeholders are shown as written."""
    return text.replace("{", "{{").replace("}", "}}")


def _outcome(visual: Visual, disk: Disk, options: Options, cache: Cache, pool: Pool) -> Built | Failed:
    nothing, stale = Inputs.of(()), Stale(("params",))
    try:
        fonts = tuple(disk.root / name for name in options.fonts)
        declared = drawing_inputs(visual, disk.digest, fonts, options, disk.root, Sharing())
    except Exception as error:
        wrong = held(visual.at(), "looking at its files", error)
        return Failed(Step(visual, nothing, nothing, stale, None), (wrong,))
    step = Step(visual, declared, nothing, stale, None)
    (outcome,) = outcomes_of((step,), disk, options, cache, pool)
    if isinstance(outcome, Built | Failed):
        return outcome
    return Failed(step, (AuthorError(visual.at(), "it was not drawn"),))
