"""What defines a kind of figure: everything that differs between kinds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, cast

from figmill.config.readers import Setting
from figmill.kind.job import Job, Raw
from figmill.late_dataclasses import dataclass
from figmill.model import Json
from figmill.versions import Package

if TYPE_CHECKING:
    from figmill.kind.answer import Ended

# When a kind's text is translated: before or after its layout, or in its source.
BEFORE, IN_SOURCE, AFTER = "before", "in source", "after"
EARLY = (BEFORE, IN_SOURCE)  # before anything is laid out


class Taken(StrEnum):
    """What a drawing may take of the settings for all kinds; a job has the values.

    ROLES: those that the book adds to the palette.
    """

    ROLES = "roles"
    RASTERISE = "rasterise"
    CYCLE = "cycle"
    MEGAPIXELS = "megapixels"


class Renderer(Protocol):
    """The functions of the module that draws."""

    def warm(self, fonts: Sequence[str]) -> None:
        """Load large libraries, once in each process. fonts: paths of the book's own fonts."""

    def render(self, job: Job, root: Path) -> Raw:
        """Draw. root: the book's folder. Raises AuthorError for a mistake in the source."""


@dataclass(frozen=True, slots=True)
class Starter:
    """A first source for `new --kind`, with the texts of its question.

    caption: may be empty. more: further lines of `visual`.
    """

    suffix: str
    source: bytes
    alt: str
    caption: str = ""
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Process:
    """How a kind's drawing process differs from the usual one, which draws figure after figure within an address limit.

    - starts_programs: drawing starts other programs, so each drawing has a process of its own, with a script's limits.
    - opens_files: the renderer opens files of the book itself. A cluster then sends the visuals folders; otherwise only
      what a drawing reads through `source` and `Job.data`, which say what they looked for.
    - bounds_memory: the renderer limits its own memory, and reserves more addresses than a limit on them would allow.
    - loads_long: its libraries take longer to load than all that settles a figure, so a process of their own loads them
      at the same time.
    - tells_once: the renderer reports some mistakes only once in the life of its process, as Graphviz does, so the
      process ends after a remark.
    - helpers: a word, and `module:function` that starts a process without a limit on addresses beside the drawing, if
      the source contains that word; called with a function that sets the other limits.
    """

    starts_programs: bool = False
    opens_files: bool = False
    bounds_memory: bool = False
    loads_long: bool = False
    tells_once: bool = True
    helpers: tuple[tuple[bytes, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Scripts:
    """Which scripts and notebooks are of a kind, and how they run.

    - libraries: modules; a script that imports one of them is of this kind.
    - libraries_at_last: modules; a script that imports one of them, and no kind's `libraries`, is of this kind.
    - signs: words that occur in scripts of this kind; a build guesses by them which processes it will need.
    - run_whole: a script without draw() runs as a whole.
    """

    libraries: tuple[bytes, ...] = ()
    libraries_at_last: tuple[bytes, ...] = ()
    signs: tuple[bytes, ...] = ()
    run_whole: bool = True


@dataclass(frozen=True, slots=True)
class Needs:
    """What a drawing depends on, beside its source.

    - packages: installed packages that every drawing needs; their versions are inputs.
    - script_packages: those that drawings by scripts need as well.
    - conda: conda's packages of libraries that the wheels of others contain; inputs too, in an environment of conda.
    - extra: the extra that installs these packages; empty: they come with the kind's own package.
    - files: files of the book, below its root, that every drawing needs.
    - get_files: the command that fetches them.
    - code: of figmill's own distributions, the modules that draw; empty: all files of the kind's package.
    """

    packages: tuple[str, ...] = ()
    script_packages: tuple[str, ...] = ()
    conda: tuple[str, ...] = ()
    extra: str = ""
    files: tuple[str, ...] = ()
    get_files: str = ""
    code: tuple[str, ...] = ()

    @property
    def all_packages(self) -> tuple[str, ...]:
        return (*self.packages, *self.script_packages)


class Hint(NamedTuple):
    """Another version of a source, which asks its program for another layout. what: the change, for authors."""

    what: str
    text: str


class Kind:
    """A kind of figure. A subclass must state `module` and `suffixes`, and whatever differs from these defaults.

    Every command that reads questions imports the subclass, so it imports nothing large.
    """

    module: str
    """The module that draws, a Renderer; only processes that draw import it."""
    suffixes: tuple[str, ...] = ()
    """Of its sources, the usual one first."""
    fences: tuple[str, ...] = ()
    """Names of code blocks in a page that hold a source."""
    counts: tuple[str, ...] = ()
    """What `expect` can count; a drawing states each as a fact of that name."""
    layouts: tuple[str, ...] = ()
    """The values of `engine`, the default first."""
    describes: str = ""
    """For authors: how a source describes itself. Its drawing then states the fact `description`, the alt of a
    question without one, and perhaps the fact `title`. Empty: sources have no description."""
    beside_product: str | None = None
    """The suffix of sources whose product, `<stem>.svg`, is checked in beside them in existing vaults."""

    scripts: Scripts = Scripts()
    """If `suffixes` has .py."""

    by_hand: bool = False
    """The source is the drawing itself: no process draws it, and errors name its lines. figmill's own only."""
    translates: str = AFTER
    """When its text is translated. BEFORE its layout: by its module, which asks wording.py for each text. IN_SOURCE,
    also before its layout: its module reads the source with its Labels. AFTER: in the finished SVG, whose layout
    stays. Empty: not at all, because it has no text."""
    is_placed: bool = False
    """Its author places each box and line, in a program with default colours of its own, which a build does not report.
    In other kinds figmill or a library places them, so the rules of a house style about places do not apply."""
    line_colours: frozenset[str] = frozenset()
    """What its library gives to lines without being asked, as #rrggbb; a build does not report their contrast."""
    takes: tuple[Taken, ...] = ()
    """What a drawing depends on of the settings for all kinds."""
    process: Process = Process()
    needs: Needs = Needs()
    starter: Starter | None = None
    """The first source for `new --kind`; None: the kind has none."""
    settings: Mapping[str, Setting] = MappingProxyType({})
    """What a book may set in `[tool.figmill.KIND]`; a job has the values. Not for figmill's own kinds."""

    package: Package | None = None
    """The package that brings the kind; None: figmill."""

    def names_figures(self, *, in_script: bool) -> bool:
        """Whether one source may hold several figures, of which `figure` names one: scripts that run as a whole do."""
        return in_script and self.scripts.run_whole

    def cause_of(self, ended: Ended, job: Job) -> str | None:
        """What authors read if the renderer ended its process; None: the message for any kind. Its output follows."""
        return None

    def needed(self, settings: Mapping[str, Json], source: bytes) -> Mapping[str, Json]:
        """Those of the book's settings that the drawing of a source depends on."""
        return settings

    def hints(self, source: str) -> Iterable[Hint]:
        """Versions of a source that may have fewer faults, the smallest change first, for `lint --fix --layout`."""
        return ()

    def load(self) -> Renderer:
        """Import the module that draws."""
        return cast(Renderer, import_module(self.module))

    def brought_by(self, package: Package) -> Self:
        """The same kind, as a package offers it."""
        kind = copy(self)
        kind.package = package
        return kind

    @property
    def requirement(self) -> str:
        """The requirement that makes pip install all packages of the kind."""
        name = "figmill" if self.package is None or self.package.is_ours else self.package.name
        return f"'{name}[{self.needs.extra}]'" if self.needs.extra else name
