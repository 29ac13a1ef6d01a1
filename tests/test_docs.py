"""What the documents and the comments name is there; the pictures in docs/ are what figmill draws now."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from math import floor
from pathlib import Path, PurePosixPath

from coloraide import Color
from fresh import PACKAGES
from helpers.book import REPOSITORY, Space
from test_layers import HOUSE

from figmill.cli import FORMER
from figmill.kind import Kind
from figmill.kinds import KINDS
from figmill.palette import PAGE, ROLES, TEXT
from figmill.versions import CODE

# The pages of demos and starters are read by their hosts, which check every link.
DOCUMENTS = [
    path
    for path in sorted([*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").rglob("*.md")])
    if not {"demos", "starters"} & set(path.parts)
]
BY_NPM = "figmill-plantuml.svg"  # tests/kinds/test_plantuml.py draws it, if the npm package is there
PICTURES = sorted(
    set((REPOSITORY / "docs" / "pictures").glob("*.svg")) - {REPOSITORY / "docs/pictures" / BY_NPM}
)
FOLDERS = ("figmill", "packages", "tests", "benchmarks", "docs", "visuals", "questions")
FILES = [
    *REPOSITORY.glob("*.*"),
    *(path for folder in FOLDERS for path in (REPOSITORY / folder).rglob("*.*")),
]
SHELVES = [*(REPOSITORY / "packages").iterdir()]
CODE_FOLDERS = (REPOSITORY / "figmill", *SHELVES)
MODULES = [path for path in FILES if path.suffix == ".py"]

# Inline code: a file of this repository's own suffixes, or a folder.
FILE = re.compile(r"(?<![\w/.<>{}*-])((?:[\w.-]+/)*[\w-]+\.(?:py|md|sh|js|toml|lock))(?![\w/])")
FOLDER = re.compile(r"^((?:[\w.-]+/)+)$")
# What new users asked -> the page with the answer, and what it shows there.
ASKED = {
    "How do I add a kind?": ("developers/add-a-kind.md", "figmill.kinds"),
    "How do I change the palette?": ("themes.md", "[tool.figmill.palette]"),
    "How do I publish dark figures alone?": ("themes.md", 'themes = ["dark"]'),
    "How do I show a figure in a notebook?": ("hosts/others.md", "figmill.show("),
    "How do I get a PDF for LaTeX?": ("guide/print.md", "--to pdf"),
    "What does it not do?": ("limits.md", "figmill does not"),
    "How do I leave?": ("leaving.md", "figmill remove"),
    "What may a new version change?": ("versions.md", "bytes of published figures"),
}
# Of a book, and not in a clean checkout of this one.
OF_A_BOOK = frozenset(
    (
        "build/",
        "dist/",
        "dist/demos/",
        "dist/docs/",
        ".git/figmill/",
        ".figmill/commits/",
        ".figmill/",
        "data/",
        "figmill.toml",
        "figmill.py",
        "ring.py",
        ".vitepress/",
        "docs/intro.md",
        "public/figmill/",
        "static/figmill/",
        "src/content/docs/guides/example.md",
    )
)


def inline_code(text: str) -> Iterator[str]:
    """The words between single backquotes, outside of code blocks."""
    outside = re.sub(r"^( *)```.*?^ *```", "", text, flags=re.MULTILINE | re.DOTALL)
    yield from re.findall(r"`([^`\n]+)`", outside)


def is_placeholder(name: str) -> bool:
    """NAME.py stands for a file of the reader's own."""
    return PurePosixPath(name).stem.isupper() and name not in ("README.md", "SECURITY.md", "CHANGELOG.md")


@cache
def is_there(name: str, beside: Path) -> bool:
    """Whether a name means a file or a folder: from here, the root or the package, or by its end anywhere."""
    if any((base / name).exists() for base in (beside, REPOSITORY, REPOSITORY / "figmill", *SHELVES)):
        return True
    if name.startswith("tests/"):  # whose folders mirror the package's
        name = PurePosixPath(name).name
        return any(path.name == name for path in FILES)
    if name.endswith("/"):
        return any(path.is_dir() for base in CODE_FOLDERS for path in base.rglob(name.rstrip("/")))
    return any(f"/{path.as_posix()}".endswith(f"/{name}") for path in FILES)


def is_missing(name: str, beside: Path) -> bool:
    return name not in OF_A_BOOK and not is_placeholder(name) and not is_there(name, beside)


def names(text: str) -> Iterator[str]:
    """Every file and folder that a document names in backquotes."""
    for code in inline_code(text):
        yield from FOLDER.findall(code)
        yield from FILE.findall(code)


def test_every_file_that_a_document_names_is_there() -> None:
    missing = [
        (path.relative_to(REPOSITORY).as_posix(), name)
        for path in DOCUMENTS
        for name in names(path.read_text("utf-8"))
        if is_missing(name, path.parent)
    ]
    assert len(DOCUMENTS) > 150 and missing == []


def test_every_link_of_a_document_leads_somewhere() -> None:
    lost = [
        (path.relative_to(REPOSITORY).as_posix(), target) for path in DOCUMENTS for target in lost_links(path)
    ]
    assert lost == []


def links(path: Path) -> list[str]:
    """The targets of a document's links into the repository."""
    text = path.read_text(encoding="utf-8")
    outside = re.sub(r"^( *)```.*?^ *```|`[^`\n]+`", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"\]\((?!https?:|figmill:)([^)\s]+)\)", outside)


def lost_links(path: Path) -> Iterator[str]:
    for target in links(path):
        name, _, anchor = target.partition("#")
        other = path.parent / name if name else path
        if not other.exists() or (anchor and anchor not in anchors(other.read_text(encoding="utf-8"))):
            yield target


def anchors(text: str) -> Iterator[str]:
    """The headings of a document as forges name them."""
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_what_new_users_asked_is_one_link_from_the_first_page() -> None:
    docs = REPOSITORY / "docs"
    linked = {target.partition("#")[0] for target in links(docs / "index.md")}
    unanswered = [
        question
        for question, (page, words) in ASKED.items()
        if page not in linked or words not in (docs / page).read_text(encoding="utf-8")
    ]
    assert unanswered == []


def test_no_document_names_a_former_command() -> None:
    former = re.compile(rf"(?<!from )\bfigmill (?:{'|'.join(FORMER)})\b|figmill .*--against\b")
    of_today = [path for path in DOCUMENTS if path.name not in ("CHANGELOG.md", "commands.md")]
    skill = REPOSITORY / "figmill/agents/SKILL.md"
    assert former.search("run `figmill fix x.svg`") and former.search("figmill --check --against main")
    assert [
        (path.name, match[0])
        for path in (*of_today, skill)
        if "decisions" not in path.parts
        for match in former.finditer(path.read_text(encoding="utf-8"))
    ] == []


def test_what_users_read_stays_short() -> None:
    """The reference, which is made from tables to look things up, counts as pages only."""
    shelves = {"decisions", "demos", "developers", "examples", "starters"}
    pages = [
        path.read_text(encoding="utf-8")
        for path in (REPOSITORY / "docs").rglob("*.md")
        if not shelves & set(path.parts)
    ]
    assert 40 < len(pages) <= 60
    assert sum(len(page.split()) for page in pages if "<!-- Made by " not in page) <= 50_000


def remarks(path: Path) -> Iterator[str]:
    """The comments and docstrings of a module."""
    text = path.read_text(encoding="utf-8")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield ast.get_docstring(node) or ""


def test_every_module_that_a_comment_names_is_there() -> None:
    def missing(path: Path, text: str) -> list[str]:
        return [name for name in FILE.findall(text) if is_missing(name, path.parent)]

    suspects = [path for path in MODULES if missing(path, path.read_text(encoding="utf-8"))]  # maybe in code
    found = {(path, name) for path in suspects for remark in remarks(path) for name in missing(path, remark)}
    assert found == set()


def rows(document: str, heading: str) -> list[list[str]]:
    """The cells of all tables below a heading, without the tables' own headings."""
    text = (REPOSITORY / "docs" / document).read_text(encoding="utf-8")
    section = re.split(r"^## ", text.partition(f"\n{heading}\n")[2], flags=re.MULTILINE)[0]
    lines = [
        [cell.strip() for cell in line.strip("| ").split(" | ")]
        for line in section.splitlines()
        if line[:1] == "|"
    ]
    ruler = [number for number, cells in enumerate(lines) if set("".join(cells)) <= set("-|")]
    return [cells for number, cells in enumerate(lines) if not {number, number + 1} & set(ruler)]


def test_each_noun_of_the_glossary_is_in_its_module() -> None:
    text = (REPOSITORY / "docs/developers/nouns.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## .+$", text, re.MULTILINE)
    nouns = [
        (name, module) for heading in headings for name, module, _ in rows("developers/nouns.md", heading)
    ]
    assert len(nouns) == len(dict(nouns)) > 60
    missing = {
        (noun, module)
        for name, module in nouns
        for noun in re.findall(r"`([^`]+)`", name)
        if not defines(module.strip("`"), noun)
    }
    assert missing == set()


def test_each_class_that_leaves_its_package_is_in_the_glossary() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in (REPOSITORY / "figmill").rglob("*.py")}
    package = {path: path.relative_to(REPOSITORY / "figmill").parts[0] for path in texts}
    classes = {
        (".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__"), name): path
        for path, text in texts.items()
        for name in re.findall(r"^class (\w+)", text, re.MULTILINE)
        if not name.endswith("Error")
    }
    # By their text: to parse all modules takes some seconds.
    leaving = {
        name
        for path, text in texts.items()
        for module, names in re.findall(r"^ *from ([\w.]+) import (\([^)]*|.*)", text, re.MULTILINE)
        for name in re.findall(r"\w+", names)
        if (home := classes.get((module, name))) and package[home] != package[path]
    }
    text = (REPOSITORY / "docs/developers/nouns.md").read_text(encoding="utf-8")
    assert len(leaving) > 40
    assert {name for name in leaving if f"`{name}`" not in text} == set()


def defines(module: str, name: str) -> bool:
    """Whether a module has a function, a class or a constant of that name."""
    package = module.partition("/")[0]
    shelf = REPOSITORY / "packages" / package.removeprefix("figmill_")
    base = shelf if package.startswith("figmill_") else REPOSITORY / "figmill"
    text = (base / module).read_text(encoding="utf-8")
    return re.search(rf"^ *(?:(?:def|class) {name}\b|{name}\b.* = )", text, re.MULTILINE) is not None


def test_where_is_what_names_what_is_there() -> None:
    found = rows("developers/architecture.md", "## Where is what")
    assert len(found) > 40
    assert [cells for cells in found if not defines(cells[1].strip("`"), cells[2].strip("`"))] == []


def test_the_table_of_keys_is_that_of_the_code() -> None:
    keys = ("parse", "draw", "draw by script", "settle", "export")
    found = [
        cells for cells in rows("developers/architecture.md", "## The keys") if len(cells) == 1 + len(keys)
    ]
    for places, *cells in found:
        for place in re.findall(r"`([^`]+)`", places):
            module = place.removeprefix("figmill_").removesuffix(".py").strip("/").replace("/", ".")
            for key, cell in zip(keys, cells, strict=True):
                whole = module in CODE[key]
                parts = [part for part in CODE[key] if part.startswith(f"{module}.")]
                named = [f"`{part.rpartition('.')[2]}.py`" for part in parts]
                assert cell == ("yes" if whole else ", ".join(named) or "-"), (place, key)
    named = {place for cells in found for place in re.findall(r"`([^`]+)`", cells[0])}
    packages = {f"{path.parent.name}/" for path in (REPOSITORY / "figmill").glob("*/__init__.py")}
    assert packages - named - {"cluster/", "host/"} == set()  # of no product: what a cluster runs, and words


def test_the_directions_of_import_are_those_of_the_test() -> None:
    text = (REPOSITORY / "docs/developers/architecture.md").read_text(encoding="utf-8")
    assert "".join(f"    {line}\n" for line in HOUSE) in text
    told = {
        cells[0].strip("`/")
        for cells in rows("developers/architecture.md", "## Folders, and who may import whom")
    }
    told = {
        name for name in told if not name.startswith("figmill-")
    }  # distributions, which the second table has
    assert told == {path.parent.name for path in (REPOSITORY / "figmill").glob("*/__init__.py")}


def test_the_contrast_of_the_palette_is_as_stated() -> None:
    def least(couples: Iterable[tuple[str, str]]) -> str:
        return (
            f"{floor(10 * min(Color(one).contrast(other, method='wcag21') for one, other in couples)) / 10}:1"
        )

    stated = {name: (light, dark) for name, light, dark in rows("themes.md", "## Contrast of the palette")}
    assert stated == {
        "words on a fill": (
            least((TEXT[0], role.fill) for role in ROLES),
            least((TEXT[1], role.dark_fill) for role in ROLES),
        ),
        "a line on the page": (
            least((PAGE[0], role.line) for role in ROLES),
            least((PAGE[1], role.dark_line) for role in ROLES),
        ),
        "ink on the page": (
            least((PAGE[0], role.ink) for role in ROLES),
            least((PAGE[1], role.dark_ink) for role in ROLES),
        ),
    }


def test_every_decision_is_in_the_index_and_has_its_parts() -> None:
    folder = REPOSITORY / "docs" / "decisions"
    index = (folder / "README.md").read_text(encoding="utf-8")
    files = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    for path in files:
        text = path.read_text(encoding="utf-8")
        title = text.splitlines()[0].removeprefix("# ")
        date = path.name[:10]
        assert f"| {date} | [{title}]({path.name}) |" in index
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "What it costs"], (
            path.name
        )
        assert f"Decided on {date}." in text
    assert len(files) == index.count("](")


def test_every_target_of_the_makefile_is_explained() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = set(re.search(r"^\.PHONY: (.+)$", makefile, re.MULTILINE)[1].split()) - {"showcase"}  # type: ignore[index]
    told = set(
        re.findall(r"^\| `make (\w+)`", (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE)
    )
    assert told == targets


def test_each_extra_is_in_the_table_of_the_install_page() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    told = [
        name for _, cell in rows("guide/install.md", "## Extras") for name in re.findall(r"\[(\w+)\]", cell)
    ]
    assert sorted(told) == sorted(project["optional-dependencies"])


def test_the_readme_names_what_a_bare_debian_needs() -> None:
    needed = set(PACKAGES.split(",")) - {"python3"}  # which python3-venv brings along
    named = re.findall(r"apt-get install ([\w -]+)`", (REPOSITORY / "README.md").read_text("utf-8"))
    assert [set(words.split()) for words in named] == [needed]


def test_a_name_that_is_not_there_is_found() -> None:
    text = "`engine/nowhere.py` and `nowhere/`, `engine/plan.py` and `NAME.py`\n```\nfenced.py\n```\n"
    assert [name for name in names(text) if is_missing(name, REPOSITORY)] == ["engine/nowhere.py", "nowhere/"]


def test_the_page_on_kinds_shows_the_files_of_the_example() -> None:
    """tests/kinds/test_other_packages.py installs them and builds a book."""
    text = (REPOSITORY / "docs/developers/add-a-kind.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^`([\w./]+)`:\n\n```\w+\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    example = REPOSITORY / "docs/examples/figmill-bars"
    written = {
        path.relative_to(example).as_posix(): path
        for path in example.rglob("*")
        if path.suffix in (".py", ".toml")
    }
    railroad = "packages/kinds/figmill_kinds/railroad"
    written |= {
        f"{railroad}/{name}.py": REPOSITORY / railroad / f"{name}.py"
        for name in ("__init__", "renderer", "starter")
    }
    assert shown == {name: path.read_text(encoding="utf-8") for name, path in written.items()}
    attributes = {
        name
        for cells in rows("developers/add-a-kind.md", "## What a kind can say")
        for name in re.findall(r"`(\w+)(?:\(\))?`", cells[0])
    }
    kept_by_figmill = {"package", "load", "brought_by", "requirement"}
    stated = {name for name in vars(Kind) if not name.startswith("_")} | {"module"}
    assert attributes == stated - kept_by_figmill


def test_the_pictures_are_what_figmill_draws_now(showcase: Path) -> None:
    built = {PurePosixPath(name).name: svg for name, svg in Space(showcase).outputs().items()}
    assert {picture.name for picture in PICTURES if picture.read_bytes() != built[picture.name]} == set()
    shown = "".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    assert {picture.name for picture in PICTURES if f"pictures/{picture.name})" not in shown} == set()


def test_each_kind_has_a_section_with_the_source_of_its_picture() -> None:
    pages = [(REPOSITORY / "docs" / name).read_text("utf-8") for name in ("sources.md", "mermaid.md")]
    assert {name for name, kind in KINDS.items() if kind.package is None or kind.package.is_ours} <= set(
        anchors(pages[0])
    )
    shown = [
        (name, code)
        for page in pages
        for code, name in re.findall(
            r"^```\w*\n([^`]*)^```\n\n!\[[^]]*\]\(pictures/([\w-]+)\.svg\)", page, re.MULTILINE
        )
    ]
    sources = {path.stem.partition(".")[0]: path for path in (REPOSITORY / "visuals/figmill").iterdir()}
    sources |= {PurePosixPath(BY_NPM).stem: REPOSITORY / "packages/kinds/figmill_kinds/plantuml/starter.py"}
    others = {"figmill-scene"}  # whose page shows the question
    assert len(shown) == 11
    assert [
        name for name, code in shown if name not in others and code not in sources[name].read_text("utf-8")
    ] == []


def test_every_promise_of_security_names_tests_that_are_there() -> None:
    text = (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:packages/\w+/)?tests/[\w/]+\.py)`", text))
    assert len(named) > 30
    assert sorted(name for name in named if not (REPOSITORY / name).is_file()) == []
    unproven = [
        line
        for line in text.splitlines()
        if line.startswith("| ") and not set(line) <= set("|- ") and line.count("|") in (3, 6, 7)
        if not re.search(r"tests/[\w/]+\.py|\b[EA]\b(?: \||,)", line)
        and not line.startswith(("| a script ...", "| promise", "| | "))
    ]
    assert unproven == []
