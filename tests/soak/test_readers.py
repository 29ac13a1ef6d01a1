"""Every reader of an author's bytes, and of what lies on the disk, is fed damaged real files: it refuses, or it reads.

No answer is a fault of figmill's own, whatever the bytes: no other exception, none that says "figmill itself failed".
`make soak` feeds 20,000 files to each. What a source of text publishes is read again.

A damaged source costs, with its drawing and two readings, in ms of one core: WaveDrom 18, Vega-Lite 47, Mermaid 80,
Schemdraw 85, D2 110, Svgbob 150, PlantUML 180. The last five get what takes ten minutes with two cores (MOST).
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import pickle
import shutil
import sqlite3
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from book.test_question import WHOLE
from helpers import kind_readers
from helpers.book import DOT, HAND, REPOSITORY, Space
from helpers.damage import Pieces, mutated, odd_json
from helpers.kind_readers import batches
from helpers.residents import Resident, answers
from kinds.test_kinds import ACCEPTED as GOOD_DOT
from PIL import Image
from svg.test_allowlist import ACCEPTED

from figmill import config, fastpath
from figmill.book.question import read as read_question
from figmill.book.resolve import resolve
from figmill.compare import folders
from figmill.config import Options
from figmill.enclosure import limits
from figmill.engine.load import look
from figmill.errors import AuthorError, ToolError
from figmill.integrations import figures
from figmill.kind import typefaces
from figmill.kind.job import Job, Raw
from figmill.kinds.scripts import signature
from figmill.model import Origin, PublishedStatus, Visual
from figmill.publish import book_fonts, manifest
from figmill.publish.settling import settling, unpacked
from figmill.render.pool import Pool
from figmill.render.protocol import Shared
from figmill.render.results import Drawn, Result
from figmill.store import cache as caches
from figmill.store import journal
from figmill.store.memory import records_of
from figmill.svg import Sheet, SvgError, in_themes, still_copy
from figmill_timelines.traces import pipeline_events, readers
from figmill_timelines.training import stall_table

Said = Iterator[str]  # to each file, in their order: the words of a refusal, or "" where it is taken
LONGEST = 2000  # characters of a refusal
NEVER = (
    "figmill itself",
    "please report",
    "invalid answer",
    "process died",
    "RecursionError",
    "MemoryError",
    "Traceback",
    "object at 0x",
)


@dataclass(frozen=True)
class Reader:
    """seeds: real files. read: takes damaged ones. pieces: words of their format. odd: half of the damage is JSON of
    another form. is_text: three of four files are UTF-8, so that they come past the first check. some: how many every
    run takes, each of which takes a while; most: how many `make soak` takes."""

    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[Path, Iterator[bytes]], Said]
    pieces: Pieces = ()
    odd: bool = False
    is_text: bool = False
    some: int = 20
    most: int = 20_000


def one_by_one(
    read: Callable[[Path, bytes], object], *refusals: type[Exception]
) -> Callable[[Path, Iterator[bytes]], Said]:
    """A reader that is called in this process, for each file. refusals: what it may raise."""

    def said(folder: Path, damaged: Iterator[bytes]) -> Said:
        for data in damaged:
            yield told(read, refusals, folder, data)

    return said


def in_child(
    read: Callable[[Path, bytes], object], *refusals: type[Exception]
) -> Callable[[Path, Iterator[bytes]], Said]:
    """A reader that only scripts call, in a process with their limits: C code may ask for all memory."""

    def said(folder: Path, damaged: Iterator[bytes]) -> Said:
        context = get_context("fork")
        ours, theirs = context.Pipe()  # and no pool: its locks need /dev/shm, which a container may lack

        def answer() -> None:
            limits.limit(1 << 30)
            for data in iter(theirs.recv, None):
                theirs.send(told(read, refusals, folder, data))

        child = context.Process(target=answer, daemon=True)
        child.start()
        theirs.close()
        try:
            for data in damaged:
                ours.send(data)
                yield ours.recv()
        finally:
            child.kill()
            child.join()
            ours.close()

    return said


def told(
    read: Callable[[Path, bytes], object], refusals: tuple[type[Exception], ...], folder: Path, data: bytes
) -> str:
    try:
        read(folder, data)
    except AuthorError as error:
        return str(error)
    except refusals as error:  # what a script of the book raises is told as its error
        return str(AuthorError(Origin("x"), str(error)))
    return ""


# ---------------------------------------------------------------- what authors write


@cache
def sources() -> frozenset[str]:
    """The sources of the repository's own book, and what a question of the tests names beside them."""
    paths = (path.relative_to(REPOSITORY).as_posix() for path in REPOSITORY.glob("visuals/**/*.*"))
    return frozenset((*paths, "visuals/trace.csv", "visuals/other.csv"))


def question(_: Path, data: bytes) -> None:
    parsed, problems = read_question("questions/x.yaml", data)
    book = resolve([parsed] if parsed else [], sources(), Options())
    for problem in (*problems, *book.problems):
        raise problem.error


def settings(folder: Path, data: bytes) -> None:
    (folder / "questions").mkdir(exist_ok=True)
    (folder / "figmill.toml").write_bytes(data)
    config.load(folder)


def script(_: Path, data: bytes) -> None:
    signature.decoded(json.loads(json.dumps(signature.offered("visuals/x.py", data))), "visuals/x.py")


def drawing(_: Path, data: bytes) -> None:
    in_themes(data, Sheet("x", "Title", "What it shows"), ("light", "dark"))


def imported(_: Path, data: bytes) -> None:
    still_copy(data)


def in_file(name: str, read: Callable[[Path], object]) -> Callable[[Path, bytes], None]:
    return partial(written, name, read)


def written(name: str, read: Callable[[Path], object], folder: Path, data: bytes) -> None:
    (folder / name).write_bytes(data)
    read(folder / name)


def events(path: Path) -> None:
    pipeline_events.step(pipeline_events.read(path))


def graphs(folder: Path, damaged: Iterator[bytes]) -> Said:
    """Graphviz lays them out, in the processes that it always has."""
    (folder / "visuals").mkdir(exist_ok=True)
    with Pool(folder, slots=2) as pool:
        for batch in batches(damaged, 200):
            jobs = []
            for number, data in enumerate(batch):
                (folder / "visuals" / f"{number}.dot").write_bytes(data)
                jobs.append(Job("dot", f"visuals/{number}.dot", "file", timeout=20))
            for result in pool.draw_all(jobs):
                yield drawn(result)


SHOWING = (
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><image width="9" height="9" href="%s"/></svg>'
)


def pictures(folder: Path, damaged: Iterator[bytes]) -> Said:
    """Shown by a drawing, which is settled, or by a graph, which is laid out: half of them each."""
    (folder / "visuals").mkdir(exist_ok=True)
    at = {"": Origin("questions/x.yaml", 1)}
    visual = Visual("x", None, "global", None, "svg", "visuals/x.svg", "x.svg", "words", None, at)
    settle = settling(visual, Shared(Options()), str(folder))
    with Pool(folder, slots=2) as pool:
        for batch in batches(damaged, 100):
            tasks: list[Job | Raw] = []
            for number, data in enumerate(batch):
                name = f"{number}.{('png', 'jpg', 'webp', 'svg')[number // 2 % 4]}"
                (folder / "visuals" / name).write_bytes(data)
                tasks.append(Raw(SHOWING % name.encode()))
                if number % 2:
                    (folder / f"visuals/{number}.dot").write_text(f'graph {{ a [image="{name}"] }}')
                    tasks[-1] = Job("dot", f"visuals/{number}.dot", "file", folders=("visuals",), timeout=20)
            then = [[settle] if isinstance(task, Raw) else [] for task in tasks]
            for task, result in zip(tasks, pool.draw_all(tasks, then), strict=True):
                yield settled(result, visual) if isinstance(task, Raw) else drawn(result)


def settled(result: Result, visual: Visual) -> str:
    assert isinstance(result, Drawn)
    (product,) = result.answers
    outcome = (product,) if isinstance(product, AuthorError) else unpacked(product, visual, {})
    return str(outcome[0]) if isinstance(outcome, tuple) else ""


def drawn(result: Result) -> str:
    return "" if isinstance(result, Drawn) else str(result.error)


def fonts(folder: Path, damaged: Iterator[bytes]) -> Said:
    with Pool(folder, slots=2) as pool:
        for batch in batches(damaged, 100):
            for number, data in enumerate(batch):
                (folder / f"{number}.ttf").write_bytes(data)
            then = [[book_fonts.opening(folder / f"{number}.ttf")] for number in range(len(batch))]
            for result in pool.draw_all([Raw(b"")] * len(batch), then):
                assert isinstance(result, Drawn)
                yield book_fonts.fault(result.answers[0])


# ---------------------------------------------------------------- what lies on the disk


def kept(name: str) -> Callable[[Path, bytes], None]:
    """A file of a built book is another; the next build looks at the book, and at what it would tell of it."""

    def read(folder: Path, data: bytes) -> None:
        if not (folder / "questions").exists():
            shutil.copytree(BUILT[0], folder, dirs_exist_ok=True, symlinks=True)
        (folder / name).write_bytes(data)
        fastpath.answer(str(folder))
        state = look(folder, Options())
        records_of(state.ledger)
        manifest.dumps(
            [(entry.published, PublishedStatus.CURRENT) for entry in state.ledger.entries.values()], "build"
        )

    return read


def entry(_: Path, data: bytes) -> None:
    """An entry of the cache, with the digest that it has to have."""
    whole = data.partition(b"\n")[2]
    for run in caches.loads(hashlib.sha256(whole).hexdigest().encode() + b"\n" + whole):
        caches.dumps([run])


def published(path: Path) -> None:
    figures.load(path.parent)


def compared(path: Path) -> None:
    folders.load(path.parent)


BUILT: list[Path] = []  # a book that was built
STATES = """\
from figmill import Drawing


def draw(n: int = 3) -> Drawing:
    return Drawing(f"digraph {{ a -> n{n} }}", facts={"points": n, "half": n / 2})
"""


@pytest.fixture(scope="module", autouse=True)
def book(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A small book that was built, for what a build leaves behind."""
    space = Space(tmp_path_factory.mktemp("built"))
    space.write({"visuals/a.dot": DOT, "visuals/b.py": STATES, "visuals/c.svg": HAND})
    for id_, name in (("a", "a.dot"), ("c", "c.svg")):
        space.question(id_, f"source: {name}, alt: What it shows, caption: words")
    space.question(
        "b", "kind: dot, source: b.py, alt: '{points} points', params: {n: 3}, explore: {n: [3, 4]}"
    )
    done = space.run()
    assert done.code == 0, done.err
    space.write({"visuals/d.dot": "digraph {", ".figmill/whole": space.read(fastpath.PATH)})
    space.question("d", "source: d.dot, alt: What it shows")
    assert space.run().code == 1
    os.replace(space.root / ".figmill/whole", space.root / fastpath.PATH)
    BUILT[:] = [space.root]


def of_book(pattern: str) -> Callable[[], list[bytes]]:
    return lambda: [path.read_bytes() for path in sorted(BUILT[0].glob(pattern))]


# ---------------------------------------------------------------- real files


def of_repository(*patterns: str) -> Callable[[], list[bytes]]:
    return lambda: [path.read_bytes() for pattern in patterns for path in sorted(REPOSITORY.glob(pattern))]


SETTINGS = b"""[tool.figmill]
questions = ["questions"]
visuals = ["visuals", "shared"]
themes = ["light", "dark"]
font = "Helvetica Neue, Arial"
fonts = ["fonts/a.ttf"]
timeout = 120
memory = "2 GiB"
sandbox = "auto"
sandbox_read = ["/data/sets"]
cache = "../shared"
rasterise = 20000
limits = {megapixels = 8, picture_bytes = "1500 KB", alt = 3000}
[tool.figmill.palette]
compute = {fill = "#dbe9ff", line = "#123"}
[tool.figmill.lint]
contrast = "error"
"""


def drawings() -> list[bytes]:
    small = [text.encode() for text in ACCEPTED.values() if len(text) < 4000]
    return [*small, *of_repository("tests/svg/drawings/*.svg")()]


@cache
def images() -> list[bytes]:
    image = Image.effect_noise((40, 30), 60).convert("RGB")
    grey = image.convert("L")
    turned = Image.Exif()
    turned[0x0112] = 6
    files: list[bytes] = [HAND.encode()]
    for picture, form, options in (
        (image, "PNG", {}),
        (image, "PNG", {"exif": turned}),
        (image, "PNG", {"save_all": True, "append_images": [image.rotate(180)]}),
        (image, "JPEG", {"exif": turned}),
        (image, "JPEG", {"progressive": True}),
        (image, "WEBP", {}),
        (image, "WEBP", {"lossless": True, "exif": turned}),
        (image, "GIF", {}),
        *((grey.convert(mode), "PNG", {}) for mode in ("P", "LA", "I;16", "1")),
    ):
        out = io.BytesIO()
        picture.save(out, form, **options)
        files.append(out.getvalue())
    return files


TIMES, LATER = [[0.0, 1.0], [1.0, 2.0]], [[3.0, 4.0], [4.0, 6.0]]
DEVICE = {"start_end": [[0, 9]], "call_forward": TIMES, "call_backward": LATER, "sync_kron_A": [[6, 7]]}
RECORDING = {"GPU 0": DEVICE, "GPU 1": DEVICE}


def pickles() -> list[bytes]:
    whole, half = [(np.int64(1), np.float64(2))], [(np.float32(2.5), np.int8(3))]
    numbers = {"GPU 0": {"call_forward": whole, "call_backward": half, "start_end": [(0, 9)]}}
    return [pickle.dumps(data, protocol) for data in (RECORDING, numbers) for protocol in (0, 2, 4, 5)]


def nsight() -> list[bytes]:
    base = sqlite3.connect(":memory:")
    base.executescript(
        """CREATE TABLE StringIds(id INTEGER, value TEXT); INSERT INTO StringIds VALUES (1, 'nccl'), (2, 'gemm');
        CREATE TABLE NVTX_EVENTS(globalTid INTEGER, start INTEGER, end INTEGER, text TEXT, textId INTEGER);
        INSERT INTO NVTX_EVENTS VALUES (1, 0, 90, 'forward mb 1', NULL), (1, 5, 50, NULL, 2);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(globalTid INTEGER, start INTEGER, correlationId INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 6, 7), (1, 60, 8);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(deviceId INTEGER, streamId INTEGER, start INTEGER, end INTEGER,
        shortName INTEGER, correlationId INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 7, 10, 40, 2, 7), (0, 7, 70, 80, 1, 8);"""
    )
    whole = base.serialize()
    rows = """INSERT INTO NVTX_EVENTS VALUES ('a', x'00', 'b', 5, 1), (1, 2, 3, x'ff', NULL);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (NULL, 'x', 'y', 1e300, 2, 7);"""
    base.executescript(rows)  # SQLite keeps what it is given, whatever a column says
    return [whole, base.serialize()]


TIMERS = {
    f"{way}-{n}-{end}": 4 * n + 2 * later + (end == "end")
    for later, way in enumerate(("forward", "backward"))
    for n in (0, 1)
    for end in ("start", "end")
}
CHROME = {
    "traceEvents": [
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "GPU"}},
        {"ph": "X", "name": "forward", "cat": "kernel", "pid": 1, "tid": 2, "ts": 5, "dur": 9},
        {"ph": "B", "name": "nccl", "pid": 1, "tid": 3, "ts": 5},
        {"ph": "E", "pid": 1, "tid": 3, "ts": 7.5},
        {"ph": "b", "name": "a", "cat": "c", "id": 1, "pid": 1, "ts": 5},
        {"ph": "e", "name": "a", "cat": "c", "id": 1, "ts": 8},
        {"ph": "C", "name": "memory", "ts": 6, "args": {"bytes": 5}},
    ]
}


def traces() -> list[bytes]:
    real = of_repository("visuals/data/profile.json", "visuals/data/pipeline.json")()
    synthetic = [json.dumps(trace).encode() for trace in (CHROME, TIMERS)]
    return [*real, *synthetic, gzip.compress(synthetic[0], mtime=0)]


LANES = b"lane,start,end,kind,microbatch\nGPU 0,0,1.5,forward,1\nGPU 1,1.5,4,backward,2\n"
SCHEDULE = b"0F0,0F1,,0B0\n,1F0,1I0,1W0\n"
CALLS = b"device,name,start,end\nGPU 0,call_forward,0,1\nGPU 0,call_backward,2,3\n"


def words(text: str, *more: bytes) -> Pieces:
    """The words of a text, one in a line, and bytes that no text has."""
    return (*text.encode().splitlines(), b"\0", b"\xff", b"\n", *more)


JSON = words('[\n]\n{\n}\n{"a":\n[[\n,\n:\n"\nnull\nNaN\n1e999\n-\n\\ud800')
YAML = words(
    "- \n[\n{\n&a [*a,\n*a\n!!python/object:os.x \n? \n---\n\"\n'\n#\n<<: *a\n\t\nvisual: \n0x\n.nan\n2001-01-01\n: ",
    b"|\n ",
    b"explore: {n: [1, 2]}\n",
)
TOML = words(
    "[\n]\n{\n}\na.\n\"\n'''\n=\n[[a]]\n1979-05-27T07:32:00Z\n0x\nnan\ninf\n{a=\n#\nlint.\n, \n../\npalette.x"
)
GRAPH = words(
    '{\n}\nsubgraph cluster_a {\n<\n>\n<b>\n<table><tr><td>\n"\n->\n[\n]\na -> \nlabel="\nlabel=<\n/*\n#\n=\n;\n'
    "rank=same\nrole=data \nnewrank=\nshape=record \n\\N\n+\n&#\nimage=\npos="
)
XML = words(
    "<g>\n</g>\n<svg>\n<g style=\"\n<text>\n<use href='#a'/>\n<style>\n{\n}\n(\ncalc(\nvar(--a,\n&a;\n"
    "<!DOCTYPE svg [<!ENTITY a 'b'>]>\n<![CDATA[\n]]>\n<foreignObject><div>\n<b>\n<a>\n id='a'\nM0 0\n@media print{\n"
    ":not(\n<!--\n clip-path='url(#a)'"
)
PYTHON = words(
    "(\n)\n[\n-\nnot \nx.\nlambda: \nf'{\n'''\n\\\n\t\nlist[\nint | \nLiteral[\nAnnotated[int, Ge(0)]\n:=",
    b"def draw(a: int = 1): ...\n",
    b"if 1:\n ",
    b"9" * 5000,
)
CELLS = words(',\n"\n#\n-\nnan\ninf\n1e999\n0F', b"\r", b"9" * 5000, b"x" * 200_000)
TABLES = words("int\nCREATE TABLE\n'x'", b"\0\0\0\0", b"\xff\xff")
SNAPSHOT = words("../\n/", b"\0\0", b"\0,\0")

OTHERS: Mapping[str, Reader] = {
    "questions": Reader(
        lambda: [WHOLE.encode(), *of_repository("questions/**/*.yaml")()],
        one_by_one(question, AuthorError),
        YAML,
    ),
    "settings": Reader(
        lambda: [SETTINGS, SETTINGS.replace(b"tool.figmill.", b"").replace(b"[tool.figmill]", b"")],
        one_by_one(settings, ToolError),
        TOML,
    ),
    "scripts": Reader(of_repository("visuals/*.py"), one_by_one(script, AuthorError), PYTHON),
    "drawings": Reader(drawings, one_by_one(drawing, SvgError), XML),
    "drawings to import": Reader(drawings, one_by_one(imported, SvgError, ToolError), XML),
    "graphs": Reader(
        lambda: [DOT.encode(), *map(str.encode, GOOD_DOT), *of_repository("visuals/**/*.dot")()],
        graphs,
        GRAPH,
    ),
    "pictures": Reader(images, pictures),
    "fonts": Reader(lambda: [(typefaces.FOLDER / name).read_bytes() for name in typefaces.FACES], fonts),
    "traces": Reader(traces, one_by_one(in_file("x.json", readers.read), ValueError), JSON, odd=True),
    "lanes": Reader(lambda: [LANES, SCHEDULE], one_by_one(in_file("x.csv", readers.read), ValueError), CELLS),
    "recordings": Reader(
        lambda: [json.dumps(RECORDING).encode()],
        one_by_one(in_file("x.json", events), ValueError),
        JSON,
        odd=True,
    ),
    "recordings as CSV": Reader(lambda: [CALLS], one_by_one(in_file("x.csv", events), ValueError), CELLS),
    "pickles": Reader(pickles, in_child(in_file("x.pkl", events), ValueError)),
    "Nsight": Reader(nsight, one_by_one(in_file("x.sqlite", readers.read), ValueError), TABLES),
    "stalls": Reader(
        lambda: [b"".join(data.splitlines(True)[:50]) for data in of_repository("visuals/data/stalls.csv")()],
        one_by_one(in_file("x.csv", stall_table.read), ValueError),
        CELLS,
    ),
    "journal": Reader(of_book(journal.PATH), one_by_one(kept(journal.PATH)), JSON, odd=True),
    "snapshot": Reader(of_book(fastpath.PATH), one_by_one(kept(fastpath.PATH)), SNAPSHOT),
    "cache": Reader(of_book(".figmill/cache/??/*"), one_by_one(entry), JSON),
    "manifest": Reader(
        of_book("build/manifest.json"),
        one_by_one(in_file("manifest.json", published), ToolError),
        JSON,
        odd=True,
    ),
    "manifest of another build": Reader(
        of_book("build/manifest.json"),
        one_by_one(in_file("manifest.json", compared), ToolError),
        JSON,
        odd=True,
    ),
}
# Kinds that are drawn in this process, each in some milliseconds; those that are drawn in processes that stay; and the
# one that runs a script, which gets a process of its own.
HERE = ("excalidraw", "railroad")
STAYING = {
    "svgbob": "file",
    "mermaid": "file",
    "plantuml": "file",
    "wavedrom": "file",
    "d2": "alone",
    "vega-lite": "alone",
}
# Files of `make soak`, where 20,000 take more than ten minutes.
MOST = {"mermaid": 15_000, "d2": 10_000, "schemdraw": 12_000, "svgbob": 8_000, "plantuml": 6_000}
KIND_READERS: Mapping[str, Reader] = {
    **{
        kind: Reader(
            partial(kind_readers.seeds, kind),
            one_by_one(kind_readers.drawn_here(kind), AuthorError),
            kind_readers.SOURCES[kind],
            odd=kind == "excalidraw",
            is_text=True,
        )
        for kind in HERE
    },
    "drawio": Reader(
        kind_readers.SEEDS["drawio"],
        one_by_one(kind_readers.drawn_here("drawio", kind_readers.with_export), AuthorError),
        kind_readers.SOURCES["drawio"],
        is_text=True,
    ),
    **{
        kind: Reader(
            kind_readers.SEEDS.get(kind, partial(kind_readers.seeds, kind)),
            kind_readers.drawn_by_residents(kind, entry),
            kind_readers.SOURCES[kind],
            odd=kind in ("vega-lite", "wavedrom"),
            is_text=True,
            some=10,
            most=MOST.get(kind, 20_000),
        )
        for kind, entry in STAYING.items()
    },
    "schemdraw": Reader(
        kind_readers.circuits,
        kind_readers.drawn_in_pool("schemdraw", "script"),
        kind_readers.SOURCES["schemdraw"],
        is_text=True,
        some=10,
        most=MOST["schemdraw"],
    ),
    "notebooks": Reader(
        kind_readers.notebooks, one_by_one(kind_readers.read_notebook, AuthorError), JSON, odd=True
    ),
    "translations": Reader(
        kind_readers.translations,
        one_by_one(kind_readers.read_catalogue, ToolError),
        words(
            'msgid "\nmsgstr "\n#, fuzzy\nmsgctxt "\nmsgid_plural "\n"\n\\\n#~ \nContent-Type: text/plain; charset=x\\n'
        ),
    ),
}
READERS = {**OTHERS, **KIND_READERS}
# What is damaged counts as missing.
FORGIVING = ("journal", "snapshot", "cache")


def damage(number: int, reader: Reader, seeds: Sequence[bytes]) -> bytes:
    if reader.odd and number % 2:
        try:
            return odd_json(number, seeds)
        except ValueError:
            pass  # this seed is compressed
    data = mutated(number, seeds, reader.pieces)
    return data.decode("utf-8", "ignore").encode() if reader.is_text and number % 4 else data


@pytest.mark.parametrize("soaked", [False, pytest.param(True, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", READERS)
def test_a_reader_refuses_what_it_cannot_read(
    name: str, soaked: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reader = READERS[name]
    seeds = reader.seeds()
    examples = reader.most if soaked else reader.some
    seen, faults = Counter[str](), dict[str, int]()
    left = iter(range(examples))
    number = -1

    def damaged() -> Iterator[bytes]:
        nonlocal number
        for number in left:
            yield damage(number, reader, seeds)

    while number < examples - 1:  # a reader that has raised is called anew for what is left
        before = number
        try:
            for said in reader.read(tmp_path, damaged()):
                seen["refused" if said else "read"] += 1
                if len(said) > LONGEST or any(word in said for word in NEVER):
                    faults.setdefault(said[:300], number)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)[-2:]
            at = " ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
            faults.setdefault(f"{type(error).__name__} in {at}: {str(error)[:100]}", number)
            if number == before:
                break  # it cannot even begin
    with capsys.disabled():
        print(f"\n{name}: {examples}, {dict(seen)}")
    assert not faults, "\n".join(f"{number}: {what}" for what, number in faults.items())
    assert seen["refused"] or name in FORGIVING


def test_a_process_that_ends_or_hangs_answers_nothing_and_is_begun_again(tmp_path: Path) -> None:
    def read(_: Path, data: bytes) -> None:
        if data == b"wrong":
            raise AuthorError(Origin("x"), "wrong")
        if data == b"fault":
            raise KeyError(data)
        if data == b"end":
            os._exit(1)
        if data == b"hang":
            time.sleep(60)

    resident = Resident(read, tmp_path / "one", None)
    told = list(answers([resident], [b"wrong", b"end", b"good", b"hang", b"good", b"fault", b"good"], 0.5))
    resident.close()
    assert told == ["x: wrong", None, "", None, "", None, ""]
