"""Graphviz's messages in an author's terms: remarks on a graph that was still drawn, or one error. Pure.

Graphviz often continues after a mistake. Its warnings are remarks; its errors are errors, and so are the warnings after
which the picture says something else than the graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from figmill.errors import did_you_mean
from figmill.kind.job import Remark
from figmill.kinds.graphs import places
from figmill.kinds.graphs.amended import CHECK
from figmill.late_dataclasses import dataclass

# Harmless messages: on text of an absurd size, whose width Graphviz estimates; and of sfdp on the library for prism,
# which it always looks for (see amended.py).
_NOISE = re.compile(
    r"^((Warning: )+no value for width of non-ASCII character .*"
    r"|Error: remove_overlap: Graphviz not built with triangulation library|\s*)$"
)
_LEVEL = re.compile(r"^(?:(?:Warning|Error): )+")
_IN_LABEL = re.compile(r"in label of (?:node|edge|graph|cluster) ?(.*)")
_LINE = re.compile(r" (?:in|on) line (\d+)")
SYNTAX = re.compile(r"syntax error in line (\d+)(?: near '(?P<near>[^']*)')?")


@dataclass(frozen=True, slots=True)
class Complaint:
    """One message. grave: Graphviz calls it an error. owner: the names of the item with the HTML-like label."""

    grave: bool
    text: str
    owner: tuple[str, ...] = ()
    more: str = ""  # further lines

    @property
    def is_syntax(self) -> bool:
        return not self.owner and SYNTAX.search(self.text) is not None


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a graph, and where; line is None if unknown."""

    message: str
    line: int | None = None
    column: int | None = None
    detail: str = ""


def complaints(output: str) -> tuple[Complaint, ...]:
    """The messages in Graphviz's output, without noise."""
    messages: list[Complaint] = []
    waiting = 0  # index of the first message without an owner so far
    for line in output.splitlines():
        if _NOISE.match(line):
            continue
        if (label := _IN_LABEL.fullmatch(line.strip())) and messages:
            owner = tuple(re.split(" (?:->|--) ", label[1]))
            messages[waiting:] = [Complaint(c.grave, c.text, owner, c.more) for c in messages[waiting:]]
            waiting = len(messages)
        elif (level := _LEVEL.match(line)) or not messages:
            grave = level is None or "Error" in level[0]
            messages.append(Complaint(grave, line[level.end() :].strip() if level else line.strip()))
        else:
            last = messages[-1]
            messages[-1] = Complaint(last.grave, last.text, last.owner, f"{last.more}\n{line}".lstrip("\n"))
    return tuple(dict.fromkeys(messages))


# ---------------------------------------------------------------- harmless messages

# A message -> the attribute of the graph that leads to it, and other words if Graphviz's own say too little. The
# picture still contains everything the author wrote.
HARMLESS: tuple[tuple[str, str, str], ...] = (
    (r"Orthogonal edges|splines|straight line edges", "splines", ""),
    (r"adjacent nodes one of which has a record shape", "shape", ""),
    (r"start=", "start", ""),
    (
        r"(edges|graph) .*(have no len attribute|is disconnected)\. Hence",
        "model",
        "{0} {1}: laid out by shortest paths",
    ),
    (r"smaller than esep", "sep", ""),
    (r"Max. iterations", "maxiter", ""),
    (r"aspect attribute", "aspect", ""),
    (r"concentrate=true", "concentrate", ""),
)
_TOO_SMALL = re.compile(r"node '(.*)', graph '.*' size too small for label")


# A warning, or a line without a level, after which Graphviz draws other nodes, or leaves out an edge.
_FALSE = re.compile(r"badly delimited number|^lost .* edge|triangulation failed|Pshortestpath")


def remarks(messages: tuple[Complaint, ...], text: str) -> tuple[Remark, ...] | None:
    """The messages as remarks; None if the picture is not what the graph says."""
    if any(_is_false(complaint) for complaint in messages):
        return None
    return tuple(dict.fromkeys(_remark(complaint, text) for complaint in messages))


def _is_false(complaint: Complaint) -> bool:
    return complaint.grave or _FALSE.search(complaint.text) is not None


def _remark(complaint: Complaint, text: str) -> Remark:
    if small := _TOO_SMALL.search(complaint.text):
        token = next(
            filter(None, (places.of_attribute(text, key, (small[1],)) for key in ("label", "fixedsize"))),
            None,
        )
        hint = f"node '{small[1]}' has a fixed size that is too small for its label; make it larger, or drop fixedsize"
        return Remark(CHECK, hint, token.line if token else places.of_name(text, small[1]))
    fault = _fault(complaint, text, "")
    for pattern, key, hint in HARMLESS:
        if not complaint.owner and (match := re.search(pattern, complaint.text)):
            token = places.of_attribute(text, key)
            return Remark(CHECK, hint.format(*match.groups()) or fault.message, token.line if token else None)
    return Remark(CHECK, fault.message, fault.line)


# ---------------------------------------------------------------- mistakes

SHAPES = """
box polygon ellipse oval circle point egg triangle none plaintext plain diamond trapezium parallelogram house pentagon
hexagon septagon octagon doublecircle doubleoctagon tripleoctagon invtriangle invtrapezium invhouse Mdiamond Msquare
Mcircle rect rectangle square star underline cylinder note tab folder box3d component promoter cds terminator utr
primersite restrictionsite fivepoverhang threepoverhang noverhang assembly signature insulator ribosite rnastab
proteasesite proteinstab rpromoter rarrow larrow lpromoter record Mrecord
"""
_SHAPE = re.compile(r"using box for unknown shape (\S+)")

# A message of Graphviz -> what to do about it.
ADVICE: Mapping[str, str] = MappingProxyType(
    {
        "lost": "an edge between a cluster and its own node cannot be drawn",
        "unknown shape": "the shapes are listed at graphviz.org/doc/info/shapes.html",
        "Arrow type": "the arrows are listed at graphviz.org/doc/info/arrows.html",
        "unsupported style": "the styles are listed at graphviz.org/docs/attr-types/style",
        "bad label format": "in the label of a record every { needs its }; \\{ and \\| stand for the signs themselves",
        "two non-comparable clusters": "with fdp, a node is in one cluster",
        "memory exhausted": "a statement has too many parts for Graphviz; write a long chain of edges as several",
    }
)
# A string in Graphviz's messages about an HTML-like label -> advice.
HTML_ADVICE: tuple[tuple[str, str], ...] = (
    (r"invalid token[\s\S]*&", "; write & as &amp; and < as &lt;"),
    (r"(?i:(?:mismatched tag|syntax error)[\s\S]*<(?:br|hr|vr)\b)", "; such a tag is written <br/>"),
    (r"memory exhausted", "; tags are nested too deep for Graphviz"),
    (r"Unknown HTML element", "; the tags are listed at graphviz.org/doc/info/shapes.html"),
)


def worst(messages: tuple[Complaint, ...], text: str) -> Fault:
    """The first message after which the picture is false, as an error with its line and with advice if there is any."""
    first = next(filter(_is_false, messages), messages[0])
    if _NO_WAY.search(first.text):  # Graphviz repeats itself in other words, edge by edge
        return Fault(_NO_WAY_TIP, _line_of(next((c.text for c in messages if "lost" in c.text), ""), text))
    others = "\n".join(part for c in messages for part in (c.text if c is not first else "", c.more) if part)
    return _fault(first, text, others)


_NO_WAY = re.compile(r"triangulation failed|Pshortestpath")
_NO_WAY_TIP = "Graphviz finds no way for an edge; try splines=polyline, or more room (nodesep, ranksep)"


def _fault(first: Complaint, text: str, others: str) -> Fault:
    """A message with its line and advice. others: further messages, its detail."""
    if first.owner:
        return _in_label(first, text, others)
    stated = _LINE.search(first.text)
    line = int(stated[1]) if stated else _line_of(first.text, text)
    if ambiguous := _NUMBER.search(first.text):
        return Fault(_digits_first(ambiguous[1], text, line), line, None, others)
    advice = next((f"; {tip}" for sign, tip in ADVICE.items() if sign in first.text), "")
    if shape := _SHAPE.search(first.text):
        near = did_you_mean(shape[1], SHAPES.split()) or f"; {ADVICE['unknown shape']}"
        return Fault(f"there is no shape '{shape[1]}'{near}", line, None, others)
    message = first.text.removeprefix("gvrender_set_style: ").removesuffix(" - ignoring").rstrip(".")
    return Fault(message + advice, line, None, others)


_NUMBER = re.compile(r"badly delimited number '(.*)' in line")


def _digits_first(begin: str, text: str, line: int | None) -> str:
    """The message for a name that begins with a digit. begin: its digits and the letter after them."""
    lines = text.split("\n")
    here = lines[line - 1] if line is not None and line <= len(lines) else ""
    whole = re.search(rf"{re.escape(begin)}\w*", here)
    return f'a name that begins with a digit needs quotes; write "{whole[0] if whole else begin}"'


def _in_label(complaint: Complaint, text: str, others: str) -> Fault:
    line = label_line(text, complaint)
    if not complaint.grave:
        message = complaint.text.removesuffix(" - ignored").rstrip(".")
        return Fault(f"in the HTML-like label of {_owner(complaint)}: {message}", line, None, others)
    whole = f"{complaint.text}\n{complaint.more}"
    advice = next((tip for pattern, tip in HTML_ADVICE if re.search(pattern, whole)), "")
    message = re.sub(r" (?:in|on) line \d+( of .*)?$", "", complaint.text.strip())
    return Fault(f"the HTML-like label is not well-formed: {message}{advice}", line, None, others)


def _owner(complaint: Complaint) -> str:
    return (
        f"'{' -> '.join(complaint.owner)}'" if complaint.owner and complaint.owner != ("",) else "the graph"
    )


def label_line(text: str, complaint: Complaint) -> int | None:
    """The line in the source for a message about an HTML-like label."""
    keys = ("label", "xlabel", "headlabel", "taillabel")
    tokens = [places.of_attribute(text, key, complaint.owner) for key in keys]
    token = next((token for token in tokens if token is not None and token.kind == "html"), None)
    if token is None:
        return places.of_name(text, complaint.owner[0]) if complaint.owner else None
    stated = _LINE.search(complaint.text)
    return token.line + min(int(stated[1]) - 1 if stated else 0, token.text.count("\n"))


_NAMED = re.compile(
    r"(?:node|shape|engine|style|color|edge|attribute|type|value:?|named|ordering) \"?'?([\w.+-]+)"
    r'|type: "([^"]*)"|^(.+) is not a known color|^([\w.+-]+) (?:->|--) |^bad label format (.*)$|in "(.*)" color spec'
)


def _line_of(message: str, text: str) -> int | None:
    """The first line with the name that a message quotes; None if the text does not have it."""
    lines = (places.of_name(text, name) for name in _names(message))
    return next((line for line in lines if line is not None), None)


def _names(message: str) -> Iterator[str]:
    return map("".join, _NAMED.findall(message))
