"""`doctor`: what works on this machine and in this book, and how to fix the rest.

It runs a real build: three small figures, in a folder of their own, in the book's sandbox.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from figmill import __version__, checks, config, fastpath, versions
from figmill.commands import trial_book
from figmill.commands.environment import root_of
from figmill.config import Options
from figmill.enclosure import landlock, sandbox
from figmill.enclosure.mode import Mode
from figmill.errors import ToolError
from figmill.font_metrics import matplotlib_folder
from figmill.host import files
from figmill.host.bound import PRIVATE
from figmill.host.lines import as_json
from figmill.integrations.hosts import host_of
from figmill.kind import typefaces
from figmill.kinds import KINDS
from figmill.late_dataclasses import dataclass
from figmill.paths import DISTRIBUTIONS, PACKAGE
from figmill.plugins import Table
from figmill.publish.exporting import LIBRARY
from figmill.render.temp_dirs import Scratch
from figmill.report.model import Status
from figmill.streams import hand_over, say

OK, NOTE, WRONG = "ok", "note", "wrong"
OLDEST = (3, 11)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One line. state: OK, NOTE (a build works without it) or WRONG; advice: what to do, empty if nothing."""

    name: str
    state: str
    said: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class BookPlace:
    """The book to examine. root: its folder, or the folder without a book; options: None if they cannot be read."""

    root: Path
    is_book: bool
    options: Options | None
    why: str = ""  # why there is no book, or no options

    @property
    def sandbox(self) -> str:
        return self.options.sandbox if self.options else "auto"


@click.command("doctor")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="The format of the findings.",
)
@click.pass_obj
def command(root: Path | None, form: str) -> int:
    """Check what works on this machine and in this book.

    Says how to fix the rest.
    """
    findings = list(examined(_place(root)))
    works = all(finding.state != WRONG for finding in findings)
    if form == "json":
        hand_over(as_json({"works": works, "findings": [asdict(finding) for finding in findings]}))
    else:
        findings = list(_with_one_install(findings))
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            say([f"{finding.state:5}  {finding.name:{width}}  {finding.said}"])
            if finding.advice:
                say([f"{'':5}  {'':{width}}  {finding.advice}"])
    return 0 if works else 1


_OF_EXTRA = re.compile(r"pip install 'figmill\[(\w+)\]'")


def _with_one_install(findings: Sequence[Diagnosis]) -> Iterator[Diagnosis]:
    """The findings, with one line for all extras that are not installed."""
    extras = {
        finding.name: match[1] for finding in findings if (match := _OF_EXTRA.fullmatch(finding.advice))
    }
    if len(extras) < 2:
        yield from findings
        return
    yield from (finding for finding in findings if finding.name not in extras)
    yield Diagnosis(
        "extras",
        NOTE,
        f"not installed: {', '.join(extras)}",
        f"pip install 'figmill[{','.join(sorted(extras.values()))}]'",
    )


def _place(given: Path | None) -> BookPlace:
    try:
        root = root_of(given)
    except ToolError as error:
        return BookPlace((given or Path.cwd()).resolve(), False, Options(), str(error))
    try:
        return BookPlace(root, True, config.load(root))
    except ToolError as error:
        return BookPlace(root, True, None, str(error))


def examined(place: BookPlace) -> Iterator[Diagnosis]:
    """The findings, in the order of the report."""
    for examine in EXAMINATIONS:
        yield from examine(place)


def _python(_: BookPlace) -> Iterator[Diagnosis]:
    version = f"{'.'.join(map(str, sys.version_info[:3]))}, {sys.executable}"
    is_old = sys.version_info < OLDEST
    yield Diagnosis(
        "Python", WRONG if is_old else OK, version, "figmill needs Python 3.11 or newer" if is_old else ""
    )
    yield Diagnosis("figmill", OK, f"{__version__}, {PACKAGE}")


_REQUIRED = re.compile(r"([A-Za-z0-9._-]+)(?:.*extra *== *['\"]([\w-]+)['\"])?")


def _requirements() -> Mapping[str, list[str]]:
    """The packages that figmill requires, by extra; those that it always needs are under an empty name."""
    by_extra: dict[str, list[str]] = {}
    for distribution in ("figmill", *sorted(DISTRIBUTIONS)):
        try:
            lines = metadata.requires(distribution) or []
        except metadata.PackageNotFoundError:  # run from a checkout that is not installed
            continue
        for match in filter(None, map(_REQUIRED.match, lines)):
            name, extra = match[1], match[2] or ""
            is_own = distribution == "figmill"
            if is_own if not extra else name not in DISTRIBUTIONS:
                by_extra.setdefault(extra, []).append(name)
    return {extra: [*dict.fromkeys(names)] for extra, names in by_extra.items()}


def _versions(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Each package with its version, and those that are missing."""
    there, missing = [], []
    for name in names:
        try:
            there.append(f"{name} {versions.version(name)}")
        except ModuleNotFoundError:
            missing.append(name)
    return there, missing


def _libraries(_: BookPlace) -> Iterator[Diagnosis]:
    there, missing = _versions(_requirements().get("", ()))
    advice = f"missing: {', '.join(missing)}; pip install figmill" if missing else ""
    yield Diagnosis(
        "libraries", WRONG if missing else OK, ", ".join(there) or "unknown on this system", advice
    )


def _fonts(place: BookPlace) -> Iterator[Diagnosis]:
    try:
        extra = tuple(place.root / name for name in place.options.fonts) if place.options else ()
        typefaces.digest(extra)
        missing = [face for face in typefaces.MONO_FACES if not (matplotlib_folder() / face).exists()]
    except (ToolError, OSError) as error:
        yield Diagnosis(
            "fonts", WRONG, str(error), "install figmill again; fonts of the book are under `fonts`"
        )
        return
    summary = f"Arimo and DejaVu Sans Mono of figmill{f', and {len(extra)} of the book' if extra else ''}"
    advice = f"missing: {', '.join(missing)}; pip install --force-reinstall matplotlib" if missing else ""
    yield Diagnosis("fonts", WRONG if missing else OK, summary, advice)


MODES = MappingProxyType(
    {
        Mode.EACH: "bubblewrap, with a view of its own for each script",
        Mode.ALL: "bubblewrap, with one view for all scripts",
        Mode.OFF: "none, as the settings say",
    }
)
BWRAP = (
    "scripts cannot write to the book, but can read what you can; `apt-get install bubblewrap` hides the rest"
)


def _sandbox(place: BookPlace) -> Iterator[Diagnosis]:
    mode, why = sandbox.available(place.sandbox)
    if mode in MODES:
        yield Diagnosis("sandbox", NOTE if mode is Mode.OFF else OK, MODES[mode])
        return
    held = f"Landlock {landlock.version()} alone" if landlock.is_enough() else "none"
    required = place.sandbox == "require"
    advice = 'sandbox = "require" in the settings prevents all drawing here' if required else BWRAP
    if held == "none":
        advice = "draw only figures of people you trust here" if not required else advice
    yield Diagnosis("sandbox", WRONG if required else NOTE, f"{held}: {why}", advice)


OF_DEBIAN = " (Debian: "  # the system package that Graphviz needs, at the end of an error
ANEW = "pip install --force-reinstall figmill"


def _trial(place: BookPlace) -> Iterator[Diagnosis]:
    """Build a small book with the command itself, with exports if their library is installed."""
    _, missing = _versions([LIBRARY])
    with Scratch() as folder:
        root = Path(files.new_folder(os.path.join(folder, "book")))
        trial_book.write(root, place.sandbox)
        rows, why = trial_book.built(root)
        for name, (_, _, kind) in trial_book.TRIALS.items():
            if kind not in rows:  # a renderer that does not start stops the others: build this one alone
                alone, why = trial_book.built(root, "--id", kind)
                rows |= alone
            status, error = rows.get(kind, (Status.FAILED, why))
            if status != Status.FAILED:
                yield Diagnosis(name, OK, "draws a figure")
            else:
                message, of_debian, package = error.partition(OF_DEBIAN)
                yield Diagnosis(name, WRONG, message, f"Debian: {package[:-1]}" if of_debian else ANEW)
        yield _exports(root, missing)


def _exports(root: Path, missing: Sequence[str]) -> Diagnosis:
    if missing:
        return Diagnosis("exports", NOTE, "no PNG and PDF: typst is missing", "pip install 'figmill[export]'")
    rows, why = trial_book.built(root, "--id", "svg", "--to", "png", "--to", "pdf")
    status, error = rows.get("svg", (Status.FAILED, why))
    if status == Status.FAILED:
        return Diagnosis("exports", NOTE, error or "no export could be made", "pip install 'figmill[export]'")
    return Diagnosis("exports", OK, f"PNG and PDF, by typst {versions.version(LIBRARY)}")


EXTRAS = MappingProxyType(
    {
        "watch": "watch --no-page",
        "serve": "watch",
        "report": "pictures of changes",
        "altair": "Altair charts",
        "cluster": "--scheduler",
        "signed": "signed caches",
    }
)


def _extras(_: BookPlace) -> Iterator[Diagnosis]:
    required = _requirements()
    for extra, used in EXTRAS.items():
        there, missing = _versions(required.get(extra, ()))
        if missing:
            yield Diagnosis(
                extra, NOTE, f"{used}: {', '.join(missing)} missing", f"pip install 'figmill[{extra}]'"
            )
        elif there:
            yield Diagnosis(extra, OK, f"{used}: {', '.join(there)}")
    yield Diagnosis("browser", OK, "none is needed: figures are drawn without one")


def _plugins(_: BookPlace) -> Iterator[Diagnosis]:
    """The kinds and checks of other packages, and the faults of those that cannot be used."""
    yield from _added("kinds", KINDS)
    yield from _added("checks", checks.CHECKS)


def _added(noun: str, table: Table[Any]) -> Iterator[Diagnosis]:
    ours = [name for name, row in table.items() if row.package is None or row.package.is_ours]
    rows = [
        f"{name} ({row.package.name} {row.package.version})"
        for name, row in table.added.items()
        if name not in ours
    ]
    more = f", and of other packages: {', '.join(rows)}" if rows else ""
    yield Diagnosis(noun, OK, f"{len(ours)} of figmill{more}")
    for fault in table.faults:
        problem, _, advice = fault.rpartition("; ")
        yield Diagnosis(noun, WRONG, problem, advice)


def _book(place: BookPlace) -> Iterator[Diagnosis]:
    if not place.is_book:
        yield Diagnosis("book", NOTE, f"none in {place.root}", "create one: figmill new ID --kind dot")
        return
    if place.options is None:
        yield Diagnosis("book", WRONG, place.why, "correct the settings at that line")
        return
    below = tuple(f"{name}/" for name in place.options.questions)
    listed = (path for path, *_ in fastpath.look(str(place.root), place.options.listed).rows)
    count = len([path for path in listed if path.startswith(below) and path.endswith((".yaml", ".yml"))])
    yield Diagnosis("book", OK, f"{place.root}, {count} question{'' if count == 1 else 's'}")
    yield from _cache(place.root, place.options)


def _cache(root: Path, options: Options) -> Iterator[Diagnosis]:
    cache = root / (options.cache_folder or PRIVATE)
    places = (cache,) if options.in_place else (cache, root / options.output)
    for name, place in zip(("cache", "output"), places, strict=False):
        there = next(folder for folder in (place, *place.parents) if folder.exists())
        if os.access(there, os.W_OK):
            yield Diagnosis(name, OK, str(place))
        else:
            yield Diagnosis(name, NOTE, f"this user may not write {there}: only fresh figures build here")


# The settings files of each host, in the order in which doctor looks for them.
SIGNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "zensical": ("zensical.toml",),
        "mkdocs": ("mkdocs.yml",),
        "sphinx": ("conf.py", "docs/conf.py", "docs/source/conf.py", "source/conf.py", "doc/conf.py"),
        "quarto": ("_quarto.yml",),
        "myst": ("myst.yml",),
    }
)


def _hosts(place: BookPlace) -> Iterator[Diagnosis]:
    is_named = False
    for name, signs in SIGNS.items():
        for sign in signs:
            path = place.root / sign
            if not path.is_file():
                continue
            is_named = True
            try:
                text = files.read(path, files.SETTINGS)
            except OSError as error:
                yield Diagnosis("host", NOTE, f"{sign} cannot be read: {error.strerror}")
                continue
            if b"figmill" not in text:
                yield Diagnosis(
                    "host", NOTE, f"{sign} does not name figmill", f"figmill setup {name} --apply"
                )
                continue
            needs = host_of(name, lambda file: (place.root / file).is_file()).needs
            _, missing = _versions([name] if name in ("mkdocs", "sphinx", "zensical") else [])
            advice = f"{name} is not installed beside figmill: pip install '{needs}'" if missing else ""
            yield Diagnosis("host", NOTE if missing else OK, f"{sign} names figmill", advice)
    if not is_named:
        yield Diagnosis(
            "host", NOTE, "no host is set up here", "figmill setup HOST; figmill setup --help lists them"
        )


Examination = Callable[[BookPlace], Iterator[Diagnosis]]
EXAMINATIONS: tuple[Examination, ...] = (
    _python,
    _libraries,
    _fonts,
    _sandbox,
    _trial,
    _extras,
    _plugins,
    _book,
    _hosts,
)
