"""More facts about a script's parameter: its default, and the author's description. Pure.

The description comes from `Doc("...")` in an annotation, or from draw()'s docstring in any usual form: `name: text` in
a line or a sentence, also below `Args:`, and `:param name: text`.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Sequence

from figmill.model import Json

LONGEST = 300  # characters of a description
ITEMS = 256  # the most items of a list


def default(value: ast.expr | None) -> tuple[Json, ...]:
    """A one-item tuple with the default; empty if there is none, or if a question cannot hold it."""
    if value is None:
        return ()
    try:
        literal = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ()
    return (_plain(literal),) if _fits(literal) else ()


def _plain(value: object) -> Json:
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value  # type: ignore[return-value]


def _fits(value: object) -> bool:
    """Whether a value is small and fits JSON: a scalar, or a list of scalars."""
    if isinstance(value, list | tuple):
        return len(value) <= ITEMS and all(not isinstance(v, list | tuple) and _fits(v) for v in value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) < 1 << 53  # the integers that JavaScript represents exactly
    if isinstance(value, str):
        return len(value) <= 10_000 and not re.search("[\ud800-\udfff]", value)
    return value is None


def doc(annotation: ast.expr | None) -> str:
    """The text of `Doc("...")` in `Annotated[...]`, in any member of a union; empty if there is none."""
    for node in ast.walk(annotation) if annotation is not None else ():
        match node:
            case ast.Call(
                func=ast.Name(id="Doc") | ast.Attribute(attr="Doc"), args=[ast.Constant(value=str(text))]
            ):
                return _short(text)
    return ""


def words(docstring: str, names: Sequence[str]) -> dict[str, str]:
    """Parameter name -> its description, in one line. `first .. last: text` describes all from first to last."""
    pattern = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    if not pattern or not docstring:
        return {}
    begin = re.compile(
        rf"(?:^|(?<=[.;]\s))[ \t]*(?::param\s+)?\*{{0,2}}({pattern})(?:\s*\.\.\s*({pattern}))?"
        r"[ \t]*(?:\([^()\n]*\))?[ \t]*:\s+",
        re.MULTILINE,
    )
    described: dict[str, str] = {}
    for paragraph in re.split(r"\n[ \t]*\n", docstring):
        starts = list(begin.finditer(paragraph))
        for number, match in enumerate(starts):
            end = starts[number + 1].start() if number + 1 < len(starts) else len(paragraph)
            first, last = names.index(match[1]), names.index(match[2] or match[1])
            for name in names[first : last + 1]:
                described.setdefault(name, _short(paragraph[match.end() : end]))
    return described


def _short(text: str) -> str:
    line = " ".join(text.split())
    line = re.split(r"\s:returns?:|\sReturns:|\sRaises:", line)[0].rstrip(" .;")
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
