"""No kind publishes a file that no figure reads, whatever names or links lead to it; and no kind reads past the door.

Each kind gets each way in: its source as a link, and every way in which its sources include other files, from a file
and from a page. The token is searched for in everything that a build leaves and prints, with a sandbox and without.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from helpers.book import Space
from helpers.cases import cases
from helpers.kind_sources import exported
from helpers.own_code import nodes

from figmill.kinds import KINDS
from figmill.paths import PACKAGE, code_folders

TOKEN = "T0K3N0fs0meb0dy"
SHOWN = "0f5h0wn0nPurp0se"  # the same, where a figure may show it
# Where files are never read -> a name there, for each number.
PLACES: Mapping[str, str] = {
    "a repository": ".git/config{}",
    "a secret": ".env.{}",
    "a bare repository": "visuals/store/description{}",
    "a hidden folder": "visuals/.hidden/data{}",
    "outside": "../outside/data{}",
}
ALLOWED = "visuals/plain/data{}"  # where each way works, if it does
PLANTUML = Path(sys.prefix, "node_modules/@plantuml/core")

# A source of each kind that would show the token, if it were the content of the file that a link leads to.
SOURCES: Mapping[str, str] = {
    "dot": f'digraph {{ "{TOKEN}" }}',
    "matplotlib": f'import matplotlib.pyplot as plt\nplt.title("{TOKEN}")\n',
    "svg": f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 99 99"><text y="20">{TOKEN}</text></svg>',
    "picture": TOKEN,
    "vega-lite": json.dumps(
        {
            "mark": "point",
            "title": TOKEN,
            "data": {"values": [{"a": 1}]},
            "encoding": {"x": {"field": "a", "type": "quantitative"}},
        }
    ),
    "mermaid": f"flowchart LR\n  a[{TOKEN}] --> b\n",
    "d2": f'a -> "{TOKEN}"\n',
    "svgbob": f"+--------------------+\n| {TOKEN} |\n+--------------------+\n",
    "wavedrom": f'{{"signal": [{{"name": "{TOKEN}", "wave": "01"}}]}}',
    "schemdraw": f'import schemdraw\nd = schemdraw.Drawing()\nd += schemdraw.elements.Resistor().label("{TOKEN}")\n',
    "railroad": f'a = "{TOKEN}" ;\n',
    "plantuml": f"@startuml\nclass A {{\n {TOKEN}\n}}\n@enduml\n",
    "excalidraw": json.dumps(
        {
            "type": "excalidraw",
            "elements": [
                {
                    "type": "text",
                    "id": "a",
                    "x": 0,
                    "y": 0,
                    "width": 90,
                    "height": 20,
                    "text": TOKEN,
                    "fontSize": 16,
                }
            ],
        }
    ),
    "drawio": f'<mxfile><diagram><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/><mxCell id="2" '
    f'value="{TOKEN}" vertex="1" parent="1"><mxGeometry width="90" height="30" as="geometry"/></mxCell>'
    f"</root></mxGraphModel></diagram></mxfile>",
}
# Kind -> way -> a source that names NAME, and the form in which that file holds the token. A refusal that ends a
# process with V8 comes last, so that no other figure has to start one.
INCLUDED = f"class A {{\n {TOKEN}\n}}\n"
ASIDE = f"@startuml\n!startsub A\n{INCLUDED}!endsub\n@enduml\n"
PICTURE = SOURCES["svg"]
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 99 99">'
WAYS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "plantuml": {
        "!include": ("@startuml\n!include NAME\n@enduml\n", INCLUDED),
        "!include_once": ("@startuml\n!include_once NAME\n@enduml\n", INCLUDED),
        "!include_many": ("@startuml\n!include_many NAME\n@enduml\n", INCLUDED),
        "!includesub": ("@startuml\n!includesub NAME!A\n@enduml\n", ASIDE),
        "!include in a note": ("@startuml\nnote as N\n!include NAME\nend note\n@enduml\n", TOKEN),
        "!import": ("@startuml\n!import NAME\nA -> B\n@enduml\n", INCLUDED),
        "an image": ("@startuml\nA -> B : <img:NAME>\n@enduml\n", PICTURE),
        "a theme from a folder": ("@startuml\n!theme NAME from ..\nA -> B\n@enduml\n", INCLUDED),
        "%load_json": ('@startuml\n!$a = %load_json("NAME")\nA -> B : $a\n@enduml\n', json.dumps(TOKEN)),
        "a sprite in a file": ("@startuml\nsprite s NAME\nA -> B\n@enduml\n", PICTURE),
    },
    "d2": {
        "an import": ("x: @NAME\n", f'a -> "{TOKEN}"\n'),
        "a spread import": ("...@NAME\n", f'a -> "{TOKEN}"\n'),
        "an icon": ("x: {icon: NAME}\ny\n", PICTURE),
        "a picture": ("x: {shape: image; icon: NAME}\ny\n", PICTURE),
    },
    "vega-lite": {
        "data.url": (
            '{"mark": "text", "data": {"url": "NAME", "format": {"type": "csv"}}, '
            '"encoding": {"text": {"field": "a"}}}',
            f"a\n{TOKEN}\n",
        ),
        "a picture mark": (
            '{"mark": {"type": "image", "width": 50, "height": 50}, "data": {"values": [{"a": "NAME"}]},'
            ' "encoding": {"url": {"field": "a", "type": "nominal"}}}',
            PICTURE,
        ),
    },
    "dot": {
        "image=": ('digraph { a [image="NAME"] }', PICTURE),
        "<IMG>": ('digraph { a [label=<<TABLE><TR><TD><IMG SRC="NAME"/></TD></TR></TABLE>>] }', PICTURE),
        "shapefile=": ('digraph { a [shape=custom, shapefile="NAME"] }', PICTURE),
        "stylesheet=": ('digraph { stylesheet="NAME"; a }', TOKEN),
    },
    "svg": {
        "<image>": (f'{SVG}<image width="9" height="9" href="NAME"/><text y="20">a</text></svg>', PICTURE),
        "<use>": (f'{SVG}<use href="NAME#a"/><text y="20">a</text></svg>', PICTURE),
        "an entity": (
            '<!DOCTYPE svg [<!ENTITY a SYSTEM "NAME">]><svg xmlns="http://www.w3.org/2000/svg" '
            'viewBox="0 0 99 99"><text y="20">&a;</text></svg>',
            TOKEN,
        ),
        "xi:include": (
            f'{SVG}<text><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" parse="text" href="NAME"/>'
            "</text></svg>",
            TOKEN,
        ),
        "@import": (f'{SVG}<style>@import "NAME";</style><text y="20">a</text></svg>', TOKEN),
    },
    "mermaid": {
        "an image in a label": ("flowchart LR\n  a[\"<img src='NAME'>\"] --> b\n", PICTURE),
        "an image": ('flowchart LR\n  a@{ img: "NAME", label: "a" } --> b\n', PICTURE),
    },
}
# Kinds whose sources cannot name a file -> why.
ALONE = {
    "matplotlib": "a script is code",
    "schemdraw": "a script is code",
    "picture": "a picture holds its own bytes",
    "svgbob": "text has no includes",
    "wavedrom": "a value has no names of files",
    "railroad": "a grammar has no includes",
    "excalidraw": "a scene holds its pictures",
    "drawio": "a diagram has one export, and its name follows from the diagram's own",
}


# The ways by which a source shows the content of another file; the others show nothing of any file.
WORKS: Mapping[str, set[str]] = {
    "plantuml": {"!include", "!include_once", "!include_many", "!includesub", "!include in a note"},
    "d2": {"an import", "a spread import", "an icon", "a picture"},
    "vega-lite": {"data.url", "a picture mark"},
    "dot": {"image=", "<IMG>"},
    "svg": {"<image>"},
    "mermaid": set(),
}


# Each refusal ends a process with V8, and the next figure starts one. Two of these ways read no file, not even one that
# may be shown. Where a picture is in a book is looked up in one way for all kinds.
ENDING = {
    ("vega-lite", "a picture mark"),
    ("plantuml", "a sprite in a file"),
    ("mermaid", "an image"),
}


Place = tuple[str, str]  # of PLACES


def test_the_tables_have_every_kind() -> None:
    assert SOURCES.keys() == KINDS.keys() == WAYS.keys() | ALONE.keys()
    assert WORKS.keys() == WAYS.keys() and not WAYS.keys() & ALONE.keys()


def strangers(space: Space) -> Space:
    """A repository with a bare one in it, and what the kinds need."""
    space.git("init", "-q")
    space.write({f"visuals/store/{name}": "" for name in ("HEAD", "objects/a", "refs/a")})
    files = [name for kind in here() for name in KINDS[kind].needs.files]
    return space.write({name: (PLANTUML / Path(name).name).read_bytes() for name in files})


def leaks(space: Space, said: str, planted: set[str]) -> list[str]:
    """Where the token is, other than where it was put."""
    files = {
        path.relative_to(space.root).as_posix(): path.read_bytes()
        for path in space.root.rglob("*")
        if path.is_file() and not path.is_symlink()
    }
    kept = [name for name, data in files.items() if TOKEN.encode() in data and name not in planted]
    return [*kept, *(["the output"] if TOKEN in said else [])]


def built(space: Space, mode: str, planted: set[str]) -> tuple[str, list[str]]:
    """The errors of a build, and where it leaves the token."""
    done = space.run(f"--sandbox={mode}", "--verbose", "--jobs", "1")
    assert "figmill itself" not in done.err, done.err
    return done.err, leaks(space, done.out + done.err, planted)


def put(space: Space, place: str, number: int, content: str) -> str:
    """Plant the token; returns the file's name, relative to the root."""
    name = place.format(number)
    return space.write({name: content}) and name


MODES = ("auto", "off")


def here() -> list[str]:
    """The kinds whose files are installed."""
    return [kind for kind in KINDS if not KINDS[kind].needs.files or PLANTUML.exists()]


@pytest.mark.parametrize("mode", MODES)
def test_a_source_that_is_a_link_shows_nothing(space: Space, mode: str) -> None:
    planted, linked = set(), {}
    strangers(space)
    for kind in here():
        for place in PLACES.values():
            target = put(space, place, len(linked), SOURCES[kind])
            id_, name = f"linked{len(linked)}", f"linked{len(linked)}{KINDS[kind].suffixes[0]}"
            planted.add(target)
            (space.root / "visuals" / name).symlink_to(os.path.join(os.pardir, target))
            space.question(id_, f"kind: {kind}, source: {name}, alt: a stranger's figure")
            linked[id_] = (name, f"{kind} in {target}")
    errors, left = built(space, mode, planted)
    assert left == [] and not [*(space.root / "build").rglob("*.svg")]
    told = {id_: [line for line in errors.splitlines() if f"{id_}.yaml:" in line] for id_ in linked}
    wrong = {
        about: told[id_]
        for id_, (name, about) in linked.items()
        if len(told[id_]) != 1 or name not in told[id_][0]
    }
    assert wrong == {} and len(linked) == len(PLACES) * len(here())


@dataclass(frozen=True)
class Asked:
    """A figure that names a file. form: of the name."""

    kind: str
    way: str
    form: str

    @property
    def reads(self) -> bool:
        return self.way in WORKS[self.kind]


def tried_at(places: list[Place], kind: str, way: str, extent: str) -> list[Place]:
    """Those of the places at which a way is tried.

    extent: "all" or "direct": everywhere; "some": the ways of a kind that read the same content take turns, and those
    of ENDING are tried at one place. A way that reads no file takes longer, as it draws: it is tried at one place, and
    by "some" at none if it is of ENDING.
    """
    number = list(WAYS[kind]).index(way)
    is_few = extent == "some" and (kind, way) in ENDING
    if way not in WORKS[kind]:
        return [] if is_few else places[:1]
    if is_few:
        return [places[number % len(places)]]
    if extent == "some":
        alike = [other for other in WAYS[kind] if _content(kind, other) == _content(kind, way)]
        turns = [other for other in alike if other in WORKS[kind]]
        return places[turns.index(way) :: len(turns)]
    return places


def _content(kind: str, way: str) -> str:
    return WAYS[kind][way][1]


def included(
    space: Space, places: Mapping[str, str], extent: str, content: str = TOKEN
) -> tuple[dict[str, Asked], set[str]]:
    """Questions and a page that name places in each way of each kind. By id, and the files with the token.

    extent: "all": in each form of a name; "direct": in that form; otherwise in one form: the next place, and the next
    way, in the next one.
    content: what stands in place of the token.
    """
    figures: dict[str, Asked] = {}
    planted: set[str] = set()
    fences, languages = [], []
    for kind in (kind for kind in here() if kind in WAYS):
        suffix, language = KINDS[kind].suffixes[0], next(iter(KINDS[kind].fences), None)
        languages += [language] if language else []
        for number, (way, (source, text)) in enumerate(WAYS[kind].items()):
            reads = way in WORKS[kind]
            rows = tried_at(list(places.items()), kind, way, extent)
            for step, (place, name) in enumerate(rows, number):
                end = ".svg" if text == PICTURE else ".d2" if kind == "d2" else ""
                target = put(space, name + end, len(planted), text.replace(TOKEN, content))
                planted.add(target)
                stem = f"{kind}-{place.replace(' ', '-')}-{number}"
                link = f"link-{stem}{end}"
                (space.root / "visuals" / link).symlink_to(os.path.join(os.pardir, target))
                direct = os.path.relpath(space.root / target, space.root / "visuals")
                forms = {"direct": direct, "link": link, "full": str(space.root / target)}
                forms |= {"fence": f"../{target}"} if language else {}
                names = list(forms) if reads and extent != "direct" else ["direct"]
                for form in names if extent == "all" else [names[step % len(names)]]:
                    id_, naming = f"{stem}-{form}", source.replace("NAME", forms[form])
                    if form == "fence":
                        fences.append(f"```{language} id={id_}\n{naming}```\n")
                    else:
                        space.write({f"visuals/{id_}{suffix}": naming})
                        space.question(id_, f"source: {id_}{suffix}, alt: a figure, describe: false")
                    figures[id_] = Asked(kind, way, form)
    page = space.root / "docs/page.md"
    pages = [page.read_text()] if page.exists() else []
    settings = f"fences = {json.dumps(languages)}\n"
    space.write({"docs/page.md": "\n".join((*pages, *fences)), "figmill.toml": settings})
    return figures, planted


@dataclass(frozen=True)
class Built:
    """A book with all ways in, built; without a sandbox, with files that figures may show, too.

    hidden, allowed: figures that name a file of the one kind and of the other, by id. left: where the token is.
    """

    space: Space
    hidden: Mapping[str, Asked]
    allowed: Mapping[str, Asked]
    errors: str
    left: list[str]

    def shows(self, id_: str) -> bool:
        path = self.space.root / f"build/global/{id_}.svg"
        return path.exists() and SHOWN in path.read_text()


@pytest.fixture(scope="module")
def tried(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """A book of a mode of the sandbox and an extent. Not to be changed."""
    mode, extent = request.param
    root = tmp_path_factory.mktemp("tried") / "book"
    root.mkdir()
    space, allowed = strangers(Space(root)), dict[str, Asked]()
    if mode == "off":
        names = "all" if extent == "all" else "direct"
        allowed, _ = included(space, {"plain": ALLOWED}, names, SHOWN)
        for kind in by_itself():
            name = f"{kind}{KINDS[kind].suffixes[0]}"
            source = SOURCES[kind].replace(TOKEN, SHOWN)
            space.write({f"visuals/{name}": source})
            if kind == "drawio":
                space.write({"visuals/drawio.svg": exported(source, SHOWN)})
            space.question(kind, f"kind: {kind}, source: {name}, alt: a figure, describe: false")
        if extent == "all":
            built(space, mode, set())  # in a run of their own: a command has two minutes
    hidden, planted = included(space, PLACES, extent)
    return Built(space, hidden, allowed, *built(space, mode, planted))


def by_itself() -> list[str]:
    """The kinds whose source can show the token without another file."""
    return [kind for kind in here() if kind != "picture"]


# Without a sandbox nothing but figmill hides a file: there each place is tried, each way but two, and what ways show of
# a file of the book. `make soak` tries everything.
OPEN = pytest.param(("off", "some"), id="off")
EVERYTHING = [pytest.param((mode, "all"), id=f"{mode}, all", marks=pytest.mark.soak) for mode in MODES]


@pytest.mark.parametrize("tried", [OPEN, *EVERYTHING], indirect=True)
def test_no_way_of_inclusion_shows_a_token(tried: Built) -> None:
    assert tried.left == [], tried.errors
    told = {
        id_: f"{id_}{KINDS[asked.kind].suffixes[0]}:"
        for id_, asked in tried.hidden.items()
        if asked.reads and asked.form not in ("full", "fence")
    }
    # Each is an error; what it says depends on what the sandbox shows.
    assert told and [id_ for id_, place in told.items() if place not in tried.errors] == []


@pytest.mark.parametrize("tried", [OPEN, EVERYTHING[-1]], indirect=True)
def test_the_same_ways_to_a_file_of_the_book_show_it(tried: Built) -> None:
    """So the ways of the test above are ways: whatever reads a file shows this one."""
    shown: dict[str, set[str]] = {kind: set() for kind in here() if kind in WAYS}
    for id_, asked in tried.allowed.items():
        if tried.shows(id_):
            shown[asked.kind].add(asked.way)
    assert shown == {kind: WORKS[kind] for kind in shown}, tried.errors


@pytest.mark.parametrize("tried", [OPEN], indirect=True)
def test_the_same_source_in_the_book_shows_the_token(tried: Built) -> None:
    """So links that lead to it would show it too, if they were followed."""
    assert [kind for kind in by_itself() if not tried.shows(kind)] == [], tried.errors


# How D2 itself would find a file outside the book, and how figmill says its name.
SPELLINGS = {
    "x: @FILE": "FILE",
    'x: @"FILE"': "FILE",
    "x: @'FILE'": "FILE",
    "...@FILE": "FILE",
    "x: {...@FILE}": "FILE",
    "x: [@FILE; 1]": "FILE",
    "x: @ FILE": "FILE",
    "x: \\\n  @FILE": "FILE",
    "x: @UP": "UP",
    "x: @FILE.a": "FILE.a",
    "x: @ESCAPED": "FILE",
    'x: @"ESCAPED"': "FILE",
}


def test_d2_opens_no_file_and_no_picture_of_the_machine(space: Space) -> None:
    """Without a sandbox its program sees the machine. Each spelling is one that D2 understands.

    A source may put the path of a picture together. What the book has, and what a source writes out, is drawn.
    """
    outside = space.root.parent / "out of it"
    outside.mkdir()
    (outside / "data.d2").write_text(f'a -> "{TOKEN}"\n')
    file = str(outside / "data")
    names = {"FILE": file, "UP": f"{'../' * 30}{file[1:]}", "ESCAPED": file.replace("data", "d\\ata")}
    for number, spelling in enumerate(SPELLINGS):
        source = spelling
        for word, name in names.items():
            source = source.replace(word, name)
        space.write({f"visuals/a{number}.d2": f"{source}\n"})
        space.question(f"a{number}", f"source: a{number}.d2, alt: a diagram")
    space.write(
        {"visuals/label.d2": f"x: mail me @{outside}/none\ny: @data\n", "visuals/data.d2": "a -> b\n"}
    )
    space.question("label", "source: label.d2, alt: a diagram")
    (space.root.parent / "outside.svg").write_text(PICTURE)
    dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    space.write({"visuals/near.svg": PICTURE.replace(TOKEN, "near")})
    icons = {
        "full": f"{space.root.parent}/outside.svg",
        "joined": "${a}/outside.svg",
        "near": "near.svg",
        "data": f'"data:image/png;base64,{dot}"',
    }
    for id_, icon in icons.items():
        space.write({f"visuals/{id_}.d2": f"vars: {{a: {space.root.parent}}}\nx: {{icon: {icon}}}\n"})
        space.question(id_, f"source: {id_}.d2, alt: a diagram")
    ran = space.run("--sandbox=off")
    assert leaks(space, ran.out + ran.err, set()) == []
    drawings = {path.name for path in (space.root / "build/global").glob("*.svg") if ".dark" not in path.name}
    # What only looks like a name is a label.
    assert drawings == {"label.svg", "near.svg", "data.svg"}, ran.err
    for number, said in enumerate(SPELLINGS.values()):
        name = said.replace("FILE", file).replace("UP", names["UP"])
        assert f"visuals/a{number}.d2:" in ran.err and f"'{name}' is outside the book; imports are" in ran.err
    for id_ in ("full", "joined"):
        assert (
            f"visuals/{id_}.d2: an icon is a picture outside the book; save it beside the diagram" in ran.err
        )


# Reads that pass the door -> what they read. Everything else that opens a file is a fault.
NO_DATA = {
    "figmill_kinds.d2.renderer: files.read(out, files.DATA)": "what D2 wrote",
    "kinds.graphs.library: os.open(os.devnull, os.O_WRONLY)": "the system's null device",
    "kinds.matplotlib_: out.read_bytes()": "what the script wrote",
    "figmill_kinds.mermaid.renderer: files.read(MERMAID, files.SOURCE)": "what the wheel brings along",
    "figmill_kinds.mermaid.renderer: files.read(HERE / name, files.SOURCE)": "figmill's own code",
    "kinds.picture: Image.open(io.BytesIO(data), formats=tuple(FORMATS))": "bytes",
    "kinds.dot_images: Image.open(io.BytesIO(data), formats=('PNG', 'JPEG', 'WEBP'))": "bytes",
    "figmill_kinds.plantuml.renderer: files.read(DOCUMENT, files.SOURCE)": "figmill's own code",
    "figmill_kinds.wavedrom.renderer: files.read(FOLDER / name, files.SOURCE)": "what the wheel brings along",
}
OPENING = {
    "open",
    "read",
    "read_bytes",
    "read_text",
    "head",
    "digest",
    "opened",
    "copy",
    "loadtxt",
    "imread",
    "parse",
}
OPENERS = {
    "files",
    "os",
    "io",
    "Image",
    "codecs",
    "gzip",
    "numpy",
    "np",
    "etree",
    "ElementTree",
    "linecache",
    "shutil",
}


@cache
def reads(module: str) -> tuple[str, ...]:
    """The calls in a module that open a file."""
    return tuple(openings(module))


def openings(module: str) -> Iterator[str]:
    top, _, inside = module.partition(".")
    folder = code_folders().get(top)
    place = PACKAGE.joinpath(*module.split(".")) if folder is None else folder.joinpath(*inside.split("."))
    root = PACKAGE if folder is None else folder.parent
    paths = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    for path in paths:
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        for node in nodes(path):
            if isinstance(node, ast.Call) and _opens(node.func):
                yield f"{name}: {ast.unparse(node)}"


def _opens(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id == "open"
    if not isinstance(function, ast.Attribute) or function.attr not in OPENING:
        return False
    by_module = isinstance(function.value, ast.Name) and function.value.id in OPENERS
    if ast.unparse(function) == "os.read":  # of a descriptor
        return False
    return by_module or function.attr in ("read_bytes", "read_text", "open")


@cases("kind", KINDS)
def test_a_kind_reads_data_through_the_door_alone(kind: str) -> None:
    code = {"kind.job", *KINDS[kind].needs.code}
    assert [call for module in sorted(code) for call in reads(module) if call not in NO_DATA] == []


def test_each_exception_is_a_call_of_some_kind() -> None:
    called = {call for row in KINDS.values() for module in row.needs.code for call in reads(module)}
    assert NO_DATA.keys() <= called
