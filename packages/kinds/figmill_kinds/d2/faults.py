"""D2's complaints as an author's error, at the line and column of the source. Pure."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from figmill.kind import AuthorError, Origin, did_you_mean
from figmill.kind.source_text import place

SHAPES = (
    "rectangle",
    "square",
    "page",
    "parallelogram",
    "document",
    "cylinder",
    "queue",
    "package",
    "step",
    "callout",
    "stored_data",
    "person",
    "diamond",
    "oval",
    "circle",
    "hexagon",
    "cloud",
    "text",
    "code",
    "class",
    "sql_table",
    "image",
    "sequence_diagram",
    "hierarchy",
    "c4-person",
)
STYLES = (
    "opacity",
    "stroke",
    "fill",
    "fill-pattern",
    "stroke-width",
    "stroke-dash",
    "border-radius",
    "shadow",
    "3d",
    "multiple",
    "font",
    "font-size",
    "font-color",
    "animated",
    "bold",
    "italic",
    "underline",
    "text-transform",
    "double-border",
    "filled",
)
LAYOUTS = ("dagre", "elk", "tala")
_PLACED = re.compile(r"^(?:err:\s*)?(?:failed to \w+(?: \w+)* [^\s:]+: )?(\S.*?\.d2):(\d+):(\d+): (.*)$")
_FORMULA = r"\|+`?(?:latex|tex)\b"
_PICTURE = re.compile(r"failed to bundle (.+?): ")
_COMMENTED = re.compile(r"\{[^{}\"'#]*?(?P<text>[^{}\"'#\s]*#[^{}\"'\s]*)[ \t]*\}")


def is_missing_picture(message: str) -> bool:
    """Whether D2 drew everything but a picture that it did not find."""
    return "failed to bundle" in message


def author_error(message: str, folder: str, path: str, texts: Mapping[str, str]) -> AuthorError:
    """The first complaint, with the others as its detail. folder: where D2 ran; texts: sources by their path."""
    message = message.replace(folder + os.sep, "")  # its name is another one in each build
    if (picture := _PICTURE.search(message)) is not None:
        return _picture(picture[1], path, texts)
    faults = []
    for line in message.splitlines():
        if (match := _PLACED.match(line.strip())) is not None:
            name = match[1].replace(os.sep, "/")
            faults.append((Origin(name if name in texts else path, int(match[2]), int(match[3])), match[4]))
    if (layout := re.search(r'D2_LAYOUT "(.+?)" is not bundled', message)) is not None:
        return _named(
            layout[1], f"D2 has no layout '{layout[1]}'; there are {', '.join(LAYOUTS)}", path, texts
        )
    if not faults:
        last = next(
            (line for line in reversed(message.splitlines()) if line.startswith("err")), message.strip()
        )
        complaint = last.removeprefix("err:").strip()
        return AuthorError(Origin(path), f"D2 cannot draw this: {_plain(complaint) or 'it gives no reason'}")
    (origin, complaint), *others = faults
    if complaint.startswith("invalid text beginning") and origin.line is not None:
        lines = texts.get(origin.path, "").splitlines()[origin.line - 1 : origin.line]
        if sign := next(
            (sign for sign in ("==>", "=>", "-->>", "->>") if any(sign in row for row in lines)), ""
        ):
            at = Origin(origin.path, origin.line, lines[0].find(sign) + 1)
            return AuthorError(at, f"'{sign}' is not an arrow; write '->', '<-', '<->' or '--'")
    if complaint.startswith("maps must") and origin.line is not None and origin.column is not None:
        row = texts.get(origin.path, "").split("\n")[origin.line - 1 : origin.line]
        inside = _COMMENTED.match(row[0], origin.column - 1) if row else None
        if inside is not None:
            at = Origin(origin.path, origin.line, inside.start("text") + 1)
            return AuthorError(at, f"'#' begins a comment; write the text in quotes: \"{inside['text']}\"")
    detail = "\n".join(f"{at}: {_plain(more)}" for at, more in others)
    return AuthorError(origin, _plain(complaint), detail)


def formula_error(shape: str, message: str, path: str, texts: Mapping[str, str]) -> AuthorError:
    """The error for a formula that cannot be set. shape: the path of the shape or connection whose label it is.

    The error is at the command that the message names, at the shape, or at the only formula.
    """
    explanation = f"this formula cannot be set: {message[:1].lower()}{message[1:]}"
    command = re.search(r"\\[A-Za-z]+", message)
    name = re.escape(shape.rpartition(".")[2])
    patterns = [rf"(?P<at>{re.escape(command[0])})(?![A-Za-z])"] if command else []
    patterns.append(rf"(?:^|[{{;.])[ \t]*['\"]?(?P<at>{name})['\"]?[ \t]*:[^\n]*?{_FORMULA}")
    for pattern in (*patterns, rf"(?P<at>){_FORMULA}"):
        places = [(file, text, at) for file, text in texts.items() for at in re.finditer(pattern, text, re.M)]
        if len(places) == 1 or (places and pattern in patterns):
            file, text, at = places[0]
            return AuthorError(place(text, at.start("at"), file), explanation)
    return AuthorError(Origin(path), explanation)


def _picture(name: str, path: str, texts: Mapping[str, str]) -> AuthorError:
    return _named(
        name, f"the picture '{name}' is not in the book; save it there, beside the diagram", path, texts
    )


def _named(name: str, message: str, path: str, texts: Mapping[str, str]) -> AuthorError:
    """The error at the first place of a name."""
    for file, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            if name in line:
                return AuthorError(Origin(file, number, line.find(name) + 1), message)
    return AuthorError(Origin(path), message)


def _plain(complaint: str) -> str:
    """A complaint with its cure."""
    if (match := re.match(r'unknown shape "(.*)"', complaint)) is not None:
        return f"D2 has no shape '{match[1]}'{did_you_mean(match[1], SHAPES) or '; there are ' + ', '.join(SHAPES)}"
    if (match := re.match(r'invalid style keyword: "(.*)"', complaint)) is not None:
        return f"D2 has no style '{match[1]}'{did_you_mean(match[1], STYLES) or '; there are ' + ', '.join(STYLES)}"
    if (match := re.match(r'failed to import "(.*?)"', complaint)) is not None:
        name = os.path.basename(match[1])
        return f"there is no file '{name}' to import; imports are files of the book, by a relative path"
    if (match := re.match(r"detected cyclic import chain: (.*)", complaint)) is not None:
        chain = match[1].replace(os.sep, "/")
        return f"these files import each other: {chain}; leave one of the imports out"
    if (match := re.match(r'could not resolve variable "(.*)"', complaint)) is not None:
        return f"there is no variable '{match[1]}'; define it under `vars`"
    if "missing destination" in complaint:
        return "the connection leads nowhere; write a shape after the arrow, like `a -> b`"
    if "missing source" in complaint:
        return "the connection begins nowhere; write a shape before the arrow, like `a -> b`"
    if (match := re.match(r"maps must be terminated with \}", complaint)) is not None:
        return "this '{' is not closed; write a '}'"
    if complaint.startswith(
        ("block string must be terminated with", "double quoted strings", "single quoted strings")
    ):
        return f"the text that begins here is not closed; write {complaint.split()[-1]} after it"
    return complaint.replace('"', "'")
