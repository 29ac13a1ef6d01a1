"""The book as the pages show it at one moment: figures, and for each a mark that changes with it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import field, replace

from figmill.engine.resident.views import FigureView, ViewStatus
from figmill.late_dataclasses import dataclass
from figmill.model import is_made


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All figures by name, in order.

    - paths: of published SVGs, below the root, by their digests.
    - files: what the pages may show: questions, sources and what figures were read from.
    - trouble: why the book as a whole cannot be built; then the figures are old.
    - languages: of the figures, beside the book's own.
    """

    version: int = 0
    views: Mapping[str, FigureView] = field(default_factory=dict)
    stamps: Mapping[str, str] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)
    files: frozenset[str] = frozenset()
    trouble: str = ""
    languages: tuple[str, ...] = ()

    @property
    def is_begun(self) -> bool:
        """Whether the first build has ended; until then, nobody knows how many figures there are."""
        return self.version > 0

    def then(self, views: Mapping[str, FigureView]) -> Snapshot:
        """The book after this one."""
        old = self.views
        ordered = dict(sorted(_with_last_pictures(views, old).items()))
        stamps = {n: self.stamps[n] if old.get(n) is v else stamp(v) for n, v in ordered.items()}
        shown = [view.published for view in ordered.values() if view.published]
        svgs = [file for figure in shown for file in figure.files]
        svgs += [file for figure in shown for edition in figure.editions for file in edition.files]
        paths = {file.sha256: file.path for file in svgs if file.format == "svg"}
        languages = tuple(sorted({edition.language for figure in shown for edition in figure.editions}))
        files = frozenset(_files(ordered))
        return Snapshot(self.version + 1, ordered, stamps, paths, files, languages=languages)

    def troubled(self, trouble: str) -> Snapshot:
        return Snapshot(
            self.version + 1, self.views, self.stamps, self.paths, self.files, trouble, self.languages
        )

    def since(self, seen: Snapshot | None) -> dict[str, object]:
        """What differs from what a page knows: new marks, names that are gone, and the trouble with the book."""
        before: Mapping[str, str] = seen.stamps if seen else {}
        changed = {name: mark for name, mark in self.stamps.items() if before.get(name) != mark}
        gone = [name for name in before if name not in self.stamps]
        return {
            "whole": seen is None,
            "begun": self.is_begun,
            "changed": changed,
            "gone": gone,
            "trouble": self.trouble,
        }


def _with_last_pictures(
    new: Mapping[str, FigureView], old: Mapping[str, FigureView]
) -> dict[str, FigureView]:
    """The views, where a failed block without an id of its own shows the last picture of the block in its place.

    The id of such a block changes with each edit. So its page tells which one it was: that with the same number in it,
    if no block has come or gone.
    """
    views = dict(new)
    lacking = {name for name, view in new.items() if view.status is ViewStatus.FAILED and not view.published}
    for page in {new[name].at.path for name in lacking if is_made(new[name].label)}:
        here, before = _of_page(page, new), _of_page(page, old)
        for name, earlier in zip(here, before, strict=True) if len(here) == len(before) else ():
            if name in lacking and (earlier == name or earlier not in new):
                views[name] = replace(new[name], published=old[earlier].published)
    return views


def _of_page(page: str, views: Mapping[str, FigureView]) -> list[str]:
    """The names of the figures of a page, in its order."""
    return sorted(
        (name for name, view in views.items() if view.at.path == page),
        key=lambda name: views[name].at.line or 0,
    )


def _files(views: Mapping[str, FigureView]) -> set[str]:
    paths = {path for view in views.values() for path in (view.at.path, view.source, *view.reads) if path}
    for view in views.values():
        paths |= {wrong.origin.path for wrong in view.errors} | {w.origin.path for w in view.warnings}
    return paths


def stamp(view: FigureView) -> str:
    """A mark that changes with whatever a page shows of a figure."""
    errors = [(str(wrong), wrong.detail) for wrong in view.errors]
    shown = (
        view.id,
        view.name,
        view.track,
        view.title,
        view.kind,
        view.at,
        view.source,
        view.status,
        view.published,
        errors,
        view.warnings,
        view.reads,
        view.reasons,
        sorted(view.params.items()),
        view.printed,
    )
    return hashlib.sha256(repr(shown).encode("utf-8", "surrogateescape")).hexdigest()[:16]
