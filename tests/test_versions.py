"""Which keys a change of figmill's own code changes: held against what each module imports."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from helpers.cases import cases

from figmill.kinds import KINDS
from figmill.paths import PACKAGE, code_folders
from figmill.versions import CODE, digest_in

# Where the work of each key begins.
ENTRIES = {
    "parse": ("book.question", "store.question_records"),
    "draw": ("kind.job", "kind.answer", "kind.typefaces"),
    "draw by script": ("kind.script", "kinds.scripts.clock", "render.worker"),
    "settle": ("publish.finalise",),
    "export": ("publish.exporter",),
    "compare": ("compare.drawing",),
    "cluster": ("cluster.worker_plugin", "render.worker", "kinds.svg"),
}
# What a product does not depend on, though its code imports it.
OUTSIDE = {
    "errors": "words of messages, which no product holds",
    "spelling": "words of messages, which no product holds",
    "page_words": "words of pages, which no product holds",
    "streams": "what is said meanwhile",
    "host.files": "how files are read, which changes no byte of them",
    "host.lines": "words of messages",
    "host.trees": "how folders are walked and removed",
    "host.temporary": "where files lie for a moment",
    "render.temp_dirs": "where files lie for a moment",
    "late": "how a module is found by its name",
    "paths": "where figmill lies",
    "exit_codes": "what no product holds",
    "late_dataclasses": "makes values as the standard library does",
    "enclosure.limits": "how large the limits are, for words of messages",
    "versions": "says what is installed, which is a row of the key by itself",
    "config": "the book's settings are rows of the key by themselves",
    "render.protocol": "how values cross between processes",
    "kinds": "the table of kinds, for the names of their sources",
    "kind": "the public names, each of which is in a module of its own",
    "kind.definition": "what is said of a kind",
    "plugins": "which packages add rows to a table; their versions are rows of the key by themselves",
    "kind.job": "how a drawing crosses between processes",
}

FORMER = ("timelines.py", "structure.py")  # former names of the libraries
# A change in a file below this place -> the keys that change, and no others.
CHANGES = {
    "book": {"parse"},
    "store/question_records.py": {"parse"},
    "store/checked.py": {"parse"},
    "store/rows.py": {"parse"},
    "model.py": {"parse", "draw", "draw by script", "settle", "cluster"},
    "default_limits.py": {"draw", "draw by script", "settle", "cluster"},
    "checks.py": {"parse", "settle"},
    "house_style.py": {"parse", "settle", "export", "compare"},
    "palette.py": {"parse", "draw", "draw by script", "settle", "export", "compare", "cluster"},
    "timelines/palette.py": {"parse", "draw", "draw by script", "settle", "export", "compare", "cluster"},
    "timelines/language.py": {"parse", "draw", "draw by script", "settle", "cluster"},
    "timelines/units.py": {"settle", "cluster"},
    "errors.py": {"cluster"},
    "exit_codes.py": set(),
    "late_dataclasses.py": {"cluster"},
    "spelling.py": {"cluster"},
    "page_words.py": set(),
    "locale/de.po": set(),
    "arabic.py": {"draw", "draw by script", "settle", "export", "compare", "cluster"},
    "sfnt.py": {"draw", "draw by script", "settle", "export", "compare", "cluster"},
    "formats.py": {"export"},
    "font_metrics.py": {"draw", "draw by script", "settle", "export", "compare", "cluster"},
    "host": {"cluster"},
    "host/inside.py": {"parse", "draw", "draw by script", "settle", "cluster"},
    "paths.py": {"cluster"},
    "wording.py": {"parse", "draw", "draw by script", "settle", "cluster"},
    "config/readers.py": {"parse"},
    "kind/source_words.py": {"draw", "draw by script", "settle", "cluster"},
    "xml_tree.py": {"parse", "draw", "draw by script", "settle", "export", "compare", "cluster"},
    "versions.py": {"cluster"},
    "plugins.py": {"parse", "cluster"},
    "kind": {"cluster"},
    "kinds": {"cluster"},
    "kinds/own.py": {"parse", "cluster"},
    "kinds/starters.py": {"parse", "cluster"},
    "figmill_kinds": set(),
    "kinds/__init__.py": {"parse", "cluster"},
    "kind/definition.py": {"parse", "cluster"},
    "kind/answer.py": {"parse", "draw", "draw by script", "settle", "cluster"},
    "kind/job.py": {"draw", "draw by script", "settle", "cluster"},
    "kinds/drawing.py": {"draw", "draw by script", "cluster"},
    "kind/drawn_text.py": {"draw", "draw by script", "cluster"},
    "kind/links.py": {"draw", "draw by script", "cluster"},
    "kind/named.py": {"draw", "draw by script", "settle", "cluster"},
    "kind/source_text.py": {"draw", "draw by script", "settle", "cluster"},
    "kind/stated.py": {"parse", "draw", "draw by script", "settle", "cluster"},
    "kind/tables.py": {"parse", "draw", "draw by script", "settle", "cluster"},
    "kind/typefaces.py": {"draw", "draw by script", "export", "compare", "cluster"},
    "kinds/scripts/clock.py": {"draw by script", "cluster"},
    "kind/notebook.py": {"draw by script", "cluster"},
    "kind/script.py": {"draw by script", "cluster"},
    "kind/script_facts.py": {"draw by script", "cluster"},
    "render": {"draw by script", "cluster"},
    "enclosure": {"draw by script", "cluster"},
    "structure": {"cluster"},
    "timelines": {"cluster"},
    "svg": {"settle", "export", "compare"},
    "compare/drawing.py": {"compare"},
    "compare/pictures.py": {"compare"},
    "compare/pixels.py": {"compare"},
    "claims/bind.py": {"settle"},
    "claims/context.py": {"settle"},
    "claims/listed.py": {"settle"},
    "claims/messages.py": {"settle"},
    "claims/numbers.py": {"settle"},
    "claims/offers.py": {"settle"},
    "claims/record.py": {"settle"},
    "claims/vocabulary.py": {"settle"},
    "publish/added_checks.py": {"settle"},
    "publish/fact_files.py": {"settle"},
    "publish/finalise.py": {"settle"},
    "publish/findings.py": {"settle"},
    "publish/expectations.py": {"settle"},
    "publish/made_alt.py": {"settle"},
    "publish/not_drawn.py": {"settle"},
    "publish/placeholders.py": {"settle"},
    "publish/same_units.py": {"settle"},
    "publish/exporter.py": {"export"},
    "cluster": {"cluster"},
    **{
        place: set()
        for place in (
            "__init__.py",
            "__main__.py",
            "agents",
            "claims",
            "cli.py",
            "commands",
            "compare",
            "config",
            "docutils.py",
            "engine",
            "fastpath.py",
            "former_names.py",
            "integrations",
            "late.py",
            "lint",
            "markdown.py",
            "notebook.py",
            "publish",
            "report",
            "scaffold",
            "serve",
            "sphinx.py",
            "store",
            "streams.py",
        )
    },
}


@pytest.mark.parametrize("step", [40, pytest.param(1, marks=pytest.mark.soak)])
def test_a_change_of_any_file_changes_just_its_keys(tmp_path: Path, step: int) -> None:
    """Each n-th file of a key alone changes it; all others together do not, and so none of them does."""
    copy = copied(tmp_path)
    texts = {
        (f"{library}/" if library else "") + path.relative_to(folder).as_posix(): path
        for library, folder in copy.items()
        for path in sorted(folder.rglob("*.py"))
    }
    rows = {name: expected(name) for name in texts if name not in FORMER}

    before = {key: digest_in(copy, parts) for key, parts in CODE.items()}

    def changed(key: str, names: list[str]) -> bool:
        for name in names:
            texts[name].write_bytes(texts[name].read_bytes() + b"\n# changed\n")
        after = digest_in(copy, CODE[key])
        for name in names:
            texts[name].write_bytes(texts[name].read_bytes().removesuffix(b"\n# changed\n"))
        return after != before[key]

    for key in CODE:
        inside = [name for name, keys in rows.items() if key in keys]
        assert inside and [name for name in inside[::step] if not changed(key, [name])] == [], key
        assert not changed(key, [name for name in texts if name not in inside]), key


def copied(place: Path) -> dict[str, Path]:
    """A copy of figmill's code, and where each of its parts is."""
    for library, folder in code_folders().items():
        shutil.copytree(folder, place / f"_{library}", ignore=shutil.ignore_patterns("__pycache__", "fonts"))
    return {library: place / f"_{library}" for library in code_folders()}


def expected(name: str) -> set[str]:
    """The row of the most particular place that holds the file."""
    parts = name.split("/")
    return next(CHANGES[at] for n in range(len(parts), 0, -1) if (at := "/".join(parts[:n])) in CHANGES)


@pytest.mark.parametrize("key", CODE)
def test_a_key_has_all_code_that_its_product_comes_from(key: str) -> None:
    assert missing(ENTRIES[key], CODE[key]) == set()


@cases("kind", KINDS)
def test_a_kind_has_all_code_that_draws_it(kind: str) -> None:
    row = KINDS[kind]
    entry = row.module.removeprefix("figmill.")
    assert missing((entry,), (*CODE["draw"], *row.needs.code)) == set()
    unused = {
        part for part in row.needs.code if not any(is_part(module, part) for module in reached((entry,)))
    }
    assert unused == set()


def test_a_kind_is_drawn_anew_for_its_own_modules_alone(tmp_path: Path) -> None:
    """A change of one module -> the kinds whose drawings have another key."""
    copy = copied(tmp_path)

    def digests() -> dict[str, str]:
        return {name: digest_in(copy, (*CODE["draw"], *row.needs.code)) for name, row in KINDS.items()}

    def changed(name: str) -> set[str]:
        before, text = digests(), (copy[""] / name).read_bytes()
        (copy[""] / name).write_bytes(text + b"\n# changed\n")
        after = digests()
        (copy[""] / name).write_bytes(text)
        return {kind for kind in KINDS if after[kind] != before[kind]}

    assert changed("kinds/dot_lexer.py") == changed("kinds/graphs/room.py") == {"dot"}
    assert changed("kinds/matplotlib_.py") == changed("kinds/plots/marks.py") == {"matplotlib"}
    assert changed("kind/vega.py") == {"matplotlib", "vega-lite"}
    assert changed("kinds/picture.py") == {"picture"}
    assert changed("kind/typefaces.py") == {*KINDS}
    assert changed("kinds/__init__.py") == changed("kinds/scripts/signature.py") == set()


def reached(entries: tuple[str, ...], parts: tuple[str, ...] = ()) -> set[str]:
    """The modules that these import, those among OUTSIDE excepted unless they are entries or parts."""
    modules: set[str] = set()
    waiting = list(entries)
    while waiting:
        module = waiting.pop()
        if module not in modules and (module not in OUTSIDE or module in (*entries, *parts)):
            modules.add(module)
            waiting += imported(module)
    return modules


def missing(entries: tuple[str, ...], parts: tuple[str, ...]) -> set[str]:
    """The modules that these import and that are none of the parts."""
    return {module for module in reached(entries, parts) if not any(is_part(module, part) for part in parts)}


def is_part(module: str, part: str) -> bool:
    return module == part.removesuffix(".__init__") or module.startswith(f"{part}.")


@cache
def imported(module: str) -> tuple[str, ...]:
    """The modules of figmill that one imports while it runs, inside functions too."""
    return tuple(imports(module))


def imports(module: str) -> Iterator[str]:
    place = place_of(module)
    path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    tree = ast.parse(path.read_bytes())
    for_types = {id(node) for block in ast.walk(tree) if is_for_types(block) for node in ast.walk(block)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and id(node) not in for_types and node.module:
            package, _, inside = node.module.partition(".")
            if package in ("figmill", "figmill_kinds", "figmill_timelines", "figmill_structure"):
                library = package if package == "figmill_kinds" else package.partition("_")[2]
                below = [".".join(filter(None, (library, inside, alias.name))) for alias in node.names]
                inside = ".".join(filter(None, (library, inside)))
                yield from (
                    name if is_module(name) else inside for name in below if is_module(name) or inside
                )


def place_of(module: str) -> Path:
    """The path of a module without its suffix."""
    library, _, inside = module.partition(".")
    folder = code_folders().get(library)
    return PACKAGE.joinpath(*module.split(".")) if folder is None else folder.joinpath(*inside.split("."))


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def is_module(name: str) -> bool:
    place = place_of(name)
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists()
