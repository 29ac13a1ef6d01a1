"""YAML bytes -> Questions, each value with its line.

Pure, and closed over one file: whether a source exists, an id is taken or a setting has a default is the
book's matter. Only `id`, `track`, `title`, `visual` and `visuals` are read; all else there is the book's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from figmill.book import scalars
from figmill.book.fields import (
    FIGURE,
    GLOBAL,
    NAMED_FIGURE,
    NAMED_REFERENCE,
    REFERENCE,
)
from figmill.book.nodes import ListNode, MapNode, Node, Scalar
from figmill.book.value_types import FileName, Id, Title, Type, flat, gather
from figmill.errors import AuthorError
from figmill.model import Expect, Json, Origin

MAX_FIGURES = 100  # in a list
MAX_PROBLEMS = 50  # told of one file

FIGURES = frozenset({"visual", "visuals"})
READ = FIGURES | {"id", "track", "title"}


@dataclass(frozen=True, slots=True)
class Declaration:
    """A figure as it is written: what the author left out is None or empty, nothing is looked up."""

    name: str | None  # None: written under `visual`
    alt: str
    origins: Mapping[str, Origin]  # "", "kind", "params.devices", ...: where each value was written
    kind: str | None = None
    source: str | None = None
    path: str | None = None
    params: Mapping[str, Json] = field(default_factory=dict)
    caption: str | None = None
    rendered: str | None = None
    engine: str | None = None
    inputs: tuple[str, ...] = ()
    themes: tuple[str, ...] | None = None
    timeout: float | None = None
    expect: Expect = field(default_factory=Expect)
    lint: Mapping[str, str] = field(default_factory=dict)  # checks that it is let off, each with the reason

    def at(self, *keys: str) -> Origin:
        """Where the value under these keys was written; the figure itself where it was not."""
        return self.origins.get(".".join(keys), self.origins[""])


@dataclass(frozen=True, slots=True)
class Reference:
    """Where a question shows the figure of another one."""

    name: str | None
    ref: str
    origin: Origin  # of the reference's target


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    track: str
    title: str | None
    path: str
    origin: Origin  # of the id
    declarations: tuple[Declaration, ...] = ()
    references: tuple[Reference, ...] = ()
    names: tuple[str | None, ...] = ()  # of all its figures and references, the refused ones too


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a figure; with all of a question where no name, with a file where no id is known."""

    error: AuthorError
    id: str | None = None
    name: str | None = None
    kind: str | None = None


def label_of(id_: str, name: str | None) -> str:
    """What a figure is called in reports and file names."""
    return id_ if name is None else f"{id_}-{name}"


def read(path: str, data: bytes) -> tuple[Question | None, tuple[Problem, ...]]:
    """The question in a file, and all that is wrong there, in the order of its lines.

    A figure with an error is left out and its siblings live. Without a readable id there is no question;
    with an error in track or title, or with `visual` written twice, there is one without figures. Nothing is
    raised, whatever `data` holds.
    """
    from figmill.book import yaml_parser  # with the first file that has to be read

    try:
        rows = yaml_parser.read(path, data, READ)
    except AuthorError as error:
        return None, (Problem(error),)
    found = {key.text: node for key, node in rows}
    errors = list(_refused(rows))
    id_ = _value(found, "id", Id(), errors)
    track = _value(found, "track", FileName(), errors) or GLOBAL
    title = _value(found, "title", Title(), errors)
    if "id" not in found:
        errors.append(AuthorError(Origin(path, 1, 1), "a question needs an id, like `id: cloud-2848`"))
    figures, problems = _figures(found, id_, errors)
    problems += [Problem(error, id_) for error in errors]
    told = _told(problems)
    if id_ is None:
        return None, told
    living = () if errors else figures
    question = Question(
        id=id_,
        track=track,
        title=title,
        path=path,
        origin=found["id"].at,
        declarations=tuple(figure for figure in living if isinstance(figure, Declaration)),
        references=tuple(figure for figure in living if isinstance(figure, Reference)),
        names=tuple(_names(found)),
    )
    return question, told


def _told(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """In the order of their lines; of very many, the first and how many more there are."""
    ordered = sorted(problems, key=lambda p: (p.error.origin.line or 0, p.error.origin.column or 0))
    if len(ordered) <= MAX_PROBLEMS:
        return tuple(ordered)
    *shown, last = ordered[:MAX_PROBLEMS]
    message = f"{last.error.message} (and {len(ordered) - MAX_PROBLEMS} more problems from here on)"
    return (*shown, replace(last, error=AuthorError(last.error.origin, message)))


def _refused(rows: Iterable[tuple[Scalar, Node]]) -> Iterator[AuthorError]:
    """What makes it doubtful which value of the file counts."""
    seen: dict[str, Origin] = {}
    declares = False
    for key, node in rows:
        if scalars.is_merge(key):
            if merged := (READ | {"<<"}) & _merged_keys(node):
                brought = ", ".join(sorted(merged))
                yield AuthorError(key.at, f"this merge key (<<) brings {brought}; write that out")
            continue
        yield from scalars.key_errors(key, seen)
        if key.text in FIGURES and not _is_null(node):
            if declares and key.text not in seen:
                yield AuthorError(key.at, "a question has either `visual` or `visuals`, not both")
            declares = True
        seen[key.text] = key.at


def _merged_keys(node: Node) -> set[str]:
    """The keys that a merge brings, "<<" among them where it brings yet another merge."""
    maps = node.items if isinstance(node, ListNode) else (node,)
    return {
        key.text
        for map_ in maps
        if isinstance(map_, MapNode)
        for key, _ in map_.rows
        if isinstance(key, Scalar)
    }


def _value(found: Mapping[str, Node], key: str, type_: Type, errors: list[AuthorError]) -> Any:
    """The value of a key beside `visual`; None where it is not given, or wrong."""
    if key not in found:
        return None
    try:
        _, refused = scalars.survey(found[key])
        return gather([(type_, found[key], key)], refused)[0]
    except* AuthorError as group:
        errors.extend(flat(group))
    return None


def _figures(
    found: Mapping[str, Node], id_: str | None, errors: list[AuthorError]
) -> tuple[list[Declaration | Reference], list[Problem]]:
    """The figures that can be read, and what is wrong with the others."""
    figures: list[Declaration | Reference] = []
    problems: list[Problem] = []
    for node, word, named in _figure_nodes(found, errors):
        try:
            figures.append(_figure(node, word, named))
        except* AuthorError as group:
            name, kind = (_said(node, "name") if named else None), _said(node, "kind")
            problems += [Problem(error, id_, name, kind) for error in _one_a_place(flat(group))]
    return figures, problems


def _figure_nodes(found: Mapping[str, Node], errors: list[AuthorError]) -> Iterator[tuple[Node, str, bool]]:
    """Each node that declares a figure, what to call it in messages, and whether it must have a name."""
    for word in sorted(FIGURES & found.keys()):
        node = found[word]
        if _is_null(node):
            continue
        if isinstance(node, Scalar) and not node.text:
            advice = f"indent its lines under it, or write `{word}: null` where there is no figure"
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
            message = (
                f"visuals must be a list, each figure beginning with `- name: ...`, not {scalars.said(node)}"
            )
            errors.append(AuthorError(node.at, message))


def _is_null(node: Node) -> bool:
    """Whether it says in so many words that there is no figure; a forgotten value does not."""
    return isinstance(node, Scalar) and node.plain and node.text in ("null", "~")


def _figure(node: Node, word: str, named: bool) -> Declaration | Reference:
    """Raises AuthorError, or an ExceptionGroup of them."""
    origins, refused = scalars.survey(node)
    if "ref" in origins:
        table = NAMED_REFERENCE if named else REFERENCE
        found = gather([(table, node, word)], refused)[0]
        return Reference(found.get("name"), found["ref"], origins["ref"])
    table = NAMED_FIGURE if named else FIGURE
    found = gather([(table, node, word)], refused)[0]
    return Declaration(**{"name": None, **found}, origins=origins)


def _names(found: Mapping[str, Node]) -> Iterator[str | None]:
    for node, _, named in _figure_nodes(found, []):
        name = _said(node, "name") if named else None
        if name is not None or not named:
            yield name


def _said(node: Node, key: str) -> str | None:
    """The text under a key of a figure that cannot be read as a whole."""
    if isinstance(node, MapNode):
        for found, item in node.rows:
            if isinstance(found, Scalar) and found.text == key and isinstance(item, Scalar):
                return item.text
    return None


def _one_a_place(errors: Iterable[AuthorError]) -> Iterator[AuthorError]:
    """The first error of each place: a key that is no text need not be called unknown too."""
    seen = set()
    for error in errors:
        if error.origin not in seen:
            seen.add(error.origin)
            yield error
