"""Damaged sources of every kind of text, drawn as a build draws them, and what they publish read once more.

A kind whose drawing takes little is drawn in this process; one that runs V8 or a program, in processes that stay, and
once more as in a build if it ended its process, took long or failed; one that runs a script, as in a build.
"""

from __future__ import annotations

import base64
import json
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from helpers.book import REPOSITORY
from helpers.damage import Pieces
from helpers.kind_sources import CIRCUITS, DRAWIO, HEAD, PLANTUML, exported
from helpers.kind_sources import PLANTUML_CORE as PACKAGE
from helpers.residents import MEMORY, Resident, answers

from figmill.book import catalogues
from figmill.config import Options
from figmill.errors import AuthorError
from figmill.kind import notebook
from figmill.kind.answer import raw_of
from figmill.kind.job import Job
from figmill.kinds import KINDS
from figmill.kinds.drawing import drawn
from figmill.kinds.scripts import signature
from figmill.model import Origin, Visual
from figmill.publish.settling import settling, unpacked
from figmill.render.pool import Pool
from figmill.render.protocol import Shared
from figmill.render.results import Drawn, Result
from figmill.svg import Sheet, SvgError, in_themes

THEMES = ("light", "dark")
SHEET = Sheet("x", "Title", "What it shows")
TIMEOUT = 5.0  # seconds of a drawing in a build; what repeats a piece 100,000 times may take longer
SOON = 2.0  # seconds of a drawing in a process that stays
BATCH = 50  # sources that the pool is given at once
_EXAMPLES = REPOSITORY / "docs/copy/visuals"


def seeds(kind: str) -> list[bytes]:
    """Real sources of a kind: those of the documentation, and what `new` begins with."""
    row = KINDS[kind]
    folders = (_EXAMPLES, REPOSITORY / "visuals/figmill")
    sources = [
        path.read_bytes()
        for suffix in row.suffixes
        for folder in folders
        for path in sorted(folder.glob(f"*{suffix}"))
        if path.stat().st_size < 20_000
    ]
    starter = row.starter
    return [*sources, *([starter.source] if starter else [])]


def circuits() -> list[bytes]:
    return [(HEAD + text).encode() for text in CIRCUITS.values()]


def diagrams() -> list[bytes]:
    return [text.encode() for text, _ in PLANTUML.values()]


WAVES = (
    {
        "signal": [
            {"name": "clk", "wave": "p..|."},
            [
                "bus",
                {
                    "name": ["tspan", {"class": "h1"}, "ad"],
                    "wave": "x=.=x",
                    "data": ["head", "tail"],
                    "node": ".a.b",
                    "period": 2,
                    "phase": 0.5,
                },
                {},
            ],
        ],
        "edge": ["a~>b t1"],
        "head": {"text": "Title", "tick": 0},
        "foot": {"text": ["tspan", "foot"]},
        "config": {"hscale": 2},
    },
    {
        "reg": [{"bits": 7, "name": "op", "attr": ["R", 3]}, {"bits": 5, "type": 2}],
        "config": {"bits": 12, "lanes": 2},
    },
    {"assign": [["out", ["|", ["&", ["~", "a"], "b"], ["NAND", "c", "d"]]]]},
)


def timings() -> list[bytes]:
    """Those of the documentation are JavaScript; these are JSON, whose values can be exchanged."""
    return [*seeds("wavedrom"), *(json.dumps(diagram).encode() for diagram in WAVES)]


def notebooks() -> list[bytes]:
    return [(REPOSITORY / "docs/demos/jupyter/index.ipynb").read_bytes()]


def translations() -> list[bytes]:
    folder = REPOSITORY / "docs/examples/languages/visuals/locale"
    return [path.read_bytes() for path in sorted(folder.glob("*.po"))]


def read_notebook(_: Path, data: bytes) -> None:
    notebook.cells(data, "x.ipynb")
    signature.decoded(json.loads(json.dumps(signature.offered("x.ipynb", data))), "x.ipynb")


def read_catalogue(_: Path, data: bytes) -> None:
    catalogues.read("visuals/locale/de.po", data).of("x")


def models() -> list[bytes]:
    """A diagram of draw.io with a container, a connector and a placeholder; the same compressed."""
    model = DRAWIO.removeprefix("<mxfile><diagram>").removesuffix("</diagram></mxfile>")
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = base64.b64encode(compressor.compress(quote(model).encode()) + compressor.flush())
    return [DRAWIO.encode(), b"<mxfile><diagram>%s</diagram></mxfile>" % packed]


def with_export(diagram: bytes) -> dict[str, bytes]:
    """The export beside a diagram of draw.io, with a copy of it."""
    return {"visuals/x.svg": exported(quote(diagram), "Reader", "Writer").encode()}


def drawn_here(
    kind: str, beside: Callable[[bytes], Mapping[str, bytes]] = lambda data: {}
) -> Callable[[Path, bytes], None]:
    """Draw a source in this process, publish it in both themes, and read what is published.

    beside: the other files that the source needs.
    """
    suffix, engine = KINDS[kind].suffixes[0], next(iter(KINDS[kind].layouts), "")
    source = f"visuals/x{suffix}"

    def read(folder: Path, data: bytes) -> None:
        _furnished(folder, kind)
        for name, text in {source: data, **beside(data)}.items():
            (folder / name).write_bytes(text)
        raw = drawn(Job(kind, source, "file", engine=engine, timeout=SOON), folder)
        raw = raw_of(raw.header(), raw.svg)
        try:
            forms = in_themes(raw.svg, SHEET, THEMES)
        except SvgError as error:
            raise AuthorError(Origin(source), str(error)) from None
        for form in forms:
            in_themes(form.svg, SHEET, ("light",))

    return read


def _furnished(folder: Path, kind: str) -> None:
    """A folder with what a book needs for a kind."""
    (folder / "visuals").mkdir(exist_ok=True)
    if KINDS[kind].needs.files and not (folder / "node_modules").exists():
        shutil.copytree(PACKAGE, folder / Path(KINDS[kind].needs.files[0]).parent)


def drawn_by_residents(kind: str, entry: str) -> Callable[[Path, Iterator[bytes]], Iterator[str]]:
    """Draw and publish sources in two processes that stay; the few that fail there, as in a build."""
    row, in_build = KINDS[kind], drawn_in_pool(kind, entry)
    has_limit = not row.process.bounds_memory and not row.process.starts_programs

    def said(folder: Path, damaged: Iterator[bytes]) -> Iterator[str]:
        places = (folder / "one", folder / "other")
        residents = [Resident(drawn_here(kind), place, MEMORY if has_limit else None) for place in places]
        try:
            for batch in batches(damaged, BATCH):
                told = list(answers(residents, batch, SOON + 1))
                failed = iter([data for data, message in zip(batch, told, strict=True) if message is None])
                anew = in_build(folder, failed)
                yield from (next(anew) if message is None else message for message in told)
        finally:
            for resident in residents:
                resident.close()

    return said


def drawn_in_pool(kind: str, entry: str = "file") -> Callable[[Path, Iterator[bytes]], Iterator[str]]:
    """Draw sources in the processes of a build, which also settle them; read what is published here."""
    suffix, engine = KINDS[kind].suffixes[0], next(iter(KINDS[kind].layouts), "")

    def said(folder: Path, damaged: Iterator[bytes]) -> Iterator[str]:
        _furnished(folder, kind)
        at = {"": Origin("questions/x.yaml", 1)}
        visual = Visual("x", None, "global", None, kind, f"visuals/x{suffix}", "x.svg", "words", None, at)
        settle = settling(visual, Shared(Options()), str(folder))
        with Pool(folder, slots=2) as pool:
            for batch in batches(damaged, BATCH):
                jobs = []
                for number, data in enumerate(batch):
                    source = f"visuals/{number}{suffix}"
                    (folder / source).write_bytes(data)
                    jobs.append(Job(kind, source, entry, engine=engine, timeout=TIMEOUT))
                for result in pool.draw_all(jobs, [[settle]] * len(jobs)):
                    yield _told(result, visual)

    return said


def batches(damaged: Iterator[bytes], count: int) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    for data in damaged:
        batch.append(data)
        if len(batch) == count:
            yield batch
            batch = []
    if batch:
        yield batch


def _told(result: Result, visual: Visual) -> str:
    if not isinstance(result, Drawn):
        return str(result.error)
    (product,) = result.answers
    settled = (product,) if isinstance(product, AuthorError) else unpacked(product, visual, {})
    if isinstance(settled, tuple):
        return str(settled[0])
    for page in settled.pages:
        in_themes(page.svg, SHEET, ("light",))
    return ""


_ANY = (
    b"\0",
    b"\xff",
    b"\x01",
    b"\n",
    "\ufffe".encode(),
    "\u202e".encode(),
    b"9" * 400,
    b"9" * 5000,
    "\U0001f600".encode(),
)


def _pieces(text: str) -> Pieces:
    """The pieces of a language, one in a line, and what no source holds."""
    return (*filter(None, text.encode().splitlines()), *_ANY)


SOURCES: dict[str, Pieces] = {
    "mermaid": _pieces(
        'flowchart LR\nsubgraph a\nend\n-->\n["\n"]\n{{\n}}\n:::\nclassDef a fill:#\n%%{init: {\n}}%%\n'
        '---\n|a|\n&\n#9829;\n#1;\n<br>\n<b>\n$$x$$\nclick a href "javascript:x"\nloop a\nactivate b\n'
        ": 3d\n;\nstyle a \nlinkStyle 9 \n@{ shape: \n"
    ),
    "d2": _pieces(
        "{\n}\n->\n: |md\n|\n: |tex \\frac{\n|\nshape: \nstyle.fill: \n...@x\nvars: {\n${a}\n*\n[0]\n"
        "icon: \nlink: \n\"\n'\n;\n#\nnear: \nlayers: {\nclass: \ngrid-rows: \nwidth: \n"
    ),
    "plantuml": _pieces(
        "@startuml\n@enduml\n!include x\n!define A(\n!while 1\n!$a = \nskinparam \n{\n}\n[\n]\n->\n: \n"
        "note left\nend note\n<style>\n</style>\n<b>\n&#1;\n<U+FFFE>\n\\n\n<$x>\n<&bug>\n*\n+\n==\n;\n"
        "if (a) then\nendif\ntitle \n"
    ),
    "vega-lite": _pieces(
        '[\n]\n{\n}\n,\n:\n"\nnull\nNaN\n1e999\n-\n"\\ud800"\n"\\u0001"\n"mark": "bar",\n'
        '"url": "x.csv",\n"expr": "1/0"\n"transform": [{"calculate": "x", "as": "y"}],\n'
        '"repeat": ["a"],\n"layer": [\n'
    ),
    "wavedrom": _pieces(
        "[\n]\n{\n}\n,\n:\n'\n\"\nwave:\nname:\n'\\x01'\n\"\\ud800\"\n['tspan', {a: 1}, \n=>\n(\n)\n"
        "period: \nphase: \nedge: ['a~>b'],\nbits: \nNaN\n1e999\nnull\nfunction\nhead: {text: \n"
        "config: {hscale: \ndata: [\n"
    ),
    "excalidraw": _pieces('[\n]\n{\n}\n,\n:\n"\nnull\nNaN\n1e999\n-\n"\\ud800"\n"\\u0001"\n"points": [[\n'),
    "drawio": _pieces(
        "<mxCell id=\"\n/>\n</mxCell>\n<root>\n<!DOCTYPE a [<!ENTITY b 'c'>]>\n&#1;\n&lt;b&gt;\n"
        ' edge="1"\n vertex="1"\n source="a" target="a"\n parent="a"\nshape=\nrotation=\n;html=1;\n'
        ' value="&lt;table&gt;\n<Array as="points">\n'
    ),
    "railroad": _pieces("(\n)\n[\n]\n{\n}\n|\n=\n::=\n;\n\"\n'\n(*\n*)\n?\n-\n,\n*\n+\na = \n"),
    "svgbob": _pieces(
        '+--\n|\n-->\n.-.\n"\n\\\n# Legend:\na = {\n}\n{a}\nfill: url(\n<\n&#1;\n\u2500\n(o)\n/\n'
    ),
    "schemdraw": _pieces(
        "(\n)\n.label('\n$\\frac{\n.at(\n.down()\n.length(\nelm.Dot()\nd +=\n\n    \nlogic.\n'\n"
    ),
}
# The sources of kinds that have none, or not enough, in the documentation.
SEEDS: dict[str, Callable[[], Sequence[bytes]]] = {
    "drawio": models,
    "plantuml": diagrams,
    "schemdraw": circuits,
    "wavedrom": timings,
}
