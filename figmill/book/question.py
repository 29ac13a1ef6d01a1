"""A question file: YAML bytes become a Question, each value with its line.

Pure, and limited to one file: resolve.py checks sources and ids, and applies the settings. Reads only `id`, `track`,
`title`, `visual` and `visuals`; the other keys belong to the book.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

from figmill.book import scalars, stated_language
from figmill.book.explore import values as explored
from figmill.book.fields import (
    ALT,
    FIGURE,
    GLOBAL,
    NAMED_FIGURE,
    NAMED_REFERENCE,
    REFERENCE,
)
from figmill.book.misspelled_keys import FIGURES, WATCHED, Suspect, suspects
from figmill.book.nodes import ListNode, MapNode, Node, Scalar
from figmill.book.value_types import FileName, Id, Title, Type, flat, gather
from figmill.errors import AuthorError
from figmill.kinds import KINDS, kind_of_name
from figmill.late_dataclasses import dataclass
from figmill.model import Expect, FactSource, Fence, Json, Origin, no_values

MAX_FIGURES = 100  # in a list
MAX_PROBLEMS = 50  # reported per file

READ = FIGURES | {"id", "track", "title"}
_ALONE = (None,)  # the names in nearly every question: one object for all
# Seven hundred keys: a union for each file would take a fifth of its time.
_WANTED = READ | WATCHED | stated_language.KEYS


@dataclass(frozen=True, slots=True)
class Declaration:
    """A figure as written: missing values are None or empty, and nothing is looked up."""

    name: str | None  # None: written under `visual`
    origins: Mapping[str, Origin]  # "", "kind", "params.devices", ...: the place of each value
    alt: str = ""  # empty: the source describes itself, or it is a code block in a page
    kind: str | None = None
    source: str | None = None
    path: str | None = None
    params: Mapping[str, Json] = field(default_factory=no_values)
    caption: str | None = None
    rendered: str | None = None
    engine: str | None = None
    inputs: tuple[str, ...] = ()
    figure: str | None = None
    themes: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    timeout: float | None = None
    colours: str | None = None
    width: float | None = None
    describe: str | bool = True
    narrow: Mapping[str, Json] = field(default_factory=no_values)
    expect: Expect = Expect()
    lint: Mapping[str, str] = field(default_factory=no_values)  # exempted check -> the reason
    # parameters that readers can change
    explore: Mapping[str, tuple[Json, ...]] = field(default_factory=no_values)
    fence: Fence | None = None  # its source, if it stands in a page
    image: tuple[str, ...] = ()  # where in the book its source may be, if a page shows that as an image
    facts: tuple[FactSource, ...] = ()

    def at(self, *keys: str) -> Origin:
        """The place of the value under these keys; the figure's own place if there is no such value."""
        return self.origins.get(".".join(keys), self.origins[""])


@dataclass(frozen=True, slots=True)
class Reference:
    """A place where a question shows the figure of another question."""

    name: str | None
    ref: str
    origin: Origin  # the place of `ref`


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    track: str
    title: str | None
    path: str
    origin: Origin  # of the id
    declarations: tuple[Declaration, ...] = ()
    references: tuple[Reference, ...] = ()
    names: tuple[str | None, ...] = ()  # of all its figures and references, invalid ones too
    suspects: tuple[Suspect, ...] = ()  # keys that were probably meant to be `visual`
    language: str = ""  # of its texts, where it states one other than English


@dataclass(frozen=True, slots=True)
class Problem:
    """An error in a figure. Without a name it concerns the whole question, without an id the whole file."""

    error: AuthorError
    id: str | None = None
    name: str | None = None
    kind: str | None = None
    left: str = ""  # of an image, which its page keeps: the level of that finding; empty: it is an error


def label_of(id_: str, name: str | None) -> str:
    """The name of a figure in reports and file names."""
    return id_ if name is None else f"{id_}-{name}"


def read(path: str, data: bytes) -> tuple[Question | None, tuple[Problem, ...]]:
    """The question in a file, and all errors in it, in the order of lines. Never raises.

    A figure with an error is left out; its siblings stay. Without a readable id there is no question. If track or
    title has an error, or `visual` is written twice, the question has no figures.
    """
    from figmill.book import yaml_parser  # loads PyYAML, which a build with a full parse cache does not need

    try:
        every = yaml_parser.read(path, data, _WANTED)
    except AuthorError as error:
        return None, (Problem(error),)
    rows = [(key, node) for key, node in every if key.text in READ or scalars.is_merge(key)]
    nodes = {key.text: node for key, node in rows}
    errors = list(_key_errors(rows))
    id_ = _value(nodes, "id", Id(), errors)
    track = _value(nodes, "track", FileName(), errors) or GLOBAL
    title = _value(nodes, "title", Title(), errors)
    if "id" not in nodes:
        errors.append(AuthorError(Origin(path, 1, 1), "a question needs an id, like `id: cloud-2848`"))
    figures, problems = _figures(nodes, id_, errors)
    problems += [Problem(error, id_) for error in errors]
    reported = _in_order(problems)
    if id_ is None:
        return None, reported
    valid, names = () if errors else figures, tuple(_names(nodes))
    question = Question(
        id=id_,
        track=sys.intern(track),  # a book has few
        title=title,
        path=path,
        origin=nodes["id"].at,
        declarations=tuple(figure for figure in valid if isinstance(figure, Declaration)),
        references=tuple(figure for figure in valid if isinstance(figure, Reference)),
        names=_ALONE if names == _ALONE else names,
        suspects=tuple(suspects(every)),
        language=stated_language.of_question(every),
    )
    return question, reported


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """The problems in the order of their lines; at most MAX_PROBLEMS, the last of which counts the rest."""
    ordered = sorted(problems, key=lambda p: (p.error.origin.line or 0, p.error.origin.column or 0))
    if len(ordered) <= MAX_PROBLEMS:
        return tuple(ordered)
    *shown, last = ordered[:MAX_PROBLEMS]
    message = f"{last.error.message} (and {len(ordered) - MAX_PROBLEMS} more problems from here on)"
    return (*shown, replace(last, error=AuthorError(last.error.origin, message)))


def _key_errors(rows: Iterable[tuple[Scalar, Node]]) -> Iterator[AuthorError]:
    """Errors in the top-level keys that make their values ambiguous."""
    earlier: dict[str, Origin] = {}
    declares = False
    for key, node in rows:
        if scalars.is_merge(key):
            if merged := (READ | {"<<"}) & _merged_keys(node):
                brought = ", ".join(sorted(merged))
                yield AuthorError(key.at, f"this merge key (<<) adds {brought}; write that out")
            continue
        yield from scalars.key_errors(key, earlier)
        if key.text in FIGURES and not _is_null(node):
            if declares and key.text not in earlier:
                yield AuthorError(key.at, "a question has either `visual` or `visuals`, not both")
            declares = True
        earlier[key.text] = key.at


def _merged_keys(node: Node) -> set[str]:
    """The keys that a merge brings, "<<" among them if it brings another merge."""
    maps = node.items if isinstance(node, ListNode) else (node,)
    return {
        key.text
        for map_ in maps
        if isinstance(map_, MapNode)
        for key, _ in map_.rows
        if isinstance(key, Scalar)
    }


def _value(nodes: Mapping[str, Node], key: str, type_: Type, errors: list[AuthorError]) -> Any:
    """The value of a key other than `visual`; None if it is missing or wrong."""
    if key not in nodes:
        return None
    try:
        _, refused = scalars.survey(nodes[key])
        return gather([(type_, nodes[key], key)], refused)[0]
    except* AuthorError as group:
        errors.extend(flat(group))
    return None


def _figures(
    nodes: Mapping[str, Node], id_: str | None, errors: list[AuthorError]
) -> tuple[list[Declaration | Reference], list[Problem]]:
    """The valid figures, and the problems of the others."""
    figures: list[Declaration | Reference] = []
    problems: list[Problem] = []
    for node, word, named in _figure_nodes(nodes, errors):
        try:
            figures.append(_figure(node, word, named))
        except* AuthorError as group:
            name, kind = (_text_under(node, "name") if named else None), _text_under(node, "kind")
            problems += [Problem(error, id_, name, kind) for error in _first_per_place(flat(group))]
    return figures, problems


def _figure_nodes(nodes: Mapping[str, Node], errors: list[AuthorError]) -> Iterator[tuple[Node, str, bool]]:
    """Each node that declares a figure, its name in messages, and whether the figure needs a name."""
    for word in sorted(FIGURES & nodes.keys()):
        node = nodes[word]
        if _is_null(node):
            continue
        if isinstance(node, Scalar) and not node.text:
            advice = f"indent its lines under it, or write `{word}: null` if there is no figure"
            errors.append(AuthorError(node.at, f"{word} is empty; {advice}"))
        elif word == "visual":
            yield node, word, False
        elif isinstance(node, ListNode):
            if len(node.items) > MAX_FIGURES:
                message = f"visuals has {len(node.items)} figures; at most {MAX_FIGURES} are allowed"
                errors.append(AuthorError(node.at, message))
            items = enumerate(node.items[:MAX_FIGURES])
            yield from ((item, f"visuals.{number}", True) for number, item in items)
        else:
            message = f"visuals must be a list, each figure beginning with `- name: ...`, not {scalars.described(node)}"
            errors.append(AuthorError(node.at, message))


def _is_null(node: Node) -> bool:
    """Whether a node is an explicit null; a missing value is not."""
    return isinstance(node, Scalar) and node.plain and node.text in ("null", "~")


def _figure(node: Node, word: str, named: bool) -> Declaration | Reference:
    """The figure or reference in a node. Raises AuthorError, or an ExceptionGroup of them."""
    origins, refused = scalars.survey(node)
    if "ref" in origins:
        table = NAMED_REFERENCE if named else REFERENCE
        fields = gather([(table, node, word)], refused)[0]
        return Reference(fields.get("name"), fields["ref"], origins["ref"])
    table = NAMED_FIGURE if named else FIGURE
    if "alt" not in origins and isinstance(node, MapNode) and not _describes_itself(node):
        refused = (*refused, AuthorError(node.at, f"{word} needs alt: {ALT}"))
    fields = gather([(table, node, word)], refused)[0]
    if wrong := list(explored.problems(fields.get("explore", {}), fields.get("params", {}), origins)):
        raise ExceptionGroup("values that a page cannot begin with", wrong)
    return Declaration(**{"name": None, **fields}, origins=origins)


def _describes_itself(node: Node) -> bool:
    """Whether the figure's source may have a description, by its kind."""
    kind = _text_under(node, "kind") or kind_of_name(_text_under(node, "source") or "")
    return kind is not None and kind in KINDS and bool(KINDS[kind].describes)


def _names(nodes: Mapping[str, Node]) -> Iterator[str | None]:
    for node, _, named in _figure_nodes(nodes, []):
        name = _text_under(node, "name") if named else None
        if name is not None or not named:
            yield name


def _text_under(node: Node, key: str) -> str | None:
    """The text under a key of an invalid figure."""
    if isinstance(node, MapNode):
        for other, item in node.rows:
            if isinstance(other, Scalar) and other.text == key and isinstance(item, Scalar):
                return item.text
    return None


def _first_per_place(errors: Iterable[AuthorError]) -> Iterator[AuthorError]:
    """The first error of each place: a key that is not text need not also be reported as unknown."""
    earlier = set()
    for error in errors:
        if error.origin not in earlier:
            earlier.add(error.origin)
            yield error
