"""Changed figures -> Markdown for a pull request, within GitHub's limits. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias
from urllib.parse import quote

from figmill.compare.figures import Compared, counts
from figmill.late_dataclasses import dataclass
from figmill.model import Change

LONGEST = 65_536  # characters of a comment on GitHub
SHOWN = 10  # figures with a row of the table


@dataclass(frozen=True, slots=True)
class PicturePaths:
    """The paths of a figure's pictures before and after.

    - change: of the change as one picture, if there is one.
    - legend: what that picture shows.
    """

    before: str
    after: str
    change: str | None = None
    legend: tuple[str, ...] = ()


Paths: TypeAlias = Mapping[str, PicturePaths]  # by the path of the SVG
NONE: Paths = {}
NAMES = {
    "create": "new",
    "change": "changed",
    "rename": "renamed",
    "remove": "gone",
    "fail": "failed",
    "invisible": "changed invisibly",
    "same": "as before",
}
# Matches Markdown, HTML, mentions, issue numbers and addresses.
SPECIAL = re.compile(r"([\\`*_\[\]<>#|~&@$])|(?<=[a-z])(:)(?=//)|(?<=www)(\.)", re.I)


def markdown(figures: Sequence[Compared], whole: int, pictures: Paths = NONE) -> str:
    """The summary: counts, a table, and the pictures by path. whole: how many figures there are.

    pictures: where they are; for other SVGs, the summary has only the path.
    """
    text = "\n".join(_lines(figures, whole, SHOWN, pictures))
    for shown in range(SHOWN - 1, -1, -1):
        if len(text) < LONGEST:
            break
        text = "\n".join(_lines(figures, whole, shown, pictures))
    return text + "\n"


def _lines(figures: Sequence[Compared], whole: int, shown: int, pictures: Paths) -> Iterator[str]:
    yield f"### Figures: {', '.join(f'{count} {name}' for name, count in counted(figures, whole))} (of {whole})"
    if not figures:
        return
    yield ""
    rows = [("figure", "what changed", "pixels")]
    for figure in figures[:shown]:
        what = "; ".join(figure.errors or figure.phrases) or NAMES[figure.verb]
        rows.append((escaped(figure.label), escaped(what), share(figure)))
    if len(figures) > shown:
        rows.append((f"and {len(figures) - shown} more", "", ""))
    columns = 3 if any(figure.has_pixels for figure in figures) else 2
    head, *rest = (f"| {' | '.join(row[:columns])} |" for row in rows)
    yield from (head, f"|{'---|' * columns}", *rest)
    for figure in figures[:shown]:
        change = picture(figure)
        if change is not None:
            yield ""
            yield f"<details><summary>{escaped(figure.label)}</summary>"
            yield ""
            places = pictures.get(change.target)
            yield from [f"`{change.target}`"] if places is None else _shown(figure, places)
            yield ""
            yield "</details>"


def _shown(figure: Compared, places: PicturePaths) -> Iterator[str]:
    label = escaped(figure.label)
    if places.change is not None:
        alt = f"{figure.label}: {'; '.join(figure.phrases)}"
        yield f"![{escaped(alt)}](<{quote(places.change)}>)"
        yield ""
        yield escaped("; ".join(places.legend))
        yield ""
    yield "| before | after |"
    yield "|---|---|"
    yield "| " + " | ".join(f"![{label}](<{quote(path)}>)" for path in (places.before, places.after)) + " |"


def counted(figures: Sequence[Compared], whole: int) -> list[tuple[str, int]]:
    """The number of figures of each sort, in words and in order; without any figure, `as before`."""
    numbers = counts(figures, whole)
    return [
        (name, numbers[verb])
        for verb, name in NAMES.items()
        if numbers.get(verb) or (whole == 0 and verb == "same")
    ]


def picture(figure: Compared) -> Change | None:
    """The SVG that shows how a figure changed, the light one if it differs; None if the change is invisible."""
    if figure.verb != "change" or not figure.share:
        return None
    differing = (theme for theme in figure.themes if theme.change.before != theme.change.after)
    return next(differing, figure.themes[0]).change


def share(figure: Compared) -> str:
    """The share of pixels, as people write it."""
    if figure.verb != "change":
        return ""
    if figure.share == 0:
        return "0 %"
    return f"{100 * figure.share:.1f} %" if figure.share >= 0.001 else "under 0.1 %"


def escaped(text: str) -> str:
    """Text with all Markdown, HTML and mentions escaped."""
    return SPECIAL.sub(lambda match: f"&#{ord(match[0])};", " ".join(text.split()))
