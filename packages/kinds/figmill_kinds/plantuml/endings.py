"""Old endings of activities, `:Read/`, as the stereotypes that replace them, `:Read; <<save>>`. Pure.

PlantUML 1.2026 reads an activity up to the next `;` and so takes an old ending, and the activities after it, for text.
https://plantuml.com/activity-diagram-beta, section SDL.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

STEREOTYPES = {
    "|": "procedure",
    "<": "input",
    ">": "output",
    "/": "save",
    "\\": "load",
    "]": "task",
    "}": "continuous",
}
_BEGIN = re.compile(r"\s*(?:#[\w#/\\|-]+)?:")
_NEW_END = re.compile(r";\s*(?:<<.*>>\s*)?$")
_OLD_END = re.compile(r"^(.*\S)\s*([|<>/\\\]}])\s*$")
# A line that can stand only in an activity diagram, and one that can follow an activity.
_TELLING = re.compile(
    r"\s*(?:(?:start|stop|detach|kill|split|fork)\s*$|(?:#[\w#/\\|-]+)?:.*;\s*(?:<<.*>>\s*)?$)"
)
_COMMAND = re.compile(
    r"\s*(?:#[\w#/\\|-]+)?:|\s*(?:-\S*>|'|@end|\}|\|[^|]+\|\s*$)|\s*(?:start|stop|end|detach|kill|break|if|else|elseif|endif|"
    r"while|endwhile|repeat|repeatwhile|backward|fork|split|switch|case|endswitch|partition|group|package|note|floating|"
    r"label|goto|title|legend|footer|header|caption)\b"
)


def current(lines: Sequence[str]) -> list[str]:
    """The lines of a diagram, with the old endings of its activities in today's notation.

    Other diagrams are unchanged. The number of lines stays.
    """
    changed = list(lines)
    if not any(_TELLING.match(line) for line in lines):
        return changed
    inside = False
    for number, line in enumerate(lines):
        begins = not inside and _BEGIN.match(line) is not None
        if not begins and not inside:
            continue
        old = _OLD_END.match(line)
        inside = _NEW_END.search(line) is None
        if inside and old and (begins or not line.lstrip().startswith("|")) and _ends(lines, number):
            changed[number] = f"{old[1]}; <<{STEREOTYPES[old[2]]}>>"
            inside = False
    return changed


def _ends(lines: Sequence[str], number: int) -> bool:
    """Whether the next line with content is a command, so that an activity ends here."""
    return next((_COMMAND.match(line) is not None for line in lines[number + 1 :] if line.strip()), True)
