"""The page that `--report` writes, in each of its modes, for a pull request of four changes.

Writes docs/pictures/changes-MODE.png. Changed are an edge of a graph, a parameter of a schedule, a colour of the
palette and an alt text.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import shots

SIZE = {"width": 1180, "height": 560}  # px
BAR = 130  # px above the pictures: the page's own bar, and the end of what changed in words
# Which figure is shown in which mode, by the keys of the page.
MODES = {
    "side": ("requests", "1"),
    "slider": ("bubble", "2"),
    "onion": ("bubble", "3"),
    "difference": ("bubble", "5"),
}

GRAPH = "digraph { rankdir=LR node [shape=box, role=compute] client -> balancer -> {shard0 shard1} }\n"
BOX = '<rect x="{}" y="20" width="100" height="50" fill="#d4edda" stroke="#3d9e5a"/>'
WORDS = '<text x="{}" y="50" font-size="13" text-anchor="middle">{}</text>'
BODY = BOX.format(10) + BOX.format(150) + WORDS.format(60, "page") + WORDS.format(200, "index")
HAND = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 260 90">{BODY}</svg>\n'
QUESTIONS = {
    "requests": "{source: requests.dot, alt: A client reaches two shards through a balancer}",
    "bubble": "{kind: matplotlib, source: pipeline_bubble.py, params: {devices: 4, microbatches: 4, schedule: gpipe},"
    " alt: 'A schedule of four stages; {bubble_fraction:.0%} of the time is idle'}",
    "pages": "{source: pages.svg, alt: A page beside its index}",
    "ring": "{source: ring.dot, engine: circo, alt: 'Four ranks in a ring'}",
}
SETTINGS = "[tool.figmill]\n"
PALETTE = '\n[tool.figmill.palette]\ndata = {fill = "#ffe9b8", line = "#a87400"}\n'


def command(book: Path, *words: str) -> int:
    return subprocess.run([sys.executable, "-m", "figmill", *words], cwd=book, check=False).returncode


def git(book: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *words], cwd=book, check=True, stdout=subprocess.DEVNULL)


def write(book: Path) -> None:
    """The book before its pull request, in a commit."""
    (book / "questions").mkdir(parents=True)
    (book / "visuals").mkdir()
    shutil.copyfile(shots.REPOSITORY / "visuals/pipeline_bubble.py", book / "visuals/pipeline_bubble.py")
    (book / "visuals/requests.dot").write_text(GRAPH)
    (book / "visuals/pages.svg").write_text(HAND)
    (book / "visuals/ring.dot").write_text(
        "digraph { node [shape=circle, role=neutral] r0 -> r1 -> r2 -> r3 -> r0 }\n"
    )
    (book / "pyproject.toml").write_text(SETTINGS)
    for id_, visual in QUESTIONS.items():
        (book / f"questions/{id_}.yaml").write_text(
            f"id: {id_}\ntrack: cloud\ntitle: {id_.title()}\nvisual: {visual}\n"
        )
    git(book, "init", "-q")
    git(book, "add", ".")
    git(book, "commit", "-qm", "before")


def change(book: Path) -> None:
    """The four changes."""

    def put(name: str, old: str, new: str) -> None:
        path = book / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    put("visuals/requests.dot", "{shard0 shard1}", "{shard0 shard1 cache}")
    put("questions/bubble.yaml", "microbatches: 4", "microbatches: 8")
    put("pyproject.toml", SETTINGS, SETTINGS + PALETTE)
    put("questions/ring.yaml", "Four ranks in a ring", "Four ranks in a ring, each sending to the next")


def main() -> None:
    """Write the book, change it, compare, and take the page."""
    with tempfile.TemporaryDirectory() as folder, shots.browser() as running:
        book, report = Path(folder) / "book", Path(folder) / "changes.html"
        write(book)
        change(book)
        if command(book, "diff", "HEAD", "--report", str(report)) != 3:
            sys.exit("the comparison failed")
        tab = running.new_page(viewport=SIZE)
        for mode, (figure, key) in MODES.items():
            tab.goto(f"{report.as_uri()}#figure={figure}")
            tab.reload()
            tab.wait_for_selector(f"article[aria-label={figure}] .stage img")
            tab.keyboard.press(key)
            tab.wait_for_timeout(500)
            stage = tab.locator(f"article[aria-label={figure}] .stage").first
            stage.evaluate("(stage, bar) => scrollBy(0, stage.getBoundingClientRect().top - bar)", BAR)
            shots.keep(tab.screenshot(), f"changes-{mode}")
