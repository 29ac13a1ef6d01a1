"""The text of a diagram in Mermaid's language: its lines, and the classes of roles that it uses. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from figmill.kind import ROLES

_STYLED = re.compile(
    r":::\s*([\w-]+(?:\s*,\s*[\w-]+)*)|^\s*(?:class|cssClass)\s+\S.*?\s([\w-]+)\s*;?\s*$", re.MULTILINE
)
_TAKES_CLASSES = re.compile(
    r"\s*(?:flowchart|graph|classDiagram|stateDiagram|erDiagram|requirementDiagram|block)"
)


def role_classes(text: str, added: Mapping[str, Sequence[str]]) -> str:
    """`classDef` for each role that a source uses as a class and does not define itself."""
    lines = "\n".join(line for _, line in body_of(text))
    if not _TAKES_CLASSES.match(lines):
        return ""
    roles = {**{role.name: (role.fill, role.line) for role in ROLES}, **added}
    used = {name.strip() for match in _STYLED.finditer(lines) for name in (match[1] or match[2]).split(",")}
    rows = [
        f"classDef {name} fill:{fill},stroke:{line}"
        for name, (fill, line) in roles.items()
        if name in used
        and not re.search(rf"^\s*classDef\s+(?:[\w-]+,)*{re.escape(name)}\b", lines, re.MULTILINE)
    ]
    return "".join(f"\n{row}" for row in rows)


# The name of an icon in a label. Mermaid draws it with a font that the page would have to load.
_ICON = re.compile(r"(?<![\w:-])fa[bklrs]?:fa-([a-z0-9-]+)([ \t]*)")
_OPENS, _CLOSES = ("[", "(", "{", "|", ">", '"'), ("]", ")", "}", "|", '"', "\n", "")


def without_icons(text: str) -> str:
    """A source without the names of icons that icons.py has not found.

    If an icon is a whole label, the words of its name replace it.
    """

    def worded(match: re.Match[str]) -> str:
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].rstrip()[-1:]
        after = text[match.end() : match.end() + 1]
        is_all = before in _OPENS and after in _CLOSES
        return match[1].replace("-", " ").strip() if is_all else ""

    return _ICON.sub(worded, text)


_NOTE = re.compile(r'^\s*note\b[^"\n]*"[^"\n]*"', re.MULTILINE)


def with_breaks(text: str) -> str:
    """A source with a line break for each `\n` in a note of a class diagram, as Mermaid's documentation writes it."""
    lines = "\n".join(line for _, line in body_of(text))
    if not lines.lstrip().startswith("classDiagram"):
        return text
    return _NOTE.sub(lambda match: match[0].replace("\\n", "<br>"), text)


def body_of(text: str) -> Iterator[tuple[int, str]]:
    """The lines that Mermaid parses, each with its number in the source: no front matter, directives or comments."""
    lines = text.split("\n")
    number = 0
    while number < len(lines) and not lines[number].strip():
        number += 1
    if number < len(lines) and lines[number].strip() == "---":
        close = next((n for n in range(number + 1, len(lines)) if lines[n].strip() == "---"), None)
        number = 0 if close is None else close + 1
    has_begun = is_directive = False
    for index in range(number, len(lines)):
        line = lines[index]
        is_directive = is_directive or line.lstrip().startswith("%%{")
        if is_directive:
            is_directive = "}%%" not in line
            if has_begun:
                yield index + 1, ""
        elif not line.lstrip().startswith("%%") and (has_begun or line.strip()):
            has_begun = True
            yield index + 1, line


_SETTING = re.compile(r"(\s*(?:dateFormat|axisFormat|tickInterval|includes|excludes)\s[^#\n;]*)#[^:\n]*$")
_COMMENT = re.compile(r"\s*#[^:\n]*$")


def without_old_comments(text: str) -> str:
    """A Gantt chart without comments that begin with `#`, as earlier versions of Mermaid took them.

    Nothing else is removed: a task has a colon.
    """
    rows = list(body_of(text))
    if "#" not in text or not rows or rows[0][1].split()[0] != "gantt":
        return text
    lines = text.split("\n")
    for number, line in rows[1:]:
        if _COMMENT.fullmatch(line):
            lines[number - 1] = ""
        elif (match := _SETTING.fullmatch(line)) is not None:
            lines[number - 1] = match[1].rstrip()
    return "\n".join(lines)
