"""The gallery of the documentation: each figure of the showcase with its source, grouped by subject.

The home page has small copies of the best.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path, PurePosixPath

from figmill.integrations.figures import Catalogue, Figure

# Heading -> the names of the scripts whose figures it groups.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "Pipeline schedules": ("pipeline_bubble", "bubble_filling"),
    "Training and its traces": (
        "worker_timeline",
        "trace_timeline",
        "stragglers",
        "fsdp_timeline",
        "data_stalls",
        "failures",
        "checkpoint_interval",
    ),
    "Collectives and links": ("collective", "collective_steps", "bandwidth_chain"),
    "Queues and serving": ("queueing", "serving_timeline", "speculative"),
    "Memory and compute": ("memory_budget", "roofline", "transformer_blocks", "network_blocks"),
    "Code and schemas": ("imports", "classes", "sql", "openapi", "state_machine"),
    "Messages and formats": ("message_sequence", "bit_fields"),
}
REST, OWN = "Other generators", "Graphs and drawings"
SUFFIXES = {".py": "python", ".dot": "dot"}
# The figures of the home page, by label: of eight kinds, each legible as a thumbnail.
BEST = (
    "cloud-2880",
    "cloud-2870",
    "cloud-2847",
    "shop-sql",
    "cloud-2861",
    "cloud-visual-001",
    "cloud-2882",
    "shop-imports",
)
LONGEST = 60  # lines of a source that is shown whole


@dataclass(frozen=True)
class Entry:
    """A figure with the text of its question and its source."""

    group: str
    figure: Figure
    question: str
    source: str  # its path


def entries(catalogue: Catalogue) -> list[Entry]:
    """All figures, in the order of the groups."""
    root = Path(catalogue.folder).parent
    if not catalogue.figures:
        return []
    rows = json.loads((root / "build/manifest.json").read_text(encoding="utf-8"))["figures"]
    found = []
    for row in rows:
        if "fence" in row:  # it stands in a page of these already
            continue
        label = row["id"] if row["name"] is None else f"{row['id']}-{row['name']}"
        question = (root / "questions" / row["track"] / f"{row['id']}.yaml").read_text(encoding="utf-8")
        group = _group(PurePosixPath(row["source"]))
        found.append(Entry(group, catalogue.figures[label], question, row["source"]))
    order = [*GROUPS, REST, OWN]
    return sorted(found, key=lambda one: (order.index(one.group), one.figure.label))


def _group(source: PurePosixPath) -> str:
    if source.suffix != ".py":
        return OWN
    return next((name for name, stems in GROUPS.items() if source.stem in stems), REST)


def page(catalogue: Catalogue, has_facts: bool = True) -> str:
    """All figures, grouped, as Markdown. has_facts: with a table of the facts of each."""
    root = Path(catalogue.folder).parent
    lines = []
    for group, some in groupby(entries(catalogue), key=lambda one: one.group):
        lines.append(f"## {group}\n")
        for one in some:
            lines += [f"### {one.figure.title or one.figure.label}\n", f"![](figmill:{one.figure.label})\n"]
            lines += [*_files(one, root), *(_stated(one.figure) if has_facts else ())]
    return "\n".join(lines)


def _files(one: Entry, root: Path) -> Iterator[str]:
    """The figure's part of the question, and its source if that is short, in a collapsed block."""
    visual = re.search(r"^visual:\n(?:[ \n].*\n?)*", one.question, re.MULTILINE)
    yield '??? example "Source"\n'
    yield from _block("yaml", visual[0] if visual else one.question)
    path = root / one.source
    if path.suffix in SUFFIXES:
        text = path.read_text(encoding="utf-8")
        if len(text.splitlines()) <= LONGEST:
            yield f"    `{one.source}`\n"
            yield from _block(SUFFIXES[path.suffix], text)


def _block(language: str, text: str) -> Iterator[str]:
    yield f"    ```{language}"
    yield from (f"    {line}".rstrip() for line in text.splitlines())
    yield "    ```\n"


def _stated(figure: Figure) -> list[str]:
    """The facts of a figure, in a collapsed table."""
    if not figure.facts:
        return []
    rows = [f"    | `{name}` | [](figmill:{figure.label}#{name}) |" for name in figure.facts]
    return ['??? note "Facts"\n', "    | fact | value |", "    |---|---|", *rows, ""]


def cards(catalogue: Catalogue) -> str:
    """Small copies of the best figures, each a link to the figure in the gallery."""
    best = (catalogue.figures[label] for label in BEST if label in catalogue.figures)
    return f'<ul class="cards">{"".join(_card(figure) for figure in best)}</ul>'


def _card(figure: Figure) -> str:
    pictures = "".join(
        f'<img class="figmill-{theme}" src="figures/{picture.path}" alt="" width="{picture.width:.0f}"'
        f' height="{picture.height:.0f}" loading="lazy" decoding="async">'
        for theme in ("light", "dark")
        if (picture := figure.picture(theme)) is not None
    )
    title = escape(figure.title or figure.label)
    picture = f'<span class="figmill-picture">{pictures}</span>'
    return f'<li><a href="gallery.html#fig-{figure.label}">{picture}<b>{title}</b></a></li>'
