"""Compare the present inputs of each figure with those of its last build: one `Step` per figure, with the reasons why
it is stale.

Has no effects: the caller passes the function that hashes a file. A figure is fresh if both of its keys and all outputs
equal those in the ledger.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from enum import Enum
from pathlib import Path

from figmill import checks, kinds, versions
from figmill.book.explore.pictures import NARROW, further
from figmill.config import Options
from figmill.default_limits import MEGAPIXELS, RASTERISE
from figmill.errors import AuthorError, ToolError
from figmill.host import files, inside
from figmill.kind import typefaces
from figmill.kind.definition import EARLY
from figmill.model import Expect, Inputs, Visual
from figmill.palette import added_roles
from figmill.paths import LIBRARIES, code_folders, files_below
from figmill.store.disk import ABSENT
from figmill.store.ledger import Entry, Failure, Ledger, key

Digest = Callable[[str], str]

SETTLING_PACKAGES = ("lxml", "tinycss2", "cssselect2", "fonttools", "coloraide", "pillow")

LIBRARY_CODE = "figmill's libraries"  # the reason for all modules of the libraries for scripts
_LIBRARIES = tuple(f"{versions.OWN}{name.removeprefix('figmill_')}/" for name in LIBRARIES)
# Reasons that lie outside the book or affect all of it: a report names each once.
SHARED = frozenset(
    (
        "font",
        "fonts",
        "mono",
        "roles",
        "background",
        "descriptions",
        "checks",
        "palette",
        "limits",
        "rasterise",
        "cycle",
        "settings",
        "megapixels",
        "measured fonts",
        "normal form",
        "figmill's renderers",
        LIBRARY_CODE,
        "python",
        "platform",
        *SETTLING_PACKAGES,
    )
).union(
    *(kind.needs.all_packages for kind in kinds.KINDS.values()), kinds.KINDS.packages, checks.CHECKS.packages
)


class State(Enum):
    """What a build knows of a figure before it draws anything."""

    FRESH = "fresh"
    """Its published files have the inputs of today: nothing is to be done."""
    STALE = "stale"
    """An input differs from those of its files, or it has none yet: it is to be drawn, or settled alone."""
    FAILED = "failed"
    """It is stale, failed in the last build, and would fail again: none of its inputs has changed since.

    With `--force` and in `lint`, it is only stale.
    """
    UNREADABLE = "unreadable"
    """A file of it cannot be read, so nobody knows whether it has changed."""


@dataclass(frozen=True, slots=True)
class Step:
    """One figure to bring up to date.

    declared: the inputs of its drawing that are known before it is drawn; settling: the other inputs of its published
    bytes.
    """

    visual: Visual
    declared: Inputs
    settling: Inputs
    reasons: tuple[str, ...]  # why it is not fresh
    entry: Entry | None  # of the last build that wrote it
    error: AuthorError | None = None  # why its files cannot be read
    failure: Failure | None = None  # of the last build, if none of its inputs has changed
    variants: tuple[Step, ...] = ()  # its other pictures, if it is interactive; they are stale when it is

    @property
    def state(self) -> State:
        if self.error is not None:
            return State.UNREADABLE
        if self.failure is not None:
            return State.FAILED
        return State.STALE if self.reasons else State.FRESH

    @property
    def drawn_from(self) -> Inputs:
        """The declared inputs of the drawings of all its pictures."""
        rows = (step.declared.rows for step in (self, *self.variants))
        return Inputs(frozenset().union(*rows)) if self.variants else self.declared


def target(visual: Visual, options: Options) -> str:
    """The light SVG's path relative to the book's root."""
    return visual.output if options.in_place else f"{options.output}/{visual.output}"


def plan(
    visuals: Iterable[Visual],
    options: Options,
    digest: Digest,
    ledger: Ledger,
    *,
    root: Path,
    force: bool = False,
) -> tuple[Step, ...]:
    """One step per figure, in their order. digest: hashes a path below the root.

    Raises ToolError if an installed package offers a kind or a check that figmill cannot take.
    """
    for fault in (*kinds.KINDS.faults, *checks.CHECKS.faults):
        raise ToolError(fault)
    fonts = tuple(root / name for name in options.fonts)
    shared = _shared_settling(options, typefaces.digest(fonts))
    return tuple(_step(visual, options, digest, ledger, fonts, shared, force, root) for visual in visuals)


def _step(
    visual: Visual,
    options: Options,
    digest: Digest,
    ledger: Ledger,
    fonts: tuple[Path, ...],
    shared: Inputs,
    force: bool,
    root: Path,
) -> Step:
    entry = ledger.entries.get(key(visual))
    settling = shared | settling_inputs(visual, target(visual, options))
    others = further(visual)
    if others:
        paths = [target(variant, options) for variant in others]
        named = (NARROW, visual.narrow) if visual.narrow else ("explore", list(visual.explore.items()))
        if named[1]:
            settling |= Inputs.of([(named[0], _short([named[1], paths]))])
        settling |= Inputs.of(
            (f"language {translation.language}", _short(asdict(translation)))
            for translation in visual.translations
        )
    try:
        declared, *more = (
            drawing_inputs(variant, digest, fonts, options, root) for variant in (visual, *others)
        )
        variants = tuple(
            Step(variant, inputs, settling, (), None) for variant, inputs in zip(others, more, strict=True)
        )
        step = Step(visual, declared, settling, (), entry, variants=variants)
        reasons = ("--force",) if force else _reasons(entry, step.drawn_from, settling, digest)
    except AuthorError as error:
        return Step(visual, Inputs.of(()), settling, ("cannot be read",), entry, error)
    return replace(step, reasons=reasons) if reasons else step


def drawing_inputs(
    visual: Visual,
    digest: Digest,
    fonts: tuple[Path, ...],
    options: Options,
    root: Path,
) -> Inputs:
    """The declared part of the draw key. root: the book's, where files of kinds are. Raises AuthorError."""
    rasterise, megapixels = options.rasterise, options.limits.megapixels
    rows = [*_source(visual, digest), *((name, digest(name)) for name in visual.inputs)]
    rows.append(("kind", visual.kind))
    if visual.params:
        rows.append(("params", _short(visual.params)))
    if visual.figure:
        rows.append(("figure", visual.figure))
    if visual.translation is not None and kinds.KINDS[visual.kind].translates in EARLY:
        rows.append((f"words {visual.translation.language}", _short(visual.translation.wording)))
    kind = kinds.KINDS[visual.kind]
    if lacking := next(
        (name for name, file_digest in rows if name in kind.needs.files and file_digest == ABSENT), None
    ):
        at = visual.at("kind" if "kind" in visual.origins else "source")
        raise AuthorError(
            at, f"kind {visual.kind} needs the file {lacking} in the book: {kind.needs.get_files}"
        )
    for name in kind.needs.files:
        try:
            inside.place(root, name, (name,))
        except inside.RefusedError as error:
            at = visual.at("kind" if "kind" in visual.origins else "source")
            problem = f"{name} is behind a link that leads out of the book, and drawings read only the book"
            problem = problem if error.reason == "outside" else f"{name} {error.phrase}"
            raise AuthorError(at, f"{problem}; in the book's own folder: {kind.needs.get_files}") from None
    if kind.layouts:
        rows.append(("engine", visual.engine))
    if kind.takes_roles and (added := added_roles(options.palette)):
        rows.append(("roles", _short(added)))
    if kind.rasterises and rasterise != RASTERISE:
        rows.append(("rasterise", str(rasterise)))
    if kind.line_colours and options.cycle == "book":
        rows.append(("cycle", options.cycle))
    if kind.rasterises and megapixels != MEGAPIXELS:
        rows.append(("megapixels", f"{megapixels:g}"))
    if (given := options.of_kind(visual.kind)) and (needed := kind.needed(given, _text(visual, root))):
        rows.append(("settings", _short(dict(needed))))
    if not kind.by_hand:
        rows.append(("fonts", typefaces.digest(fonts)))
    try:
        return Inputs.of([*rows, *kinds.toolchain(visual.kind, kinds.is_script(visual.source))])
    except kinds.LackingError as error:
        at = visual.at("kind" if "kind" in visual.origins else "source")
        raise AuthorError(at, str(error), requirement=error.requirement) from None


def _text(visual: Visual, root: Path) -> bytes:
    """The bytes of a figure's source; none if they cannot be read, which its drawing says."""
    if visual.fence is not None:
        return visual.fence.text.encode("utf-8", "surrogateescape")
    with suppress(OSError):
        return files.read(root / visual.source, files.SOURCE)
    return b""


def _source(visual: Visual, digest: Digest) -> list[tuple[str, str]]:
    """The rows of a figure's source. Of a page only the block counts, and the folder, where it may name pictures."""
    if visual.fence is None:
        return [(visual.source, digest(visual.source))]
    text = visual.fence.text.encode("utf-8", "surrogateescape")
    return [("block", hashlib.sha256(text).hexdigest()), ("folder", visual.source.rpartition("/")[0])]


CODE = (".py", ".css", ".js")  # the pages of a build are made from these, too
NOTHING = "nothing"  # most figures expect nothing


def settling_inputs(visual: Visual, output: str) -> Inputs:
    """The inputs of a figure's published form from its own question."""
    return Inputs.of(
        [
            ("id", visual.label),
            ("track", visual.track),
            ("title", visual.title or ""),
            ("alt", visual.alt),
            ("caption", visual.caption or ""),
            ("expect", NOTHING if visual.expect == Expect() else _short(asdict(visual.expect))),
            ("themes", " ".join(visual.themes)),
            ("lint", _short(dict(visual.lint)) if visual.lint else "{}"),
            ("output", output),
            *((("language of the question", visual.language),) if visual.language else ()),
            *((("colours", visual.colours),) if visual.colours != "auto" else ()),
            *((("facts", _short([asdict(each) for each in visual.facts])),) if visual.facts else ()),
            *(() if visual.describe is True else (("describe", _short(visual.describe)),)),
            *((("width", f"{visual.width:g}"),) if visual.width is not None else ()),
            *(
                (("place in its page", f"{visual.at()} {visual.fence.key}"),)
                if visual.fence is not None
                else ()
            ),
        ]
    )


def _shared_settling(options: Options, fonts: str) -> Inputs:
    """The inputs of every figure's published form from the settings and from figmill."""
    return Inputs.of(
        [
            ("font", options.font),
            ("mono", options.mono),
            *((("language", options.language),) if options.language != "en" else ()),
            ("background", options.background),
            *(() if options.descriptions == "details" else (("descriptions", options.descriptions),)),
            ("checks", _short(checks.levels(options.lint))),
            *checks.inputs(),
            ("palette", _short([asdict(role) for role in options.palette])),
            ("limits", _short(asdict(options.limits))),
            ("measured fonts", fonts),
            ("normal form", versions.code("settle")),
            *((name, _version(name)) for name in SETTLING_PACKAGES),
        ]
    )


def _version(name: str) -> str:
    try:
        return versions.version(name)
    except ModuleNotFoundError:
        raise ToolError(f"figmill needs the package {name}: pip install figmill") from None


def _short(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) <= 64 else hashlib.sha256(text.encode()).hexdigest()


def _reasons(entry: Entry | None, declared: Inputs, settling: Inputs, digest: Digest) -> tuple[str, ...]:
    if entry is None:
        return ("new",)
    traced = Inputs.of((name, digest(name)) for name, _ in entry.traced.rows)
    reasons = (
        *declared.reasons(entry.declared),
        *traced.reasons(entry.traced),
        *settling.reasons(entry.settling),
    )
    outputs = (file.path for file in entry.published.all_files if digest(file.path) != file.sha256)
    named = (LIBRARY_CODE if reason.startswith(_LIBRARIES) else reason for reason in reasons)
    return tuple(dict.fromkeys((*named, *outputs)))


def installation() -> list[str]:
    """Paths whose times or sizes change with figmill or a library that it draws with.

    A folder of packages changes whenever a package is installed, upgraded or removed.
    """
    folders = code_folders()
    code = {path for folder in folders.values() for path in files_below(folder, CODE)}
    # of other packages, which may be installed in editable form
    packages = {name.partition(".")[0] for name in kinds.KINDS.modules | checks.CHECKS.modules}
    code |= {str(path) for name in packages - folders.keys() for _, path in versions.files_of(name)}
    return [*sorted(versions.folders()), *sorted(code), str(typefaces.FOLDER / "digest")]
