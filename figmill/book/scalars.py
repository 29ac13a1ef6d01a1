"""Nodes become JSON values; YAML's traps are reported to the author.

YAML 1.1 (PyYAML) and YAML 1.2 (editors) read some values differently: `on`, `010`, `12:30`. Such a value is an error,
never a guess. Unaware of questions. https://yaml.org/spec/1.1/, https://yaml.org/spec/1.2.2/#103-core-schema
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from figmill.book.nodes import MAX_BYTES, MAX_DEPTH, ListNode, MapNode, Node, Scalar
from figmill.errors import AuthorError
from figmill.model import Json, Origin

MAX_KEY = 200


def survey(root: Node) -> tuple[dict[str, Origin], tuple[AuthorError, ...]]:
    """The place of each value under `root` by key path ("", "kind", "inputs.0"), and the errors in its form.

    Errors are constructs that YAML parsers read differently: tags, merge keys, keys that are not text, duplicate
    keys. Raises AuthorError if aliases expand the value beyond the size limit of a file.
    """
    origins: dict[str, Origin] = {}
    errors: list[AuthorError] = []
    _visit(root, "", 1, 0, origins, errors)
    return origins, tuple(errors)


def _visit(
    node: Node, path: str, depth: int, size: int, origins: dict[str, Origin], errors: list[AuthorError]
) -> int:
    """Survey a value. size: of what comes before it; returns the size with it.

    A function of its own: one inside `survey` would refer to itself, and such a cycle would stay in memory for each
    question.
    """
    size += len(path) + (len(node.text) if isinstance(node, Scalar) else 1)
    if size > MAX_BYTES or depth > MAX_DEPTH:
        at = origins.get("", node.at)  # of the whole value
        raise AuthorError(at, "too large or too deep for a figure; keep data in a file beside its source")
    origins[sys.intern(path)] = node.at  # most questions have the same keys
    if node.tag is not None:
        errors.append(_tagged(node, node.tag))
    if isinstance(node, ListNode):
        for number, item in enumerate(node.items):
            size = _visit(item, f"{path}.{number}" if path else str(number), depth + 1, size, origins, errors)
    elif isinstance(node, MapNode):
        earlier: dict[str, Origin] = {}
        for key, item in node.rows:
            wrong = tuple(key_errors(key, earlier))
            errors.extend(wrong)
            if isinstance(key, Scalar) and not wrong:
                earlier[key.text] = key.at
                below = f"{path}.{key.text}" if path else key.text
                size = _visit(item, below, depth + 1, size, origins, errors)
    return size


def key_errors(key: Node, earlier: Mapping[str, Origin]) -> Iterator[AuthorError]:
    """The reasons why a key is ambiguous; `earlier` holds the mapping's previous keys."""
    if not isinstance(key, Scalar):
        yield AuthorError(key.at, "a key must be text, not a list or a mapping")
    elif key.tag is not None:
        yield _tagged(key, key.tag)
    elif is_merge(key):
        yield AuthorError(key.at, "figmill does not read merge keys (<<) here; write the keys out")
    elif len(key.text) > MAX_KEY:
        yield AuthorError(key.at, f"a key of {len(key.text)} characters; at most {MAX_KEY} are allowed")
    elif (kind := sort(key)) != "text":
        yield AuthorError(key.at, f"the key {key.text} is {_WORDS[kind]}; write it in quotes: '{key.text}'")
    elif key.text in earlier:
        message = f"the key '{key.text}' is repeated; it is already in line {earlier[key.text].line}"
        yield AuthorError(key.at, message)


def _tagged(node: Node, tag: str) -> AuthorError:
    shown = tag.replace("tag:yaml.org,2002:", "!!")
    return AuthorError(
        node.at, f"figmill does not read the tag {shown} here; write the plain value, in quotes if it is text"
    )


def is_merge(key: Scalar) -> bool:
    return key.plain and key.text == "<<"


# How YAML reads a value without quotes. The forms on which 1.1 and 1.2 agree come first.
_PLAIN = re.compile(
    r"""  (?P<null>        ~ | null | Null | NULL | )
        | (?P<boolean>     true | True | TRUE | false | False | FALSE )
        | (?P<integer>     [-+]? (?: 0 | [1-9][0-9]* ) )
        | (?P<hexadecimal> [-+]? 0x [0-9a-fA-F]+ )
        | (?P<octal>       [-+]? (?: 0[0-9]+ | 0o[0-7]+ | 0b[01]+ ) )
        | (?P<number>      [-+]? (?: \.[0-9]+ | [0-9]+ (?: \.[0-9]* )? ) (?: [eE][-+]?[0-9]+ )? )
        | (?P<nonfinite>   [-+]? \. (?: inf | Inf | INF ) | \. (?: nan | NaN | NAN ) )
        | (?P<switch>      yes | Yes | YES | no | No | NO | on | On | ON | off | Off | OFF )
        | (?P<grouped>     [-+]? (?= [^_]*_ )
                           (?: 0x [0-9a-fA-F_]+ | 0b [01_]+ | [0-9][0-9_]* (?: \.[0-9_]* )? | \.[0-9][0-9_]* )
                           (?: [eE][-+]?[0-9]+ )? )
        | (?P<base60>      [-+]? [0-9][0-9_]* (?: :[0-5]?[0-9] )+ (?: \.[0-9_]* )? )
        | (?P<date>        [0-9]{4} -[0-9]{1,2} -[0-9]{1,2} (?: (?: [Tt] | [ \t]+ )
                           [0-9]{1,2} (?: :[0-9]{2} ){1,2} (?: \.[0-9]* )?
                           (?: [ \t]* (?: Z | [-+][0-9]{1,2} (?: :?[0-9]{2} )? ) )? )? )
    """,
    re.VERBOSE,
)
_WORDS = {
    "null": "nothing at all",
    "boolean": "true or false",
    "integer": "a number",
    "hexadecimal": "a number",
    "octal": "a number, and not the same one to all YAML readers",
    "number": "a number",
    "nonfinite": "not a finite number",
    "switch": "true or false to some YAML readers",
    "grouped": "a number to some YAML readers",
    "base60": "a number in base 60 to some YAML readers",
    "date": "a date",
}


_BEGINS = frozenset("~nNtTfFyYoO+-.0123456789")  # whatever begins otherwise, and is not empty, is text


def sort(node: Scalar) -> str:
    """The type that YAML reads a scalar as: a group of the pattern above, or "text", as for everything in quotes."""
    if node.text and node.text[0] not in _BEGINS:
        return "text"
    match = _PLAIN.fullmatch(node.text) if node.plain else None
    return match.lastgroup or "text" if match else "text"


def text(node: Node, name: str) -> str:
    """The text of a node. Raises AuthorError if any YAML parser would read something else."""
    if not isinstance(node, Scalar):
        raise AuthorError(node.at, f"{name} must be text, not {described(node)}")
    kind = sort(node)
    if kind == "text":
        return node.text
    if kind == "null":
        raise AuthorError(node.at, f"{name} is empty")
    shown = short(node.text)
    raise AuthorError(
        node.at, f"{name} must be text, but {shown} is {_WORDS[kind]}; write it in quotes: '{shown}'"
    )


def value(node: Node, name: str) -> Json:
    """The JSON value of a surveyed node. Raises AuthorError if YAML parsers disagree, or JSON has no such value."""
    if isinstance(node, ListNode):
        return [value(item, f"{name}.{number}") for number, item in enumerate(node.items)]
    if isinstance(node, MapNode):
        rows = ((key.text, item) for key, item in node.rows if isinstance(key, Scalar))
        return {key: value(item, f"{name}.{key}") for key, item in rows}
    kind = sort(node)
    if kind == "text":
        return node.text
    reader = _READERS.get(kind)
    if reader is None:
        shown = short(node.text)
        advice = f"write the value that you mean, or quote it for text: '{shown}'"
        raise AuthorError(node.at, f"{name}: {shown} is {_WORDS[kind]}; {advice}")
    if len(node.text) > 400:
        raise AuthorError(node.at, f"{name}: a number of {len(node.text)} digits is too long")
    result = reader(node.text)
    if isinstance(result, float) and not math.isfinite(result):
        raise AuthorError(node.at, f"{name}: {short(node.text)} is too large a number")
    return result


_READERS: Mapping[str, Callable[[str], Json]] = MappingProxyType(
    {
        "null": lambda text: None,
        "boolean": lambda text: text.lower() == "true",
        "integer": int,
        "hexadecimal": lambda text: int(text, 16),
        "number": float,
    }
)


def described(node: Node) -> str:
    """A node in words for a message: `a list`, `a mapping`, `the text 'x'`, `a number`."""
    if isinstance(node, ListNode):
        return "a list"
    if isinstance(node, MapNode):
        return "a mapping"
    kind = sort(node)
    return f"the text '{short(node.text)}'" if kind == "text" else _WORDS[kind]


def short(text: str) -> str:
    """Text cut for a message."""
    return text if len(text) <= 60 else f"{text[:60]}…"
