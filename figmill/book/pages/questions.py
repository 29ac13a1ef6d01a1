"""A page becomes questions: one for each code block in a language that figmill draws, and for each image. Pure.

A block's question has the id that the block states, or one that block_ids.py makes. An error in one block never stops
another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from types import MappingProxyType
from typing import Any, TypeAlias

from figmill.book import scalars, stated_language
from figmill.book.fields import BLOCK, GLOBAL
from figmill.book.names import id_problem, label_of
from figmill.book.nodes import ListNode, MapNode, Node, Scalar
from figmill.book.pages import block_ids, images, snippets
from figmill.book.pages.blocks import Option, PageBlock
from figmill.book.pages.languages import blocks, languages_of
from figmill.book.pages.snippets import Included, Read
from figmill.book.question import Declaration, Problem, Question
from figmill.book.value_types import flat
from figmill.errors import AuthorError, did_you_mean
from figmill.late_dataclasses import dataclass
from figmill.model import Fence, Origin

MOST = 1000  # blocks that are figures, in one page
# Other names for the keys of a block: those of Quarto, MyST and Sphinx.
MEANT: Mapping[str, str] = MappingProxyType(
    {"label": "id", "name": "id", "fig-alt": "alt", "fig-cap": "caption"} | {key: key for key in BLOCK.table}
)
AS_YAML = frozenset(("expect", "lint", "themes"))  # values that are not text, wherever they are written
_PIXELS = re.compile(r"(\d+(?:\.\d+)?)(?:px)?")
# language -> the kind that draws it, and the suffix of its sources
Kinds: TypeAlias = Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class PageSources:
    """What pages of a book hold figures in.

    - languages: of code blocks.
    - suffixes: of images.
    - folders: of the pages.
    """

    languages: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


def read(
    path: str, data: bytes, chosen: PageSources, kinds: Kinds, read_file: Read
) -> tuple[tuple[Question, ...], tuple[Problem, ...]]:
    """The questions of a page, and all errors in it. Never raises AuthorError.

    kinds: all kinds; read_file: reads a file that a block includes.
    """
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    try:
        languages = languages_of(path, text, chosen.languages, lambda: kinds)
    except AuthorError as error:
        return (), (Problem(error),)
    questions: tuple[Question, ...] = ()
    problems: tuple[Problem, ...] = ()
    if any(language in text for language in languages):
        questions, problems = of_blocks(path, blocks(path, text, languages), kinds, read_file)
    questions += of_images(path, text, chosen)
    if tongue := stated_language.of_page(text):
        questions = tuple(replace(question, language=tongue) for question in questions)
    return questions, problems


def of_blocks(
    path: str, blocks: Iterable[PageBlock], kinds: Kinds, read_file: Read
) -> tuple[tuple[Question, ...], tuple[Problem, ...]]:
    """The questions of these blocks of a page, and all errors in them."""
    questions: list[Question] = []
    problems: list[Problem] = []
    counts: Counter[str] = Counter()
    settings = cache(partial(snippets.of_page, path, read_file))
    for number, block in enumerate(blocks):
        if number == MOST:
            message = (
                f"a page has at most {MOST} figures in code blocks; divide it, or put sources into files"
            )
            problems.append(Problem(AuthorError(Origin(path, block.start), message)))
            break
        try:
            whole = snippets.included(path, block, read_file, settings)
        except AuthorError as error:
            problems.append(Problem(error))
            continue
        question, wrong = _question(path, whole, kinds[block.language], counts)
        questions.append(question)
        problems += wrong
    return tuple(questions), tuple(problems)


def of_images(path: str, text: str, chosen: PageSources) -> tuple[Question, ...]:
    """The questions of the images of a page, one for each file and alt text, wherever the file may be."""
    folder = images.folder_of(path, chosen.folders)
    questions: dict[str, Question] = {}
    for image in images.images(path, text, chosen.suffixes):
        places = images.places(path, image, folder)
        if not places or len(questions) == images.MOST:
            continue
        id_ = images.id_of(places[0], image.alt)
        at = Origin(path, image.line, image.column)
        alt = re.sub(r"[{}]", r"\g<0>\g<0>", image.alt)  # no placeholders of facts
        declaration = Declaration(name=None, origins={"": at}, alt=alt, image=places)
        title = image.title or image.heading
        question = Question(id_, GLOBAL, title or None, path, at, (declaration,), names=(None,))
        questions.setdefault(id_, question)
    return tuple(questions.values())


def _question(
    path: str, included: Included, kind: tuple[str, str], counts: Counter[str]
) -> tuple[Question, list[Problem]]:
    """The question of a block; without a figure where an option is wrong."""
    block = included.block
    at = Origin(path, block.start, len(block.prefix) + 1)
    errors: list[AuthorError] = []
    values: dict[str, Any] = {}
    origins: dict[str, Origin] = {"": at}
    try:
        nodes = MapNode(tuple(_rows(path, block.options)), None, at)
        origins, refused = scalars.survey(nodes)
        errors += refused
        values = BLOCK.read(nodes, "the block")
    except* AuthorError as group:
        errors += flat(group)
    id_ = values.pop("id", None) or block_ids.made(path, block.key, counts)
    title = values.pop("title", None) or block.heading
    fence = Fence(
        block.text, block.first, block.column, block.key, kind[1], included.whole, bool(included.files)
    )
    places = {key: where for key, where in origins.items() if key != "id"}
    declaration = Declaration(
        name=None,
        origins=places,
        kind=kind[0],
        fence=fence,
        **{"alt": "", **values, "inputs": included.files},
    )
    question = Question(
        id_, GLOBAL, title, path, origins.get("id", at), () if errors else (declaration,), names=(None,)
    )
    return question, [Problem(error, id_, None, kind[0]) for error in errors]


def _rows(path: str, options: Iterable[Option]) -> Iterator[tuple[Node, Node]]:
    """The options that are figmill's, as nodes of YAML. If two mean the same, the first counts.

    Raises AuthorError for a key that is nearly one: a mistyped `expect` would check nothing.
    """
    seen = set()
    for option in options:
        at = Origin(path, option.line)
        key = MEANT.get(option.key)
        if option.key == "file" and option.is_yaml:
            name = scalars.short(option.value)
            message = f"a code block holds its source itself; for {name}, write a question with `source`"
            raise AuthorError(at, message)
        if key is None:
            if near := did_you_mean(option.key, ("expect", "caption", "themes", "width")):
                raise AuthorError(at, f"unknown option '{option.key}'{near}")
            continue
        value = option.value
        if key == "id":  # `#fig-flow` is figure `flow`, whose place in a page is `fig-flow`
            value = label_of(value)
            if (problem := id_problem(value)) is not None:
                raise AuthorError(at, f"id '{scalars.short(value)}' {problem}")
        if key == "width":
            if (pixels := _PIXELS.fullmatch(value.strip("\"'"))) is None:
                continue  # the host handles a share of the page
            value = pixels[1]
        if key in seen:
            continue
        seen.add(key)
        yield Scalar(key, False, None, at), _node(path, option, key, value, at)


def _node(path: str, option: Option, key: str, value: str, at: Origin) -> Node:
    if key == "id" or not (option.is_yaml or key in AS_YAML or key == "width"):
        return Scalar(value, False, None, at)
    from figmill.book import yaml_parser  # loads PyYAML, which few pages need

    try:
        ((_, node),) = yaml_parser.read(path, f"{key}: {value}\n".encode(), frozenset((key,)))
    except AuthorError as error:
        raise AuthorError(at, error.message.replace(" of line 1", "")) from None
    return _placed(node, at)


def _placed(node: Node, first: Origin) -> Node:
    """A node with the places in the page for itself and everything in it. first: the place of its first line."""
    at = Origin(first.path, (first.line or 1) + (node.at.line or 1) - 1)
    if isinstance(node, Scalar):
        return Scalar(node.text, node.plain, node.tag, at)
    if isinstance(node, ListNode):
        return ListNode(tuple(_placed(item, first) for item in node.items), node.tag, at)
    rows = tuple((_placed(key, first), _placed(item, first)) for key, item in node.rows)
    return MapNode(rows, node.tag, at)
