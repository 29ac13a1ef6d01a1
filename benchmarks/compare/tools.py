"""The tools that are compared: for each, what it needs, how its book is written, and how it draws.

A tool gets one folder per book. Everything else about it is in its row of TOOLS.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.compare.figures import GRAPH, MERMAID, PLOT, Figure

PACKAGES = ("sphinx", "sphinx-gallery", "pytest-mpl", "matplotlib", "numpy")
MERMAID_CLI = "@mermaid-js/mermaid-cli"
BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)


@dataclass(frozen=True, slots=True)
class Machine:
    """What is there to draw with. python: of the environment with PACKAGES; None: they could not be installed."""

    python: Path | None
    mmdc: Path | None
    dot: str | None
    browser: str | None

    def version(self, tool: str) -> str:
        """The version of a tool's own program."""
        if tool.startswith("mermaid-cli"):
            return said([str(self.mmdc), "--version"])
        if tool.startswith("figmill"):
            return said([sys.executable, "-m", "figmill", "--version"]).split()[-1]
        name = {"sphinx.ext.graphviz": "sphinx"}.get(tool, tool)
        code = f"from importlib.metadata import version; print(version({name!r}))"
        return said([str(self.python), "-c", code])


def said(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip().splitlines()[-1] if done.stdout + done.stderr else "?"


def machine(place: Path) -> tuple[Machine, list[str]]:
    """Install the other tools below `place`, unless they are there. Returns also what could not be had, and why."""
    missing = []
    python: Path | None = place / "python" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    assert python is not None
    if not python.exists():
        made = subprocess.run([sys.executable, "-m", "venv", str(place / "python")], check=False).returncode
        if (
            made
            or subprocess.run([str(python), "-m", "pip", "install", "-q", *PACKAGES], check=False).returncode
        ):
            missing.append(f"{', '.join(PACKAGES)}: pip could not install them")
            python = None
    npm, browser = shutil.which("npm"), next(filter(None, map(shutil.which, BROWSERS)), None)
    mmdc: Path | None = place / "npm/node_modules/.bin/mmdc"
    assert mmdc is not None
    if browser is None:
        missing.append(f"{MERMAID_CLI}: needs Chromium, and none of {', '.join(BROWSERS)} is on the path")
        mmdc = None
    elif not mmdc.exists():
        if npm is None:
            missing.append(f"{MERMAID_CLI}: needs npm")
            mmdc = None
        else:
            command = [
                npm,
                "install",
                "--silent",
                "--no-audit",
                "--no-fund",
                "--prefix",
                str(place / "npm"),
                MERMAID_CLI,
            ]
            done = subprocess.run(command, env={**os.environ, "PUPPETEER_SKIP_DOWNLOAD": "1"}, check=False)
            if done.returncode:
                missing.append(f"{MERMAID_CLI}: npm could not install it")
                mmdc = None
    dot = shutil.which("dot")
    if dot is None:
        missing.append("sphinx.ext.graphviz: needs the program `dot` of Graphviz on the path")
    missing.append("mkdocs-kroki-plugin: needs a Kroki server, which is neither a wheel nor an npm package")
    return Machine(python, mmdc, dot, browser), missing


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool, for one kind of figures.

    write: the book, from scratch or over the one of before. command: draws what the tool takes for outdated. products:
    the pictures, as a glob. is_there: whether this machine can run it. pages: what it writes around them, as a glob;
    empty: nothing.
    """

    name: str
    kind: str
    write: Callable[[Path, Sequence[Figure], Machine], None]
    command: Callable[[Path, Machine], list[str]]
    products: str
    is_there: Callable[[Machine], bool]
    pages: str = ""


def put(path: Path, text: str) -> None:
    """Write a file unless it is the same, as an author would leave it alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


SUFFIX = {GRAPH: ".dot", MERMAID: ".mmd", PLOT: ".py"}


def figmill_book(kind: str) -> Callable[[Path, Sequence[Figure], Machine], None]:
    def write(root: Path, figures: Sequence[Figure], machine: Machine) -> None:
        for figure in figures:
            source = f"{figure.name}{SUFFIX[kind]}"
            put(root / "visuals" / source, figure.source)
            row = {"source": source, "alt": figure.alt, **({"kind": "matplotlib"} if kind == PLOT else {})}
            put(root / "questions" / f"{figure.name}.yaml", f"id: {figure.name}\nvisual: {json.dumps(row)}\n")

    return write


def figmill_command(root: Path, machine: Machine) -> list[str]:
    return [sys.executable, "-m", "figmill", "--root", str(root), "--quiet"]


def mmdc_book(root: Path, figures: Sequence[Figure], machine: Machine) -> None:
    """One page with all diagrams: mermaid-cli then starts one browser for all of them."""
    put(root / "browser.json", json.dumps({"executablePath": machine.browser, "args": ["--no-sandbox"]}))
    put(
        root / "page.md",
        "\n".join(f"## {figure.name}\n\n```mermaid\n{figure.source}```\n" for figure in figures),
    )


def mmdc_command(root: Path, machine: Machine) -> list[str]:
    options = ["-q", "-p", str(root / "browser.json")]
    return [str(machine.mmdc), *options, "-i", str(root / "page.md"), "-o", str(root / "out.md")]


def sphinx_command(root: Path, machine: Machine) -> list[str]:
    return [str(machine.python), "-m", "sphinx", "-q", "-b", "html", str(root), str(root / "_build")]


def graphviz_book(root: Path, figures: Sequence[Figure], machine: Machine) -> None:
    put(
        root / "conf.py",
        f"extensions = ['sphinx.ext.graphviz']\ngraphviz_output_format = 'svg'\n"
        f"graphviz_dot = {machine.dot!r}\n",
    )
    blocks = []
    for figure in figures:
        body = "".join(f"   {line}\n" for line in figure.source.splitlines())
        blocks.append(f".. graphviz::\n   :alt: {figure.alt}\n\n{body}\n")
    put(root / "index.rst", "Graphs\n======\n\n" + "\n".join(blocks))


def gallery_book(root: Path, figures: Sequence[Figure], machine: Machine) -> None:
    folders = "'examples_dirs': 'examples', 'gallery_dirs': 'gallery'"
    conf = f"sphinx_gallery_conf = {{{folders}, 'filename_pattern': 'plot'}}\n"
    put(root / "conf.py", f"extensions = ['sphinx_gallery.gen_gallery']\n{conf}")
    put(root / "index.rst", "Plots\n=====\n\n.. toctree::\n\n   gallery/index\n")
    put(root / "examples/GALLERY_HEADER.rst", "Plots\n=====\n")
    for figure in figures:
        head = f'"""\n{figure.words[0]}\n{"=" * len(figure.words[0])}\n\n{figure.alt}\n"""\n'
        put(root / "examples" / f"{figure.name}.py", head + figure.source)


def mpl_book(root: Path, figures: Sequence[Figure], machine: Machine) -> None:
    for figure in figures:
        body = "".join(f"    {line}\n" if line else "\n" for line in figure.source.splitlines())
        head = f"import pytest\n\n\n@pytest.mark.mpl_image_compare\ndef test_{figure.name}():\n"
        text = f"{head}{body}    return figure\n"
        put(root / f"test_{figure.name}.py", text)


def mpl_command(root: Path, machine: Machine) -> list[str]:
    options = ["-q", "-p", "no:cacheprovider", f"--rootdir={root}", f"--mpl-generate-path={root / 'out'}"]
    return [str(machine.python), "-m", "pytest", *options, str(root)]


TOOLS = (
    Tool(
        "figmill",
        GRAPH,
        figmill_book(GRAPH),
        figmill_command,
        "build/**/*.svg",
        lambda machine: True,
        "build/manifest.json",
    ),
    Tool(
        "sphinx.ext.graphviz",
        GRAPH,
        graphviz_book,
        sphinx_command,
        "_build/_images/*.svg",
        lambda machine: bool(machine.python and machine.dot),
        "_build/*.html",
    ),
    Tool(
        "figmill",
        MERMAID,
        figmill_book(MERMAID),
        figmill_command,
        "build/**/*.svg",
        lambda machine: True,
        "build/manifest.json",
    ),
    Tool(
        "mermaid-cli",
        MERMAID,
        mmdc_book,
        mmdc_command,
        "out-*.svg",
        lambda machine: machine.mmdc is not None,
        "out.md",
    ),
    Tool(
        "figmill",
        PLOT,
        figmill_book(PLOT),
        figmill_command,
        "build/**/*.svg",
        lambda machine: True,
        "build/manifest.json",
    ),
    Tool(
        "sphinx-gallery",
        PLOT,
        gallery_book,
        sphinx_command,
        "_build/_images/sphx_glr_*_001.png",
        lambda machine: machine.python is not None,
        "_build/gallery/plot*.html",
    ),
    Tool(
        "pytest-mpl", PLOT, mpl_book, mpl_command, "out/*.png", lambda machine: machine.python is not None, ""
    ),
)
