"""The commonest mistakes in diagrams of Mermaid, found in a source that Mermaid could not read. Pure.

Mermaid often complains where it lost track, or without a line. Each search here looks for one mistake in one type of
diagram, and is asked only after Mermaid has failed: it never refuses a source that Mermaid draws.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from figmill.kind import did_you_mean

Row = tuple[int, str]  # a line with its number
Mistake = tuple[int, int, str]  # line and column from 1, and what is wrong and what would be right
Search = Callable[[Sequence[Row], str], Iterator[Mistake]]

FLOW_WORDS = ("subgraph", "direction", "classDef", "linkStyle", "style", "click", "class", "end")
TALK_WORDS = (
    "participant",
    "actor",
    "loop",
    "alt",
    "else",
    "opt",
    "par",
    "and",
    "critical",
    "option",
    "break",
    "rect",
    "note",
    "activate",
    "deactivate",
    "autonumber",
    "title",
    "box",
    "create",
    "destroy",
    "end",
)
FRAMES = ("loop", "alt", "opt", "par", "critical", "break", "rect", "box", "par_over")
C4_WORDS = (
    "Person",
    "Person_Ext",
    "System",
    "System_Ext",
    "SystemDb",
    "SystemDb_Ext",
    "SystemQueue",
    "SystemQueue_Ext",
    "Container",
    "ContainerDb",
    "Container_Ext",
    "Component",
    "Boundary",
    "System_Boundary",
    "Enterprise_Boundary",
    "Container_Boundary",
    "Deployment_Node",
    "Node",
    "Rel",
    "BiRel",
    "Rel_U",
    "Rel_D",
    "Rel_L",
    "Rel_R",
    "Rel_Back",
    "title",
    "UpdateRelStyle",
    "UpdateElementStyle",
    "UpdateLayoutConfig",
)
KEYWORDS: Mapping[str, Sequence[str]] = {
    "gitGraph": ("commit", "branch", "checkout", "switch", "merge", "cherry-pick"),
    "xychart": ("title", "x-axis", "y-axis", "bar", "line"),
    "C4": C4_WORDS,
    "requirementDiagram": (
        "id",
        "text",
        "risk",
        "verifymethod",
        "type",
        "docref",
        "requirement",
        "element",
        "functionalRequirement",
        "performanceRequirement",
        "interfaceRequirement",
        "physicalRequirement",
        "designConstraint",
        "classDef",
        "class",
        "style",
        "direction",
    ),
    "architecture": ("group", "service", "junction", "align"),
    "radar": ("title", "axis", "curve", "max", "min", "ticks", "showLegend", "graticule"),
    "quadrantChart": ("title", "x-axis", "y-axis", "quadrant-1", "quadrant-2", "quadrant-3", "quadrant-4"),
}
_BRACKETS = {"[": "]", "(": ")", "{": "}"}
_ARROW = r"(?:[<xo]?[-=.~]{2,}[>xo]?\s*(?:\|[^|]*\|\s*)?)?"  # of a flowchart, with its label
_QUOTED = re.compile(r'"[^"]*"')


def found(message: str, rows: Sequence[Row]) -> Mistake | None:
    """The first mistake that is recognised. None: Mermaid's own message is shown. rows: from the diagram's type on."""
    body = [(number, line) for number, line in rows if line.strip()]
    if not body:
        return None
    kind = body[0][1].split()[0].rstrip(":;")
    for name, searches in SEARCHES.items():
        if kind.startswith(name):
            for search in searches:
                for mistake in search(body, message):
                    return mistake
    return None


def _flow_direction(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    number, line = rows[0]
    tokens = line.replace(";", " ").split()
    if len(tokens) > 1 and tokens[1] not in ("TB", "TD", "BT", "LR", "RL", "<", ">", "^", "v"):
        yield number, line.find(tokens[1]) + 1, f"'{tokens[1]}' is not a direction; write TB, BT, LR or RL"


def _misspelt(keywords: Sequence[str], is_other: re.Pattern[str]) -> Search:
    """Lines whose first word is nearly a keyword, unless they are something else."""

    def search(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
        for number, line in rows[1:]:
            first = re.match(r"\s*([\w-]+)", line)
            if first is None or first[1] in keywords or first[1].lower() in keywords or is_other.search(line):
                continue
            if near := did_you_mean(first[1], keywords):
                yield number, first.start(1) + 1, f"there is no '{first[1]}' here{near}"

    return search


def _quotes(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    if sum(line.count('"') for _, line in rows) % 2 == 0:
        return  # a text may have several lines
    for number, line in rows[1:]:
        if line.count('"') % 2 and "`" not in line:
            yield number, line.rfind('"') + 1, "this quote is not closed; write a second '\"' after the text"


def _labels(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    """Brackets of labels in one line of a flowchart: not closed before the next arrow, or inside a label."""
    for number, line in rows[1:]:
        plain = re.sub(
            r"\|[^|]*\|", lambda match: "|" * len(match[0]), _QUOTED.sub(lambda m: "_" * len(m[0]), line)
        )
        for part in re.finditer(r"(?:(?!\s(?:--|==|-\.|~~)).)+", plain):
            text = part[0]
            begin = re.search(r"(?<=[\w\s>])[\[({]", text)
            if begin is None or re.match(r"\s*(?:subgraph|click|style|classDef|linkStyle)\b", line):
                continue
            sign, at = begin[0], part.start() + begin.start()
            if text.count(sign) > text.count(_BRACKETS[sign]):
                yield number, at + 1, f"'{sign}' is not closed; write '{_BRACKETS[sign]}' after the label"
            inner = re.match(_ARROW + r"\w*\[([^\[\](){}/\\\"]*[({][^\]\"]*)\]", text.lstrip())
            if inner is not None:
                place = line.find(inner[1])
                odd = next(at for at, letter in enumerate(inner[1]) if letter in "({")
                explanation = f"a label with '{inner[1][odd]}' needs quotes; write [\"{inner[1].strip()}\"]"
                yield number, place + odd + 1, explanation


def _arrows(usual: Mapping[str, str], pattern: str) -> Search:
    """Signs that a diagram does not have as arrows, and the arrow that is meant."""
    compiled = re.compile(pattern)

    def search(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
        for number, line in rows[1:]:
            plain = _QUOTED.sub(lambda match: "_" * len(match[0]), line.partition(" : ")[0])
            for match in compiled.finditer(plain):
                sign = match[1]
                yield number, match.start(1) + 1, f"'{sign}' is not an arrow here; write {usual[sign]}"

    return search


def _ends(openers: Sequence[str]) -> Search:
    """Blocks without an `end`, and an `end` without a block."""

    def search(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
        waiting: list[tuple[int, int, str]] = []
        for number, line in rows[1:]:
            first = line.split()[0].rstrip(";")
            if first in openers:
                waiting.append((number, line.find(first) + 1, first))
            elif first == "end" and len(line.split()) == 1:
                if not waiting:
                    yield number, line.find("end") + 1, "this `end` closes nothing; remove it"
                    return
                waiting.pop()
        for number, column, word in waiting[-1:]:
            yield number, column, f"this `{word}` has no `end`; write one below its last line"

    return search


def _node_named_end(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    for number, line in rows[1:]:
        if (
            match := re.search(
                r"(?:--+>?|==+>?|-\.+->?)\s*(?:\|[^|]*\|\s*)?(end)\b|^\s*(end)\s*(?:--|==|-\.)", line
            )
        ) is not None:
            at = match.start(1) if match[1] else match.start(2)
            yield number, at + 1, "'end' closes a subgraph and names no node; write 'End', or another name"


def _no_target(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    for number, line in rows[1:]:
        if (match := re.search(r"(--+>|==+>|-\.+->|---)\s*$", line)) is not None:
            yield number, match.start(1) + 1, f"'{match[1]}' leads nowhere; write a node after it"


_TALKS = re.compile(r"(?:-[->)x]+|<<--?>>|--?\\|--?/)")


def _message(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    for number, line in rows[1:]:
        arrow = _TALKS.search(line)
        if arrow and ":" not in line and line.split()[0] not in TALK_WORDS:
            after = line.rstrip()
            yield number, len(after) + 1, "a message needs ':' and a text; write it like `A->>B: text`"


def _braces(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    waiting: list[tuple[int, int]] = []
    for number, line in rows[1:]:
        plain = re.sub(r"[|}][|o](?:--|\.\.)\S*|\S*(?:--|\.\.)[|o]\{", lambda m: "_" * len(m[0]), line)
        for at, letter in enumerate(plain):
            if letter == "{":
                waiting.append((number, at + 1))
            elif letter == "}" and waiting:
                waiting.pop()
    for number, column in waiting[-1:]:
        yield number, column, "this '{' is not closed; write '}' below its last line"


def _line_brackets(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    """A bracket that its own line does not close."""
    for number, line in rows[1:]:
        plain = _QUOTED.sub(lambda match: "_" * len(match[0]), line)
        for sign, close in (("[", "]"), ("(", ")")):
            if plain.count(sign) > plain.count(close):
                yield number, plain.rfind(sign) + 1, f"'{sign}' is not closed; write '{close}'"


_RELATION = re.compile(r"^\s*(?:\"[^\"]+\"|[\w.-]+)\s+(\S*(?:--|\.\.)\S*)\s+(?:\"[^\"]+\"|[\w.-]+)\s*(.*)$")
_CARDINAL = re.compile(r"(?:\|\||\|o|\}o|\}\||o\|)(?:--|\.\.|\.-|-\.)(?:\|\||o\||o\{|\|\{|\|o)$")


def _entities(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    inside = False
    for number, line in rows[1:]:
        if inside and line.strip() != "}" and len(line.split()) == 1:
            word = line.strip()
            yield (
                number,
                line.find(word) + 1,
                f"an attribute needs a type before its name, like `string {word}`",
            )
        inside = "{" in line.rstrip()[-1:] or (inside and "}" not in line)
        match = _RELATION.match(line)
        if match is None:
            continue
        if not _CARDINAL.match(match[1]):
            yield (
                number,
                match.start(1) + 1,
                f"'{match[1]}' is not a relation; write both ends, like '||--o{{'",
            )
        if not match[2].startswith((":", "@")):
            yield number, len(line.rstrip()) + 1, "a relation needs ':' and a word, like `: has`"


def _dates(rows: Sequence[Row], message: str) -> Iterator[Mistake]:
    if (match := re.match(r"Invalid date:\s*(.+)", message)) is None:
        return
    word = match[1].strip()
    forms = (match[1].strip() for _, line in rows if (match := re.match(r"\s*dateFormat\s+(\S.*)", line)))
    form = next(forms, "YYYY-MM-DD")
    for number, line in rows[1:]:
        if word in line.partition(":")[2]:
            explanation = f"'{word}' is neither a date of the form {form} nor `after` with the id of a task"
            yield number, line.rfind(word) + 1, explanation


def _slices(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    for number, line in rows[1:]:
        name, colon, value = line.strip().rpartition(":")
        if colon and name and not name.startswith(('"', "'", "title", "accTitle", "accDescr", "showData")):
            yield (
                number,
                line.find(name) + 1,
                f'the name of a slice needs quotes; write "{name.strip()}" : {value.strip()}',
            )
        elif colon and name.startswith('"') and not re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", value):
            yield number, line.rfind(":") + 2, f"'{value.strip()}' is not a number; write one above 0"


def _roots(rows: Sequence[Row], message: str) -> Iterator[Mistake]:
    match = re.search(r'one root.*\("(.*)"\)', message)
    if match is None:
        return
    for number, line in rows[2:]:
        if match[1] and match[1] in line:
            yield (
                number,
                len(line) - len(line.lstrip()) + 1,
                (f"'{match[1]}' would be a second root; indent it below the first, '{rows[1][1].strip()}'"),
            )


def _branches(rows: Sequence[Row], message: str) -> Iterator[Mistake]:
    if "branch" not in message.lower():
        return
    branches = {"main"}
    for number, line in rows[1:]:
        tokens = line.split()
        if tokens[0] == "branch" and len(tokens) > 1:
            branches.add(tokens[1].strip('"'))
        elif (
            tokens[0] in ("checkout", "switch", "merge")
            and len(tokens) > 1
            and tokens[1].strip('"') not in branches
        ):
            name = tokens[1].strip('"')
            near = did_you_mean(name, sorted(branches)) or f"; write `branch {name}` above"
            yield number, line.find(tokens[1]) + 1, f"there is no branch '{name}' yet{near}"


def _points(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    for number, line in rows[1:]:
        if (match := re.search(r"\[([^\]]*)\]\s*", line)) is None:
            continue
        numbers = [part.strip() for part in match[1].split(",")]
        if ":" not in line[: match.start()] and ":::" not in line:
            yield number, match.start() + 1, "a point needs ':' before its place, like `name: [0.3, 0.6]`"
        elif len(numbers) != 2 or not all(re.fullmatch(r"0?\.\d+|[01](?:\.0*)?", value) for value in numbers):
            yield (
                number,
                match.start() + 1,
                "the place of a point is two numbers from 0 to 1, like [0.3, 0.6]",
            )


def _flows(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    for number, line in rows[1:]:
        if _QUOTED.sub("", line).count(",") != 2:
            yield number, 1, "each line is a flow: where it begins, where it ends and its size, like `a,b,3`"


def _ascii(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    """Characters that the grammar does not take, not even in quotes."""
    for number, line in rows[1:]:
        if (match := re.search(r"[^\x00-\x7e]", line)) is not None:
            explanation = (
                f"'{match[0]}' cannot stand in a name: Sankey diagrams take ASCII; write letters from A to Z"
            )
            yield number, match.start() + 1, explanation


_C4_TEXT = re.compile(
    r"^\s*(?:Person|System|Container|Component|Deployment_Node|Node|Enterprise)\w*\(\s*[\w.-]+\s*,\s*([^\s\",)][^\",)]*)"
)


def _c4_texts(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    for number, line in rows[1:]:
        if (match := _C4_TEXT.match(line)) is not None:
            text = match[1].strip()
            yield number, match.start(1) + 1, f'this text needs quotes; write "{text}"'


def _bits(rows: Sequence[Row], message: str) -> Iterator[Mistake]:
    match = re.search(r"block (\d+)(?: - (\d+))? is not contiguous\. It should start from (\d+)", message)
    if match is None:
        return
    for number, line in rows[1:]:
        if re.match(rf"\s*{match[1]}\b", line):
            yield (
                number,
                line.find(match[1]) + 1,
                (
                    f"this field begins at bit {match[1]}, and the one before it ends at bit {int(match[3]) - 1}; "
                    f"begin at {match[3]}"
                ),
            )


def _sides(rows: Sequence[Row], message: str) -> Iterator[Mistake]:
    for number, line in rows[1:]:
        match = re.match(r"\s*([\w{}-]+)(:[LRTB])?\s*<?--+>?\s*([LRTB]:)?([\w{}-]+)", line)
        if match is not None and not (match[2] and match[3]):
            at = len(line) - len(line.lstrip()) + 1
            yield number, at, f"an edge names a side at each end; write {match[1]}:R -- L:{match[4]}"
    if (lost := re.search(r"id \[([^\]]+)\] does not yet exist", message)) is not None:
        names = [
            declaration[1]
            for _, line in rows
            if (declaration := re.match(r"\s*(?:service|group|junction)\s+(\w+)", line))
        ]
        for number, line in rows[1:]:
            if (place := re.search(rf"(?<!\w){re.escape(lost[1])}(?!\w)", line)) is not None:
                near = did_you_mean(lost[1], names) or f"; write `service {lost[1]}(server)[Name]` above"
                yield number, place.start() + 1, f"there is no service '{lost[1]}'{near}"


def _parts(rows: Sequence[Row], _: str) -> Iterator[Mistake]:
    for number, line in rows[1:]:
        if not line.strip().startswith(('"', "classDef", "title", "acc")):
            name = line.strip().partition(":")[0]
            yield number, len(line) - len(line.lstrip()) + 1, f'a name needs quotes; write "{name}"'


_ARROWS_OF_GRAPHS = {"=>": "'==>' or '-->'", "->": "'-->'", "<-": "'<--'", "-": "'---'", "=": "'==='"}
_IN_GRAPH = r"(?<=[\w\])}\s])(?<![-=<.~])(=>|->|<-)(?![-=.>])(?=\s*[\w|\[({])"
_NO_KEYWORD = re.compile(r"--|==|-\.|~~~|:::|&|\[|\(|\{|->|=>")
_OF_FLOWCHARTS = (
    _flow_direction,
    _quotes,
    _arrows(_ARROWS_OF_GRAPHS, _IN_GRAPH),
    _misspelt(FLOW_WORDS, _NO_KEYWORD),
    _node_named_end,
    _labels,
    _ends(("subgraph",)),
    _no_target,
)
SEARCHES: Mapping[str, Sequence[Search]] = {
    "flowchart": _OF_FLOWCHARTS,
    "graph": _OF_FLOWCHARTS,
    "sequenceDiagram": (
        _arrows(
            dict.fromkeys(("=>>", "=>", "==>", "==>>", "→", "⇒", "⟶"), "'->>' or '-->>'"),
            r"(?<=[\w\s])(==?>>?|[→⇒⟶])(?=[\w\s+-])",
        ),
        _misspelt(TALK_WORDS, re.compile(r"-[->)x]|<<-")),
        _message,
        _ends(FRAMES),
    ),
    "classDiagram": (
        _arrows(
            {
                "->": "'-->'",
                "<-": "'<--'",
                "=>": "'-->' or '--|>'",
                "<|": "'<|--'",
                "|>": "'--|>'",
                "*": "'*--'",
            },
            r"\s(->|<-|=>|<\||\|>)\s",
        ),
        _braces,
    ),
    "stateDiagram": (
        _arrows(
            {"->": "'-->'", "=>": "'-->'", "<-": "'-->', from the other state"}, r"(?<![-<])(->|=>|<-)(?!-)"
        ),
        _braces,
    ),
    "erDiagram": (_entities, _braces),
    "gantt": (_dates,),
    "pie": (_slices, _quotes),
    "mindmap": (_roots,),
    "gitGraph": (_branches, _misspelt(KEYWORDS["gitGraph"], re.compile(r"(?!)"))),
    "quadrantChart": (_points, _misspelt(KEYWORDS["quadrantChart"], re.compile(r":"))),
    "xychart": (_misspelt(KEYWORDS["xychart"], re.compile(r"(?!)")), _line_brackets),
    "sankey": (_flows, _ascii),
    "packet": (_bits,),
    "architecture": (_misspelt(KEYWORDS["architecture"], re.compile(r":")), _sides),
    "requirementDiagram": (_misspelt(KEYWORDS["requirementDiagram"], re.compile(r"-")), _braces),
    "C4": (_misspelt(C4_WORDS, re.compile(r"(?!)")), _quotes, _c4_texts, _line_brackets, _braces),
    "radar": (_misspelt(KEYWORDS["radar"], re.compile(r"(?!)")), _quotes, _braces),
    "treemap": (_parts,),
}
