"""What figures cost the build of a site: pages with `figmill:` against the same pages with plain images.

    python -m benchmarks.pages [PAGES]

Makes a book of as many figures as pages, builds it, and then builds the site of each host in pairs.
Prints the median of the ratios of processor time.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figmill.integrations.opened import open_book

PAIRS = 5
WORDS = "Some words about what the figure shows, as they stand on any page of a book. " * 12
CONF = 'extensions = ["myst_parser"{ext}]\nmyst_enable_extensions = []\nsuppress_warnings = ["toc.not_included"]\n'
YML = "site_name: A book\ntheme: {{name: mkdocs}}\nplugins: [{plugins}]\n"


def book(root: Path, pages: int) -> None:
    """One small graph a page."""
    for folder in ("questions", "visuals"):
        (root / folder).mkdir(parents=True)
    for number in range(pages):
        (root / f"visuals/f{number}.dot").write_text(f"digraph {{ a{number} -> b -> c{number} }}\n")
        question = (
            f"id: f{number}\nvisual: {{source: f{number}.dot, alt: a chain, caption: Number {number}.}}\n"
        )
        (root / f"questions/f{number}.yaml").write_text(question)
    subprocess.run([sys.executable, "-m", "figmill", "--quiet"], cwd=root, check=True)


def site(root: Path, name: str, pages: int) -> None:
    """The pages of a site: with `figmill:`, or with a plain image, of which there is a copy beside the pages."""
    docs = root / name
    docs.mkdir()
    is_plain = name == "plain"
    if is_plain:
        shutil.copytree(root / "build" / "global", docs / "figures")
    for number in range(pages):
        source = f"figures/f{number}.svg" if is_plain else f"figmill:f{number}"
        image = f"![Number {number}.]({source})"
        if is_plain:  # the same two pictures
            image += f"\n\n![Number {number}.](figures/f{number}.dark.svg)"
        text = f"# Page {number}\n\n{WORDS}\n\n{image}\n\n{WORDS}\n"
        (docs / f"{'index' if number == 0 else f'p{number}'}.md").write_text(text)
    (docs / "conf.py").write_text(CONF.format(ext="" if is_plain else ', "figmill.sphinx"'))
    plugins = YML.format(plugins="" if is_plain else "figmill")
    (root / f"{name}.yml").write_text(f"{plugins}docs_dir: {name}\nsite_dir: site-{name}\n")


def seconds(root: Path, host: str, name: str) -> float:
    """One whole build of a site."""
    for folder in (f"out-{name}", f"site-{name}"):
        shutil.rmtree(root / folder, ignore_errors=True)
    words = {
        "sphinx": ["sphinx", "-q", "-E", "-b", "html", name, f"out-{name}"],
        "mkdocs": ["mkdocs", "build", "-q", "-f", f"{name}.yml"],
    }[host]
    begin = spent()
    subprocess.run(
        [sys.executable, "-m", *words], cwd=root, check=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    )
    return spent() - begin


def spent() -> float:
    """The processor time of all children so far, in seconds: other work on the machine does not count."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main(pages: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        book(root, pages)
        begin = time.perf_counter()
        open_book(root)
        print(
            f"an unchanged book of {pages} figures is opened in {1000 * (time.perf_counter() - begin):.0f} ms"
        )
        for name in ("plain", "figures"):
            site(root, name, pages)
        for host in ("mkdocs", "sphinx"):
            ratios = []
            for number in range(PAIRS):
                order = ("plain", "figures") if number % 2 else ("figures", "plain")
                took = {name: seconds(root, host, name) for name in order}
                ratios.append(took["figures"] / took["plain"])
                print(
                    f"{host}: plain {took['plain']:.2f} s, figures {took['figures']:.2f} s, {ratios[-1]:.3f}",
                    flush=True,
                )
            print(
                f"{host}: {statistics.median(ratios):.3f} times the plain pages, the median of {PAIRS} pairs"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1000)
