"""The export plan: the wanted PNG and PDF exports, those in grey, and which of them are up to date.

An export depends only on a published SVG. It is listed while its bytes match that SVG. Writes nothing; asks the disk
only for digests.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from figmill import versions
from figmill.config import Options
from figmill.errors import AuthorError, ToolError
from figmill.formats import FORMATS
from figmill.kind import typefaces
from figmill.kinds import is_script
from figmill.late_dataclasses import dataclass
from figmill.model import Edition, File, Form, Inputs, Published, Visual, Warned
from figmill.palette import PAGE
from figmill.publish.exporting import ALIKE, LIBRARY, SMALL_PRINT, UNTAGGED
from figmill.store.ledger import Entry, Export, Ledger

# The packages that every export depends on. matplotlib ships the fonts for code and symbols.
PACKAGES = (LIBRARY, "lxml", "matplotlib")
SVG, INK, GREY = "svg", "ink", "grey"
POINTS, MILLIMETRES = 0.75, 25.4 / 96  # of a px
LEAST = 6.0  # points of text in print


@dataclass(frozen=True, slots=True)
class Wanted:
    """One wanted export.

    - svg: the file it is made from.
    - inputs: all that its bytes depend on.
    - page: the colour behind it.
    """

    visual: Visual
    svg: File
    form: Form
    path: str
    inputs: Inputs
    page: str
    reasons: tuple[str, ...]  # why it must be made; empty: it is up to date

    def export(self, data: bytes) -> Export:
        """The ledger's row for the export; width and height stay those of the figure, in px."""
        digest = hashlib.sha256(data).hexdigest()
        theme = self.form.ink or self.svg.theme
        return Export(
            replace(self.svg, theme=theme, format=self.form.format, path=self.path, sha256=digest),
            self.inputs,
        )

    @property
    def small_print(self) -> str:
        """What is wrong with the smallest text on paper, and what would be right; empty if it is legible."""
        points = self.svg.smallest * POINTS * shrinking(self.svg, self.form)
        if self.svg.theme == "dark" or FORMATS[self.form.format].has_pixels or not 0 < points < LEAST:
            return ""
        if not self.form.width:
            return f"the smallest text has {points:.1f} pt; {LEAST:g} pt needs larger text"
        width = math.ceil(self.svg.width * LEAST / (self.svg.smallest * POINTS) * MILLIMETRES)
        by = "" if self.visual.narrow or not is_script(self.visual.source) else " (`narrow` in its question)"
        advice = f"{LEAST:g} pt needs a width of {width} mm, or a narrower drawing{by}"
        return f"the smallest text has {points:.1f} pt in print; {advice}"

    def finding(self, check: str, message: str) -> Warned:
        """A finding about the export."""
        if check == UNTAGGED:
            message = f"{self.path} does not state PDF/UA-1: {message}"
        elif check == SMALL_PRINT:
            message = f"{self.path}: {message}"
        return Warned(self.visual.at("source"), message, check)

    def error(self, message: str) -> AuthorError:
        name = f"{self.form.format.upper()}{' in grey' if self.form.ink else ''}"
        theme = "" if self.svg.theme == "light" else f" ({self.svg.theme})"
        return AuthorError(self.visual.at("source"), f"cannot be exported as {name}{theme}: {message}")


def wanted(
    visual: Visual,
    entry: Entry,
    old: Entry | None,
    forms: Iterable[Form],
    shared: Inputs,
    options: Options,
    digest: Callable[[str], str],
    *,
    force: bool = False,
) -> Iterator[Wanted]:
    """The wanted exports of a figure in all its languages. entry: with its SVGs as they are now; old: the last build's.

    Grey is for paper, so only light figures have it.
    """
    before = {export.file.path: export for export in old.exports} if old else {}
    for own, narrow in pairs(entry.published):
        for form in forms:
            if form.ink and own.theme == "dark":
                continue
            ink = f".{form.ink}" if form.ink else ""
            path = f"{own.path.removesuffix('.svg')}{ink}.{form.format}"
            file = fitting(own, narrow, form)
            scale = [("scale", str(form.scale))] if FORMATS[form.format].has_pixels else []
            behind = page_behind(file, options)
            page = [("page", behind)] if behind else []
            inks = [(INK, f"{form.ink} {_digest(options)}")] if form.ink else []
            width = [("width", str(form.width))] if form.width else []
            rows = [*scale, *width, *page, *inks, *_packages(form.format)]
            inputs = shared | Inputs.of([(SVG, origin(entry, file)), *rows])
            reasons = ("--force",) if force else _reasons(inputs, before.get(path), digest)
            yield Wanted(visual, file, form, path, inputs, behind, reasons)


def svgs(figure: Published) -> tuple[File, ...]:
    """The SVGs of a figure that are exported: in its own language, then in the others."""
    return tuple(file for file, _ in pairs(figure))


def pairs(figure: Published) -> Iterator[tuple[File, File | None]]:
    """Each of these SVGs with the narrow form in its theme, if there is one."""
    editions: tuple[Published | Edition, ...] = (figure, *figure.editions)
    for edition in editions:
        narrow = {file.theme: file for file in edition.narrow}
        yield from ((file, narrow.get(file.theme)) for file in edition.files)


def shrinking(file: File, form: Form) -> float:
    """The factor by which a figure shrinks in an export."""
    return min(1.0, form.width / file.width) if form.width else 1.0


def fitting(file: File, narrow: File | None, form: Form) -> File:
    """The form of a figure that an export shows: the narrow one if its text is larger at the stated width."""
    if narrow is None or shrinking(file, form) == 1.0:
        return file
    return max((file, narrow), key=lambda each: each.smallest * shrinking(each, form))


def _digest(options: Options) -> str:
    """The digest of the palette, whose order decides the looks in grey."""
    return hashlib.sha256(repr(options.palette).encode()).hexdigest()


def page_behind(file: File, options: Options) -> str:
    """The colour behind an export: that of a dark page for dark figures, which have no background; else none.

    A dark page shows a dark SVG on itself, but a viewer shows a PNG on a background of its own.
    """
    return PAGE[1] if file.theme == "dark" and options.background != "none" else ""


def _reasons(inputs: Inputs, old: Export | None, digest: Callable[[str], str]) -> tuple[str, ...]:
    if old is None:
        return ("new",)
    if reasons := inputs.reasons(old.inputs):
        return reasons
    return () if digest(old.file.path) == old.file.sha256 else ("damaged",)


def origin(entry: Entry, file: File) -> str:
    """The digest of the input of an export.

    A hand drawing published in place is not rewritten, but exported in its published form.
    """
    if file.path != entry.published.source:
        return file.sha256
    return hashlib.sha256(f"{file.sha256}\0{entry.settling.digest}".encode()).hexdigest()


def shared(options: Options, root: Path) -> Inputs:
    """The inputs of every export. Raises ToolError if the library is missing."""
    fonts = tuple(root / name for name in options.fonts)
    return Inputs.of(
        [
            *((name, _version(name)) for name in PACKAGES),
            ("fonts of exports", typefaces.digest(fonts)),
            ("figmill's exporter", versions.code("export")),
            *((("language", options.language),) if options.language != "en" else ()),
        ]
    )


def _packages(format_: str) -> list[tuple[str, str]]:
    """The packages that one format needs in addition, and their versions."""
    return [(name, _version(name)) for name in FORMATS[format_].packages]


def _version(name: str) -> str:
    try:
        return versions.version(name)
    except ModuleNotFoundError:
        raise ToolError(f"--to needs the package {name}: pip install 'figmill[export]'") from None


def with_valid_exports(
    entry: Entry, digest: Callable[[str], str], exports: Iterable[Export] | None = None
) -> Entry:
    """The entry with only those exports that belong to its present SVGs, lie beside them, and are unchanged.

    exports: from an earlier entry of the same figure, instead of the entry's own.
    """
    if not (entry.exports or exports):
        return entry
    origins: dict[str, set[str]] = {}
    for file in filter(None, chain.from_iterable(pairs(entry.published))):
        for theme in (file.theme,) if file.theme == "dark" else (file.theme, GREY):
            origins.setdefault(theme, set()).add(origin(entry, file))
    folders = {file.path.rpartition("/")[0] for file in svgs(entry.published)}
    kept = tuple(
        export
        for export in (entry.exports if exports is None else exports)
        if export.file.path.rpartition("/")[0] in folders
        and any((SVG, source) in export.inputs.rows for source in origins.get(export.file.theme, ()))
        and digest(export.file.path) == export.file.sha256
    )
    return replace(entry, exports=kept)


def without_stale_exports(ledger: Ledger, digest: Callable[[str], str]) -> Ledger:
    """The ledger with valid exports only; the files of all other exports become orphans."""
    entries = {name: with_valid_exports(entry, digest) for name, entry in ledger.entries.items()}
    left = {path for name, entry in ledger.entries.items() for path in paths(entry) - paths(entries[name])}
    return replace(ledger, entries=entries, orphans=tuple(sorted(left.union(ledger.orphans))))


def shown(entry: Entry) -> Published:
    """The figure as in the manifest: each export is listed after the SVGs of its language."""
    figure = entry.published
    owners = {
        file.path.removesuffix(".svg"): edition.language
        for edition in figure.editions
        for file in edition.files
    }
    of: dict[str, list[File]] = {}
    for export in entry.exports:
        stem = export.file.path.removesuffix(f".{export.file.format}").removesuffix(f".{GREY}")
        of.setdefault(owners.get(stem, ""), []).append(export.file)
    return replace(
        figure,
        files=(*figure.files, *of.get("", ())),
        editions=tuple(
            replace(edition, files=(*edition.files, *of.get(edition.language, ())))
            for edition in figure.editions
        ),
    )


def paths(entry: Entry | None) -> set[str]:
    """The paths of a figure's exports."""
    return {export.file.path for export in entry.exports} if entry else set()


def added(entry: Entry, export: Export, findings: Iterable[Warned] = ()) -> Entry:
    """The entry with an export added, replacing one at the same path. findings: those about it."""
    others = (other for other in entry.exports if other.file.path != export.file.path)
    ordered = sorted(
        (*others, export),
        key=lambda e: (e.file.theme != "light", e.file.theme, e.file.format, e.file.path),
    )
    warnings = with_findings(entry.warnings, export.file.path, findings)
    return replace(entry, exports=tuple(ordered), warnings=warnings)


def with_findings(old: Iterable[Warned], path: str, new: Iterable[Warned]) -> tuple[Warned, ...]:
    """Findings with those about an export, which replace what was true of it in another width."""
    kept = (row for row in old if row.check != SMALL_PRINT or not row.message.startswith(f"{path}: "))
    return tuple(dict.fromkeys((*kept, *new)))


def findings_of(exports: Iterable[Export], old: Entry) -> tuple[Warned, ...]:
    """What was found about exports that are still valid. old: the entry for which they were made."""
    valid = [export.file for export in exports]
    starts = tuple(f"{file.path}{sign}" for file in valid for sign in (": ", " does not state"))
    has_grey = any(file.theme == GREY for file in valid)
    return tuple(
        row
        for row in old.warnings
        if (row.check in (UNTAGGED, SMALL_PRINT) and row.message.startswith(starts))
        or (row.check == ALIKE and has_grey)
    )


def complete(entries: Mapping[str, Entry], options: Options, root: Path) -> list[str]:
    """The forms in which every figure is up to date."""
    exports = [export for entry in entries.values() for export in entry.exports]
    if not exports:
        return []
    try:
        now = shared(options, root)
    except ToolError:  # without the library no export is up to date
        return []
    files = [file for entry in entries.values() for file in svgs(entry.published)]
    count_of = {"": len(files), GREY: sum(file.theme != "dark" for file in files)}
    counts: dict[Form, int] = {}
    for export in exports:
        if export.inputs.rows >= (now | Inputs.of(_packages(export.file.format))).rows:
            rows = dict(export.inputs.rows)
            form = Form(
                export.file.format,
                float(rows.get("scale", "1.0")),
                rows.get(INK, "").partition(" ")[0],
                float(rows.get("width", "0.0")),
            )
            counts[form] = counts.get(form, 0) + 1
    return sorted(str(form) for form, count in counts.items() if count == count_of[form.ink])


def files_drawn_from(visuals: Iterable[Visual], entries: Iterable[Entry]) -> set[str]:
    """Every file that figures are drawn from: no export may overwrite one."""
    names = {
        name for entry in entries for inputs in (entry.declared, entry.traced) for name, _ in inputs.rows
    }
    return names.union(*((visual.source, *visual.inputs) for visual in visuals))
