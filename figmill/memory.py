"""Questions as they were read, by the digest of their files, so that an unchanged file is not parsed again.

Bytes in, bytes out, and no more trusted than the files themselves: what does not look right is forgotten, and
read anew. Only files in which nothing is wrong are kept.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from figmill.model import Expect, ExpectedFact, Origin
from figmill.questions import Declaration, Question, Reference

PATH = ".figmill/questions.json"
# Another reader may read otherwise.
READER = ("checks.py", "fields.py", "nodes.py", "values.py", "questions.py", "yamltext.py", "memory.py")

_PLAIN = tuple(f.name for f in fields(Declaration) if f.name not in ("origins", "expect", "inputs", "themes"))

Kept = Mapping[str, tuple[str, Question]]  # path -> digest of the file, what it holds


def dumps(kept: Kept, code: str) -> bytes:
    """What to keep; `code` names the reader that read it."""
    files = {path: [digest, *_packed(question)] for path, (digest, question) in kept.items()}
    text = json.dumps({"code": code, "files": files}, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")  # a file's name need not be UTF-8


def loads(data: bytes | None, code: str) -> dict[str, tuple[str, Question]]:
    """What was kept by the same reader; nothing where it cannot be read."""
    try:
        whole = json.loads(data or b"")
        if whole["code"] != code:
            return {}
        return {path: (row[0], _unpacked(path, *row[1:])) for path, row in whole["files"].items()}
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        return {}


def _packed(question: Question) -> list[Any]:
    row: list[Any] = [
        question.id,
        question.track,
        question.title,
        question.origin.line,
        question.origin.column,
    ]
    if question.names:
        row += [
            [_packed_declaration(declaration) for declaration in question.declarations],
            [[r.name, r.ref, r.origin.line, r.origin.column] for r in question.references],
            list(question.names),
        ]
    return row


def _packed_declaration(declaration: Declaration) -> dict[str, Any]:
    origins = {key: [at.line, at.column] for key, at in declaration.origins.items()}
    plain = {name: getattr(declaration, name) for name in _PLAIN}
    return {**plain, "inputs": declaration.inputs, "themes": declaration.themes,
            "expect": asdict(declaration.expect), "origins": origins}  # fmt: skip


def _unpacked(
    path: str, id_: str, track: str, title: str | None, line: int, column: int, *more: Any
) -> Question:
    origin = Origin(path, line, column)
    if not more:
        return Question(id_, track, title, path, origin)
    declarations, references, names = more
    return Question(
        id_, track, title, path, origin,
        tuple(_unpacked_declaration(path, row) for row in declarations),
        tuple(Reference(name, ref, Origin(path, *at)) for name, ref, *at in references),
        tuple(names),
    )  # fmt: skip


def _unpacked_declaration(path: str, row: dict[str, Any]) -> Declaration:
    expect = row["expect"]
    return Declaration(
        **{name: row[name] for name in _PLAIN},
        inputs=tuple(row["inputs"]),
        themes=None if row["themes"] is None else tuple(row["themes"]),
        expect=Expect(
            expect["nodes"], expect["edges"], tuple(expect["text"]),
            tuple(ExpectedFact(**fact) for fact in expect["facts"]),
        ),
        origins={key: Origin(path, *at) for key, at in row["origins"].items()},
    )  # fmt: skip
