"""The keys of a question file, as tables: a figure, its `expect` and `lint`, a reference to another question.

The reader (question.py) and the JSON Schema (schema.py) both use these tables, so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING
from dataclasses import fields as fields_of
from typing import Any

from figmill.book import scalars
from figmill.book.explore.values import ExploreMapping
from figmill.book.nodes import MapNode, Node, Scalar
from figmill.book.value_types import (
    AnyValue,
    Count,
    FactSources,
    FactValue,
    FileName,
    FilePath,
    Id,
    Languages,
    ListOf,
    MapOf,
    Number,
    NumberOrName,
    OneOf,
    Text,
    TextOrNo,
    Themes,
    Type,
    gather,
)
from figmill.checks import CHECKS, LONGEST
from figmill.errors import AuthorError, did_you_mean
from figmill.kinds import KINDS
from figmill.late_dataclasses import dataclass
from figmill.model import Expect, ExpectedFact, Json, Visual

COLOURS = ("auto", "keep", "theme")  # the treatment of fills in the dark theme
GLOBAL = "global"  # the track of questions without one


def default(model: type, name: str) -> str:
    """The default of the model's attribute, as text. Raises KeyError if it has none."""
    value = {each.name: each.default for each in fields_of(model) if each.default is not MISSING}[name]
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class Field:
    """A key of a mapping."""

    type: Type
    about: str
    required: bool = False
    default: str = ""  # the value if the key is missing, in words; empty if there is none

    def schema(self) -> dict[str, Json]:
        """The schema of the value, with the text that an editor shows for the key."""
        about = f"{self.about}; default: {self.default}" if self.default else self.about
        return {"description": about, **self.type.schema()}


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping with only the table's keys. Reads into a dict of the keys that are present."""

    table: Mapping[str, Field]
    prefix: str = ""  # put before the keys in messages

    def read(self, node: Node, name: str) -> dict[str, Any]:
        if not isinstance(node, MapNode):
            raise AuthorError(
                node.at, f"{name} must be a mapping of `key: value` lines, not {scalars.described(node)}"
            )
        keys = {key.text: key.at for key, _ in node.rows if isinstance(key, Scalar)}
        errors = [
            AuthorError(at, f"unknown key '{scalars.short(key)}' in {name}{self._near(key)}")
            for key, at in keys.items()
            if key not in self.table
        ]
        errors += [
            AuthorError(node.at, f"{name} needs {key}: {field.about}")
            for key, field in self.table.items()
            if field.required and key not in keys
        ]
        rows = [
            (key.text, item) for key, item in node.rows if isinstance(key, Scalar) and key.text in self.table
        ]
        values = gather(((self.table[key].type, item, self.prefix + key) for key, item in rows), errors)
        return dict(zip((key for key, _ in rows), values, strict=True))

    def _near(self, key: str) -> str:
        return did_you_mean(key, self.table) or f"; choose one of {', '.join(self.table)}"

    def schema(self) -> dict[str, Json]:
        required: list[Json] = [name for name, field in self.table.items() if field.required]
        return {
            "type": "object",
            "properties": {name: field.schema() for name, field in self.table.items()},
            "additionalProperties": False,
            **({"required": required} if required else {}),
        }


TOLERANCE = Fields(
    {
        "value": Field(FactValue(), "the value to expect", required=True),
        "rel": Field(
            Number(),
            "how far off it may be, as a share of the value",
            default=default(ExpectedFact, "rel"),
        ),
        "abs": Field(
            Number(),
            "how far off it may be, in the fact's own unit",
            default=default(ExpectedFact, "abs"),
        ),
    }
)


@dataclass(frozen=True, slots=True)
class ExpectedValue:
    """A fact's value, or {value, rel, abs}. Reads into the fields of an ExpectedFact, without its name."""

    def read(self, node: Node, name: str) -> dict[str, Any]:
        if not isinstance(node, MapNode):
            return {"value": FactValue().read(node, name)}
        expected = TOLERANCE.read(node, name)
        value = expected["value"]
        if len(expected) > 1 and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise AuthorError(node.at, f"{name}: rel and abs work only with a number")
        return expected

    def schema(self) -> dict[str, Json]:
        return {"anyOf": [FactValue().schema(), TOLERANCE.schema()]}


@dataclass(frozen=True, slots=True)
class ExpectedFacts:
    """A mapping from names of facts to their expected values."""

    def read(self, node: Node, name: str) -> tuple[ExpectedFact, ...]:
        expected = MapOf(ExpectedValue(), "{bubble: 0.43}").read(node, name)
        return tuple(ExpectedFact(fact, **fields) for fact, fields in expected.items())

    def schema(self) -> dict[str, Json]:
        return MapOf(ExpectedValue(), "").schema()


COUNTED: Mapping[str, tuple[str, ...]] = {  # what `expect` can count -> the kinds that have it
    noun: tuple(name for name, kind in KINDS.items() if noun in kind.counts)
    for noun in dict.fromkeys(noun for kind in KINDS.values() for noun in kind.counts)
}
EXPECT = Fields(
    {
        **{
            noun: Field(Count(), f"how many {noun} the figure has (kind {' or '.join(kinds)})")
            for noun, kinds in COUNTED.items()
        },
        "text": Field(ListOf(Text(400)), "strings that must be readable in the figure"),
        "facts": Field(ExpectedFacts(), "facts that the generator states, each with its required value"),
    },
    prefix="expect.",
)


@dataclass(frozen=True, slots=True)
class Expectations:
    """The mapping under `expect`."""

    def read(self, node: Node, name: str) -> Expect:
        fields = EXPECT.read(node, name)
        counts = {noun: fields.pop(noun) for noun in COUNTED if noun in fields}
        return Expect(counts, **fields)

    def schema(self) -> dict[str, Json]:
        return EXPECT.schema()


NARROW = Fields(
    {
        "params": Field(
            MapOf(AnyValue(), "{narrow: true}"), "arguments of draw() in place of the figure's", required=True
        )
    },
    prefix="narrow.",
)


@dataclass(frozen=True, slots=True)
class NarrowForm:
    """`true`, or a mapping with params. Reads into the params that differ."""

    def read(self, node: Node, name: str) -> dict[str, Json]:
        if isinstance(node, MapNode):
            params: dict[str, Json] = NARROW.read(node, name)["params"]
            if not params:
                raise AuthorError(
                    node.at, f"{name}.params is empty; name what is different on a narrow screen"
                )
            return params
        if isinstance(node, Scalar) and scalars.sort(node) == "boolean":
            return {"narrow": True} if scalars.value(node, name) is True else {}
        raise AuthorError(node.at, f"{name} is true, or {{params: {{...}}}}, not {scalars.described(node)}")

    def schema(self) -> dict[str, Json]:
        return {"anyOf": [{"type": "boolean"}, NARROW.schema()]}


# The exceptions of a figure: checks, each with a reason.
EXCEPTIONS = Fields(
    {name: Field(Text(400), f"why it is exempt: {check.about}") for name, check in CHECKS.items()},
    prefix="lint.",
)


LAYOUTS = tuple(dict.fromkeys(name for kind in KINDS.values() for name in kind.layouts))
WITH_LAYOUTS = tuple(name for name, kind in KINDS.items() if kind.layouts)

ALT = "what the figure shows, for people who cannot see it"
FIGURE = Fields(
    {
        "kind": Field(
            OneOf("kind", tuple(KINDS), "; a package that you install may add others"),
            "how it is drawn",
            default="the kind of the source's suffix; for a script, that of the one drawing library it imports",
        ),
        "source": Field(
            FilePath(),
            "the file that draws it, in visuals/<track>/ or else in visuals/; '/' between folders",
        ),
        "path": Field(FilePath(), "the older key for source, or for rendered if a .dot or .py is next to it"),
        "params": Field(MapOf(AnyValue(), "{devices: 4}"), "keyword arguments of the generator's draw()"),
        "alt": Field(Text(LONGEST), ALT, default="the source's own description, where its kind has one"),
        "caption": Field(Text(LONGEST), "the line under the figure"),
        "describe": Field(
            TextOrNo(LONGEST),
            "a description in place of the tables of what is drawn, or `false` for none",
            default="the figure's own",
        ),
        "rendered": Field(FileName(".svg"), "the file name of the published SVG", default="<id>.svg"),
        "engine": Field(
            OneOf("engine", LAYOUTS),
            f"the layout of a graph (kind {' or '.join(WITH_LAYOUTS)})",
            default=default(Visual, "engine"),
        ),
        "inputs": Field(
            ListOf(FilePath(may_be_hidden=True)),
            "further files that it depends on, found like source, also hidden ones",
        ),
        "facts": Field(
            FactSources(),
            "facts from files of the book: NAME: `FILE#PLACE`, a column of a table, a pointer into JSON, or a name in "
            "printed text or in a notebook",
        ),
        "figure": Field(
            NumberOrName(120),
            "which figure of a source that has several: its number from 1, the name of the file that the script "
            "saves it to, without its suffix, or its title",
        ),
        "themes": Field(Themes(), "the themes it is drawn for", default="the book's setting"),
        "languages": Field(
            Languages(), "the further languages it is drawn in, `[]` for none", default="the book's setting"
        ),
        "timeout": Field(
            Number(above=True, most=86_400), "seconds that drawing may take", default="the book's setting"
        ),
        "colours": Field(
            OneOf("colours", COLOURS),
            "`keep` if the fills of areas are data, which stay in the dark theme; `theme` to change a logo's too",
            default=default(Visual, "colours"),
        ),
        "width": Field(Number(above=True, most=10_000), "the displayed width in px", default="its own"),
        "explore": Field(
            ExploreMapping(),
            "parameters that readers change, each with its values: every combination becomes a picture",
        ),
        "narrow": Field(
            NarrowForm(),
            "a form for narrow screens: `true` if draw() has the parameter `narrow`, or `{params: {...}}`, which "
            "override the figure's own",
        ),
        "expect": Field(Expectations(), "what must be true of the figure as drawn; a mismatch fails it"),
        "lint": Field(EXCEPTIONS, "checks that it is exempt from, each with the reason"),
    }
)
# The keys that a code block in a page can state.
_OF_BLOCKS = ("caption", "engine", "themes", "colours", "width", "expect", "lint")
BLOCK = Fields(
    {
        "id": Field(Id(), "the figure's id"),
        "title": Field(Text(LONGEST), "the figure's title", default="that of its section"),
        "alt": Field(Text(LONGEST), "what the figure shows, for people who cannot see it"),
        **{name: FIGURE.table[name] for name in _OF_BLOCKS},
    }
)
NAME = Field(Id(), "the figure's name within its question", required=True)
NAMED_FIGURE = Fields({"name": NAME, **FIGURE.table})
REF = Field(Text(130), "another question, whose figure appears here", required=True)
REFERENCE = Fields({"ref": REF})
NAMED_REFERENCE = Fields({"name": NAME, "ref": REF})
