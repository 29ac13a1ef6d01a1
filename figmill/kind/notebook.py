"""The code of a Jupyter notebook, with the tags of its cells. Pure.

A line of code keeps its line number in the notebook's file, because notebooks are saved with one line of code on each.
IPython's commands, such as `%matplotlib inline`, `!pip install` and `%%time`, are skipped. So are whole cells in
another language, such as `%%bash`. Format: https://nbformat.readthedocs.io/en/latest/format_description.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from figmill.errors import AuthorError
from figmill.kind import source_text
from figmill.late_dataclasses import dataclass
from figmill.model import Origin

SUFFIX = ".ipynb"
# Commands before a cell whose code is Python.
PYTHON = frozenset({"%%time", "%%timeit", "%%capture", "%%prun", "%%python", "%%python3"})
_COMMAND = re.compile(r"([ \t]*)(?:%[A-Za-z]\w*|!\s*[\w./]+|\?\w+)(?:[ \t].*)?$")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of code. line: of the file, where its code begins."""

    tags: tuple[str, ...]
    line: int
    code: str

    @property
    def placed(self) -> str:
        """The code below empty lines, so that its first line has its number."""
        return "\n" * (self.line - 1) + self.code


def is_notebook(source: str) -> bool:
    return source.endswith(SUFFIX)


def cells(data: bytes, path: str) -> tuple[Cell, ...]:
    """The cells of Python code that are not empty. Raises AuthorError."""
    text = source_text.decoded(data, path)
    whole = source_text.json_value(text, path, "a notebook", strict=False)  # outputs hold anything
    if not isinstance(whole, Mapping) or not isinstance(whole.get("cells"), list):
        raise AuthorError(Origin(path), "not a notebook of format 4; save it again in Jupyter")
    if (language := _language(whole)) not in ("python", "python3", ""):
        raise AuthorError(Origin(path), f"a notebook in {language}; figmill runs only Python")
    return tuple(_of(whole["cells"], text.splitlines()))


def as_script(data: bytes, path: str) -> bytes:
    """All code of a notebook as one script, line by line as in the file. Raises AuthorError."""
    lines: list[str] = []
    for cell in cells(data, path):
        lines += [""] * (cell.line - 1 - len(lines))
        lines += cell.code.split("\n")
    return "\n".join([*lines, ""]).encode("utf-8", "surrogatepass")


def _language(whole: Mapping[str, Any]) -> str:
    about = whole.get("metadata")
    rows = [about.get(key) for key in ("language_info", "kernelspec")] if isinstance(about, Mapping) else []
    names = [
        row.get(key) for row, key in zip(rows, ("name", "language"), strict=False) if isinstance(row, Mapping)
    ]
    return next((str(name).casefold() for name in names if name), "")


def _of(rows: Sequence[Any], lines: Sequence[str]) -> Iterator[Cell]:
    at = 0  # the next line to look at, from 0
    for row in rows:
        if not isinstance(row, Mapping) or row.get("cell_type") != "code":
            continue
        source = row.get("source", "")
        text = "".join(map(str, source)) if isinstance(source, list) else str(source)
        code = _without_commands(text.split("\n"))
        if not any(line.strip() for line in code):
            continue
        first = text.splitlines(keepends=True)[0]
        written = {json.dumps(first), json.dumps(first, ensure_ascii=False)}
        numbers = (n for n in range(at, len(lines)) if lines[n].strip().rstrip(",") in written)
        line = next(numbers, at)
        at = line + len(code)
        about = row.get("metadata")
        tags = about.get("tags", []) if isinstance(about, Mapping) else []
        yield Cell(tuple(str(tag) for tag in tags if isinstance(tag, str)), line + 1, "\n".join(code))


def _without_commands(code: list[str]) -> list[str]:
    """The lines of a cell with `pass` in place of commands; empty if it is not Python."""
    first = next((n for n, line in enumerate(code) if line.strip()), 0)
    if code[first].startswith("%%"):
        if code[first].split()[0] not in PYTHON:
            return []
        code = [*code[:first], "pass", *code[first + 1 :]]
    return [f"{match[1]}pass" if (match := _COMMAND.match(line)) else line for line in code]
