"""The settings: `[tool.figmill]` in a book's pyproject.toml, or its figmill.toml, become Options.

Standard library only, since every start of the command waits for it. Does not check that named folders exist; the
code that uses them does.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from figmill import fastpath
from figmill.config import font_packages, of_kinds
from figmill.config.demand import READABLE, SANDBOX, Demand, demand_of
from figmill.config.figure_limits import Limits
from figmill.config.file import SettingsFile, settings_file
from figmill.config.readers import WrongError
from figmill.config.settings import SETTINGS
from figmill.config.style import with_palette
from figmill.default_limits import RASTERISE
from figmill.errors import ToolError, did_you_mean
from figmill.host import trees
from figmill.house_style import RULES, Style
from figmill.late_dataclasses import dataclass
from figmill.palette import ROLES, Role

if TYPE_CHECKING:
    from figmill.model import Json


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of a book. Paths are relative to its root."""

    questions: tuple[str, ...] = ("questions",)
    visuals: tuple[str, ...] = ("visuals",)
    fences: tuple[str, ...] = ()  # languages of code blocks in pages that are figures
    images: tuple[str, ...] = ()  # suffixes of images in pages that are figures
    pages: tuple[str, ...] = ()  # folders of pages; where only `fences` or `images` is set: docs
    output: str = "build"  # or IN_PLACE
    language: str = "en"  # of the texts in questions and sources
    languages: tuple[str, ...] = ()  # further languages, in which each figure is also drawn
    # figmill's own texts in pages, by language: English text -> text
    words: tuple[tuple[str, Mapping[str, str]], ...] = ()
    themes: tuple[str, ...] = ("light", "dark")
    font: str = "Helvetica Neue, Helvetica, Arial, sans-serif"
    mono: str = "SFMono-Regular, Menlo, Consolas, monospace"
    fonts: tuple[str, ...] = ()
    background: str = "page"  # or "none"
    descriptions: str = "details"  # or "files", "none"
    claims: str = "contradicted"  # or "off", "strict"
    claim_keys: tuple[str, ...] = ()  # keys of questions that hold prose about figures; empty: all with text
    claims_record: str = "figmill-claims.json"  # what each number was bound to
    timeout: float = 60.0  # seconds per figure
    memory: int = 2 << 30  # bytes per figure, beyond the libraries
    sandbox: str = "auto"  # or "require", "off"
    sandbox_read: tuple[str, ...] = ()  # files and folders outside the book that scripts may read
    cache: str | None = None
    cache_key: str | None = None  # hexadecimal public key for signatures in the cache
    cache_key_env: str | None = None  # the environment variable with the signing secret
    rasterise: int = RASTERISE  # elements of one plot artist above which it becomes a picture; 0: never
    cycle: str = "matplotlib"  # the colours of lines in plots; or "book"
    limits: Limits = field(default_factory=Limits)
    palette: tuple[Role, ...] = ROLES
    style: Style = field(default_factory=Style)
    lint: tuple[tuple[str, str], ...] = ()  # (check, level)
    kinds: tuple[tuple[str, tuple[tuple[str, Json], ...]], ...] = ()  # (kind, its settings), as it read them

    @property
    def cache_store(self) -> str | None:
        """The address of the shared store of drawings; None: there is none."""
        return self.cache if self.cache is not None and "://" in self.cache else None

    @property
    def cache_folder(self) -> str | None:
        """The folder of the cache; None: the one in the private folder of the book."""
        return None if self.cache_store is not None else self.cache

    def of_kind(self, kind: str) -> dict[str, Json]:
        """The book's settings of a kind."""
        return dict(dict(self.kinds).get(kind, ()))

    @property
    def folders(self) -> list[str]:
        """The folders of questions and sources."""
        return [*self.questions, *self.visuals]

    @property
    def page_folders(self) -> tuple[str, ...]:
        """The folders of pages whose code blocks and images may be figures."""
        return self.pages or ((DOCS,) if self.fences or self.images else ())

    @property
    def listed(self) -> list[str]:
        """What a build lists, for `fastpath.look`."""
        return [*self.folders, *(f"{folder}{fastpath.ONLY_PAGES}" for folder in self.page_folders)]

    @property
    def own_words(self) -> tuple[str, ...]:
        """The folders and files that the settings name, which may therefore be hidden."""
        output = () if self.in_place else (self.output,)
        return (*self.folders, *self.page_folders, *output, self.claims_record)

    @property
    def in_place(self) -> bool:
        """Whether the SVGs are written beside their sources."""
        return self.output == IN_PLACE


IN_PLACE = "in-place"
DOCS = "docs"
DEEPEST = 4  # the nesting of tables and lists in one setting; the palette has two levels


def find_root(start: Path) -> Path:
    """The nearest folder from `start` upwards that has questions. Raises ToolError if there is none.

    The search ends below a folder where every user may write, such as /tmp: a book there may be a stranger's.
    """
    start = start.resolve()
    for folder in (start, *takewhile(lambda parent: not trees.is_anyones(str(parent)), start.parents)):
        if (folder / "questions").is_dir():
            return folder
        if any((folder / name).is_file() for name in fastpath.CONFIGURATION):
            file = settings_file(folder)
            if file is None:
                continue
            options = _options(file)
            questions = options.questions
            if any((folder / name).is_dir() for name in (*questions, *options.page_folders)):
                return folder
            _refuse_no_pages(folder, file, options)
            if "questions" in file.table:
                raise _no_questions(file, questions[0])
    raise ToolError(
        f"there is no questions/ in {start} or above it; run this inside a book, name its folder with --root, "
        "or create one with `figmill new ID --kind dot`"
    )


def load(root: Path, is_new: bool = False, environ: Mapping[str, str] = os.environ) -> Options:
    """The settings of the book at `root`; the defaults if it has none. Raises ToolError with file and line.

    environ: the caller's demands on the sandbox, which override the settings. is_new: the book may have no questions
    yet. Otherwise a missing folder of questions is an error: a build of an empty book would remove every figure.
    """
    file = settings_file(root)
    options = _options(file) if file else Options()
    demand = demand_of(environ)
    if file:
        _refuse_open(root, file, options, demand)
    fonts = tuple(font_packages.file_of(name) or name for name in options.fonts)
    options = replace(options, sandbox=demand.sandbox or options.sandbox, fonts=fonts, lint=_judged(options))
    missing = [folder for folder in options.questions if not (root / folder).is_dir()]
    if file:
        _refuse_no_pages(root, file, options)
        if options.page_folders and "questions" not in file.table:
            return options  # all its figures may stand in pages
    if not missing or is_new:
        return options
    if file and "questions" in file.table:
        raise _no_questions(file, missing[0])
    raise ToolError(
        f"there is no {missing[0]}/ in {root}; name the book's folder with --root, or begin a book there with "
        "`figmill new ID --kind dot`"
    )


def house_style(start: Path) -> tuple[Style, dict[str, str]]:
    """The house style in the nearest settings from `start` upwards, and the levels of its checks there.

    Other settings are not read. Raises ToolError with file and line.
    """
    start = start.resolve()
    for folder in (start, *takewhile(lambda parent: not trees.is_anyones(str(parent)), start.parents)):
        if (file := settings_file(folder)) is not None:
            stated = {key: value for key, value in file.table.items() if key in ("palette", "style", "lint")}
            options = _options(replace(file, table=stated))
            checks = {rule.check for rule in RULES.values()}
            return options.style, {check: level for check, level in options.lint if check in checks}
    return Style(), {}


_CLAIMED = {"off": "off", "strict": "error"}


def _judged(options: Options) -> tuple[tuple[str, str], ...]:
    """The levels of checks, with that of false numbers, which has a setting of its own. Only English text is read."""
    level = _CLAIMED.get(options.claims) if options.language.partition("-")[0] == "en" else "off"
    return options.lint if level is None else (*options.lint, ("contradicted", level))


def _refuse_open(root: Path, file: SettingsFile, options: Options, demand: Demand) -> None:
    """Raise ToolError if the settings open more of the machine to scripts than the caller allows."""
    fonts = ((name, os.path.realpath(root / name)) for name in options.fonts)
    whole = os.path.realpath(root)
    outside = [("fonts", name, path) for name, path in fonts if not Path(path).is_relative_to(whole)]
    for key, name, path in (*(("sandbox_read", name, name) for name in options.sandbox_read), *outside):
        if demand.forbids(path):
            advice = f"name it in {READABLE}, or leave it out here"
            raise file.error((key,), f"{key}: {SANDBOX}=require forbids '{name}'; {advice}")


# The settings that limit scripts, and that decide whose drawings are trusted.
PROTECTION = ("timeout", "memory", "sandbox", "sandbox_read", "cache", "cache_key", "cache_key_env")


def held_by(then: Options, now: Options) -> Options:
    """The settings of an earlier commit, but with today's protection of the machine and the cache."""
    return replace(then, **{name: getattr(now, name) for name in PROTECTION})


def wrong(root: Path, keys: tuple[str, ...], message: str, value: str = "") -> ToolError:
    """The error for a valid setting that cannot be used, at its line; with `value`, at the line of that item."""
    file = settings_file(root)
    return ToolError(message) if file is None else file.error(keys, message, value)


def _refuse_no_pages(root: Path, file: SettingsFile, options: Options) -> None:
    """Raise ToolError if a folder of pages is missing: all figures in its pages would be removed."""
    for folder in options.page_folders:
        if not (root / folder).is_dir():
            message = f"pages: there is no folder '{folder}' in the book; name the one with the pages"
            key = "pages" if options.pages else "fences" if options.fences else "images"
            raise file.error((key,), message)


def _no_questions(file: SettingsFile, folder: str) -> ToolError:
    message = f"questions: there is no folder '{folder}' in the book; name the one with the questions"
    return file.error(("questions",), message)


def _options(file: SettingsFile) -> Options:
    values: dict[str, Any] = {}
    kinds: list[tuple[str, tuple[tuple[str, Json], ...]]] = []
    for key, value in file.table.items():
        is_of_kind = key not in SETTINGS and key in of_kinds.names()
        if key not in SETTINGS and not is_of_kind:
            near = (
                did_you_mean(key, (*SETTINGS, *of_kinds.names())) or f"; choose one of {', '.join(SETTINGS)}"
            )
            raise file.error((key,), f"unknown setting '{key}'{near}")
        if _is_deeper(value, DEEPEST):
            message = f"{key} is nested more than {DEEPEST} deep; no setting needs more than 2"
            raise file.error((key,), message)
        try:
            if is_of_kind:
                kinds.append((key, of_kinds.read(key, value)))
            else:
                values[key] = SETTINGS[key].read(value)
        except WrongError as wrong:
            raise file.error((key, *wrong.keys), f"{'.'.join((key, *wrong.keys))} {wrong}") from None
    options = Options(**values, kinds=tuple(sorted(kinds)))
    try:
        options = replace(options, style=with_palette(options.style, options.palette))
    except WrongError as wrong:
        key, item = wrong.keys
        raise file.error(("style", key), f"style.{key} {wrong}", item) from None
    for key in ("cache_key", "cache_key_env"):
        if key in values and options.cache is None:
            raise file.error((key,), f"{key} needs a shared cache; set cache to its folder too")
    if options.languages == (options.language,):
        message = (
            f"languages has no effect: '{options.language}' is the book's own language; name the other ones"
        )
        raise file.error(("languages",), message)
    if not options.in_place:
        _hold_apart(file, options)
    return options


def _is_deeper(value: object, most: int) -> bool:
    """Whether tables and lists are nested more than `most` deep. Does not recurse: dotted keys nest without limit."""
    level = [value]
    for _ in range(most):
        level = [inner for outer in level for inner in _inside(outer)]
    return any(isinstance(item, dict | list) for item in level)


def _inside(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def _hold_apart(file: SettingsFile, options: Options) -> None:
    """Raise ToolError if the output folder overlaps the author's folders: it must be safe to delete."""
    output = PurePosixPath(options.output)
    for folder in map(PurePosixPath, (*options.folders, *options.page_folders)):
        if folder.is_relative_to(output):
            raise file.error(
                ("output",), f"output '{output}' would contain '{folder}'; give it a folder of its own"
            )
    for folder in map(PurePosixPath, options.visuals):
        if output.is_relative_to(folder):
            raise file.error(
                ("output",), f"output '{output}' is inside '{folder}'; give it a folder of its own"
            )
