"""The figures of `demo`: what a first look at figmill shows. Pure: returns the files and writes nothing.

Only kinds that need no extra, so that the first command always succeeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from figmill.config import Options
from figmill.late_dataclasses import dataclass
from figmill.model import Change
from figmill.scaffold import generators
from figmill.scaffold.new_files import UNFINISHED, new, title_of


@dataclass(frozen=True, slots=True)
class DemoFigure:
    """A figure of the demo.

    - generator: the generator that it copies; None: the first source of its kind.
    - alt: None: that of the kind's first source.
    """

    title: str
    kind: str
    generator: str | None = None
    alt: str | None = None


FIGURES: Mapping[str, DemoFigure] = MappingProxyType(
    {
        "requests": DemoFigure("A request and its answer, as a graph", "dot"),
        "step": DemoFigure("A plot that computes its numbers", "matplotlib"),
        "hop": DemoFigure("A drawing by hand", "svg"),
        "bubble": DemoFigure(
            "A schedule as a Gantt chart",
            "matplotlib",
            "pipeline_bubble",
            "A Gantt chart of a pipeline. The devices are idle for {bubble_fraction:.0%} of the time.",
        ),
        "handshake": DemoFigure(
            "Messages over time, to scale",
            "matplotlib",
            "message_sequence",
            "A client and a server send each other {messages} messages in turn, in {duration_ms:si} in all.",
        ),
    }
)


def demo() -> Iterator[Change]:
    """The files of the book: for each figure a question and a source."""
    for id_, figure in FIGURES.items():
        name = figure.generator
        begin = (f"{name}.py", generators.read(name)[0]) if name else None
        for change in new(id_, figure.kind, Options(), generator=begin):
            text = (change.after or b"").decode()
            if change.target.endswith(".yaml"):
                text = text.replace(f"title: {title_of(id_)}", f"title: {figure.title}").replace(
                    UNFINISHED, figure.alt or ""
                )
            yield Change(change.target, None, text.encode())
