"""The keys of a figure: the rows of names and digests that its drawing and its published form depend on.

The draw key names an entry of the cache; both keys decide whether a figure is stale (`plan.py`). What figmill's own
code adds to them is in `versions.py`. Unaware of the last build.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from figmill import checks, kinds, versions
from figmill.book.explore.pictures import NARROW
from figmill.config import Options
from figmill.default_limits import MEGAPIXELS, RASTERISE
from figmill.errors import AuthorError, ToolError
from figmill.host import files, inside
from figmill.kind import typefaces
from figmill.kind.definition import EARLY
from figmill.model import Expect, Inputs, Visual
from figmill.palette import added_roles
from figmill.paths import code_folders, files_below
from figmill.store.disk import ABSENT

Digest = Callable[[str], str]

SETTLING_PACKAGES = ("lxml", "tinycss2", "cssselect2", "fonttools", "coloraide", "pillow")
CODE = (".py", ".css", ".js")  # the pages of a build are made from these, too


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


def inputs_of_others(visual: Visual, outputs: Sequence[str]) -> Inputs:
    """The inputs of the published form from a figure's other pictures. outputs: their paths."""
    name, values = (NARROW, visual.narrow) if visual.narrow else ("explore", list(visual.explore.items()))
    rows = [(name, _short([values, outputs]))] if values else []
    rows += [(f"language {each.language}", _short(asdict(each))) for each in visual.translations]
    return Inputs.of(rows)


def shared_settling(options: Options, fonts: str) -> Inputs:
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
