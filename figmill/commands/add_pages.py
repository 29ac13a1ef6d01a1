"""`add` for the pages of a site: their images and code blocks become figures by settings alone. No page changes."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from figmill import config, fastpath, kinds
from figmill.checks import IMAGE_LEFT, NOTE
from figmill.commands.fix import mend_in_place
from figmill.commands.setup import set_up
from figmill.engine.request import Request
from figmill.errors import ToolError
from figmill.fastpath import ONLY_PAGES
from figmill.host import files, trees
from figmill.integrations.configuration import UnsafeChangeError, with_lists
from figmill.late_dataclasses import dataclass
from figmill.lint.lint import lint
from figmill.report.model import FAILS, Diagnostic
from figmill.report.progress import ProgressLine
from figmill.scaffold import site_pages
from figmill.scaffold.site_pages import LEFT_ALONE, Survey
from figmill.streams import say

# The file by which a host is recognised -> its name.
OF_HOST = {
    "mkdocs.yml": "mkdocs",
    "zensical.toml": "zensical",
    "conf.py": "sphinx",
    "_quarto.yml": "quarto",
    "myst.yml": "myst",
    "book.toml": "mdbook",
    "docusaurus.config.js": "docusaurus",
    "docusaurus.config.ts": "docusaurus",
    "docusaurus.config.mjs": "docusaurus",
    "astro.config.mjs": "astro",
    "astro.config.ts": "astro",
}
FEW = 5  # examples of what is listed


@dataclass(frozen=True, slots=True)
class AddOptions:
    """How pages are added.

    - fixes: repair their drawings, too.
    - sets_up: also write what the host needs.
    """

    dry_run: bool
    fixes: bool
    sets_up: bool
    jobs: int


def add_pages(root: Path, given: Sequence[str], way: AddOptions) -> int:
    """Make figures of the images and code blocks of these pages and folders; returns the exit code.

    given: paths in the book.
    """
    options = config.load(root, is_new=True)
    folders = site_pages.page_folders(options, map(_folder_of, given))
    seen = survey(root, folders)
    if not seen.pages:
        raise ToolError(f"{', '.join(folders)}: there is no page ({' '.join(fastpath.PAGES)})")
    suffixes = [suffix for suffix in seen.of_suffix() if suffix not in LEFT_ALONE]
    languages, lacking = _drawn(seen.of_language())
    say(_counts(seen, folders))
    new = site_pages.settings(options, folders, suffixes, languages)
    code = _settle(root, new, way.dry_run)
    if way.sets_up:
        _set_up(root, folders, way.dry_run)
    if way.fixes:
        _repair(root, sorted(seen.files(("svg",))), way.dry_run, way.jobs)
    options = replace(
        options,
        images=tuple(new.get("images", options.images)),
        fences=tuple(new.get("fences", options.fences)),
        pages=tuple(new.get("pages", options.pages)),
    )
    request = Request(dry_run=way.dry_run, jobs=way.jobs)
    with ProgressLine(True) as progress:
        report = lint(root, options, request, progress=progress)
    say(_findings(report.diagnostics, report.figures))
    say(_left(seen, lacking))
    say(_unshown(root, folders, seen))
    if way.dry_run:
        say(["nothing was written"])
    return code


def survey(root: Path, folders: Sequence[str]) -> Survey:
    """What all pages below these folders show."""
    rows = fastpath.rows(str(root), [f"{folder}{ONLY_PAGES}" for folder in folders])
    texts = {path: files.read(root / path).decode("utf-8-sig", "replace") for path, *_ in rows}
    pages = {path: text.replace("\r\n", "\n").replace("\r", "\n") for path, text in texts.items()}
    return site_pages.survey(
        pages, folders, suffixes(), kinds.of_fences(), lambda path: os.path.isfile(root / path)
    )


def suffixes() -> list[str]:
    """The suffixes of the sources that figmill draws, without those of programs."""
    every = (suffix for kind in kinds.KINDS.values() for suffix in kind.suffixes)
    return [suffix.removeprefix(".") for suffix in dict.fromkeys(every) if not kinds.is_script(suffix)]


def _folder_of(path: str) -> str:
    """The folder of a page, or a folder itself."""
    return (path.rpartition("/")[0] or ".") if path.endswith(fastpath.PAGES) else path


def _drawn(languages: Counter[str]) -> tuple[list[str], dict[str, str]]:
    """The languages that can be drawn here, and for each other one the package that is not installed."""
    of_fences = kinds.of_fences()
    lacking = {name: package for name in languages if (package := kinds.lacking(of_fences[name][0], False))}
    return [name for name in languages if name not in lacking], lacking


def _counts(seen: Survey, folders: Sequence[str]) -> Iterator[str]:
    uses = [each for each in seen.images if each.file and each.suffix not in LEFT_ALONE]
    drawings = len({each.file for each in uses})
    blocks = ", ".join(f"{count} {name}" for name, count in seen.of_language().most_common())
    yield (
        f"{_several(len(seen.pages), 'page')} in {', '.join(folders)}: {_several(len(uses), 'image')} of "
        f"{_several(drawings, 'file')}, {_several(len(seen.fences), 'code block')}{f' ({blocks})' if blocks else ''}"
    )


def _settle(root: Path, new: dict[str, list[str]], dry_run: bool) -> int:
    """Write the settings, or say which lines to write where that is not safe; returns the exit code."""
    if not new:
        say(["the settings have all that these pages need"])
        return 0
    name, table = _file(root)
    try:
        before = files.read(root / name, files.SETTINGS).decode("utf-8")
    except FileNotFoundError:
        before = None
    rows = [f"    {key} = {json.dumps(value, ensure_ascii=False)}" for key, value in new.items()]
    try:
        after = with_lists(before or "", table, new)
    except UnsafeChangeError as error:
        say([f"{name} is left as it is: {error}; write into it:", *rows])
        return 1
    if not dry_run and before is None:
        files.create(str(root / name), after.encode())
    elif not dry_run and not files.rewrite(str(root / name), (before or "").encode(), after.encode()):
        raise ToolError(f"{name} was changed meanwhile; run this again", code=1)
    say([f"would write into {name}:" if dry_run else f"wrote into {name}:", *rows])
    return 0


def _file(root: Path) -> tuple[str, str]:
    """The file of the settings, and figmill's table in it."""
    own, shared = fastpath.CONFIGURATION
    is_shared = not (root / own).is_file() and (root / shared).is_file()
    if is_shared and b"[tool.figmill" in files.read(root / shared, files.SETTINGS):
        return shared, "tool.figmill"
    return own, ""


def _set_up(root: Path, folders: Sequence[str], dry_run: bool) -> None:
    """Write what the host of the site needs, if there is one that is known."""
    places = dict.fromkeys((".", *folders, *(folder.rpartition("/")[0] or "." for folder in folders)))
    hosts = [
        (place, host) for place in places for name, host in OF_HOST.items() if (root / place / name).is_file()
    ]
    if not hosts:
        say(["no host is known here; `figmill setup HOST --apply` writes what yours needs"])
        return
    place, host = hosts[0]
    say([f"host: {host}", *set_up(root / place, host, None, applies=True, dry_run=dry_run, least=True)])


def _repair(root: Path, names: Sequence[str], dry_run: bool, jobs: int) -> None:
    """Repair the drawings of the pages where they are, one line for each that changes, as soon as it has."""
    with ProcessPoolExecutor(min(jobs, len(names) or 1)) as pool:
        for line in pool.map(partial(mend_in_place, root, dry_run=dry_run), names):
            say([line] if line else [])


def _findings(diagnostics: Sequence[Diagnostic], figures: int) -> Iterator[str]:
    """The findings by check: how many, and the first place. An image that stays what it is has a line of its own."""
    kept: dict[str | None, list[Diagnostic]] = {}
    groups: dict[tuple[bool, str], list[Diagnostic]] = {}
    for each in diagnostics:
        if each.check in (IMAGE_LEFT, FAILS):
            kept.setdefault(each.label or each.origin.path, []).append(each)
        else:
            groups.setdefault((each.level == NOTE, each.check), []).append(each)
    yield f"{_several(figures, 'figure')}: {figures - len(kept)} drawn, {len(kept)} left as they are"
    for rows in kept.values():
        more = f" (and {_several(len(rows) - 1, 'reason')} more)" if len(rows) > 1 else ""
        yield f"    {rows[0].origin}: {rows[0].message}{more}"
    if groups:
        yield "findings by check, with the first place; `figmill lint` lists all of them"
    for (is_note, check), rows in sorted(groups.items(), key=lambda row: (row[0][0], -len(row[1]))):
        count = _several(len({row.label for row in rows}), "figure")
        note = ", a note" if is_note else ""
        yield f"    {len(rows):4} {check:18} in {count}{note}, first {rows[0].origin}: {rows[0].message}"


def _left(seen: Survey, lacking: dict[str, str]) -> Iterator[str]:
    """The images and code blocks that could be figures but are not."""
    for suffix, count in seen.of_suffix().items():
        if suffix in LEFT_ALONE and kinds.kind_of_name(f"x.{suffix}"):
            stay = "file stays an image" if count == 1 else "files stay images"
            yield f"{count} .{suffix} {stay}; `images` in the settings takes this suffix too"
    for language, package in lacking.items():
        places = ", ".join(f"{page}:{line}" for page, line, name in seen.fences if name == language)
        requirement = kinds.KINDS[kinds.of_fences()[language][0]].requirement
        yield f"{language} needs the package {package}: pip install {requirement} ({_few(places.split(', '))})"


def _unshown(root: Path, folders: Sequence[str], seen: Survey) -> Iterator[str]:
    """The drawings of the site that no page shows: a question makes a figure of one."""
    entries = trees.walk(
        str(root), folders, lambda name: trees.is_seen(name) and name not in fastpath.NO_PAGES
    )
    names = sorted(f"{folder}/{entry.name}".removeprefix("./") for folder, rows in entries for entry in rows)
    wanted = [suffix for suffix in suffixes() if suffix not in LEFT_ALONE and suffix != "png"]
    if paths := list(site_pages.unshown(names, seen, wanted)):
        yield (
            f"no page shows {_several(len(paths), 'drawing')}: {_few(paths)}; `figmill add FILE` makes a question "
            "of one"
        )


def _several(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"{', '.join(names[:FEW])}{more}"
