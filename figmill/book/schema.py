"""The JSON Schema of a question file, which lets editors complete and explain keys and underline mistakes.

Generated from the tables of fields.py, so it agrees with the reader. The build checks what a schema cannot express:
whether a source exists, an id is unique, or a tag is used.
"""

from __future__ import annotations

import re

from figmill.book.fields import FIGURE, GLOBAL, NAME, REF, Fields
from figmill.book.value_types import FileName, Id
from figmill.kinds import KINDS
from figmill.model import Json

# The dialect that editors' YAML extensions support.
DIALECT = "http://json-schema.org/draft-07/schema#"


def schema() -> dict[str, Json]:
    """A JSON Schema, draft 7."""
    return {
        "$schema": DIALECT,
        "title": "A question and its figures",
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {
                "description": "unique in the book; the figure's file is named after it",
                **Id().schema(),
            },
            "track": {
                "description": f"the folder of visuals/ that contains its sources; default: {GLOBAL}",
                **FileName().schema(),
            },
            "title": {
                "description": "the question's title in the book; also the figure's title for screen readers"
            },
            "visual": {
                "description": "the question's figure, or `ref` to that of another question",
                "anyOf": [_figure(FIGURE, named=False), {"type": "null"}],
            },
            "visuals": {
                "description": "the question's figures, each with a name",
                "anyOf": [{"type": "array", "items": _figure(FIGURE, named=True)}, {"type": "null"}],
            },
        },
        # Not both, unless one is null.
        "not": {
            "required": ["visual", "visuals"],
            "properties": {"visual": {"type": "object"}, "visuals": {"type": "array"}},
        },
    }


def _figure(fields: Fields, named: bool) -> dict[str, Json]:
    """One object schema for figures and references, so that an editor completes the keys of both."""
    names: list[Json] = ["name"] if named else []
    properties: dict[str, Json] = {"name": NAME.schema()} if named else {}
    required: list[Json] = [key for key, field in fields.table.items() if field.required]
    return {
        "type": "object",
        "properties": {
            **properties,
            **{key: field.schema() for key, field in fields.table.items()},
            "ref": REF.schema(),
        },
        "additionalProperties": False,
        "required": names,
        "if": {"required": ["ref"]},
        "then": {"propertyNames": {"enum": [*names, "ref"]}},
        "else": {
            **({"required": required} if required else {}),
            "anyOf": [{"required": ["alt"]}, *_described()],
        },
    }


def _described() -> list[Json]:
    """The schemas of a figure that needs no alt: its kind has sources that describe themselves."""
    rows = {name: kind for name, kind in KINDS.items() if kind.describes}
    endings = "|".join(re.escape(suffix) for kind in rows.values() for suffix in kind.suffixes)
    return [
        {"required": ["source"], "properties": {"source": {"pattern": f"({endings})$"}}},
        {"required": ["kind"], "properties": {"kind": {"enum": list(rows)}}},
    ]
