"""Read the parameters of a figure's draw() from its script, in a process with limits. The script is not run."""

from __future__ import annotations

from figmill.config import Options
from figmill.errors import AuthorError
from figmill.kinds import is_script
from figmill.kinds.scripts.signature import Signature, decoded
from figmill.model import Visual
from figmill.render.jobs import reading, source_of
from figmill.render.pool import Pool
from figmill.render.results import Drawn
from figmill.store.disk import Disk


def signature_of(visual: Visual, disk: Disk, options: Options, pool: Pool) -> Signature | None:
    """The signature; None if no draw() draws the figure. Raises AuthorError if its script cannot be read."""
    if not is_script(visual.source):
        return None
    steps = [[reading(visual.source, visual.timeout, options.memory)]]
    (result,) = pool.draw_all([source_of(visual, disk.read)], steps)
    answer = result.answers[0] if isinstance(result, Drawn) else result.error
    if isinstance(answer, AuthorError):
        raise answer
    return decoded(answer[0], visual.source)
