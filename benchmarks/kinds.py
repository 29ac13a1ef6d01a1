"""The table of all kinds of text: what is tried, drawn and refused, the same bytes twice, findings, time; and sheets.

    python -m benchmarks.kinds FOLDER [--sheets DIR]

Fetches packages that carry sources into FOLDER with pip and npm, builds a book of their sources and of this
repository's own, and prints the table in Markdown. DIR gets sheets of all figures as PNG, at reading size, in light and
dark.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tarfile
import textwrap
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import resvg_py
from PIL import Image

from benchmarks.mermaid_in_chromium import against_browser
from figmill.errors import AuthorError
from figmill.kind.definition import Renderer
from figmill.kind.job import Job
from figmill.kinds import KINDS, is_script, kind_of_name, kinds_of_script
from figmill.model import Origin

HERE = Path(__file__).parents[1]
OWN = "this repository"
PYPI = (
    "wavedrom==2.0.3.post3",
    "excalidraw-architect-mcp==2.0.0",
    "excalidraw-render==0.3.0",
    "parse-ebnf==2.0.2",
    "schemdraw==0.23",
)
WHEELS = ("parso==0.8.7",)
NPM = ("@mermaid-js/examples@2.0.0",)
# Kind -> package, pattern of its sources, and the suffix that figmill knows.
PLACES = {
    "wavedrom": [("wavedrom", "wavedrom-*/test/files/*.json", ".wd.json")],
    "excalidraw": [
        (
            "excalidraw-architect-mcp",
            "excalidraw_architect_mcp-*/showcase/gallery/*.excalidraw",
            ".excalidraw",
        ),
        ("excalidraw-render", "excalidraw_render-*/tests/fixtures/*.excalidraw", ".excalidraw"),
    ],
    "railroad": [
        ("parse-ebnf", "parse_ebnf-*/tests/resources/valid/*.ebnf", ".ebnf"),
        ("parso", "parso/python/grammar*.txt", ".ebnf"),
    ],
}
GALLERY = "schemdraw-*/docs/gallery/*.rst"  # pages of schemdraw's documentation, with scripts
SCRIPT = re.compile(
    r"^\.\. jupyter-execute::\n(?:[ ]+:[\w-]+:.*\n)*\s*\n((?:[ ]+.*\n|[ \t]*\n)+)", re.MULTILINE
)
TEXT_KINDS = (
    "dot",
    "mermaid",
    "d2",
    "vega-lite",
    "plantuml",
    "svgbob",
    "wavedrom",
    "schemdraw",
    "railroad",
    "excalidraw",
)
MERMAID = """import { diagramData } from "./package/dist/mermaid-examples.core.mjs";
process.stdout.write(JSON.stringify(diagramData.flatMap((type) =>
  type.examples.map((one, number) => [`${type.id}-${number}`, one.code]))));"""
COLUMNS = (
    "kind",
    "sources from",
    "tried",
    "drawn",
    "refused",
    "same bytes twice",
    "findings, light",
    "more in dark",
    "about text",
    "ms",
)
TEXT = ("text-overflow", "text-overlap", "text-outside", "text-squeezed")
WIDE, HIGH, GAP = 1500, 1400, 24  # px of a sheet, and between figures
GROUNDS = {"": "#ffffff", ".dark": "#1e2129"}


def fetched(folder: Path) -> None:
    """Fetch the packages, unless they are there, and unpack them."""
    if (folder / "done").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    pip = (
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "-d",
        str(folder),
    )
    for name in PYPI:
        subprocess.run((*pip, "--no-binary", name.partition("==")[0], name), check=True)
    for name in WHEELS:
        subprocess.run((*pip, "--only-binary", ":all:", name), check=True)
    subprocess.run(("npm", "pack", "--silent", *NPM), cwd=folder, check=True, stdout=subprocess.DEVNULL)
    for path in (*folder.glob("*.tar.gz"), *folder.glob("*.tgz")):
        with tarfile.open(path) as archive:
            archive.extractall(folder, filter="data")
    for path in folder.glob("*.whl"):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
    (folder / "done").touch()


def sources(folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """Kind, origin, name with its suffix, text."""
    script = folder / "examples.mjs"
    script.write_text(MERMAID)
    told = subprocess.run(
        ("node", script.name), cwd=folder, check=True, capture_output=True, text=True
    ).stdout
    for name, text in json.loads(told):
        yield "mermaid", "@mermaid-js/examples", f"{name}.mmd", text
    for kind, places in PLACES.items():
        for origin, pattern, suffix in places:
            for path in sorted(folder.glob(pattern)):
                yield kind, origin, path.name.split(".")[0] + suffix, path.read_text()
    for name, text in circuits(folder):
        yield "schemdraw", "schemdraw", name, text
    for place in (HERE / "visuals/figmill", HERE / "docs/copy/visuals", HERE / "visuals/cloud"):
        for path in sorted(place.iterdir()):
            kind = kind_of(path) if path.is_file() else None
            if kind in TEXT_KINDS:
                yield kind, OWN, path.name, path.read_text()
    for kind in TEXT_KINDS:
        if (starter := KINDS[kind].starter) is not None:
            yield kind, OWN, f"starter{starter.suffix}", starter.source.decode()


def circuits(folder: Path) -> Iterator[tuple[str, str]]:
    """Scripts of schemdraw's gallery: the first of each page has its imports, and each other makes one drawing."""
    for page in sorted(folder.glob(GALLERY)):
        imports, *scripts = [textwrap.dedent(match[1]) for match in SCRIPT.finditer(page.read_text())] or [""]
        for number, script in enumerate(scripts):
            if "Drawing(" in script:
                yield f"{page.stem}-{number}.py", imports + script


def kind_of(path: Path) -> str | None:
    """The kind of a file by its name, or, for a script, by its only library."""
    if not is_script(path.name):
        return kind_of_name(path.name)
    kinds = kinds_of_script(path.read_bytes())
    return kinds[0] if len(kinds) == 1 else None


def book(root: Path, rows: list[tuple[str, str, str, str]]) -> dict[str, tuple[str, str, str]]:
    """A book of these sources; its ids, each with kind, origin and the path of its source."""
    found: dict[str, tuple[str, str, str]] = {}
    for number, (kind, origin, name, text) in enumerate(rows):
        id_ = f"{kind}-{number:03}"
        stem, dot, suffix = name.partition(".")
        path = f"visuals/{kind}/{stem}-{number:03}{dot}{suffix}"
        visual = {"source": path.removeprefix("visuals/"), "kind": kind, "alt": f"An example of kind {kind}."}
        question = json.dumps({"id": id_, "visual": visual})
        for part, words in ((path, text), (f"questions/{id_}.yaml", question)):
            (root / part).parent.mkdir(parents=True, exist_ok=True)
            (root / part).write_text(words)
        found[id_] = kind, origin, path
    core = Path(os.environ.get("PLANTUML_CORE") or Path(sys.prefix, "node_modules/@plantuml/core"))
    if core.is_dir():
        shutil.copytree(core, root / "node_modules/@plantuml/core")
    return found


def figmill(root: Path, *words: str) -> str:
    command = (sys.executable, "-m", "figmill", "--root", str(root), *words)
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def findings(root: Path, themes: str) -> list[dict[str, str]]:
    (root / "figmill.toml").write_text(f"themes = {themes}\n")
    found: list[dict[str, str]] = json.loads(figmill(root, "lint", "--format", "json"))["findings"]
    return found


def svgs(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in (root / "build").rglob("*.svg")}


def spent() -> float:
    below = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + below.ru_utime + below.ru_stime


def milliseconds(root: Path, ids: dict[str, tuple[str, str, str]], kind: str) -> str:
    """The median processor time of one drawing in a warm process, in ms."""
    renderer, times = KINDS[kind].load(), list[float]()
    renderer.warm(())
    for own, _, path in ids.values():
        if own != kind:
            continue
        entry = entry_of(root / path)
        job = Job(kind, path, entry, engine=(KINDS[kind].layouts or ("dot",))[0], folders=("visuals",))
        try:
            for number in range(2):
                began = spent()
                rendered(renderer, job, root)
                if number:
                    times.append(spent() - began)
        except AuthorError:
            continue
    return f"{statistics.median(times) * 1e3:.0f}" if times else "-"


def entry_of(path: Path) -> str:
    if not is_script(path.name):
        return "file"
    return "draw" if re.search(rb"^def draw\(", path.read_bytes(), re.MULTILINE) else "script"


def rendered(renderer: Renderer, job: Job, root: Path) -> None:
    """Draw once; a script in a process of its own, as in a build, because it changes the library."""
    if not is_script(job.source):
        renderer.render(job, root)
        return
    if (child := os.fork()) == 0:
        try:
            renderer.render(job, root)
            os._exit(0)
        except BaseException:
            os._exit(1)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise AuthorError(Origin(job.source), "is not drawn")


def sheets(root: Path, ids: dict[str, tuple[str, str, str]], out: Path) -> None:
    """Sheets of all figures of a kind, each in its own size, or as wide as a sheet; of a higher one, the beginning."""
    out.mkdir(parents=True, exist_ok=True)
    for kind in TEXT_KINDS:
        for theme, ground in GROUNDS.items():
            pictures = []
            for id_ in (one for one in ids if ids[one][0] == kind):
                path = next((root / "build").rglob(f"{id_}{theme}.svg"), None)
                if path is None:
                    continue
                data = bytes(resvg_py.svg_to_bytes(svg_string=path.read_text(), background=ground))
                picture = Image.open(io.BytesIO(data)).convert("RGB")
                picture.thumbnail((WIDE, picture.height))
                pictures.append(picture.crop((0, 0, picture.width, min(picture.height, HIGH))))
            for number, sheet in enumerate(packed(pictures, ground)):
                sheet.save(out / f"{kind}{theme}-{number}.png")


def packed(pictures: list[Image.Image], ground: str) -> Iterator[Image.Image]:
    """Pictures in rows on sheets."""
    sheet, x, y, row, is_empty = Image.new("RGB", (WIDE, HIGH), ground), 0, 0, 0, True
    for picture in sorted(pictures, key=lambda one: one.height):
        if x and x + picture.width > WIDE:
            x, y, row = 0, y + row + GAP, 0
        if y and y + picture.height > HIGH:
            yield sheet
            sheet, x, y, row = Image.new("RGB", (WIDE, HIGH), ground), 0, 0, 0
        sheet.paste(picture, (x, y))
        x, row, is_empty = x + picture.width + GAP, max(row, picture.height), False
    if not is_empty:
        yield sheet


def table(root: Path, ids: dict[str, tuple[str, str, str]]) -> Iterator[str]:
    """The rows of the table, then what was refused."""
    both = findings(root, '["light", "dark"]')
    figmill(root)
    first, again = svgs(root), root.parent / "elsewhere" / "again"
    shutil.copytree(root, again, ignore=shutil.ignore_patterns("build", ".figmill"))
    figmill(again, "--jobs", "1")
    second = svgs(again)
    light = findings(root, '["light"]')
    figmill(root)
    refused = {one["id"]: one["message"] for one in both if one["check"] == "figure-fails"}
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"|{'---|' * len(COLUMNS)}"
    for kind in TEXT_KINDS:
        own = [id_ for id_ in ids if ids[id_][0] == kind]
        origins = Counter(ids[id_][1] for id_ in own)
        drawn = [id_ for id_ in own if id_ not in refused]
        pictures = {name: data for name, data in first.items() if Path(name).name.split(".")[0] in drawn}
        same = all(second.get(name) == data for name, data in pictures.items())
        in_light = [one for one in light if one["id"] in drawn]
        in_both = [one for one in both if one["id"] in drawn]
        words = Counter(one["check"] for one in in_both if one["check"] in TEXT)
        cells = (
            kind,
            ", ".join(f"{name} ({count})" for name, count in origins.items()),
            len(own),
            len(drawn),
            len(own) - len(drawn),
            "all" if same and pictures else "no",
            len(in_light),
            len(in_both) - len(in_light),
            ", ".join(f"{count} `{name}`" for name, count in words.items()) or "none",
            milliseconds(root, ids, kind),
        )
        yield f"| {' | '.join(map(str, cells))} |"
    yield ""
    for id_, message in refused.items():
        yield f"- {ids[id_][0]}, {ids[id_][1]}, `{Path(ids[id_][2]).name}`: {message}"


def main() -> None:
    parser = argparse.ArgumentParser(description="The table of all kinds of text.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sheets", type=Path)
    given = parser.parse_args()
    packages = given.folder.resolve() / "packages"
    fetched(packages)
    root = given.folder.resolve() / "work" / "book"
    shutil.rmtree(root.parent, ignore_errors=True)
    ids = book(root, list(sources(packages)))
    for line in table(root, ids):
        print(line, flush=True)
    (root / "figmill.toml").write_text('themes = ["light"]\n')
    figmill(root)
    for line in against_browser(root, ids):
        print(line, flush=True)
    if given.sheets:
        (root / "figmill.toml").write_text('themes = ["light", "dark"]\n')
        figmill(root)
        sheets(root, ids, given.sheets)


if __name__ == "__main__":
    main()
