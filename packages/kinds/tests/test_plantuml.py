"""Diagrams in PlantUML's language: each type counted and in both themes, includes as inputs, errors at their line.

The npm package is taken from PLANTUML_CORE (a folder) or from the environment's node_modules (`make` puts it there).
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from helpers.book import REPOSITORY, Ran, Space, believed
from helpers.cases import cases
from helpers.kind_sources import PLANTUML as TYPES
from helpers.kind_sources import PLANTUML_CORE as PACKAGE
from helpers.kind_sources import SEQUENCE
from lxml import etree

from figmill import font_metrics
from figmill.errors import AuthorError
from figmill.kinds import KINDS
from figmill.model import Origin
from figmill_kinds.plantuml import endings, faults
from figmill_kinds.plantuml.facts import _is_message
from figmill_kinds.plantuml.starter import STARTER
from figmill_kinds.plantuml.text import DiagramText

FILES = KINDS["plantuml"].needs.files
PICTURE = REPOSITORY / "docs/pictures/figmill-plantuml.svg"
needs_package = pytest.mark.skipif(
    not (PACKAGE / "plantuml.js").exists(), reason="npm install @plantuml/core, or set PLANTUML_CORE"
)


def with_package(space: Space) -> Space:
    for name in FILES:
        place = space.root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PACKAGE / place.name, place)
    return space


def with_diagrams(space: Space, sources: dict[str, str], more: str = "") -> Space:
    for name, text in sources.items():
        file = name.replace(" ", "-")
        space.write({f"visuals/{file}.puml": text})
        space.question(file, f"source: {file}.puml, alt: A diagram of {name}{more}")
    return space


def facts(space: Space) -> dict[str, dict[str, object]]:
    return {row["id"]: row["facts"] for row in json.loads(space.read("build/manifest.json"))["figures"]}


@needs_package
def test_every_type_is_drawn_and_counted_and_some_are_the_same_after_mistakes(
    together: tuple[Space, Ran], failing: tuple[Space, Ran]
) -> None:
    space, _ = together
    files = (f"{name.replace(' ', '-')}{theme}" for name in TYPES for theme in ("", ".dark"))
    outputs = space.outputs()
    first = {name: outputs[name] for name in (f"build/global/{file}.svg" for file in files)}
    for name, data in first.items():
        root = etree.fromstring(data)
        assert root.find(".//{*}text") is not None, name
        assert not any(word in data for word in (b"NaN", b"undefined", b"data-", b"#33ff02")), name
        assert b"#F1F1F1" not in data and b"#f1f1f1" not in data, f"{name} has a colour of PlantUML"
    assert b">Read<" in next(data for name, data in first.items() if name.endswith("old-endings.svg"))
    figures = facts(space)
    for name, (_, expected) in TYPES.items():
        stated = figures[name.replace(" ", "-")]
        assert expected.items() <= stated.items(), (name, stated)
    assert changed(space, failing[0], SOME) == []


def changed(space: Space, other: Space, names: Iterable[str]) -> list[str]:
    """The figures that another book draws otherwise, in either theme."""
    ours, theirs = space.outputs(), other.outputs()
    files = (name.replace(" ", "-") for name in names)
    paths = [f"build/global/{file}{theme}.svg" for file in files for theme in ("", ".dark")]
    return [path for path in paths if ours[path] != theirs.get(path)]


@pytest.mark.soak
@needs_package
def test_every_type_is_the_same_after_mistakes(together: tuple[Space, Ran], space: Space) -> None:
    with_mistakes(with_package(space), TYPES).run("--jobs", "1")
    assert changed(together[0], space, TYPES) == []


@pytest.mark.parametrize(
    ("written", "drawn"),
    [
        ("start\n:Read/\n:Write;", "start\n:Read; <<save>>\n:Write;"),
        (":a;\n#red:one\ntwo|\n\n' remark\nstop", ":a;\n#red:one\ntwo; <<procedure>>\n\n' remark\nstop"),
        (
            "start\n:b<\n:c>\n:d]\n:e\\\n:f}",
            "start\n:b; <<input>>\n:c; <<output>>\n:d; <<task>>\n:e; <<load>>\n:f; <<continuous>>",
        ),
        (":a path/\nof files;\nstop", None),  # text, not an end
        ("start\n:table\n|= a |\n| b |\n;\nstop", None),
        (":a; <<input>>\nstop", None),
        (":Reader: as r <<x>>\n:Reader: --> (Read)", None),  # not an activity diagram
    ],
)
def test_old_endings_become_stereotypes(written: str, drawn: str | None) -> None:
    assert endings.current(written.split("\n")) == (drawn or written).split("\n")


WORDS = r"""@startuml
' <math>a comment</math>
/' <img:comment.png>
 <latex>still one</latex> '/
title The <math>x^2</math> of it
participant "<img:pic/logo_a-b.png{scale=0.5}>" as S
A -> S : so <latex>\nu **x** __y__ "q"</latex> is
@enduml
@startuml(id=shapes)
hexagon "Six" as six <<data>>
six --> seven
@enduml
"""


@needs_package
def test_what_plantuml_leaves_out_stands_as_words(space: Space) -> None:
    with_diagrams(with_package(space), {"words": WORDS})
    for name, figure in {"second": 2, "named": "shapes", "none": "shape"}.items():
        space.question(name, f"source: words.puml, figure: {figure}, alt: A diagram")
    with_diagrams(space, {"figmill-plantuml": STARTER.source.decode()})
    space.question(
        "figmill-plantuml", f"source: figmill-plantuml.puml, alt: {STARTER.alt}", title="A page from a cache"
    )
    done = space.run("--verbose", "--jobs", "1")
    assert done.code == 1
    assert space.read("build/global/figmill-plantuml.svg") == PICTURE.read_text(encoding="utf-8")
    for line in (
        "words.puml: the first of 2 diagrams is drawn; `figure: 2` draws the second [dropped]",
        "words.puml:5: PlantUML for JavaScript does not set 2 formulas; their sources stand there [dropped]",
        "words.puml:6: PlantUML for JavaScript does not show 'logo_a-b.png'; its name stands there [dropped]",
        "words.puml:10: PlantUML for JavaScript draws no hexagon; a rectangle stands there [dropped]",
        "words.puml: has no diagram 'shape'; did you mean 'shapes'?",
    ):
        assert line in done.err, done.err
    assert "comment" not in done.err
    shown = "".join(etree.fromstring(space.read("build/global/words.svg").encode()).itertext())
    assert "logo_a-b.png" in shown and r'\nu **x** __y__ "q"' in shown.replace("\u00a0", " "), shown
    assert facts(space)["words"]["title"] == "The x^2 of it"
    second = space.read("build/global/second.svg")
    assert facts(space)["second"]["nodes"] == facts(space)["named"]["nodes"] == 2 and "<rect" in second


# A source that includes files; the book `failing` has a mistake in the deepest of them.
INCLUDED = {
    "visuals/included.puml": "@startuml\n!include own/common.iuml\n!includesub own/more.puml!END\nA -> B : ask\n"
    "@enduml\n",
    "visuals/own/common.iuml": "!include deeper.iuml\n",
    "visuals/own/more.puml": "@startuml\nX -> Y\n!startsub END\nB -> C : pass on\n!endsub\n@enduml\n",
}
DEEPER = "visuals/own/deeper.iuml"


@needs_package
def test_included_files_of_the_book_are_inputs(failing: tuple[Space, Ran], space: Space) -> None:
    assert f"{DEEPER}:2: PlantUML does not understand 'foo bar'" in failing[1].err
    shutil.copytree(failing[0].root, space.root, dirs_exist_ok=True)
    believed(space.root)
    assert space.run("--id", "included").code == 1
    space.write({DEEPER: "participant A\nparticipant B\nparticipant C\n"})
    done = space.run("--id", "included")
    assert done.code == 0, "a failure is remembered until an included file changes"
    assert facts(space)["included"]["actors"] == 3 and facts(space)["included"]["messages"] == 2
    space.write({DEEPER: "participant A\nparticipant B\nparticipant Crew\n"})
    done = space.run("--id", "included", "--dry-run", "--explain")
    assert DEEPER in done.out + done.err


# A library as others write it: an address for those who have no copy, which nobody reads in a book.
LIBRARY = {
    "visuals/lib/top.puml": '!if %variable_exists("LOCAL")\n!include ./base.puml\n!else\n'
    "!include https://example.org/lib/base.puml\n!endif\n!procedure Talk($a, $b)\n"
    "$a -> $b : $GREETING\n!endprocedure\n",
    "visuals/lib/base.puml": '!if %variable_exists("OTHER")\n!include <other/library>\n!endif\n!$GREETING ?= "hello"\n',
    "visuals/parts.puml": "@startuml\n!startsub ONE\nA -> B : one\n!endsub\n!includesub parts.puml!ONE\n@enduml\n",
    "visuals/own.style": "arrow { LineColor red }\n",
    "visuals/themes/puml-theme-own.puml": "skinparam ArrowColor red\n",
}
AS_JAVA_DOES = {
    "copied": ("@startuml\n!include lib/top.puml\nTalk(A, B)\n@enduml\n", "hello"),
    "folder": (
        '@startuml\n!$FROM = "https://example.org/lib"\n!include $FROM/parts.puml\n@enduml\n',
        "one",
    ),
    "library": ("@startuml\n!include <lib/top>\nTalk(A, B)\n@enduml\n", "hello"),
    "local": ('@startuml\n!$LOCAL = "yes"\n!include lib/top.puml\nTalk(A, B)\n@enduml\n', "hello"),
    "continued": (
        "@startuml\ntitle A title \\\n  goes on\nA -> B : a \\\nlong message\n@enduml\n",
        "a long message",
    ),
    "doubled": ("@startuml\n\n@startuml\nA -> B : hi\n@enduml\n@enduml\n", "hi"),
    "of-parts": ("@startuml\n!include parts.puml\n@enduml\n", "one"),
    "style": ("@startuml\n<style src=own.style>\n</style>\nA -> B : styled\n@enduml\n", "styled"),
    "theme": ("@startuml\n!theme own from themes\nA -> B : themed\n@enduml\n", "themed"),
    "sprite": ("@startuml\nsprite $s {\n  FFFF\n  F00F\n  FFFF\n}\nA -> B : <$s> drawn\n@enduml\n", "drawn"),
}


ROOM = {"wide": "MWMWMWMW", "narrow": "iljtiljt", "greek": "αβγδ Ωμέγα"}
SAID = {
    "ortho": (
        "@startuml\nskinparam linetype ortho\n(a) --> (b)\n(a) --> (c)\n@enduml\n",
        "2: PlantUML for JavaScript draws curves and slanted lines in place of `linetype ortho`",
    ),
    "level": ("@startuml\nskinparam linetype ortho\n(a) --> (b)\n@enduml\n", ""),
    "ball": (
        "@startuml\ncomponent Foo\ncomponent Bar\nFoo -0)- Bar\n@enduml\n",
        "4: PlantUML for JavaScript does not draw '0)' in the middle of a line",
    ),
    "end": ("@startuml\ncomponent Foo\ncomponent Bar\nFoo --0 Bar : a-0-b\n@enduml\n", ""),
    "dark": ("@startuml\n!theme cyborg\nAlice -> Bob : hello\n@enduml\n", ""),
    "page": (
        "@startuml\n!theme cyborg\nskinparam backgroundColor #222222\nAlice -> Bob : hello\n@enduml\n",
        "",
    ),
}


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> tuple[Space, Ran]:
    """Diagrams without a mistake in one book, built, and what was said. Not to be changed."""
    space = with_package(Space(tmp_path_factory.mktemp("together"))).write(LIBRARY)
    with_diagrams(space, {name: text for name, (text, _) in (AS_JAVA_DOES | SAID | TYPES).items()})
    with_diagrams(space, {name: f'@startuml\nrectangle "{text}"\n@enduml\n' for name, text in ROOM.items()})
    done = space.run("--verbose", "--jobs", "1")
    assert done.code == 0, done.err
    return space, done


@needs_package
def test_a_box_has_the_same_room_around_all_words(together: tuple[Space, Ran]) -> None:
    space, done = together
    assert "wide" not in done.err, done.err
    room = {}
    for name, text in ROOM.items():
        root = etree.fromstring(space.read(f"build/global/{name}.svg").encode())
        box = max(
            float(str(rect.get("width"))) for rect in root.iter("{*}rect") if rect.get("fill") == "#cfe2f3"
        )
        room[name] = box - font_metrics.measure(text, 14)
    assert max(room.values()) - min(room.values()) < 1.0, room


@needs_package
def test_what_plantuml_itself_draws_is_drawn(together: tuple[Space, Ran]) -> None:
    space, _ = together
    for name, (_, text) in AS_JAVA_DOES.items():
        assert f">{text}<" in space.read(f"build/global/{name}.svg"), name
    for name in ("style", "theme"):
        assert "#ff0000" in space.read(f"build/global/{name}.svg"), name
    drawn = space.read("build/global/sprite.svg")
    assert "crispEdges" in drawn and "<image" not in drawn


@needs_package
def test_what_is_drawn_otherwise_is_told_at_its_line(together: tuple[Space, Ran]) -> None:
    space, done = together
    for name, (_, message) in SAID.items():
        rows = [
            row
            for row in done.err.splitlines()
            if row.startswith(f"visuals/{name}.puml:") and "[contrast]" not in row
        ]
        assert len(rows) == bool(message) and all(
            row.startswith(f"visuals/{name}.puml:{message}") for row in rows
        ), rows
    for name in ("dark", "page"):
        assert "#222222" in space.read(f"build/global/{name}.svg") and "[invisible]" not in done.err, name


MISTAKES = {
    "@startuml\n!includesub none.puml!A\nA->B\n@enduml\n": "2: there is no file 'visuals/none.puml'",
    "@startuml\n!theme nothere from https://example.org/themes\nA->B\n@enduml\n": "2: figmill has no network",
    "@startuml\nA -> B\nclss foo ->\n@enduml\n": "3: PlantUML does not understand 'clss foo ->' in a sequence diagram",
    "@startuml\nA -> B\n": "1: this diagram has no end; write @enduml as its last line",
    "@startuml\n@enduml\n": "1: the diagram is empty; write it between @startuml and @enduml",
    "\n": "1: the file is empty; write a diagram between @startuml and @enduml",
    "@startuml\nA->B\n@startuml\nB->C\n@enduml\n": "1: this diagram has no end; write @enduml as its last line",
    "@startuml\nstart\n:a;\nfoo bar\n@enduml\n": "4: PlantUML does not understand 'foo bar' in an activity",
    "@startuml\n!theme nothere\nA->B\n@enduml\n": "2: PlantUML has no theme 'nothere'",
    "@startuml\n!include <C4/C4_Container>\n@enduml\n": "2: @plantuml/core does not have the library C4; "
    "copy its files, which the wheel c4-diagrams has in c4/vendor/c4_plantuml, to 'visuals/C4'",
    '@startuml\n!$ICONS = "https://example.org/a"\n!include $ICONS/none.puml\n@enduml\n': "3: the folder of "
    "'$ICONS/none.puml' is known only to PlantUML; put 'none.puml' beside this file",
    "@startuml\n!include <awslib/AWSCommon>\n@enduml\n": "2: @plantuml/core does not have the library awslib; "
    "copy its files to 'visuals/awslib'",
    "@startuml\n!include https://example.org/a.puml\n@enduml\n": "2: figmill has no network; save the file in the book",
    "@startuml\n!include ../../../secret\n@enduml\n": "2: '../../../secret' is outside the book",
    "@startuml\n!$a = 1\n!include ../../../secret\n@enduml\n": "3: '../../../secret' is outside the book",
    "@startuml\n!include none.iuml\n@enduml\n": "2: there is no file 'visuals/none.iuml'",
    "@startuml\nclss foo ->\n!include none.iuml\n@enduml\n": "3: there is no file 'visuals/none.iuml'",
    "@startuml\n!$a = 1\nclss foo ->\n!include none.iuml\n@enduml\n": "4: there is no file 'visuals/none.iuml'",
    "@startuml\n!include a.puml\n@enduml\n": "2: 'a.puml' includes itself",
    "@startsalt\n{ [OK] }\n@endsalt\n": "1: the npm package @plantuml/core does not draw @startsalt",
    "@startchronology\nx\n@endchronology\n": "1: the npm package @plantuml/core does not draw @startchronology; draw",
}


def _before(number: int) -> str:
    """A name for a mistake, which comes in the order of names before that of a type: of each in turn."""
    names = [name.replace(" ", "-") for name in TYPES]
    return f"{names[number % len(names)][:-1]}-{number:02}"


SOME = list(TYPES)[::8]  # take part in what every type does in `make soak`


def with_mistakes(space: Space, names: Iterable[str]) -> Space:
    """One process draws them in the order of their names, and outlives all of these mistakes."""
    with_diagrams(space, {name: TYPES[name][0] for name in names})
    return with_diagrams(space, {_before(number): text for number, text in enumerate(MISTAKES)})


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> tuple[Space, Ran]:
    """Diagrams of some types after others that PlantUML cannot read, built. Not to be changed."""
    space = with_mistakes(with_package(Space(tmp_path_factory.mktemp("failing"))), SOME)
    with_diagrams(space, {"a": "@startuml\n!include a.puml\n@enduml\n"})
    with_diagrams(space, {"talk": SEQUENCE}, more=", expect: {messages: 5}")
    space.write(INCLUDED).write({DEEPER: "participant A\nfoo bar\n"})
    space.question("included", "source: included.puml, alt: A diagram with others in it")
    return space, space.run("--jobs", "1")


@needs_package
def test_mistakes_are_told_at_their_line(failing: tuple[Space, Ran]) -> None:
    _, done = failing
    assert done.code == 1
    assert [row for row in done.err.splitlines() if "talk" in row and "messages" in row], done.err
    for number, told in enumerate(MISTAKES.values()):
        line = f"visuals/{'a' if 'itself' in told else _before(number)}.puml:{told}"
        assert line in done.err, f"{line}\n{done.err}"


@pytest.mark.parametrize(
    ("lines", "stops"),
    [
        (("!include none",), 2),
        (("A -> B", "  !include_once none"), 3),
        (("!if %false()", "!include none", "!endif"), 0),
        (("A -> B : $name", "!include none"), 0),
        (("!theme none from here",), 0),
        (("A -> B",), 0),
    ],
)
def test_an_include_that_plantuml_surely_comes_to_is_told_without_it(
    lines: tuple[str, ...], stops: int
) -> None:
    """Such a figure does not start PlantUML, which takes most of a second."""
    rows = ("@startuml", *lines, "@enduml")
    refused = AuthorError(Origin("a.puml", 9), "there is no file 'none'")
    unread = {number: refused for number, row in enumerate(rows, 1) if "none" in row}
    text = DiagramText(
        "a.puml", "uml", rows, tuple(Origin("a.puml", n) for n in range(len(rows))), (), unread=unread
    )
    assert faults.stops_at(text) == stops


def test_without_the_npm_package_only_its_figures_fail(space: Space) -> None:
    with_diagrams(space, {"a": SEQUENCE})
    space.write({"visuals/b.dot": "digraph { x -> y }"}).question("b", "source: b.dot, alt: Two nodes")
    done = space.run()
    needs = "kind plantuml needs the file node_modules/@plantuml/core/plantuml.js in the book: npm install @plantuml/core"  # noqa: E501
    assert done.code == 1 and done.err.splitlines()[0] == f"questions/a.yaml:4:18: {needs}", done.err
    assert "build/global/b.svg" in space.outputs()
    if (PACKAGE / "plantuml.js").exists():
        assert with_package(space).run().code == 0


def test_a_package_behind_a_link_out_of_the_book_is_told(space: Space) -> None:
    with_diagrams(space, {"a": SEQUENCE})
    elsewhere = space.root.parent / "elsewhere" / "core"
    elsewhere.mkdir(parents=True)
    for name in KINDS["plantuml"].needs.files:
        (elsewhere / Path(name).name).write_text("// PlantUML")
    (space.root / "node_modules/@plantuml").mkdir(parents=True)
    (space.root / "node_modules/@plantuml/core").symlink_to(elsewhere, target_is_directory=True)
    done = space.run()
    told = "questions/a.yaml:4:18: node_modules/@plantuml/core/plantuml.js is behind a link that leads out of the book"
    assert done.code == 1 and done.err.startswith(told), done.err


@needs_package
def test_an_earlier_commit_is_drawn_with_the_package_of_the_book(space: Space) -> None:
    with_diagrams(with_package(space), {"a": "@startuml\nA -> B : ask\n@enduml\n"})
    space.write({".gitignore": "node_modules/\nbuild/\n"})
    named = ("-c", "user.name=A", "-c", "user.email=a@b.c")
    for arguments in (("init", "-q"), ("add", "-A"), (*named, "commit", "-qm", "One")):
        subprocess.run(["git", *arguments], cwd=space.root, check=True)
    space.write({"visuals/a.puml": "@startuml\nA -> B : ask\nB -> C : pass on\n@enduml\n"})
    assert space.run().code == 0
    done = space.run("--check", "--against", "HEAD", "--format", "json")
    assert done.code == 3, done.out + done.err
    (row,) = json.loads(done.out)["figures"]
    assert row["status"] == "would-change", row


@cases(
    ("line", "is_message"),
    [
        ("A -> B : x", True),
        ('"A b" -->> "C" : x', True),
        ("A ->x B", True),
        ("A <- B : y", True),
        ("return ok", True),
        ("A -[#red]> B", True),
        ("[-> A : in", True),
        ("A ->] : out", True),
        ("A -> B ++ #gold : x", True),
        ("participant A", False),
        ("note left: a -> b", False),
        ("alt a -> b is there", False),
        ("--", False),
        ("== part ==", False),
        ("title A -> B", False),
    ],
)
def test_messages_are_counted_by_their_arrows(line: str, is_message: bool) -> None:
    assert _is_message(line) is is_message, re.escape(line)


def test_a_crash_of_plantuml_names_the_line_and_no_address() -> None:
    """The pictures of its crashes ask for a mail to its author, which is no help to an author of a book."""
    text = DiagramText(
        "x.puml",
        "uml",
        ("@startuml", "!while 1", "@enduml"),
        tuple(Origin("x.puml", n) for n in (1, 2, 3)),
        (),
    )
    log = "You should send a mail to plantuml@gmail.com with this log (V$version$) java.lang.IllegalStateException"
    lines = ("PlantUML version 1", "[From string (line 2) ]", log)
    svg = "<svg>" + "".join(f"<text>{line}</text>" for line in lines) + "</svg>"
    error = faults.of_drawing(svg, text, 0)
    assert (
        str(error)
        == "x.puml:2: PlantUML crashes at '!while 1' (IllegalStateException); write this in another way"
    )
    lines = (
        "An error has occurred : java.lang.NullPointerException",
        "PlantUML (1) has crashed.",
        "You should send",
    )
    svg = "<svg>" + "".join(f"<text>{line}</text>" for line in lines) + "</svg>"
    error = faults.of_drawing(svg, text, 0)
    assert str(error) == "x.puml:1: PlantUML crashes (NullPointerException); write this in another way"
