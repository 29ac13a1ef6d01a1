"""Changes of the source of a text kind that give its drawing fewer findings of the layout.

The kind offers versions of a source (`Kind.hints`). Each is drawn, and the best is offered: the one with the fewest
findings, if no check has more than before. Writes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from figmill.checks import OFF, WARN, levels_alone
from figmill.config import Options
from figmill.engine.load import look
from figmill.engine.processes import pool_of
from figmill.host import files
from figmill.kind.job import Job, Raw
from figmill.kinds import KINDS, is_script
from figmill.late_dataclasses import dataclass
from figmill.lint.drawings import findings
from figmill.lint.receipt import LAYOUT
from figmill.model import Visual
from figmill.render.jobs import job_for
from figmill.render.pool import Pool
from figmill.render.results import Drawn

MOST = 8  # versions of one source


@dataclass(frozen=True, slots=True)
class Hinted:
    """A figure of a text kind."""

    figure: str
    source: str  # relative to the root
    before: bytes
    after: bytes
    what: str  # the change; empty: none helps
    checks_before: tuple[str, ...]  # of the findings on `before`
    checks_after: tuple[str, ...]  # of those on `after`


def hinted(root: Path, options: Options, ids: tuple[str, ...], jobs: int = 1) -> Iterator[Hinted]:
    """Each requested figure whose kind offers versions of its source, in the order of the book."""
    state = look(root, options, ids)
    seen: set[str] = set()
    with pool_of(root, state.options, jobs) as pool:
        for step in state.requested:
            visual = step.visual
            kind = KINDS[visual.kind]
            if visual.fence is not None or is_script(visual.source) or kind.by_hand or visual.source in seen:
                continue
            seen.add(visual.source)
            data = state.disk.read(visual.source, files.SOURCE)
            job = None if data is None else job_for(visual, state.options, None)
            if data is not None and isinstance(job, Job):
                yield _best(visual, data, job, pool)


def _best(visual: Visual, data: bytes, job: Job, pool: Pool) -> Hinted:
    text = data.decode("utf-8", "surrogateescape")
    offered = [*KINDS[visual.kind].hints(text)][:MOST]
    whats, texts = ["", *(hint.what for hint in offered)], [text, *(hint.text for hint in offered)]
    counts: list[Counter[str] | None] = []
    with closing(pool.draw_all([replace(job, text=version) for version in texts])) as results:
        for result in results:
            counts.append(_counted(result.raw) if isinstance(result, Drawn) else None)
    first = counts[0]
    best = 0
    if first is not None:
        for number, count in enumerate(counts):
            now = counts[best]
            assert now is not None
            if (
                count is not None
                and count.total() < now.total()
                and all(count[name] <= first[name] for name in count)
            ):
                best = number
    left = counts[best] or Counter()
    label = visual.id if visual.name is None else f"{visual.id}-{visual.name}"
    after = texts[best].encode("utf-8", "surrogateescape")
    return Hinted(
        label,
        visual.source,
        data,
        after,
        whats[best],
        tuple((first or Counter()).elements()),
        tuple(left.elements()),
    )


def _counted(raw: Raw) -> Counter[str]:
    """The findings of the layout of a drawing, and the remarks of its program."""
    levels = {
        name: level if name in LAYOUT and level == WARN else OFF for name, level in levels_alone({}).items()
    }
    rows = [finding.check for finding in findings("drawing.svg", raw.svg, levels)]
    return Counter([*rows, *(remark.check for remark in raw.remarks)])
