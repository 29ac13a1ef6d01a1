"""Look at the figures of a book with every check, and build nothing.

Drawings that are known are taken from the cache, others are drawn and kept there; the output folder is neither
read nor written. What a drawing shows is the matter of svg/, and what an alt text says of alt_text.py; here are
the checks that need the book, or a second run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path, PurePosixPath

from figmill import checks
from figmill.book import yaml_parser
from figmill.book.fields import FIGURE
from figmill.book.nodes import ListNode, MapNode, Node, Scalar
from figmill.book.question import FIGURES
from figmill.config import Options
from figmill.engine.load import asked, is_asked, look
from figmill.engine.prestart import crew_of
from figmill.engine.produce import Progress, drawn
from figmill.engine.results import Built, Failed, Request
from figmill.engine.state import Shelf, targets
from figmill.errors import AuthorError, held
from figmill.kinds import KINDS, is_script, signature
from figmill.kinds.job import Raw
from figmill.lint import alt_text
from figmill.model import Origin, Visual, Warned
from figmill.publish.finalise import Settled
from figmill.render.jobs import reading
from figmill.render.results import Drawn
from figmill.report.findings import Finding, Linted, in_order


def lint(
    root: Path, options: Options, request: Request, twice: bool = False, progress: Progress = lambda *_: None
) -> Linted:
    """All findings about the figures that are asked for. twice: draw each once more, and compare."""
    shelf = _all_due(look(root, options, request))
    active = checks.active(options.lint, every=True)
    levels = checks.levels(options.lint)
    findings: list[Finding] = []
    excused: list[tuple[Finding, str]] = []
    used: set[str] = set()
    again = _second(shelf, request) if twice and "not-repeatable" in active else None
    for outcome in drawn(shelf, replace(request, every=True), progress):
        visual = outcome.step.visual
        second = next(again) if again is not None else None
        if isinstance(outcome, Failed):
            findings += [Finding.failure(error, visual.id, visual.name) for error in outcome.errors]
        elif isinstance(outcome, Built):
            used |= {name for name, _ in outcome.traced.rows}
            try:
                found = [*_found(outcome, second, active - (set() if twice else {"not-repeatable"}))]
            except Exception as error:
                own = held(visual.at(), "checking its words", error)
                findings.append(Finding.failure(own, visual.id, visual.name))
                continue
            for warned in found:
                finding = Finding.of(warned, levels[warned.check], visual.id, visual.name)
                if warned.check in visual.lint:
                    excused.append((finding, visual.lint[warned.check]))
                elif warned.check in active:
                    findings.append(finding)
    for problem in shelf.book.problems:
        at = problem.error.origin
        if is_asked(problem.id or PurePosixPath(at.path).stem, request.ids):
            findings.append(Finding.failure(problem.error, problem.id, problem.name))
    book = [*_misspelled(shelf, request)]
    if not request.ids and not shelf.book.problems and not any(f.level == checks.ERROR for f in findings):
        book += _unused(shelf, used, request)
    findings += [Finding.of(w, levels[w.check], None, None) for w in book if w.check in active]
    return Linted(in_order(findings), tuple(excused), len(asked(shelf, request)), request.strict)


def _found(outcome: Built, second: Built | Failed | None, active: frozenset[str]) -> Iterator[Warned]:
    """All that is to be said of one figure; active: the checks that were done."""
    visual, settled = outcome.step.visual, outcome.settled
    found = [*settled.warnings, *settled.excused, *_wording(visual, settled)]
    if second is not None:
        found += _differences(visual, settled, second)
    yield from found
    yield from _needless(visual, {warned.check for warned in found}, active)


def _all_due(shelf: Shelf) -> Shelf:
    """The same book, every figure of which is to be settled again."""
    due = tuple(step if step.reasons else replace(step, reasons=("lint",)) for step in shelf.steps)
    return replace(shelf, steps=due)


def _second(shelf: Shelf, request: Request) -> Iterator[Built | Failed | None]:
    """Every figure drawn once more in a process of its own; None where nothing is drawn."""
    is_drawn = [not KINDS[step.visual.kind].by_hand for step in asked(shelf, request)]
    steps = tuple(step for step in asked(shelf, request) if not KINDS[step.visual.kind].by_hand)
    once_more = drawn(
        replace(shelf, steps=steps), replace(request, ids=(), force=True, write=False), lambda *_: None
    )
    for due in is_drawn:
        outcome = next(once_more) if due else None
        yield outcome if isinstance(outcome, Built | Failed) else None


def _wording(visual: Visual, settled: Settled) -> Iterator[Warned]:
    for check, message in alt_text.findings(settled.alt, settled.caption, visual.title):
        yield Warned(visual.at("alt"), message, check)


def _differences(visual: Visual, first: Settled, second: Built | Failed) -> Iterator[Warned]:
    """How the second drawing differs: in its first line that does, or in a fact."""
    at = Origin(visual.source)
    if isinstance(second, Failed):
        message = f"drawn a second time it fails: {second.errors[0].message}"
        yield Warned(at, message, "not-repeatable")
        return
    for one, other in zip(first.pages, second.settled.pages, strict=True):
        rows = zip_longest(one.svg.decode().splitlines(), other.svg.decode().splitlines(), fillvalue="")
        for number, (mine, yours) in enumerate(rows, 1):
            if mine != yours:
                told = f"drawn a second time it differs, first in line {number} of its SVG"
                yield Warned(at, f"{told}: {_apart(mine, yours)}", "not-repeatable")
                return
    then = second.settled.facts
    for name in sorted(first.facts.keys() | then.keys()):
        if first.facts.get(name) != then.get(name):
            message = (
                f"drawn a second time it states {name}: {then.get(name)!r}, not {first.facts.get(name)!r}"
            )
            yield Warned(at, message, "not-repeatable")
            return


def _apart(one: str, other: str, room: int = 60) -> str:
    """Two lines from a little before they part."""
    same = next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    start = max(0, same - room // 3)
    return " and then ".join(f"`{line[start : start + room].strip()}`" for line in (one, other))


def _needless(visual: Visual, found: set[str], active: frozenset[str]) -> Iterator[Warned]:
    for check in visual.lint:
        if check in active and check not in found:
            message = (
                f"this figure is let off '{check}', but there is nothing to let it off; remove the exception"
            )
            yield Warned(visual.at("lint", check), message, "needless-exception")


def _unused(shelf: Shelf, read: Iterable[str], request: Request) -> Iterator[Warned]:
    """Drawings and generators beside the others that no figure is made of.

    Only what a build would find by a bare name, and only where that cannot be data, a module that is run by hand,
    or an output.
    """
    visuals = shelf.book.visuals
    options = shelf.options
    outputs = {path for visual in visuals for path in targets(visual, options)}
    used = {
        *read,
        *outputs,
        *(name for v in visuals for name in (v.source, *v.inputs, v.old_product) if name),
    }
    listed = tuple(name for name in used if name.endswith("/"))
    tracks = {visual.track for visual in visuals}
    places = {place for folder in options.visuals for place in (folder, *(f"{folder}/{t}" for t in tracks))}
    found = [
        path
        for path in shelf.disk.files(options.visuals, (".dot", ".gv", ".svg", ".py"))
        if str(PurePosixPath(path).parent) in places
        and not (path in used or path.startswith(listed) or (path.endswith(".svg") and options.in_place))
    ]
    draws = _draws([path for path in found if is_script(path)], shelf, request)
    for path in found:
        if is_script(path) and path not in draws:
            continue
        yield Warned(
            Origin(path),
            "no figure is drawn from this file; remove it, or declare its figure",
            "unused-source",
        )


def _draws(paths: Sequence[str], shelf: Shelf, request: Request) -> set[str]:
    """Those scripts that have a top-level draw()."""
    limits = 60.0, shelf.options.memory
    raws = [Raw(shelf.disk.read(path) or b"") for path in paths]
    found: set[str] = set()
    with crew_of(shelf.disk.root, shelf.options) as crew:
        for path, result in zip(
            paths,
            crew.draw_all(raws, request.jobs, [[reading(path, *limits)] for path in paths]),
            strict=True,
        ):
            made = result.made[0] if isinstance(result, Drawn) else None
            with suppress(AuthorError, ValueError):
                if isinstance(made, tuple) and signature.told(made[0], path) is not None:
                    found.add(path)
    return found


def _one_edit(word: str) -> set[str]:
    """What becomes of a word by one wrong, missing, doubled, extra or swapped letter, or by capitals."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    cuts = [(word[:n], word[n:]) for n in range(len(word) + 1)]
    found = {a + b[1:] for a, b in cuts if b} | {a + b[1] + b[0] + b[2:] for a, b in cuts if len(b) > 1}
    found |= {a + c + b[1:] for a, b in cuts if b for c in letters} | {
        a + c + b for a, b in cuts for c in letters
    }
    return found | {word.capitalize(), word.upper()}


ALMOST = frozenset(near for word in FIGURES for near in _one_edit(word)) - FIGURES
TELLING = {"kind", "source", "path", "ref"} & {*FIGURE.table, "ref"}


def _misspelled(shelf: Shelf, request: Request) -> Iterator[Warned]:
    """Keys that were meant to be `visual`: passed over like all that is the book's own."""
    for path in shelf.disk.files(shelf.options.questions, (".yaml", ".yml")):
        try:
            rows = yaml_parser.read(path, shelf.disk.read(path) or b"", ALMOST | FIGURES | {"id"})
        except AuthorError:
            continue  # told as what it is
        said = {key.text: node for key, node in rows}
        id_ = said.get("id")
        if FIGURES & said.keys() or not is_asked(id_.text if isinstance(id_, Scalar) else None, request.ids):
            continue
        for key, node in rows:
            if key.text in ALMOST and _is_figure(node):
                word = "visuals" if isinstance(node, ListNode) else "visual"
                message = f"'{key.text}' is no key of figmill, so nothing is drawn; did you mean '{word}'?"
                yield Warned(key.at, message, "misspelled-key")


def _is_figure(node: Node) -> bool:
    """Whether a value reads like a figure, or a list of them."""
    if isinstance(node, ListNode):
        return bool(node.items) and all(map(_is_figure, node.items))
    return isinstance(node, MapNode) and any(
        isinstance(k, Scalar) and k.text in TELLING for k, _ in node.rows
    )
