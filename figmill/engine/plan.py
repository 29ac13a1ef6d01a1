"""Compare the present inputs of each figure with those of its last build: one `Step` per figure, with its
`State`.

Has no effects: the caller passes the function that hashes a file. A figure is fresh if both of its keys and all outputs
equal those in the ledger.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, TypeAlias

from figmill import checks, versions
from figmill.book.explore.pictures import further
from figmill.config import Options
from figmill.engine.keys import (
    SETTLING_PACKAGES,
    Digest,
    Sharing,
    drawing_inputs,
    inputs_of_others,
    settling_inputs,
    shared_settling,
)
from figmill.errors import AuthorError, ToolError
from figmill.kind import typefaces
from figmill.kinds import KINDS
from figmill.late_dataclasses import dataclass
from figmill.model import Inputs, Visual
from figmill.paths import LIBRARIES
from figmill.store.ledger import Entry, Failure, Ledger, key

LIBRARY_CODE = "figmill's libraries"  # the reason for all modules of the libraries for scripts
_LIBRARIES = tuple(f"{versions.OWN}{name.removeprefix('figmill_')}/" for name in LIBRARIES)
# Reasons that lie outside the book or affect all of it: a report names each once.
SHARED = frozenset(
    (
        "font",
        "fonts",
        "mono",
        "language",
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
).union(*(kind.needs.all_packages for kind in KINDS.values()), KINDS.packages, checks.CHECKS.packages)


@dataclass(frozen=True, slots=True)
class Fresh:
    """Its published files have the present inputs: there is nothing to do."""

    reasons: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True)
class Stale:
    """An input differs from those of its files, or it has no files: it is drawn, or only settled again.

    reasons: the names of the inputs that differ, or of the option or the command that draws it anyway.
    """

    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FailedBefore:
    """It is stale, but failed in the last build, and would fail again: none of its inputs has changed since.

    With `--force` and in `lint`, it is only stale.
    """

    reasons: tuple[str, ...]
    failure: Failure


@dataclass(frozen=True, slots=True)
class Unreadable:
    """One of its files cannot be read, so nobody knows whether it has changed."""

    error: AuthorError
    reasons: ClassVar[tuple[str, ...]] = ("cannot be read",)


# What a build knows of a figure before it draws anything.
State: TypeAlias = Fresh | Stale | FailedBefore | Unreadable


@dataclass(frozen=True, slots=True)
class Step:
    """One figure to bring up to date.

    declared: the inputs of its drawing that are known before it is drawn; settling: the other inputs of its published
    bytes.
    """

    visual: Visual
    declared: Inputs
    settling: Inputs
    state: State
    entry: Entry | None  # of the last build that wrote it
    variants: tuple[Step, ...] = ()  # its other pictures, if it is interactive; they are stale when it is

    @property
    def is_fresh(self) -> bool:
        return isinstance(self.state, Fresh)

    @property
    def drawn_from(self) -> Inputs:
        """The declared inputs of the drawings of all its pictures."""
        return _together(self.declared, *(step.declared for step in self.variants))


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
    for fault in (*KINDS.faults, *checks.CHECKS.faults):
        raise ToolError(fault)
    fonts = tuple(root / name for name in options.fonts)
    shared = Sharing(shared_settling(options, typefaces.digest(fonts)))
    planner = _Planner(options, digest, ledger, root, force, fonts, Sharing(), shared)
    return tuple(map(planner.step, visuals))


@dataclass(frozen=True, slots=True)
class _Planner:
    """What the steps of all figures have in common."""

    options: Options
    digest: Digest
    ledger: Ledger
    root: Path
    force: bool
    fonts: tuple[Path, ...]
    drawing: Sharing
    settling: Sharing

    def step(self, visual: Visual) -> Step:
        entry = self.ledger.entries.get(key(visual))
        settling = settling_inputs(visual, target(visual, self.options), self.settling)
        others = further(visual)
        if others:
            targets = [target(variant, self.options) for variant in others]
            settling |= inputs_of_others(visual, targets)
        try:
            declared, *more = map(self._declared, (visual, *others))
            variants = tuple(
                Step(variant, inputs, settling, Fresh(), None)
                for variant, inputs in zip(others, more, strict=True)
            )
            drawn_from = _together(declared, *more)
            reasons = ("--force",) if self.force else _reasons(entry, drawn_from, settling, self.digest)
        except AuthorError as error:
            return Step(visual, Inputs.of(()), settling, Unreadable(error), entry)
        state = Stale(reasons) if reasons else Fresh()
        return Step(visual, declared, settling, state, entry, variants)

    def _declared(self, visual: Visual) -> Inputs:
        return drawing_inputs(visual, self.digest, self.fonts, self.options, self.root, self.drawing)


def _together(declared: Inputs, *others: Inputs) -> Inputs:
    """The inputs of all drawings of a figure."""
    if not others:
        return declared
    return Inputs.of(declared.rows.union(*(inputs.rows for inputs in others)))


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
