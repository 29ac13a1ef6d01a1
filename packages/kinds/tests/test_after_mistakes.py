"""A process with V8 draws on after a mistake that its engine tells, and ends after anything else."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

import pytest
from helpers.book import Space
from helpers.kind_sources import PLANTUML_CORE, SEQUENCE

from figmill.kind.job import Job
from figmill.kinds import KINDS
from figmill.render.pool import Pool
from figmill.render.results import Drawn

GOOD = {"mermaid": "flowchart LR\n a --> b\n", "plantuml": SEQUENCE}
TOLD = {
    "mermaid": ("  \n", "pie\n a 3\n", "flowchrt\n", "sequenceDiagram\n A->>B: ask\n deactivate B\n"),
    "plantuml": ("\n", "@startuml\n!include none.puml\n@enduml\n", "@startuml\nA -> B\nfoo bar\n@enduml\n"),
}
# Sources at which the engine itself fails, or exhausts V8's stack: it may not be as it was.
FAILING = {
    "mermaid": 'flowchart LR\n a@{ img: "x.svg" }\n',
    "plantuml": "@startwbs\n* a\n" + "** b\n" * 800 + "@endwbs\n",
}
needs_package = pytest.mark.skipif(
    not (PLANTUML_CORE / "plantuml.js").exists(), reason="npm install @plantuml/core"
)


def idle(pool: Pool) -> list[int]:
    """How many jobs each process that waits for the next one has been asked."""
    return [connection.asked for waiting in pool._idle._waiting.values() for connection in waiting]


@pytest.mark.parametrize("kind", ["mermaid", pytest.param("plantuml", marks=needs_package)])
def test_a_process_outlives_the_mistakes_that_its_engine_tells(space: Space, kind: str) -> None:
    for name in KINDS[kind].needs.files:
        place = space.root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PLANTUML_CORE / place.name, place)

    def drawn(pool: Pool, sources: Sequence[str]) -> list[bool]:
        jobs = [Job(kind, "a", "file", text=text) for text in sources]
        return [isinstance(result, Drawn) for result in pool.draw_all(jobs)]

    with Pool(space.root.resolve(), stays=True) as pool:
        pool.start((kind,))
        assert drawn(pool, (GOOD[kind],)) == [True] and idle(pool) == [1]
        assert drawn(pool, (*TOLD[kind], GOOD[kind])) == [*[False] * len(TOLD[kind]), True]
        assert idle(pool) == [len(TOLD[kind]) + 2]
        assert drawn(pool, (FAILING[kind],)) == [False] and idle(pool) == []
