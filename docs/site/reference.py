"""Write docs/reference/: pages generated from the tables in the code, so code and pages cannot disagree.

    python docs/site/reference.py            writes them
    python docs/site/reference.py --check    exit 1 if one is not what the tables say

Each page starts with a text from docs/site/words/, and a comment that says where to change it.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cells import UNSET, choice, code, sentence, shown, table
from command_tables import commands
from timelines_api import modules

from figmill import checks
from figmill.book.fields import (
    EXCEPTIONS,
    EXPECT,
    FIGURE,
    NAME,
    REF,
    TOLERANCE,
    Field,
    Fields,
)
from figmill.book.schema import schema
from figmill.book.value_types import FileName, FilePath, Id
from figmill.config import Options
from figmill.config.figure_limits import Limits
from figmill.config.readers import LANGUAGE, Setting, amount
from figmill.config.settings import LIMITS, SETTINGS
from figmill.config.style import STYLE
from figmill.house_style import RULES
from figmill.kinds import KINDS

HERE = Path(__file__).parent
OUT = HERE.parent / "reference"
MARK = "<!-- Made by docs/site/reference.py from {}; change it there. -->"

# Defaults that are words, not values.
IN_WORDS: Mapping[str, str] = {
    "limits": "see below",
    "style": "no rules",
    "palette": "figmill's own roles",
    "lint": "each check's own level",
}
TABLES = ("limits", "style")  # settings with rows of their own
IN_BYTES = frozenset(("memory", "picture_bytes"))
# Patterns of the JSON Schema, in words.
PATTERNS: Mapping[str, str] = {
    str(Id().schema()["pattern"]): "1 to 64 letters, digits, `.`, `_` and `-`",
    str(FileName().schema()["pattern"]): "the name of a folder",
    str(FileName(".svg").schema()["pattern"]): "a file name that ends in `.svg`",
    str(FilePath().schema()["pattern"]): "a path, with `/` between folders",
    f"^(?:{LANGUAGE.pattern})$": "the code of a language, such as `de` or `pt-BR`",
}


def toml(name: str, value: Any) -> str:
    """A value in the notation of a book."""
    if name in IN_BYTES:
        return f'"{amount(value)}"'
    if isinstance(value, tuple):
        items = [toml("", item) for item in value]
        return items[0] if len(items) == 1 and name in ("questions", "visuals") else f"[{', '.join(items)}]"
    return f'"{value}"' if isinstance(value, str) else f"{value:g}"


OF_KINDS = {name: kind.settings for name, kind in KINDS.items() if kind.settings}


def _settings(known: Mapping[str, Setting], defaults: Any) -> str:
    rows = []
    for name, setting in known.items():
        value = getattr(defaults, name)
        words = IN_WORDS.get(name) or (UNSET if value is None else code(toml(name, value)))
        rows.append((code(name), setting.type, words, setting.about))
    return table(("setting", "type", "default", "meaning"), rows)


def examples() -> str:
    """An example of every setting, as TOML."""
    lines = [f"{name} = {setting.example}" for name, setting in SETTINGS.items() if name not in TABLES]
    style = [f"{name} = {rule.example}" for name, rule in STYLE.items()]
    limits = [f"{name} = {limit.example}" for name, limit in LIMITS.items()]
    kinds = [
        line
        for kind, own in OF_KINDS.items()
        for line in (
            "",
            f"[tool.figmill.{kind}]",
            *(f"{name} = {setting.example}" for name, setting in own.items()),
        )
    ]
    tables = ["", "[tool.figmill.limits]", *limits, "", "[tool.figmill.style]", *style]
    return "\n".join(["[tool.figmill]", *lines, *tables, *kinds]) + "\n"


def settings() -> Iterator[str]:
    assert {*SETTINGS, "kinds"} == {each.name for each in fields(Options)}
    yield _settings(SETTINGS, Options())
    yield "## limits\n"
    yield _settings(LIMITS, Limits())
    yield "## style\n"
    yield table(
        ("setting", "type", "meaning", "check"),
        (
            (code(name), setting.type, setting.about, f"[`{RULES[name].check}`](checks.md)")
            for name, setting in STYLE.items()
        ),
    )
    for kind, own in OF_KINDS.items():
        yield f"## {kind}\n"
        yield table(
            ("setting", "type", "default", "meaning"),
            ((code(name), setting.type, "none", setting.about) for name, setting in own.items()),
        )
    yield "## All of them, as examples\n"
    yield f"```toml\n{examples()}```\n"


def type_of(schema: Mapping[str, Any]) -> str:
    """A description of the allowed values, from their JSON Schema."""
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(type_of, schema["anyOf"])))
    if "enum" in schema:
        return choice(schema["enum"])
    if "pattern" in schema:
        return PATTERNS[schema["pattern"]]
    kind = schema.get("type")
    if isinstance(kind, list):
        return "text, a number, true, false, null, or a list of these"
    if kind == "string":
        return f"text, at most {schema['maxLength']} characters"
    if kind == "integer":
        return f"a whole number from {schema['minimum']}"
    if kind == "number":
        return _number(schema)
    if kind == "array":
        return f"a list of at most {schema['maxItems']}: {type_of(schema['items'])}"
    if kind == "object":
        return "a mapping" if schema.get("additionalProperties") is not False else "a mapping, see below"
    return "null" if kind == "null" else "any value"


def _number(schema: Mapping[str, Any]) -> str:
    bound = f"above {schema['exclusiveMinimum']:g}" if "exclusiveMinimum" in schema else None
    bound = bound or f"from {schema['minimum']:g}"
    return f"a number {bound}" + (f", at most {schema['maximum']:g}" if "maximum" in schema else "")


def keys(known: Mapping[str, Field], required: str = "required") -> str:
    """The table of a mapping's keys. required: the text in the column of defaults for a key without one."""
    return table(
        ("key", "type", "default", "meaning"),
        (
            (
                code(name),
                type_of(field.schema()),
                required if field.required else shown(field.default),
                sentence(field.about),
            )
            for name, field in known.items()
        ),
    )


def _top() -> str:
    """The keys next to `visual`, which only the schema lists."""
    whole: Any = schema()
    rows = []
    for name, part in whole["properties"].items():
        about, _, default = part["description"].partition("; default: ")
        is_figure = name in ("visual", "visuals")
        words = "a figure, or null" if name == "visual" else "a list of figures, or null"
        kind = words if is_figure else "text" if name == "title" else type_of(part)
        standing = "required" if name in whole["required"] else shown(default)
        rows.append((code(name), kind, standing, sentence(about)))
    return table(("key", "type", "default", "meaning"), rows)


def questions() -> Iterator[str]:
    yield _top()
    yield "All other keys belong to the book; figmill ignores them.\n"
    yield "## A figure\n"
    yield "Under `visual`, or each item of `visuals`.\n"
    yield keys({"name": NAME}, "required in `visuals`") + keys(FIGURE.table).split("\n", 2)[2]
    yield "## A figure of another question\n"
    yield "Replaces all other keys except `name`.\n"
    yield keys({"ref": REF})
    for name, part in (("expect", EXPECT), ("a fact under expect.facts", TOLERANCE)):
        yield f"## {name}\n"
        yield keys(part.table)
    yield "A fact is a value, or a mapping with these keys. `rel` and `abs` work only with a number.\n"
    yield "## lint\n"
    yield _exceptions(EXCEPTIONS)


def _exceptions(known: Fields) -> str:
    reason = type_of(next(iter(known.table.values())).schema())
    return f"Each key is a [check](checks.md), each value is the reason why the figure is exempt: {reason}.\n"


def all_checks() -> Iterator[str]:
    def rows(always: bool) -> Iterator[tuple[str, ...]]:
        for name, check in checks.CHECKS.own.items():
            if check.always is always:
                page, mark, heading = check.page.partition("#")
                more = f"[{page}](../{page}.md{mark}{heading})" if page else UNSET
                yield code(name), sentence(check.about), code(check.level), code(check.alone), more

    head = ("check", "what it finds", "level", "outside a book", "more")
    yield "## In every build and in lint\n"
    yield table(head, rows(True))
    yield "## Only in lint\n"
    yield table(head, rows(False))
    yield "## Checks of other packages\n"
    yield _offers("checks", "#add-a-check")


def all_kinds() -> Iterator[str]:
    """The kinds that come with figmill, whatever is installed beside it. Each has a section of docs/sources.md."""
    yield table(
        ("kind", "what it draws", "sources", "`expect` counts", "install with", "`new --kind`"),
        (
            (
                f"[{code(name)}](../sources.md#{name})",
                sentence(_about(kind.module)),
                ", ".join(map(code, kind.suffixes)),
                ", ".join(map(code, kind.counts)) or UNSET,
                code(f"pip install {kind.requirement}"),
                "yes" if kind.starter else "no",
            )
            for name, kind in KINDS.items()
            if kind.package is None or kind.package.is_ours
        ),
    )
    yield "## Kinds of other packages\n"
    yield _offers("kinds", "#the-package")


def _about(module: str) -> str:
    """The description of a kind: the first line of its module, after the kind's name."""
    spec = find_spec(module)
    assert spec is not None and spec.origin is not None
    text = ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))) or ""
    return text.split("\n", maxsplit=1)[0].partition(": ")[2].partition(" (")[0]


def _offers(noun: str, anchor: str) -> str:
    return (
        f"An installed package can add {noun}, as entry points of the group `figmill.{noun}`: "
        f"[Add a kind](../developers/add-a-kind.md{anchor}) shows how. "
        f"`figmill doctor` lists the {noun} that your packages add, and what is wrong with them.\n"
    )


PAGES: Mapping[str, tuple[str, str, Callable[[], Iterator[str]]]] = {
    "settings": ("Settings", "figmill/config/settings.py", settings),
    "questions": ("Question keys", "figmill/book/fields.py", questions),
    "kinds": ("Kinds of figure", "figmill/kinds/__init__.py", all_kinds),
    "checks": ("Checks", "figmill/checks.py", all_checks),
    "commands": ("Commands", "figmill/commands/", commands),
    "timelines": ("Functions of the timelines library", "packages/timelines/figmill_timelines/", modules),
}


def page(name: str) -> str:
    """The text of one page of docs/reference/."""
    title, source, made = PAGES[name]
    words = (HERE / "words" / f"{name}.txt").read_text(encoding="utf-8")
    return "\n".join([f"# {title}\n", f"{MARK.format(source)}\n", words, *made()])


def main(words: list[str]) -> int:
    """Write the pages, or print which are out of date."""
    old = []
    for name in PAGES:
        path, text = OUT / f"{name}.md", page(name)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        old.append(path)
        if words != ["--check"]:
            path.write_text(text, encoding="utf-8")
    for path in old:
        print(f"docs/reference/{path.name}: {'is old; run make docs' if words else 'written'}")
    return 1 if old and words else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
