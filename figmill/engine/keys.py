"""The keys of a figure: the rows of names and digests that its drawing and its published form depend on.

The draw key names an entry of the cache; both keys decide whether a figure is stale (`plan.py`). What figmill's own
code adds to them is in `versions.py`. Unaware of the last build.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType

from figmill import checks, default_limits, kinds, versions
from figmill.book.explore.pictures import NARROW
from figmill.config import Options
from figmill.errors import AuthorError, ToolError
from figmill.host import files, inside
from figmill.kind import typefaces
from figmill.kind.definition import EARLY, Kind, Taken
from figmill.kinds import KINDS
from figmill.model import Expect, Inputs, Row, Visual
from figmill.palette import added_roles
from figmill.paths import code_folders, files_below
from figmill.store.disk import ABSENT

Digest = Callable[[str], str]

SETTLING_PACKAGES = ("lxml", "tinycss2", "cssselect2", "fonttools", "coloraide", "pillow")
CODE = (".py", ".css", ".js")  # the pages of a build are made from these, too


class Sharing:
    """Makes inputs; the rows that many figures have in common are one set. always: rows that all of them have."""

    def __init__(self, always: Iterable[Row] = ()) -> None:
        self._always = frozenset(always)
        self._groups: dict[tuple[Row, ...], frozenset[Row]] = {}

    def inputs(self, own: tuple[Row, ...], common: tuple[Row, ...]) -> Inputs:
        shared = self._groups.get(common)
        if shared is None:
            shared = self._groups[common] = self._always.union(common)
        return Inputs(own, shared)


def drawing_inputs(
    visual: Visual,
    digest: Digest,
    fonts: tuple[Path, ...],
    options: Options,
    root: Path,
    sharing: Sharing,
) -> Inputs:
    """The declared part of the draw key. root: the book's, where files of kinds are. Raises AuthorError."""
    kind = KINDS[visual.kind]
    own = (*_source(visual, digest), *((name, digest(name)) for name in visual.inputs))
    if visual.params:
        own += (("params", _short(visual.params)),)
    if kind.needs.files:
        _check_needed_files(visual, kind, dict(own), root)
    return sharing.inputs(own, (*_settings(visual, kind, fonts, options, root), *_toolchain(visual)))


def _check_needed_files(visual: Visual, kind: Kind, digests: Mapping[str, str], root: Path) -> None:
    """Raise AuthorError if a file of the book that every figure of a kind needs is missing, or is never read."""
    at = visual.at("kind" if "kind" in visual.origins else "source")
    for name in kind.needs.files:
        if digests.get(name) == ABSENT:
            raise AuthorError(
                at, f"kind {visual.kind} needs the file {name} in the book: {kind.needs.get_files}"
            )
    for name in kind.needs.files:
        try:
            inside.place(root, name, (name,))
        except inside.RefusedError as error:
            problem = f"{name} is behind a link that leads out of the book, and drawings read only the book"
            problem = problem if error.reason == "outside" else f"{name} {error.phrase}"
            raise AuthorError(at, f"{problem}; in the book's own folder: {kind.needs.get_files}") from None


def _settings(
    visual: Visual, kind: Kind, fonts: tuple[Path, ...], options: Options, root: Path
) -> Iterator[Row]:
    """The inputs of a drawing from the settings, and from what its question says besides files and params."""
    yield "kind", visual.kind
    if visual.figure:
        yield "figure", visual.figure
    if visual.translation is not None and kind.translates in EARLY:
        yield f"words {visual.translation.language}", _short(visual.translation.wording)
    if kind.layouts:
        yield "engine", visual.engine
    yield from ((name, value) for name in kind.takes if (value := _TAKEN[name](options)) is not None)
    if (given := options.of_kind(visual.kind)) and (needed := kind.needed(given, _text(visual, root))):
        yield "settings", _short(dict(needed))
    if not kind.by_hand:
        yield "fonts", typefaces.digest(fonts)


def _added_roles(options: Options) -> str | None:
    added = added_roles(options.palette)
    return _short(added) if added else None


def _rasterise(options: Options) -> str | None:
    return None if options.rasterise == default_limits.RASTERISE else str(options.rasterise)


def _cycle(options: Options) -> str | None:
    return options.cycle if options.cycle == "book" else None


def _megapixels(options: Options) -> str | None:
    most = options.limits.megapixels
    return None if most == default_limits.MEGAPIXELS else f"{most:g}"


# What a kind may take of the settings -> its row's value; None: the default, which has no row.
_TAKEN: Mapping[str, Callable[[Options], str | None]] = MappingProxyType(
    {
        Taken.ROLES: _added_roles,
        Taken.RASTERISE: _rasterise,
        Taken.CYCLE: _cycle,
        Taken.MEGAPIXELS: _megapixels,
    }
)


def _toolchain(visual: Visual) -> tuple[Row, ...]:
    """As `kinds.toolchain`. Raises AuthorError if a package is missing."""
    try:
        return kinds.toolchain(visual.kind, kinds.is_script(visual.source))
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


NOTHING = "nothing"  # most figures expect nothing
NO_TITLE, NO_CAPTION = ("title", ""), ("caption", "")  # one object for all of them


def settling_inputs(visual: Visual, output: str, sharing: Sharing) -> Inputs:
    """The inputs of a figure's published form from its own question, and those that `sharing` adds to all."""
    own: tuple[Row, ...] = (
        ("id", visual.label),
        ("track", visual.track),
        ("title", visual.title) if visual.title else NO_TITLE,
        ("alt", visual.alt),
        ("caption", visual.caption) if visual.caption else NO_CAPTION,
        ("output", output),
    )
    if visual.fence is not None:
        own += (("place in its page", f"{visual.at()} {visual.fence.key}"),)
    return sharing.inputs(own, tuple(_choices(visual)))


def _choices(visual: Visual) -> Iterator[Row]:
    """The inputs of settling for which most figures have the same values."""
    yield "expect", NOTHING if visual.expect == Expect() else _short(asdict(visual.expect))
    yield "themes", " ".join(visual.themes)
    yield "lint", _short(dict(visual.lint)) if visual.lint else "{}"
    if visual.language:
        yield "language of the question", visual.language
    if visual.colours != "auto":
        yield "colours", visual.colours
    if visual.facts:
        yield "facts", _short([asdict(each) for each in visual.facts])
    if visual.describe is not True:
        yield "describe", _short(visual.describe)
    if visual.width is not None:
        yield "width", f"{visual.width:g}"


def inputs_of_others(visual: Visual, outputs: Sequence[str]) -> Inputs:
    """The inputs of the published form from a figure's other pictures. outputs: their paths."""
    name, values = (NARROW, visual.narrow) if visual.narrow else ("explore", list(visual.explore.items()))
    rows = [(name, _short([values, outputs]))] if values else []
    rows += [(f"language {each.language}", _short(asdict(each))) for each in visual.translations]
    return Inputs.of(rows)


def shared_settling(options: Options, fonts: str) -> tuple[Row, ...]:
    """The inputs of every figure's published form from the settings and from figmill."""
    return (
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
    )


def _version(name: str) -> str:
    try:
        return versions.version(name)
    except ModuleNotFoundError:
        raise ToolError(f"figmill needs the package {name}: pip install figmill") from None


def _short(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) <= 64 else hashlib.sha256(text.encode()).hexdigest()


def installation() -> list[str]:
    """Paths whose times or sizes change with figmill or a library that it draws with.

    A folder of packages changes whenever a package is installed, upgraded or removed.
    """
    folders = code_folders()
    code = {path for folder in folders.values() for path in files_below(folder, CODE)}
    # of other packages, which may be installed in editable form
    packages = {name.partition(".")[0] for name in KINDS.modules | checks.CHECKS.modules}
    code |= {str(path) for name in packages - folders.keys() for _, path in versions.files_of(name)}
    return [*sorted(versions.folders()), *sorted(code), str(typefaces.FOLDER / "digest")]
