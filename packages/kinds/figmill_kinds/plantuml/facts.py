"""What a diagram of PlantUML states: counts, taken from the marks that PlantUML leaves in its SVG. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from figmill.kind import Fact
from figmill_kinds.plantuml.text import DiagramText

_NODE = re.compile(r'<g class="(?:entity|start_entity|end_entity)" data-qualified-name="[^"]*"')
_LINK = re.compile(r'<g class="link"')
_LIFELINE = re.compile(r"<g><title>[^<]*</title><rect")
_ARROW = re.compile(
    r"""\s*(?:&\s*)?(?:"[^"]+"|[\w.@]+|\[|\?)?\s*[ox]?(?:<<?|\\\\?|//?)?-+(?:\[[^\]]*\]-*)?(?:>>?|\\\\?|//?)?[ox]?\s*"""
    r"""(?:"[^"]+"|[\w.@]+|\]|\?)?\s*(?:as\s+\w+)?\s*(?:(?:\+\+|--|\*\*|!!)\s*)*(?:\#\w+)?\s*(?::.*)?$"""
)
_HEAD = re.compile(r"[<>\\/]")
_REPEATS = re.compile(r"\s*!(?:while|foreach|procedure|function|unquoted|define|if)")
_TITLE = re.compile(r"^\s*title\s+(\S.*?)\s*$", re.MULTILINE)
_LONG = re.compile(r"^\s*title\s*\n(.*?)^\s*end ?title\s*$", re.MULTILINE | re.DOTALL)
_CAPTION = re.compile(r"^\s*caption\s+(\S.*?)\s*$", re.MULTILINE)


def of(svg: str, text: DiagramText) -> Mapping[str, Fact]:
    """nodes and edges of a graph, actors and messages of a sequence; title and description if the source has them."""
    facts: dict[str, Fact] = {"type": text.kind}
    if actors := len(_LIFELINE.findall(svg)):
        facts["actors"] = actors
        if not any(_REPEATS.match(line) for line in text.lines):
            facts["messages"] = sum(map(_is_message, text.lines))
    elif (nodes := len(_NODE.findall(svg))) or _LINK.search(svg):
        facts |= {"nodes": nodes, "edges": len(_LINK.findall(svg))}
    body = "\n".join(text.lines)
    if match := _LONG.search(body):
        facts["title"] = " ".join(match[1].split())
    elif match := _TITLE.search(body):
        facts["title"] = match[1].replace("\\n", " ")
    if match := _CAPTION.search(body):
        facts["description"] = match[1].replace("\\n", " ")
    return facts


def _is_message(line: str) -> bool:
    """Whether a line of a sequence is a message: PlantUML's SVG does not mark them."""
    tokens = line.split()
    before = line.partition(":")[0]
    return tokens[:1] == ["return"] or (_ARROW.match(line) is not None and _HEAD.search(before) is not None)
