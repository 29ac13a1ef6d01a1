"""The kinds of figure, in one table: figmill's own, and those of installed packages.

figmill/kind/definition.py explains what a kind is. To add one, write a package that offers it as an entry point
`figmill.kinds`, as packages/kinds does.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType

from figmill import versions
from figmill.kind.definition import Kind
from figmill.kinds.own import OWN
from figmill.plugins import Table

_NAME = re.compile(r"[a-z][a-z0-9-]*")
_EXPECTED = ("text", "facts")  # the counts that `expect` takes for every kind


def _fault(name: str, row: Kind, rows: Mapping[str, Kind]) -> str | None:
    """What is wrong with another package's row; None if it is correct. rows: the existing ones."""
    if not _NAME.fullmatch(name):
        return "a name is lower-case letters, digits and hyphens"
    if row.by_hand:
        return "only figmill's own kinds may be by_hand; render() must return the SVG"
    if not row.suffixes or not all(suffix.startswith(".") and len(suffix) > 1 for suffix in row.suffixes):
        return 'suffixes must name one or more, such as (".bars",)'
    if not {*row.counts}.isdisjoint(_EXPECTED) or not all(noun.isidentifier() for noun in row.counts):
        return f"counts must be names of facts other than {' and '.join(_EXPECTED)}"
    for owner, other in rows.items():
        for mine, theirs in _pairs(row, other):
            if mine.endswith(theirs) or theirs.endswith(mine):
                return f"its suffix {mine} clashes with {theirs} of kind {owner}"
        columns = (
            ("libraries", row.scripts.libraries, other.scripts.libraries),
            ("fences", row.fences, other.fences),
        )
        for column, mine_all, theirs_all in columns:
            if shared := {*mine_all} & {*theirs_all}:
                return f"{column} has {sorted(shared)[0]!r}, which kind {owner} has already"
    return None


def _pairs(row: Kind, other: Kind) -> Sequence[tuple[str, str]]:
    """The suffixes of two kinds, without those of scripts, whose kind follows from their imports."""
    mine, theirs = ([suffix for suffix in kind.suffixes if not is_script(suffix)] for kind in (row, other))
    return [(ours, other_suffix) for ours in mine for other_suffix in theirs]


KINDS: Table[Kind] = Table("figmill.kinds", "kind", Kind, OWN, _fault)


@cache
def of_fences() -> Mapping[str, tuple[str, str]]:
    """Language of a code block -> the kind that draws it, and the suffix of files with such sources."""
    return MappingProxyType(
        {
            language: (name, next(suffix for suffix in kind.suffixes if not is_script(suffix)))
            for name, kind in KINDS.items()
            for language in kind.fences
        }
    )


def fits(kind: str, source: str) -> bool:
    """Whether a source with this name can be of this kind."""
    row = KINDS[kind]
    name = source.casefold() if row.by_hand else source  # Windows programs write .SVG
    return name.endswith(row.suffixes)


def is_script(source: str) -> bool:
    """Whether a source is an author's program."""
    return source.endswith((".py", ".ipynb"))


def kind_of_name(source: str) -> str | None:
    """The kind of a source by its longest suffix; None if no kind has it, or more than one does."""
    _, dot, ending = source.rpartition("/")[2].partition(".")
    return _kind_of_ending(f"{dot}{ending}")


@lru_cache(maxsize=256)
def _kind_of_ending(ending: str) -> str | None:
    name = ending.casefold()
    fitting = [
        (len(suffix), kind)
        for kind in KINDS
        if fits(kind, ending)
        for suffix in KINDS[kind].suffixes
        if name.endswith(suffix)
    ]
    longest = max(fitting, default=(0, ""))[0]
    kinds = {kind for length, kind in fitting if length == longest}
    return kinds.pop() if len(kinds) == 1 else None


_IMPORTS = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([\w., \t]+)", re.MULTILINE)


def kinds_of_script(data: bytes) -> tuple[str, ...]:
    """The kinds that a script may have, by the modules that it imports. Searches lines; parses nothing."""
    names = {
        clause.split()[0].partition(b".")[0]
        for line in _IMPORTS.finditer(data)
        for clause in line[1].split(b" import ")[0].split(b",")
        if clause.strip()
    }
    first = tuple(name for name, kind in KINDS.items() if not names.isdisjoint(kind.scripts.libraries))
    return first or tuple(
        name for name, kind in KINDS.items() if not names.isdisjoint(kind.scripts.libraries_at_last)
    )


def siblings(written: str | None) -> tuple[tuple[str, str], ...]:
    """The suffixes of files beside a product `<stem>.svg` that may be its source, each with the figure's kind.

    written: the kind that the question states. Existing vaults write `svg` for anything that is checked in as SVG.
    """
    if written is not None and not KINDS[written].by_hand:
        return tuple((suffix, written) for suffix in KINDS[written].suffixes)
    return tuple((kind.beside_product, name) for name, kind in KINDS.items() if kind.beside_product)


class LackingError(Exception):
    """A package that a kind needs is not installed; the message says how to install it.

    requirement: of the kind, for pip.
    """

    def __init__(self, message: str, requirement: str) -> None:
        super().__init__(message)
        self.requirement = requirement


def packages(kind: str, scripted: bool) -> tuple[tuple[str, str], ...]:
    """The versions of packages that a drawing of this kind depends on; ABSENT for one that is not installed."""
    row = KINDS[kind]
    names = row.needs.all_packages if scripted else row.needs.packages
    rows = [(name, versions.version_if_installed(name)) for name in names]
    conda = versions.conda_packages(Path(sys.prefix))  # for packages that do not contain their libraries
    rows += [(f"conda's {name}", conda[name]) for name in row.needs.conda if name in conda]
    if row.package is not None and not row.needs.code:
        rows.append(versions.row_of(row.package, row.module))
    return tuple(rows)


def lacking(kind: str, scripted: bool) -> str | None:
    """The first package that a drawing of this kind needs and that is not installed."""
    return next((name for name, version in packages(kind, scripted) if version == versions.ABSENT), None)


def machine() -> tuple[tuple[str, str], tuple[str, str]]:
    """Python and the platform: inputs of drawings."""
    import platform  # slow to load, and not needed by processes that draw

    names = f"{platform.system()} {platform.machine()}".lower()
    return ("python", platform.python_version()), ("platform", names)


@cache
def toolchain(kind: str, scripted: bool) -> tuple[tuple[str, str], ...]:
    """The inputs of a drawing of this kind from outside the book: versions, the code that draws, the platform.

    Raises LackingError.
    """
    row = KINDS[kind]
    if row.by_hand:
        return ()
    if missing := lacking(kind, scripted):
        raise LackingError(
            f"kind {kind} needs the package {missing}: pip install {row.requirement}",
            row.requirement.strip("'"),
        )
    shared = versions.CODE["draw by script" if scripted else "draw"]
    renderers = ("figmill's renderers", versions.digest_of((*shared, *row.needs.code)))
    python, platform = machine()
    return (*packages(kind, scripted), *((python,) if scripted else ()), renderers, platform)
