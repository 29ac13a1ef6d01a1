"""What is not figmill's own stays as it is: fonts, folders, media, sources, whatever settings and ledgers say."""

from __future__ import annotations

import ast
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.book import DOT, HAND, CopyOf, Space, two_figures
from helpers.own_code import calls, modules_with, nodes

from figmill import font_metrics
from figmill.kind import typefaces
from figmill.kind.job import Raw
from figmill.model import Inputs
from figmill.store import cache as caches
from figmill.store.cache import Cache
from figmill.store.cache_folder import MARK, OURS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links are POSIX")
PACKAGE = Path(typefaces.__file__).parent.parent

# ---------------------------------------------------------------- one module writes

WRITING = """
    fchmod write_bytes write_text touch copy copy2 copyfile copyfileobj copytree copymode move
    symlink symlink_to link hardlink_to mkdir makedirs mkdtemp mkstemp mkfifo mknod rename renames
    truncate chmod chown utime open fdopen rmtree unlink remove rmdir removedirs TemporaryDirectory
    TemporaryFile NamedTemporaryFile SpooledTemporaryFile
"""
WRITES = {*WRITING.split()}
# What else writes, makes or removes, by module, with the reason.
EXCEPTIONS = {
    ("store/cache.py", "unlink"): "trimming: the entries that cache_folder.removable lists",
    ("store/disk.py", "unlink"): "outputs that `clean` removes",
    ("host/trees.py", "unlink"): "the one remover, for folders of figmill's own alone",
    ("host/trees.py", "rmdir"): "the same",
    ("host/trees.py", "rename"): "the same: folders in it are moved to its top",
    ("host/trees.py", "fchmod"): "the same: the rights to it",
    ("host/trees.py", "chmod"): "the same: the rights to folders in it",
    ("host/temporary.py", "mkdtemp"): "a new folder, in the scratch folder of a figure",
    ("render/temp_dirs.py", "mkdtemp"): "a new folder of its own",
    ("render/temp_dirs.py", "unlink"): "what lies in a folder that carries our marker, which goes last",
    ("render/temp_dirs.py", "rmdir"): "that folder",
    ("engine/commits/kept.py", "unlink"): "trimming of what figmill keeps of commits, by its own names",
    ("cluster/worker_plugin.py", "unlink"): "trimming of the plugin's own files",
    ("publish/exporter.py", "mkdtemp"): "a new folder in the scratch folder",
    ("render/worker.py", "mkdtemp"): "a script's new folder in the scratch folder",
    ("render/worker.py", "TemporaryFile"): "what a script prints, without a name",
    ("render/worker.py", "truncate"): "the same, before the next script",
    (
        "render/file_tracer.py",
        "unlink",
    ): "the link to what lies beside the script, which a file of its own replaces",
    ("render/beside.py", "symlink"): "in a script's own folder, to what lies beside the script",
    ("enclosure/namespaces.py", "mkdir"): "a mount point in a script's own folder",
    ("enclosure/namespaces.py", "touch"): "the same, for a file",
    ("render/forkserver.py", "mkdtemp"): "a script's own folder in the scratch folder",
    ("render/forkserver.py", "TemporaryFile"): "what a script prints, without a name",
    ("engine/commits/book.py", "mkdir"): "folders of an npm package in the laid out commit",
    ("kind/vega.py", "TemporaryFile"): "what vl-convert prints, without a name",
    (
        "figmill_kinds/d2/renderer.py",
        "mkdir",
    ): "folders for copies of sources, in the scratch folder of a figure",
    ("kinds/graphs/library.py", "open"): "the null device, for what Graphviz says of its JSON",
    ("kinds/dot.py", "TemporaryFile"): "what Graphviz says, without a name",
    ("kinds/dot.py", "open"): "the same, in memory",
    ("kinds/matplotlib_.py", "write_text"): "matplotlib's own name for drawing text",
    ("streams.py", "open"): "standard streams, and the null device in their place",
    ("render/worker.py", "open"): "the streams that a script prints to",
    ("figmill_timelines/training/stall_table.py", "open"): "an author's script writes its own table with it",
}
READS = {"r", "rb", "rt"}


def writes(path: Path) -> Iterator[str]:
    """The calls of a module that may write; `open` only where its mode or flags may."""
    for node in nodes(path):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in WRITES or _is_ours(node, name):
            continue
        if name == "open" and _only_reads(node):
            continue
        yield name


def _is_ours(node: ast.Call, name: str) -> bool:
    """`files.copy(...)` is the one way; lists and nodes have a `copy` and a `remove` that write no file."""
    owner = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else None
    if owner == "files":
        return True
    return name in ("copy", "remove", "link", "move", "rename") and owner not in ("os", "shutil")


def _only_reads(node: ast.Call) -> bool:
    text = ast.unparse(node)
    if text.startswith("os.open("):
        return not any(flag in text for flag in ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"))
    modes = [
        a.value
        for a in (*node.args, *(k.value for k in node.keywords if k.arg == "mode"))
        if isinstance(a, ast.Constant) and isinstance(a.value, str)
    ]
    return all(mode in READS or len(mode) > 3 for mode in modes)


def test_only_one_module_writes() -> None:
    writers = {
        (module, name)
        for module, path in modules_with(calls(WRITES)).items()
        if module != "host/files.py"
        for name in writes(path)
    }
    assert sorted(writers - set(EXCEPTIONS)) == []


def test_the_search_finds_other_ways_to_write(tmp_path: Path) -> None:
    ways = (
        "open('x', 'w')",
        "open('x', mode='ab')",
        "os.open('x', os.O_WRONLY | os.O_CREAT)",
        "shutil.copyfile(a, b)",
        "path.write_bytes(b'')",
        "path.symlink_to(x)",
        "os.symlink(a, b)",
        "path.open('w')",
        "shutil.copy(a, b)",
        "os.remove(a)",
    )
    for way in ways:
        (tmp_path / "x.py").write_text(way)
        assert list(writes(tmp_path / "x.py")), way


# ---------------------------------------------------------------- fonts


def hashes(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_fonts_of_one_name_are_kept_apart(space: Space) -> None:
    """Two of the book's, one called like figmill's own, one that differs in capitals alone; the export's, too."""
    own = typefaces.FOLDER
    names = {
        "a/f.ttf": "Arimo-Regular.ttf",
        "b/f.ttf": "Arimo-Bold.ttf",
        "c/F.ttf": "Arimo-Italic.ttf",
        "d/Arimo-Regular.ttf": "Arimo-Bold.ttf",
    }
    space.write({name: (own / source).read_bytes() for name, source in names.items()})
    space.write({"figmill.toml": f"fonts = {json.dumps(list(names))}\n", "visuals/a.dot": DOT})
    space.question("graph", "source: a.dot, alt: a sends to b")
    before, installed = hashes(space.root), {**hashes(own), **hashes(font_metrics.matplotlib_folder())}
    done = space.run("--to", "png")
    assert (done.code, done.err) == (0, "")
    assert {**hashes(own), **hashes(font_metrics.matplotlib_folder())} == installed
    now = hashes(space.root)
    assert {name: now[name] for name in before} == before


# ---------------------------------------------------------------- `new`


def test_new_replaces_nothing_that_is_no_file_of_the_book(space: Space, tmp_path: Path) -> None:
    space.write({"questions/x.yaml": "id: x\n"})
    (space.root / "questions/fig.yaml").symlink_to(tmp_path / "elsewhere")
    done = space.run("new", "fig", "--kind", "dot")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "questions/fig.yaml already exists" in done.err
    assert (space.root / "questions/fig.yaml").is_symlink() and not (tmp_path / "elsewhere").exists()
    assert not (space.root / "visuals/fig.dot").exists()


# ---------------------------------------------------------------- the cache's folder


def test_a_folder_with_anything_else_in_it_is_no_cache(small_book: Space, tmp_path: Path) -> None:
    media = tmp_path / "media"
    (media / "en").mkdir(parents=True)
    (media / "en/lecture1.mp4").write_text("an hour")
    small_book.write({"figmill.toml": 'cache = "../media"\n'})
    done = small_book.run()
    assert (done.code, done.err) == (
        2,
        f"figmill: cache: {small_book.root}/../media holds 'en', which figmill has not put there; "
        "name an empty folder, or a new one\n",
    )
    assert hashes(media) == {str(media / "en/lecture1.mp4"): b"an hour"}


@pytest.mark.parametrize("name", ["en", "ab", "notes.txt", MARK, "ab/notes.txt"])
def test_whatever_is_foreign_is_refused(space: Space, tmp_path: Path, name: str) -> None:
    path = tmp_path / "cache" / name
    path.parent.mkdir(parents=True)
    if name == "ab":
        path.symlink_to(tmp_path)
    else:
        path.write_text("Signature: 8a477f597d28d172789f06886806bc55\n# of another tool\n")
    space.write({"visuals/a.dot": DOT, "figmill.toml": 'cache = "../cache"\n'})
    done = space.question("graph", "source: a.dot, alt: a sends to b").run()
    assert done.code == 2 and done.err.count("\n") == 1 and "which figmill has not put there" in done.err


def test_a_cache_is_marked_and_one_without_a_mark_of_an_older_version_goes_on(space: Space) -> None:
    space.write({"visuals/a.dot": DOT}).question("graph", "source: a.dot, alt: a sends to b")
    assert space.run().code == 0
    mark = space.root / ".figmill/cache" / MARK
    assert mark.read_text().splitlines()[0] == "Signature: 8a477f597d28d172789f06886806bc55"
    assert OURS in mark.read_text()
    mark.unlink()  # as it was before there were marks
    shutil.rmtree(space.root / "build")
    (space.root / ".figmill/journal").unlink()
    space.write({"visuals/b.dot": DOT.replace("sends", "gets")}).question("other", "source: b.dot, alt: more")
    assert space.run().code == 0
    assert mark.exists()


def test_trimming_removes_entries_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    folder = tmp_path / "cache"
    entry, digits = "0" * 64, "f" * 64
    cache = Cache(folder)
    cache.put(Inputs.of([("a", "b")]), Inputs.of([]), Raw(b"x" * 1000))
    kept = {
        "en/lecture1.mp4",
        "ab/notes.txt",
        f"ab/{'a' * 63}",
        f"ab/{'A' * 64}",
        f"abc/{entry}",
        f"{digits}",
        f"cd/{entry}/{entry}",
    }
    for name in kept:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine")
    (outside / entry).write_text("mine")
    (folder / "12").symlink_to(outside)
    (folder / "ab" / entry).symlink_to(outside / entry)
    monkeypatch.setattr(caches, "SIZE", 0)
    monkeypatch.setattr(caches, "MUCH", 1)
    cache.trim()
    assert all((folder / name).read_text() == "mine" for name in kept)
    assert (outside / entry).read_text() == "mine" and (folder / "ab" / entry).is_symlink()
    real = Inputs.of([("a", "b")]).digest
    assert not (folder / real[:2] / real).exists()


def test_a_cache_writes_through_no_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    cache, declared = Cache(tmp_path / "cache"), Inputs.of([("a", "b")])
    cache.put(Inputs.of([("first", "")]), Inputs.of([]), Raw(b"x"))
    (tmp_path / "cache" / declared.digest[:2]).symlink_to(outside)
    cache.put(declared, Inputs.of([]), Raw(b"x"))  # a miss, and stays one
    (tmp_path / "cache/trimmed").symlink_to(outside / "new")
    cache.added = caches.MUCH
    cache.trim()
    assert list(outside.iterdir()) == []


# ---------------------------------------------------------------- `clean`


PRECIOUS = (
    "questions/hand.yaml",
    "pyproject.toml",
    "visuals/d.svg",
    "visuals/photo.png",
    "visuals/draft.svg",
    "build/notes.md",
    "build/manifest.json",
    ".git/config",
    "build.svg",
    "docs/figure.svg",
    "build/../visuals/draft.svg",
    "./visuals/draft.svg",
    "visuals//draft.svg",
    "build",
)


def outside_private(space: Space, files: dict[str, bytes]) -> dict[str, bytes]:
    own = str(space.root / ".figmill")
    return {name: data for name, data in files.items() if not name.startswith(own)}


def precious(space: Space) -> dict[str, bytes]:
    space.write({"visuals/d.svg": HAND}).question("hand", "source: d.svg, alt: one rank as a box")
    outputs = ("questions/hand.yaml", "visuals/d.svg", "build/manifest.json")
    space.write(
        {name: f"precious {name}" for name in PRECIOUS if name.count(".") == 1 and name not in outputs}
    )
    space.write(
        {"visuals/draft.svg": HAND, "pyproject.toml": "[project]\nname = 'x'\n", ".git/config": "mine"}
    )
    assert space.run().code == 0
    return hashes(space.root)


@pytest.mark.parametrize("settings", ["", '[tool.figmill]\noutput = "in-place"\n'])
def test_clean_removes_nothing_but_what_a_build_has_made(space: Space, settings: str) -> None:
    space.write({"pyproject.toml": settings})
    before = precious(space)
    if settings:
        space.write({"pyproject.toml": settings})
        assert space.run().code == 0
        before = hashes(space.root)
    orphans = [*PRECIOUS, "../outside", "/etc/hostname", "nul\0.svg", ""]
    space.forge({**space.records(), "orphans": {"": orphans}})
    done = space.run("clean")
    assert (done.code, done.out, done.err) == (0, "nothing to remove\n", "")
    assert outside_private(space, hashes(space.root)) == outside_private(space, before)
    assert "pyproject" not in space.run().out


def test_clean_believes_no_forged_entry(space: Space) -> None:
    before = precious(space)
    records = space.records()
    entry = json.loads(json.dumps(records["figure"]["hand"]))
    entry["question"] = "questions/gone.yaml"
    for file, path in zip(entry["published"][-1], PRECIOUS, strict=False):
        file[2] = path
    records["figure"]["gone"] = entry
    space.forge(records)
    assert space.run("clean").out == "nothing to remove\n"
    assert outside_private(space, hashes(space.root)) == outside_private(space, before)


@pytest.mark.parametrize("settings", ["", 'output = "in-place"\n'])
def test_clean_removes_what_no_figure_makes_any_more(space: Space, settings: str) -> None:
    space.write({"figmill.toml": settings, "visuals/a.dot": DOT})
    space.question("graph", "source: a.dot, alt: a sends to b")
    assert space.run("--to", "png").code == 0
    folder = "visuals" if settings else "build/global"
    outputs = {f"{folder}/graph{theme}.{form}" for theme in ("", ".dark") for form in ("svg", "png")}
    outputs |= {f"build/global/graph.data-{name}.csv" for name in ("nodes", "edges")}
    assert all((space.root / name).exists() for name in outputs)
    (space.root / "questions/graph.yaml").unlink()
    assert space.run().code == 0
    done = space.run("clean")
    assert set(done.out.splitlines()) == {f"removed  {name}" for name in outputs}
    assert not any((space.root / name).exists() for name in outputs)
    assert (space.root / "visuals/a.dot").exists()


def test_clean_removes_what_is_left_in_an_earlier_output_folder(space: Space) -> None:
    """With its manifest and gallery, and nothing that figmill did not make; exports there are current no more."""

    def built() -> set[str]:
        paths = (path for path in (space.root / "build").rglob("*") if path.is_file())
        return {path.relative_to(space.root).as_posix() for path in paths}

    space.write({"visuals/a.dot": DOT}).question("graph", "source: a.dot, alt: a sends to b")
    assert space.run("--to", "png").code == 0
    outputs = built()
    mine = {"build/mine.svg": HAND, "build/global/manifest.json": '{"version": 2, "figures": []}'}
    space.write({"figmill.toml": 'output = "docs/figures"\n', **mine})
    done = space.run()
    assert (done.code, f" and {len(outputs) - 1} more: no figure has them" in done.out) == (0, True)
    assert "build/" not in space.read("docs/figures/manifest.json")
    assert set(space.run("clean").out.splitlines()) == {f"removed  {name}" for name in outputs}
    assert built() == {*mine}
    assert space.run().out == "1 figure, all fresh\n"


def test_clean_follows_no_link(space: Space, tmp_path: Path) -> None:
    precious(space)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/x.svg").write_text("mine")
    (space.root / "build/link").symlink_to(tmp_path / "outside")
    os.symlink(tmp_path / "outside/x.svg", space.root / "build/global/x.svg")
    space.forge({**space.records(), "orphans": {"": ["build/link/x.svg", "build/global/x.svg"]}})
    assert space.run("clean").out == "nothing to remove\n"
    assert (tmp_path / "outside/x.svg").read_text() == "mine"


# ---------------------------------------------------------------- trees


RECURSING = {
    "os.walk",
    "os.fwalk",
    "os.makedirs",
    "os.removedirs",
    "shutil.rmtree",
    "shutil.copytree",
    "tempfile.TemporaryDirectory",
}
CALLED = {*(name.rpartition(".")[2] for name in RECURSING), "rglob"}
RGLOB_IN_OUR_OWN = {"config/font_packages.py", "paths.py"}  # of installed packages


def recurses(call: ast.Call) -> bool:
    return ast.unparse(call.func) in RECURSING or getattr(call.func, "attr", "") == "rglob"


def test_no_module_has_a_walk_or_a_removal_of_its_own() -> None:
    """Python's recurse, and a tree may be deeper: host/trees.py has the one walk and the one remover."""
    modules = {
        name
        for name, path in modules_with(calls(CALLED)).items()
        for node in nodes(path)
        if isinstance(node, ast.Call) and recurses(node)
    }
    assert modules == RGLOB_IN_OUR_OWN


# ---------------------------------------------------------------- files that somebody names


@pytest.fixture
def changed(copy_of: CopyOf) -> Space:
    return copy_of(two_figures).write({"visuals/a.dot": DOT.replace("sends", "gets")})


def test_nothing_is_written_over_a_file_that_figmill_did_not_make(changed: Space) -> None:
    changed.write({"page.html": "<html>precious", "shown/graph.before.svg": "<svg>precious</svg>"})
    (changed.root / "link.html").symlink_to("page.html")
    before = hashes(changed.root)
    for arguments, where in (
        (
            ("--check", "--report", "page.html"),
            "--report page.html: a file that figmill did not make already exists there",
        ),
        (("--check", "--report", "link.html"), "--report link.html: a link already exists"),
        (("--check", "--format", "markdown", "--pictures", "shown"), "shown/graph.before.svg: a file that"),
    ):
        done = changed.run(*arguments)
        assert (done.code, done.err.count("\n")) == (2, 1), arguments
        assert where in done.err and "; move it away, or name another place" in done.err
    kept = os.fspath(changed.root / ".figmill/compared")  # what a comparison need not look at again
    assert {path: data for path, data in hashes(changed.root).items() if path != kept} == before


def test_a_page_and_pictures_of_figmills_own_are_replaced(changed: Space) -> None:
    changed.write({"page.html": ""})  # as `mktemp` leaves it
    arguments = ("--check", "--report", "page.html", "--format", "markdown", "--pictures", "shown")
    assert changed.run(*arguments).code == 3
    page, picture = changed.read("page.html"), changed.read("shown/graph.after.svg")
    changed.write({"visuals/a.dot": DOT.replace("sends", "loses")})
    assert changed.run(*arguments).code == 3
    assert changed.read("page.html") != page and changed.read("shown/graph.after.svg") != picture


@pytest.mark.parametrize("name", ["_extensions", "_extensions/figmill/figmill.css", "a link"])
def test_setup_writes_over_nothing_else(space: Space, name: str) -> None:
    if name == "a link":
        (space.root / "_extensions/figmill").mkdir(parents=True)
        (space.root / "_extensions/figmill/figmill.css").symlink_to("nowhere")
    else:
        space.write({name: "precious"})
    before = space.stamps()
    done = space.run("setup", "quarto", "--into", ".")
    assert (done.code, done.err.count("\n")) == (2, 1) and "move it away first" in done.err
    assert space.stamps() == before


@pytest.mark.parametrize("sort", ["loop", "link", "pipe", "folder"])
def test_a_summary_that_is_no_regular_file_is_one_line(changed: Space, sort: str) -> None:
    place = changed.root / "summary"
    changed.write({"precious": "mine"})
    make = {
        "loop": lambda: place.symlink_to("summary"),
        "link": lambda: place.symlink_to("precious"),
        "pipe": lambda: os.mkfifo(place),
        "folder": place.mkdir,
    }
    make[sort]()
    done = changed.run("--check", "--summary", "--quiet", env={"GITHUB_STEP_SUMMARY": str(place)})
    assert done.code == 2 and done.err.startswith(f"figmill: --summary: cannot write {place}: ")
    assert done.err.count("\n") == 1 and changed.read("precious") == "mine"


def test_a_lock_with_a_second_name_is_refused_before_anything_is_written(changed: Space) -> None:
    changed.write({"precious": "mine"})
    lock = changed.root / ".figmill/lock"
    lock.unlink()
    os.link(changed.root / "precious", lock)
    done = changed.run()
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert ".figmill/lock: the file has a second name (a hard link); remove it" in done.err
    assert changed.read("precious") == "mine"


def test_a_chain_of_links_is_no_file(copy_of: CopyOf) -> None:
    """The kernel follows forty; Python's way to follow them recurses."""
    built = copy_of(two_figures)
    for folder, end in (("visuals", ".dot"), ("questions", ".yaml"), (".", "")):
        for number in range(1100):
            (built.root / folder / f"l{number}{end}").symlink_to(f"l{number + 1}{end}")
    done = built.run()
    assert (done.code, "Traceback" in done.err) == (1, False)
    assert "questions/l0.yaml: is a link that leads nowhere" in done.err
    for arguments in (("--root", "l0"), ("--check", "--report", "l0"), ("setup", "html", "--into", "l0")):
        done = built.run(*arguments)
        assert done.code == 2 and "Traceback" not in done.err, arguments
    (built.root / "build").rename(built.root / "elsewhere")
    (built.root / "build").symlink_to("l0")
    done = built.run("--id", "graph", "--force")
    assert done.code in (1, 2) and "Traceback" not in done.err


# ---------------------------------------------------------------- outputs


def test_no_output_is_written_over_a_file_that_no_build_has_made(space: Space) -> None:
    """In the folder of pages, or beside the sources: what has a figure's name need not be ours."""
    space.write({"visuals/a.dot": DOT}).question("graph", "source: a.dot, alt: a sends to b")
    space.write({"figmill.toml": 'output = "docs"\n', "docs/index.html": "<html>precious"})
    done = space.run()
    assert (done.code, done.err.count("\n"), space.read("docs/index.html")) == (2, 1, "<html>precious")
    assert done.err.startswith(
        "figmill: docs/index.html: a file that figmill did not make already exists there"
    )
    assert sorted(path.name for path in (space.root / "docs").iterdir()) == ["index.html"]
    (space.root / "docs/index.html").unlink()
    space.write({"docs/global/graph.png": "precious", "docs/global/graph.dark.svg": "<svg>precious</svg>"})
    done = space.run("--to", "png")
    assert done.code == 1 and "docs/global/graph.dark.svg: a file that figmill did not make" in done.err
    (space.root / "docs/global/graph.dark.svg").unlink()
    done = space.run("--to", "png")
    assert done.code == 1 and "docs/global/graph.png: a file that figmill did not make" in done.err
    assert space.read("docs/global/graph.png") == "precious"
    (space.root / "docs/global/graph.png").unlink()
    assert space.run("--to", "png").code == 0


def test_outputs_that_are_committed_are_ours_in_a_fresh_clone(space: Space) -> None:
    space.write({"visuals/a.dot": DOT}).question("graph", "source: a.dot, alt: a sends to b")
    assert space.run("--to", "png").code == 0
    shutil.rmtree(space.root / ".figmill")
    space.write({"visuals/a.dot": DOT.replace("sends", "gets")})
    done = space.run("--to", "png")
    assert (done.code, done.err) == (0, "")
    space.write({"build/global/graph.svg": "torn by somebody", "build/index.html": "torn, too"})
    assert space.run("--force").code == 0  # the ledger knows them


def test_the_old_product_of_a_vault_is_replaced(space: Space) -> None:
    """A question that names a drawing beside its true source says that the drawing is made from it."""
    space.write(
        {"figmill.toml": 'output = "in-place"\n', "visuals/graph.dot": DOT, "visuals/graph.svg": HAND}
    )
    space.question("graph", "kind: svg, path: graph.svg, alt: a sends to b")
    done = space.run()
    assert (done.code, done.err) == (0, "")
    assert (space.root / "visuals/graph.svg").read_text() != HAND
    space.write({"visuals/other.dot": DOT, "visuals/other.svg": HAND})
    space.question("other", "source: other.dot, alt: a sends to b")  # which names no product
    assert "a file that figmill did not make" in space.run().err
    assert (space.root / "visuals/other.svg").read_text() == HAND


@pytest.mark.parametrize("output", ["build", "in-place"])
def test_tables_of_a_figure_that_failed_in_a_clone_are_its_own(small_book: Space, output: str) -> None:
    """No ledger and no manifest lists them then."""
    small_book.write({"figmill.toml": f'output = "{output}"\n'})
    assert small_book.run().code == 0
    source = small_book.read("visuals/a.dot")
    shutil.rmtree(small_book.root / ".figmill")
    small_book.write({"visuals/a.dot": "digraph { a -> }"})
    assert small_book.run().code == 1 and ".data-edges.csv" not in small_book.read("build/manifest.json")
    small_book.write({"visuals/a.dot": source.replace("->", "-> new ->", 1)})
    done = small_book.run()
    assert (done.code, done.err) == (0, "")
