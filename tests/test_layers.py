"""The direction of the arrows: each module of the engine imports only from those named before it."""

from __future__ import annotations

import ast
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "figmill"

# Top to bottom; a line may import from the lines above it (and within itself).
LAYERS = (
    "host.files host.lines",
    "model palette checks paths",
    "errors fastpath versions",
    "streams",
    "glance commands.error_handler",
    "enclosure.process_tree enclosure.kernel",
    "enclosure.seccomp enclosure.landlock",
    "enclosure.privileges enclosure.view",
    "enclosure.namespaces",
    "enclosure.sandbox",
    "config scaffold.generators",
    "store.seal",
    "book.fields book.scalars book.nodes book.yaml_parser book.question book.schema book.sources book.resolve",
    "scaffold.starters scaffold.new_files",
    "svg",
    "kinds.job kinds.dot_lexer kinds.signature kinds.typefaces",
    "kinds.answer",
    "store.checked",
    "store.parse_cache",
    "kinds.script kinds.dot_roles kinds.mathtext",
    "kinds.dot kinds.matplotlib_ kinds.svg kinds",
    "publish.exporter",
    "store.disk render.temp_dirs publish.manifest",
    "store.ledger",
    "engine.plan",
    "render.file_tracer render.protocol",
    "render.forkserver",
    "render.worker",
    "render.processes",
    "render.pool",
    "cluster",
    "store.cache_folder",
    "store.cache",
    "publish.finalise lint.alt_text",
    "publish.settling render.jobs",
    "engine.prestart",
    "publish.typst",
    "publish.export_plan",
    "engine.results",
    "report.diff engine.git_checkout site",
    "engine.state",
    "report.model",
    "engine.load",
    "engine.produce engine.rows",
    "engine.dry_run",
    "engine.build report.findings",
    "lint.lint",
    "commands.small commands.watch",
    "commands.build",
    "cli",
    "__main__",
)
RANK = {name: number for number, line in enumerate(LAYERS) for name in line.split()}


def imported(path: Path) -> set[str]:
    """The modules of figmill that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "figmill":
            inside = node.module.removeprefix("figmill").removeprefix(".")
            for alias in node.names:
                below = f"{inside}.{alias.name}".strip(".")
                is_module = (PACKAGE / (below.replace(".", "/") + ".py")).exists()
                found.add(below if is_module or not inside else inside)
        elif isinstance(node, ast.Import):
            found |= {a.name.removeprefix("figmill.") for a in node.names if a.name.startswith("figmill.")}
    return found - {"__version__", "Drawing"}


def layer(module: str) -> str:
    """The name under which a module stands in LAYERS."""
    parts = module.split(".")
    return next(name for n in range(len(parts), 0, -1) if (name := ".".join(parts[:n])) in RANK)


def modules() -> list[tuple[str, Path]]:
    files = (
        p
        for p in PACKAGE.rglob("*.py")
        if p.relative_to(PACKAGE).parts[0] not in ("timelines", "__init__.py")
    )
    return [(p.relative_to(PACKAGE).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"), p)
            for p in sorted(files)]  # fmt: skip


def test_each_module_imports_only_from_those_before_it() -> None:
    wrong = [
        f"{name} imports {other}"
        for name, path in modules()
        for other in imported(path)
        if other not in ("palette",) and RANK[layer(other)] > RANK[layer(name)]
    ]
    assert wrong == []


def test_every_module_has_its_place() -> None:
    assert [
        name for name, _ in modules() if not any(name == k or name.startswith(f"{k}.") for k in RANK)
    ] == []


def test_the_timelines_are_an_island() -> None:
    allowed = {"palette"}
    for path in sorted((PACKAGE / "timelines").rglob("*.py")):
        outside = {name for name in imported(path) if not name.startswith("timelines")}
        assert outside <= allowed, path.name


def test_a_book_is_content_and_no_package() -> None:
    root = PACKAGE.parent
    assert not list((root / "visuals").rglob("__init__.py"))
