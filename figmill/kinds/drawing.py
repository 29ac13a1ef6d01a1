"""Draw one job: what holds for the drawings of every kind.

A kind's module draws, and answers for its own language. Three faults can come from any of them, and each is the
author's error here, once: a character that no figure can hold, nesting too deep to read, and words from a source that
are not fit to be stated as facts. A name in a source that no file can have, such as a very long one, is not a file that
the drawing depends on.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from figmill.errors import AuthorError
from figmill.kind import answer, drawn_text
from figmill.kind.job import Job, Raw, source
from figmill.kinds import KINDS
from figmill.model import Fact, Origin

DEEP = (
    "the parts of this lie too deep in each other to be drawn; draw the inner ones in a figure of their own"
)


def drawn(job: Job, root: Path) -> Raw:
    """The drawing of a job. Raises AuthorError."""
    is_script = job.entry in ("draw", "script")
    try:
        raw = KINDS[job.kind].load().render(job, root)
        drawn_text.check(raw.svg)
    except drawn_text.UnfitError as error:
        text = "" if is_script else source(job, root).decode("utf-8", "replace")
        raise drawn_text.author_error(error, text, job.source) from None
    except RecursionError:
        raise AuthorError(Origin(job.source), DEEP) from None
    raw = replace(raw, traced=tuple(filter(answer.is_path, raw.traced)))
    return raw if is_script else replace(raw, facts={name: _fit(fact) for name, fact in raw.facts.items()})


def _fit(fact: Fact) -> Fact:
    """A fact that a renderer took from a source: text in one line, as long as a fact may be."""
    if not isinstance(fact, str):
        return fact
    text = re.sub(answer.UNFIT, " ", fact)
    return text if len(text) <= answer.TEXT else f"{text[: answer.TEXT - 1]}\N{HORIZONTAL ELLIPSIS}"
