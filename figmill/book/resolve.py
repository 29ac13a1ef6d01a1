"""Questions and the names of the book's files become a Book: each figure with its source and its output.

Works on names alone and runs nothing. Reads only scripts whose questions do not state their kind, through a function
that the caller passes in. An error in one figure never stops another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import PurePosixPath
from types import MappingProxyType

from figmill import checks
from figmill.book.catalogues import language
from figmill.book.fields import COUNTED, WITH_LAYOUTS
from figmill.book.misspelled_keys import Suspect
from figmill.book.name_claims import NameClaim, claim_of, groups, namesakes, output_rivals, overwriters
from figmill.book.question import Declaration, Problem, Question, label_of
from figmill.book.sources import Source, Sources, find_source, folded, is_there, join, near, rendered_name
from figmill.config import Options
from figmill.errors import AuthorError
from figmill.kinds import KINDS, is_script
from figmill.late_dataclasses import dataclass
from figmill.model import FactSource, Origin, Translation, Visual

# Where figures of pages go in a book whose other figures lie beside their sources: where its manifest is.
PAGES_FOLDER = "build"


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference whose figure was found: the question that shows it, and its label."""

    id: str
    name: str | None
    track: str
    title: str | None
    target: str  # the label of the shown figure
    origin: Origin


@dataclass(frozen=True, slots=True)
class Book:
    """Figures and references in the order of ids and names, and the problems of all others."""

    visuals: tuple[Visual, ...]
    refs: tuple[Ref, ...]
    problems: tuple[Problem, ...]
    ids: frozenset[str] = frozenset()  # of all questions, even without a figure
    # (id, key) for keys that were probably meant to be `visual`
    suspects: tuple[tuple[str, Suspect], ...] = ()


@dataclass(frozen=True, slots=True)
class Resolved:
    """A book with the data it was resolved from, which `book/patch.py` needs to update one question."""

    book: Book
    sources: Sources
    claims: tuple[NameClaim, ...]  # of all figures, whether they can be built or not
    taken: frozenset[str]  # ids used by more than one question


def _unread(_: str) -> None:
    """No script is read."""


def resolve(
    questions: Iterable[Question],
    files: frozenset[str],
    options: Options,
    unusable: Mapping[str, str] = MappingProxyType({}),
    read: Callable[[str], bytes | None] = _unread,
    hidden: Callable[[str], str | None] = _unread,
    image: Callable[[str], str | None] = _unread,
) -> Book:
    """The book of these questions.

    files: every regular file below the visuals folders, as POSIX paths relative to the book's root. unusable: other
    paths there -> the reason why each is not a source. read: a script whose question does not say its kind.
    hidden: whether a hidden file may be an input: None if there is none, a phrase for one that is never read, or the
    empty text. image: the same of a file that a page shows.
    """
    return resolved(questions, files, options, unusable, read, hidden, image).book


def resolved(
    questions: Iterable[Question],
    files: frozenset[str],
    options: Options,
    unusable: Mapping[str, str],
    read: Callable[[str], bytes | None],
    hidden: Callable[[str], str | None],
    image: Callable[[str], str | None],
) -> Resolved:
    """As `resolve`, with the data that patches need."""
    questions = list(_once(sorted(questions, key=attrgetter("id", "path"))))
    taken, problems = _taken_ids(questions)
    sources = Sources.of(files, options, unusable, read, hidden, image)
    placed: list[Visual] = []
    claims: list[NameClaim] = []
    for question in questions:
        if question.id in taken:
            continue
        for declaration in question.declarations:
            visual, claim, wrong = place(question, declaration, sources, options)
            problems += wrong
            if visual is not None:
                placed.append(visual)
            claims.append(claim)
    every = tuple(claims)
    lost = overwriters(claims)
    claims = [claim for claim in claims if claim.at not in lost]
    lost |= namesakes(claims) | output_rivals(claims)
    problems += lost.values()
    refs, ref_problems = _refs(questions, taken)
    problems += ref_problems
    book = Book(
        visuals=tuple(sorted((v for v in placed if v.at() not in lost), key=lambda v: (v.id, v.name or ""))),
        refs=tuple(sorted(refs, key=lambda ref: (ref.id, ref.name or ""))),
        problems=tuple(sorted(problems, key=line_of)),
        ids=frozenset(question.id for question in questions),
        suspects=tuple((question.id, suspect) for question in questions for suspect in question.suspects),
    )
    return Resolved(book, sources, every, frozenset(taken))


def _once(questions: Iterable[Question]) -> Iterator[Question]:
    """The questions, with one for each image: several pages may show it. They are in the order of ids."""
    last = None
    for question in questions:
        is_image = any(declaration.image for declaration in question.declarations)
        if not is_image or question.id != last:
            yield question
        last = question.id if is_image else None


def place(
    question: Question, declaration: Declaration, sources: Sources, options: Options
) -> tuple[Visual | None, NameClaim, list[Problem]]:
    """One figure with its source, inputs and output looked up; its claim; and its problems."""
    visual, errors = _placed(question, declaration, sources, options)
    level = checks.levels(options.lint)[checks.IMAGE_LEFT] if declaration.image else checks.ERROR
    left = "" if level == checks.ERROR else level
    wrong = [Problem(error, question.id, declaration.name, declaration.kind, left) for error in errors]
    return visual, claim_of(question, declaration, visual, options), wrong


def line_of(problem: Problem) -> tuple[str, int, int]:
    """A key that sorts problems by file and line."""
    origin = problem.error.origin
    return origin.path, origin.line or 0, origin.column or 0


def _taken_ids(questions: Sequence[Question]) -> tuple[set[str], list[Problem]]:
    """Ids used in more than one file. Case does not count, since some file systems would use one file for both."""
    taken = set[str]()
    problems: list[Problem] = []
    ids = [question.id for question in questions]
    if "".join(ids).isascii() and len(set(map(str.lower, ids))) == len(ids):
        return taken, problems  # as in nearly every book
    for _, same in groups(questions, lambda question: folded(question.id)):
        taken.update(question.id for question in same)
        first, *others = same
        # reported at the second one alone, unless the first has another spelling and so a row of its own
        for question in others if any(other.id == first.id for other in others) else same:
            other = next(o for o in same if o is not question)
            spelt = (
                ""
                if other.id == question.id
                else f", written '{other.id}'; ids that differ only in case count as equal"
            )
            text = f"the question at {other.origin} also has the id '{question.id}'{spelt}; rename one"
            problems.append(Problem(AuthorError(question.origin, text), question.id))
    return taken, problems


def _placed(
    question: Question, declaration: Declaration, sources: Sources, options: Options
) -> tuple[Visual | None, list[AuthorError]]:
    """The figure with its source, inputs and output looked up, or None and the errors."""
    if not is_there(declaration, sources):
        return None, []
    errors = [*_name_errors(question, declaration), *_length_errors(declaration, options)]
    inputs = [
        name if declaration.fence else sources.find_input(name, question.track) for name in declaration.inputs
    ]
    for number, (name, path) in enumerate(zip(declaration.inputs, inputs, strict=True)):
        if path is None:
            at = declaration.at("inputs", str(number))
            errors.append(AuthorError(at, sources.missing(name, question.track, ("",), is_input=True)))
    facts: list[FactSource] = []
    for each in declaration.facts:
        path = sources.find_first(each.file, question.track)
        if path is not None:
            facts.append(replace(each, file=path))
        else:
            at = declaration.at("facts", each.name)
            errors.append(AuthorError(at, sources.missing(each.file, question.track, ("",))))
    try:
        source = find_source(question, declaration, sources)
    except AuthorError as error:
        return None, [*errors, error]
    errors += _misplaced(declaration, source)
    if errors:
        return None, errors
    visual = Visual(
        id=question.id,
        name=declaration.name,
        track=question.track,
        title=question.title,
        kind=source.kind,
        source=source.path,
        output=_output(question, declaration, source, options),
        language=question.language,
        alt=declaration.alt,
        caption=declaration.caption,
        origins=declaration.origins,
        params=declaration.params,
        engine=declaration.engine or next(iter(KINDS[source.kind].layouts), "dot"),
        inputs=(*(path for path in inputs if path), *KINDS[source.kind].needs.files),
        figure=declaration.figure or "",
        themes=declaration.themes or options.themes,
        timeout=declaration.timeout or options.timeout,
        colours=declaration.colours or "auto",
        width=declaration.width,
        describe=declaration.describe,
        narrow=declaration.narrow,
        expect=declaration.expect,
        lint=declaration.lint,
        old_product=source.old_product,
        explore=declaration.explore,
        fence=declaration.fence,
        is_image=bool(declaration.image),
        facts=tuple(facts),
    )
    languages = options.languages if declaration.languages is None else declaration.languages
    if languages:
        translations = (
            _translation(visual, code, sources, options.in_place)
            for code in languages
            if code != options.language
        )
        visual = replace(visual, translations=tuple(translations))
    return visual, []


def _translation(visual: Visual, code: str, sources: Sources, in_place: bool) -> Translation:
    """The texts of a figure in a language. Raises ToolError for a catalogue that cannot be read.

    A hand drawing whose outputs lie beside it has no source for a language: that file would be the output.
    """
    catalogue, locale = sources.catalogues.of(code), language(code)
    texts = {
        key: catalogue.text(visual.label, key, getattr(visual, key)) for key in ("title", "alt", "caption")
    }
    description = visual.describe if isinstance(visual.describe, str) else None
    path = PurePosixPath(visual.source)
    is_output = in_place and KINDS[visual.kind].by_hand
    beside = _in_language(path.name, visual.kind, code)
    return Translation(
        code,
        catalogue.path,
        catalogue.of(visual.label),
        locale.decimal,
        locale.group,
        locale.names,
        locale.is_rtl,
        **texts,
        describe=catalogue.text(visual.label, "describe", description),
        source=None
        if visual.fence or visual.is_image or is_output
        else sources.find(str(path.parent), beside),
    )


def _in_language(name: str, kind: str, code: str) -> str:
    """The name of a separate source for a language: plan.de.dot beside plan.dot."""
    suffix = max(
        (ending for ending in KINDS[kind].suffixes if name.endswith(ending)),
        key=len,
        default=PurePosixPath(name).suffix,
    )
    return f"{name.removesuffix(suffix)}.{code}{suffix}"


def _misplaced(declaration: Declaration, source: Source) -> Iterator[AuthorError]:
    """Errors for keys that do not apply to the figure's kind."""
    name = source.path.rpartition("/")[2]
    kind = KINDS[source.kind]
    if declaration.params and not is_script(name):
        message = f"params are arguments of a script's draw(), and '{name}' is not a script"
        yield AuthorError(declaration.at("params"), message)
    if declaration.explore and not is_script(name):
        message = (
            f"explore lists values for a script's draw(), and '{name}' is not a script; leave explore out"
        )
        yield AuthorError(declaration.at("explore"), message)
    if declaration.narrow and not is_script(name):
        message = (
            f"narrow gives a script's draw() other params, and '{name}' is not a script; leave narrow out"
        )
        yield AuthorError(declaration.at("narrow"), message)
    if declaration.narrow and declaration.explore:
        message = "a figure has explore or narrow, not both; leave one out"
        yield AuthorError(declaration.at("narrow"), message)
    if declaration.figure and not kind.has_pages and not (is_script(name) and kind.whole_scripts):
        message = f"figure chooses one of several that a script for {_with_whole_scripts()} draws; '{name}' draws one"
        yield AuthorError(declaration.at("figure"), message)
    if declaration.engine and declaration.engine not in kind.layouts:
        message = (
            f"engine is the layout of a graph; it works only with kind {_with_layouts()}, not {source.kind}"
        )
        yield AuthorError(declaration.at("engine"), message)
    for key in declaration.expect.counts:
        if key not in kind.counts:
            message = f"{key} can be counted only in kind {_any(COUNTED[key])}, not {source.kind}"
            yield AuthorError(declaration.at("expect", key), message)


def _with_layouts() -> str:
    return _any(WITH_LAYOUTS)


def _any(names: Sequence[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _with_whole_scripts() -> str:
    kinds = (
        name for name, kind in KINDS.items() if kind.whole_scripts and any(map(is_script, kind.suffixes))
    )
    return " or ".join(kinds)


def _name_errors(question: Question, declaration: Declaration) -> Iterator[AuthorError]:
    name = rendered_name(question, declaration)
    if name.casefold().endswith(".dark.svg"):
        at = declaration.at("rendered" if declaration.rendered else "path")
        yield AuthorError(at, f"'{name}' must not end in .dark.svg, which marks dark figures")


def _length_errors(declaration: Declaration, options: Options) -> Iterator[AuthorError]:
    """Errors for texts that are longer than the book's limits."""
    limits = options.limits
    for key, text, most in (
        ("alt", declaration.alt, limits.alt),
        ("caption", declaration.caption or "", limits.caption),
    ):
        if len(text) > most:
            message = f"{key} has {len(text):,} characters, at most {most:,} are allowed"
            yield AuthorError(declaration.at(key), f"{message}; `limits.{key}` in the settings allows more")


def _output(question: Question, declaration: Declaration, source: Source, options: Options) -> str:
    """The path of the light SVG: relative to the output folder; with `in-place`, to the book's root."""
    name = rendered_name(question, declaration)
    if not options.in_place:
        return f"{question.track}/{name}"
    if declaration.fence is not None or declaration.image:  # a page is not a folder of figures
        return f"{PAGES_FOLDER}/{question.track}/{name}"
    if KINDS[source.kind].by_hand and not declaration.rendered:
        return source.path  # a hand drawing is checked where it is
    return join(str(PurePosixPath(source.path).parent), name)


def _refs(questions: Iterable[Question], taken: set[str]) -> tuple[list[Ref], list[Problem]]:
    refs: list[Ref] = []
    problems: list[Problem] = []
    if not any(question.references for question in questions):
        return refs, problems
    by_id = {question.id: question for question in questions}
    shown = {label_of(q.id, name): q for q in by_id.values() for name in q.names}
    onward = {label_of(q.id, r.name): r.ref for q in by_id.values() for r in q.references}
    for question in by_id.values():
        for reference in question.references if question.id not in taken else ():
            id_, name, at = question.id, reference.name, reference.origin
            is_taken = reference.ref in taken  # both files with that id already fail
            if not is_taken and (wrong := _why_not(reference.ref, by_id, shown, onward)):
                problems.append(Problem(AuthorError(at, wrong), id_, name))
            else:
                refs.append(Ref(id_, name, question.track, question.title, reference.ref, at))
    return refs, problems


def _why_not(
    target: str, by_id: Mapping[str, Question], shown: Mapping[str, Question], onward: Mapping[str, str]
) -> str | None:
    """Why a reference leads to no figure; None if it leads to one, even to one that fails."""
    if target in onward:
        return f"'{target}' is itself a reference to '{onward[target]}'; write `ref: {onward[target]}`"
    if target in shown:
        return None
    if target not in by_id:
        return f"there is no question '{target}'{near(target, (*by_id, *shown))}"
    if names := [label_of(target, name) for name in by_id[target].names]:
        return f"'{target}' has several figures; write one of {', '.join(names)}"
    return f"'{target}' has no figure"
