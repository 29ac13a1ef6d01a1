"""The row of a kind: everything that differs between kinds of figure.

A kind is a row and a module with two functions: warm(fonts) loads its libraries once per worker, and
render(job, root) -> Raw draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from figmill.kinds.job import Job, Raw
from figmill.late import imported
from figmill.versions import Package

# When a kind's text is translated: before or after its layout, or in its source.
BEFORE, IN_SOURCE, AFTER = "before", "in source", "after"
EARLY = (BEFORE, IN_SOURCE)  # before anything is laid out


class Renderer(Protocol):
    """The functions of a kind's module."""

    def warm(self, fonts: Sequence[str]) -> None: ...

    def render(self, job: Job, root: Path) -> Raw: ...


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
class Kind:
    """One row of the table of kinds.

    How books name it and what they can ask of it:

    - suffixes: of its sources, the usual one first.
    - beside_product: the suffix of sources whose product, `<stem>.svg`, is checked in beside them in existing vaults.
    - fences: names of code blocks in a page that hold a source.
    - layouts: the values of `engine`, the default first.
    - counts: what `expect` can count; a drawing states each as a fact of that name.
    - is_everyday: books also contain files with its suffixes for other purposes.
    - describes: for authors, how a source describes itself; its drawing then states the fact `description`, the alt of
      a question without one, and perhaps the fact `title`. Empty: sources have no description.
    - has_pages: a source may hold several figures; `figure` names one, and the first is drawn without it.
    - starter: `module:name` of a Starter; empty: `new --kind` has none.

    Scripts:

    - whole_scripts: a script without draw() runs as a whole.
    - libraries: modules; a script that imports one of them is of this kind.
    - script_signs: words that identify a script of this kind.

    How it is drawn:

    - by_hand: the source is the drawing itself; no process draws it, and errors name its lines. figmill's own only.
    - starts_programs: drawing starts other programs, so each drawing has a process of its own, with a script's limits.
    - helpers: a word, and `module:function` that starts a process without a limit on addresses beside the drawing,
      if the source contains that word; called with a function that sets the other limits.
    - loads_long: its libraries take longer to load than all that settles a figure, so a process of their own loads them
      at the same time.
    - bounds_memory: its renderer limits its own memory, and reserves more addresses than a limit on them would allow.
    - keeps_colours: drawings keep the colours of the program whose files these are, and name the program; a build does
      not report its default colours.
    - takes_roles: a drawing depends on the roles that the book adds.
    - rasterises: artists with too many elements become pictures.
    - translates: how its text is translated: BEFORE its layout, by its module, which asks wording.py for each text;
      IN_SOURCE, also before its layout, where source_words.py finds labels; AFTER, in the finished SVG, whose layout
      stays; empty: not at all, because it has no text.
    - is_graph: its drawings are laid out by Graphviz; a comparison of two names nodes and edges.

    What a drawing depends on, beside its source:

    - files: files of the book, below its root, that every drawing needs; get_files: the command that fetches them.
    - packages: installed packages that every drawing needs; their versions are inputs.
    - script_packages: those that drawings by scripts need as well.
    - conda: conda's packages of libraries that the wheels of others contain; inputs too, in an environment of conda.
    - extra: the extra that installs these packages; empty: they come with the kind's own package.
    - code: figmill's modules that draw; for a kind of another package, all files of that package count.
    - package: the package that brings the kind; None: figmill.
    """

    module: str
    suffixes: tuple[str, ...]
    beside_product: str | None = None
    fences: tuple[str, ...] = ()
    layouts: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()
    is_everyday: bool = False
    describes: str = ""
    has_pages: bool = False
    starter: str = ""
    whole_scripts: bool = True
    libraries: tuple[bytes, ...] = ()
    script_signs: tuple[bytes, ...] = ()
    by_hand: bool = False
    starts_programs: bool = False
    helpers: tuple[tuple[bytes, str], ...] = ()
    loads_long: bool = False
    bounds_memory: bool = False
    keeps_colours: bool = False
    takes_roles: bool = False
    rasterises: bool = False
    translates: str = AFTER
    is_graph: bool = False
    files: tuple[str, ...] = ()
    get_files: str = ""
    packages: tuple[str, ...] = ()
    script_packages: tuple[str, ...] = ()
    conda: tuple[str, ...] = ()
    extra: str = ""
    code: tuple[str, ...] = ()
    package: Package | None = None

    @property
    def all_packages(self) -> tuple[str, ...]:
        return (*self.packages, *self.script_packages)

    @property
    def requirement(self) -> str:
        """The requirement with which pip installs all packages of the kind."""
        name = "figmill" if self.package is None else self.package.name
        return f"'{name}[{self.extra}]'" if self.extra else name

    def load(self) -> Renderer:
        """Import the module; only processes that draw need it."""
        return cast(Renderer, import_module(self.module))

    def first(self) -> Starter | None:
        """The first source for `new --kind`; None if the kind has none."""
        return cast(Starter, imported(self.starter)) if self.starter else None
