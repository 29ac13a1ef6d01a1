"""Mistakes that Mermaid draws without a word: values that it cannot draw, and names that are nowhere. Pure.

Each search looks for one mistake in one type of diagram, in a source that Mermaid has drawn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from figmill.errors import did_you_mean
from figmill.kinds.mermaid.mistakes import Mistake, Row

Silent = Callable[[Sequence[Row]], Iterator[Mistake]]

_OTHER = ("title", "section", "accTitle", "accDescr", "journey")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_QUOTED = re.compile(r'"[^"]*"')


def fatal(rows: Sequence[Row]) -> Mistake | None:
    """The first value that Mermaid draws in no place, or in a wrong one; None if all is well."""
    return next(_found(rows, FATAL), None)


def unknown_classes(rows: Sequence[Row]) -> Iterator[tuple[int, str]]:
    """Each class that a source uses and does not define, with its line: what is wrong, and what would be right.

    rows: with the `classDef` of the roles.
    """
    yield from ((line, words) for line, _, words in _found(rows, CLASSES))


def _found(rows: Sequence[Row], searches: Mapping[str, Silent]) -> Iterator[Mistake]:
    body = [(number, line) for number, line in rows if line.strip()]
    kind = body[0][1].split()[0].rstrip(":;") if body else ""
    for name, search in searches.items():
        if kind.startswith(name):
            yield from search(body)


def _scores(rows: Sequence[Row]) -> Iterator[Mistake]:
    in_text = False
    for number, line in rows[1:]:
        in_text = (in_text or re.match(r"\s*accDescr\s*\{", line) is not None) and "}" not in line
        name, colon, rest = line.partition(":")
        if in_text or not colon or line.split()[0].rstrip(":") in _OTHER:
            continue
        score = rest.partition(":")[0].strip()
        if not _NUMBER.fullmatch(score):
            right = f"{name.strip()}: 3: {score or 'Me'}"
            words = f"'{score}' is no score; write a number from 1 to 5 first, like `{right}`"
            yield number, _column(line, score, len(name) + 2), words


def _column(line: str, word: str, begin: int) -> int:
    return line.find(word, begin - 1) + 1 if word else begin


def _sizes(rows: Sequence[Row]) -> Iterator[Mistake]:
    for number, line in rows[1:]:
        plain = _QUOTED.sub(lambda match: "_" * len(match[0]), line)
        if plain.count(",") != 2:
            continue
        size = line[plain.rfind(",") + 1 :].strip().strip('"').strip()
        if not _NUMBER.fullmatch(size) or float(size) < 0:
            at = plain.rfind(",") + 2
            yield (
                number,
                _column(line, size, at),
                f"'{size}' is no size of a flow; write a number from 0, like `a,b,3`",
            )


_CURVES = re.compile(r"([\w-]+)\s*(?:\[[^\]]*\])?\s*\{([^}]*)\}")


def _values(rows: Sequence[Row]) -> Iterator[Mistake]:
    axes = []
    for _, line in rows[1:]:
        words = line.strip()
        if words.startswith("axis"):
            labels = re.sub(r'\["[^"]*"\]|\[[^\]]*\]', "", words.removeprefix("axis"))
            axes += [name.strip() for name in labels.split(",") if name.strip()]
    for number, line in rows[1:]:
        if not line.strip().startswith("curve"):
            continue
        for curve in _CURVES.finditer(line):
            values = [value.strip() for value in curve[2].split(",") if value.strip()]
            if axes and len(values) != len(axes):
                count = f"{len(values)} value{'s' * (len(values) != 1)}"
                words = f"curve '{curve[1]}' has {count} for {len(axes)} axes; write one for each of {', '.join(axes)}"
                yield number, curve.start(2), words


_DEFINED = re.compile(r"^\s*classDef\s+([\w-]+(?:\s*,\s*[\w-]+)*)", re.MULTILINE)
_USED = re.compile(r":::\s*([\w-]+(?:\s*,\s*[\w-]+)*)")
_ASSIGNED = re.compile(
    r"^\s*(?:class|cssClass)\s+(?:\"[^\"]*\"|[^\s\"]+)(?:\s*,\s*[^\s\"]+)*\s+([\w-]+)\s*;?\s*$"
)


def _classes(rows: Sequence[Row]) -> Iterator[Mistake]:
    lines = [_QUOTED.sub(lambda match: f'"{"_" * (len(match[0]) - 2)}"', line) for _, line in rows]
    defined = {
        name.strip() for line in lines for match in _DEFINED.finditer(line) for name in match[1].split(",")
    }
    for (number, _), line in zip(rows, lines, strict=True):
        named = [(match.start(1), match[1]) for match in _USED.finditer(line)]
        named += [(match.start(1), match[1]) for match in [_ASSIGNED.match(line)] if match]
        for at, names in named:
            for name in map(str.strip, names.split(",")):
                if name not in defined and name != "default":
                    near = (
                        did_you_mean(name, sorted(defined))
                        or f"; write `classDef {name} fill:...`, or a role"
                    )
                    yield number, at + 1, f"no class is called '{name}'{near}"


FATAL: Mapping[str, Silent] = {"journey": _scores, "sankey": _sizes, "radar": _values}
CLASSES: Mapping[str, Silent] = dict.fromkeys(
    ("flowchart", "graph", "classDiagram", "stateDiagram", "erDiagram", "requirementDiagram", "block"),
    _classes,
)
