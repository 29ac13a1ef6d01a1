"""PlantUML's errors in an author's words, at the line of the source. Pure.

PlantUML draws an error as a picture: the number of the line, the lines up to it, and a sentence.
"""

from __future__ import annotations

import re

from figmill.kind import AuthorError, did_you_mean
from figmill.kind.source_text import unescaped
from figmill_kinds.plantuml.text import DiagramText

_WORDS = re.compile(r"<text[^>]*>([^<]*)</text>")
_LINE = re.compile(r"\[From .* \(line (\d+)\) \]")
_FIRST = "PlantUML version "
_CRASHED = ("An error has occurred", "has crashed.")  # in the picture of a crash
_EXCEPTION = re.compile(r"\b(?:java\.[\w.]+\.)?(\w*(?:Exception|Error))\b")
_ADVICE = re.compile(r"You should send (?:a mail|this diagram)")  # PlantUML's, to write to its author
DRAWN = ("uml", "mindmap", "wbs", "gantt", "json", "yaml", "regex", "ebnf")
_PLAIN_INCLUDE = re.compile(r"\s*!include(_once|_many)?\s")
_PREPROCESSED = re.compile(r"[!%$]")
_NOT_DRAWN = "Diagram not supported by this release of PlantUML"
_FORESEEN = re.compile(rf"Syntax Error|Empty description|Cannot load theme|{_NOT_DRAWN}|$")
# Diagrams of PlantUML that its package for JavaScript leaves out, and what draws them.
LEFT_OUT = {
    "salt": "a drawing, kind svg",
    "nwdiag": "kind dot",
    "packetdiag": "kind mermaid",
    "ditaa": "kind svgbob",
    "chen": "@startuml and `entity`",
    "math": "a formula on the page",
    "latex": "a formula on the page",
    "jcckit": "kind matplotlib",
    "chart": "kind vega-lite",
    "wire": "kind svgbob",
    "files": "@startwbs",
    "dot": "kind dot",
    "bpm": "kind mermaid",
    "board": "kind mermaid",
    "git": "kind mermaid",
    "chronology": "kind mermaid and `timeline`",
}


def stops_at(text: DiagramText) -> int:
    """The line number of the first unreadable include, if PlantUML is certain to reach it; else 0.

    It is if no line above is for its preprocessor. Then figmill need not start it, which saves most of a second.
    """
    line = min(text.unread, default=0)
    if line == 0 or text.kind != "uml" or not _PLAIN_INCLUDE.match(text.lines[line - 1]):
        return 0
    return 0 if any(_PREPROCESSED.search(row) for row in text.lines[: line - 1]) else line


def of_drawing(svg: str, text: DiagramText, added: int) -> AuthorError | None:
    """The error that PlantUML's picture shows; None if the picture is a diagram. added: lines of the style sheet."""
    if 'viewBox="0 0 0 0"' in svg[:500]:
        return AuthorError(text.at(1), _empty(text))
    head = svg[:6000]
    if all(sign in head for sign in _CRASHED):
        return AuthorError(text.at(1), _crash(head, ""))
    if _FIRST not in head and _NOT_DRAWN not in head:
        return None
    texts = [unescaped(word).strip() for word in _WORDS.findall(svg)]
    if any(word == _NOT_DRAWN for word in texts):
        return _left_out(text)
    if not texts or not texts[0].startswith(_FIRST):
        return None
    message = next((word for word in reversed(texts) if word), "Syntax Error?")
    line = stopped(svg, added)
    if line in text.unread:
        return text.unread[line]
    written = text.lines[min(line, len(text.lines)) - 1].strip() if line > 0 else ""
    return AuthorError(text.at(line), _in_words(message, written, text))


def is_foreseen(svg: str) -> bool:
    """Whether a picture reports a mistake in the source, which leaves PlantUML as before; no crash or full stack."""
    words = (unescaped(word).replace("\u00a0", " ").strip() for word in _WORDS.findall(svg))
    return _FORESEEN.match(next((word for word in reversed([*words]) if word), "")) is not None


def stopped(svg: str, added: int) -> int:
    """The number of the line at which PlantUML stopped; 0 if it names none. added: lines that figmill put first."""
    named = (_LINE.match(unescaped(word).strip()) for word in _WORDS.findall(svg))
    number = next((int(match[1]) for match in named if match), 0)
    return max(1, number - added) if number > 1 else number


def of_message(message: str, text: DiagramText) -> AuthorError:
    """The error for a diagram at which PlantUML itself failed."""
    if "Unsupported diagram type" in message:
        return _left_out(text)
    if "call stack" in message or "too large" in message:
        return AuthorError(
            text.at(1), "the diagram is too large for PlantUML in JavaScript; draw less in one figure"
        )
    short = message.strip().split("\n")[0].removeprefix("java.lang.")
    return AuthorError(text.at(1), f"PlantUML cannot draw this: {short[:200]}")


def _crash(message: str, written: str) -> str:
    """The message for what PlantUML cannot draw because of a bug of its own. written: the line; may be empty."""
    name = _EXCEPTION.search(message)
    at = f" at '{written[:80]}'" if written else ""
    return f"PlantUML crashes{at}{f' ({name[1]})' if name else ''}; write this in another way"


def _left_out(text: DiagramText) -> AuthorError:
    first = next((row.split()[0] for row in text.lines[1:] if row.strip()), "")
    name = text.kind if text.kind != "uml" else first
    other = f"; draw it with {LEFT_OUT[name]}" if name in LEFT_OUT else ""
    start = f"@start{text.kind}" if text.kind != "uml" else f"'{name}'"
    other = other or did_you_mean(start, [f"@start{kind}" for kind in DRAWN])
    return AuthorError(
        text.at(1 if text.kind != "uml" else 2),
        f"the npm package @plantuml/core does not draw {start}{other}",
    )


WORDS = (
    "participant",
    "actor",
    "boundary",
    "control",
    "entity",
    "database",
    "collections",
    "queue",
    "activate",
    "deactivate",
    "class",
    "interface",
    "abstract",
    "enum",
    "package",
    "namespace",
    "state",
    "component",
    "node",
    "rectangle",
    "usecase",
    "object",
    "note",
    "title",
    "start",
    "stop",
    "endif",
    "else",
    "elseif",
    "while",
    "endwhile",
    "repeat",
    "partition",
    "group",
    "loop",
    "alt",
    "autonumber",
    "hide",
    "skinparam",
    "lasts",
    "starts",
    "happens",
    "requires",
    "after",
    "colored",
)


def _advice(written: str, text: DiagramText) -> str:
    """The likely cure for a line that PlantUML does not understand; empty if there is none."""
    if written.count('"') % 2:
        return "; a second '\"' is missing"
    if written.endswith("{") and sum(row.count("{") - row.count("}") for row in text.lines) > 0:
        return "; is a '}' missing below?"
    if written.startswith(":") and not written.endswith((";", ":")):
        return "; an action ends with ';'"
    if re.match(r"[hr]?note\b[^:]*$", written) and not any(
        re.match(r"\s*end\s?[hr]?note\b", row) for row in text.lines
    ):
        return "; write ':' and a text after it, or `end note` below"
    words = (word for word in re.findall(r"[A-Za-z]{3,}", written) if word.lower() not in WORDS)
    return next((near for word in words if (near := did_you_mean(word, WORDS))), "")


def _empty(text: DiagramText) -> str:
    return f"the diagram is empty; write it between @start{text.kind} and @end{text.kind}"


def _in_words(message: str, written: str, text: DiagramText) -> str:
    """PlantUML's sentence, as a message that says what would be right."""
    kind = re.search(r"Assumed diagram type: (\w+)", message)
    first = written.split()[0] if written else ""
    if message.startswith("Syntax Error") and first in LEFT_OUT:
        return f"the npm package @plantuml/core does not draw '{first}'; draw it with {LEFT_OUT[first]}"
    if message.startswith("Syntax Error"):
        of = f" in {'an' if kind[1][0] in 'aeiou' else 'a'} {kind[1]} diagram" if kind else ""
        return f"PlantUML does not understand '{written[:80]}'{of}{_advice(written, text)}"
    if message.startswith("Empty description"):
        return _empty(text)
    if match := re.match(r"Cannot load theme (\S+)", message):
        return f"PlantUML has no theme '{match[1]}'; leave `!theme` out for the colours of the book"
    if _ADVICE.match(message):
        return _crash(message, written)
    plain = re.sub(r"\s*\(Assumed diagram type: \w+\)", "", message).rstrip(".")
    return f"{plain[:1].upper()}{plain[1:]} at '{written[:80]}'" if written else plain
