"""Files and streams that are no such thing, and words that are meant for a terminal or a CI service: one line each."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.book import DOT, HAND, CopyOf, Ran, Space
from helpers.cases import cases

from figmill.host.lines import as_json, in_ascii, one_line, own_lines, printable, shown, shown_source
from figmill.paths import code_folders

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes, links and signals are POSIX")

LONG = 60  # seconds, in which whatever does not hang has long ended


def run(space: Space, *arguments: str, memory: int = 6_000_000, **streams: object) -> Ran:
    """The command, with little memory (KiB): a file that is read although it is too large would not fit."""
    options: dict[str, object] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    done = subprocess.run(
        ["sh", "-c", f'ulimit -v {memory}; exec "$@"', "sh", sys.executable, "-m", "figmill", *arguments],
        cwd=space.root,
        timeout=LONG,
        check=False,
        stdin=subprocess.DEVNULL,
        **options,
    )  # type: ignore[call-overload]
    return Ran(done.returncode, (done.stdout or b"").decode(), (done.stderr or b"").decode())


def one_hand(space: Space) -> Space:
    return space.write({"visuals/d.svg": HAND}).question("hand", "source: d.svg, alt: one rank as a box")


@pytest.fixture
def hand(space: Space) -> Space:
    return one_hand(space)


@pytest.fixture
def built_hand(copy_of: CopyOf) -> Space:
    return copy_of(one_hand)


# ---------------------------------------------------------------- what is no regular file


def pipe(path: Path) -> None:
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's name is short
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path.name)
    finally:
        os.chdir(here)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def endless(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)  # no byte of it is on the disk


SORTS: tuple[Callable[[Path], None], ...] = (pipe, unix_socket, device, endless)
# What is refused, in one line that begins like this, and how the build ends; None: it is none of the book's, and is
# replaced or passed over.
PLACES: dict[str, tuple[str | None, int]] = {
    "pyproject.toml": ("figmill: pyproject.toml: cannot be read: it ", 2),
    "figmill.toml": ("figmill: figmill.toml: cannot be read: it ", 2),
    ".figmill/journal": ("figmill: .figmill/", 2),
    ".figmill/snapshot": (None, 0),
    ".figmill/lock": ("figmill: .figmill/lock ", 2),
    "build/global/hand.svg": (None, 0),
    "build/manifest.json": (None, 0),
    "questions/other.yaml": ("questions/other.yaml: ", 1),
    "visuals/other.svg": ("questions/other.yaml:4:18: 'visuals/other.svg' ", 1),
    "visuals/other.dot": ("questions/other.yaml:4:18: 'visuals/other.dot' ", 1),
    "visuals/other.py": ("questions/other.yaml:4:36: 'visuals/other.py' ", 1),
    "visuals/other.csv": ("questions/other.yaml:4:34: 'visuals/other.csv' ", 1),
    "font.ttf": ("figmill: figmill.toml:1: fonts: 'font.ttf' ", 2),
}


def other(space: Space, name: str) -> None:
    """What leads a build to the file."""
    kind = "kind: matplotlib, " if name.endswith(".py") else ""
    if name.startswith("visuals/") and name.endswith(".csv"):
        space.question("other", "source: d.svg, inputs: [other.csv], alt: one rank as a box")
    elif name.startswith("visuals/"):
        space.question("other", f"{kind}source: {Path(name).name}, alt: one rank as a box")
    elif name == "font.ttf":
        space.write({"figmill.toml": 'fonts = ["font.ttf"]\n'})


@pytest.mark.parametrize("make", SORTS)
@pytest.mark.parametrize("name", PLACES)
def test_what_is_no_regular_file_is_refused_and_holds_nobody(
    built_hand: Space, name: str, make: Callable[[Path], None]
) -> None:
    other(built_hand, name)
    built_hand.write({"visuals/d.svg": HAND.replace("Rank 0", "Rank 1")})
    path = built_hand.root / name
    path.unlink(missing_ok=True)
    make(path)
    done = run(built_hand)
    begin, code = PLACES[name]
    if name == ".figmill/lock" and make is endless:
        begin = "figmill: cannot write .figmill/lock: "
        code = 1
    if name == ".figmill/snapshot":
        refused = make is not endless  # the folder that is ours holds nothing but files
        begin, code = (f"figmill: {name} is ", 2) if refused else (None, 0)
    assert done.code == code, done
    assert "Traceback" not in done.err and "figmill itself" not in done.err
    if begin is None:
        assert done.err == "" and "Rank 1" in built_hand.read("build/global/hand.svg")
        assert (built_hand.root / "build/global/hand.svg").is_file()
    else:
        assert done.err.startswith(begin) or (code == 1 and begin in done.err), done.err
        lines = done.err.splitlines()
        assert len(lines) == 1 or all(not line.startswith("    ") for line in lines)
    if code == 1 and name != ".figmill/lock":
        assert "Rank 1" in built_hand.read("build/global/hand.svg")  # the others are built


@pytest.mark.parametrize("make", SORTS)
def test_a_cache_entry_that_is_no_file_is_a_miss(space: Space, make: Callable[[Path], None]) -> None:
    space.write({"visuals/a.dot": DOT}).question("graph", "source: a.dot, alt: a sends to b")
    assert space.run().code == 0
    before = space.outputs()
    entries = [path for path in (space.root / ".figmill/cache").glob("??/*") if len(path.name) == 64]
    shutil.rmtree(space.root / "build")
    (space.root / ".figmill/journal").unlink()
    (space.root / ".figmill/snapshot").unlink(missing_ok=True)
    (entry,) = entries
    entry.unlink()
    make(entry)
    done = run(space)
    if make is device:  # nothing is a link in the folder that is ours
        assert done.code == 2 and done.err.count("\n") == 1
        return
    assert (done.code, done.err) == (0, "")
    assert space.outputs() == before and entry.is_file() and entry.stat().st_size < 1 << 20


def test_a_large_input_is_hashed_and_not_held_in_memory(hand: Space) -> None:
    hand.question("needy", "source: d.svg, inputs: [data.bin], alt: one rank as a box")
    with (hand.root / "visuals/data.bin").open("wb") as file:
        file.truncate(2 << 30)
    done = run(hand, memory=1 << 20)
    assert (done.code, done.err) == (0, "")


# ---------------------------------------------------------------- settings

WRONG_SETTINGS = {
    "a NUL in the file": (b"cache = 'a\0b'\n", "figmill.toml:1:"),
    "a NUL in a path": (b'cache = "a\\u0000b"\n', 'figmill.toml:1: cache must be a folder, not "a\\x00b"'),
    "a NUL in a font": (b'fonts = ["a\\u0000.ttf"]\n', "figmill.toml:1: fonts must be a list of files, not "),
    "5000 digits": (b"timeout = " + b"9" * 5000, "figmill.toml:1: a number has too many digits"),
    "5000 digits, later": (
        b"jobs = 1\ntimeout = " + b"9" * 5000,
        "figmill.toml:2: a number has too many digits",
    ),
    "5000 digits, hexadecimal": (
        b"timeout = 0x" + b"f" * 5000,
        "figmill.toml:1: timeout must be a number of seconds",
    ),
    "deep lists": (b"x = " + b"[" * 5000, "figmill.toml:1: "),
    "no UTF-8": (b"font = '\xff'\n", "figmill.toml: is not UTF-8"),
    "a key with a line in it": (b'"a\\n::error::b" = 1\n', "figmill.toml: unknown setting 'a\\n::error::b'"),
    "a long value": (b'sandbox = "' + b"x" * 100_000 + b'"\n', "figmill.toml:1: sandbox must be"),
    "a folder": (None, "figmill.toml: cannot be read: Is a directory"),
}


@pytest.mark.parametrize("what", WRONG_SETTINGS)
def test_wrong_settings_are_told_in_one_line(hand: Space, what: str) -> None:
    data, message = WRONG_SETTINGS[what]
    if data is None:
        (hand.root / "figmill.toml").mkdir()
    else:
        hand.write({"figmill.toml": data})
    done = run(hand)
    assert done.code == 2, done
    assert done.err.startswith(f"figmill: {message}") and done.err.count("\n") == 1
    assert len(done.err) < 500


# ---------------------------------------------------------------- streams that nobody reads


WORDS = (
    (),
    ("--format", "json"),
    ("show",),
    ("lint",),
    ("clean",),
    ("show", "hand", "--format", "json"),
    ("schema",),
)


def test_closed_streams_take_nothing_from_a_build(hand: Space, tmp_path: Path) -> None:
    for number, closed in enumerate((">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-")):
        hand.write({"visuals/d.svg": HAND.replace("Rank 0", f"Rank {number}")})
        command = f'exec "$0" -m figmill "$@" {closed}'
        for arguments in WORDS if closed == ">&-" else WORDS[:1]:
            done = subprocess.run(
                ["sh", "-c", command, sys.executable, *arguments],
                cwd=hand.root,
                timeout=LONG,
                check=False,
                capture_output=True,
                text=True,
            )
            assert (done.returncode, done.stderr) == (0, ""), (closed, arguments)
        assert f"Rank {number}" in hand.read("build/global/hand.svg")
    hand.write({"visuals/d.svg": "<svg"})
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" -m figmill >&- 2>&-', sys.executable],
        cwd=hand.root,
        timeout=LONG,
        check=False,
    )
    assert done.returncode == 1
    names = {path.name for path in hand.root.iterdir()}
    # Nothing was written to the file that took a stream's number.
    assert names == {"build", "questions", "visuals", ".figmill"}


@pytest.mark.parametrize(
    "arguments", [(), ("--format", "json"), ("show",), ("lint",), ("--help",), ("schema",)]
)
def test_a_reader_that_has_gone_changes_no_exit_code(hand: Space, arguments: tuple[str, ...]) -> None:
    for _ in range(2):  # built, then fresh
        reading, writing = os.pipe()
        os.close(reading)
        done = run(hand, *arguments, stdout=writing)
        os.close(writing)
        assert (done.code, done.err) == (0, "")
    if arguments in ((), ("--format", "json")):
        assert "Rank 0" in hand.read("build/global/hand.svg")


@pytest.mark.parametrize("arguments", [(), ("--format", "json"), ("show",)])
def test_a_report_that_is_lost_is_told(hand: Space, arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        done = run(hand, *arguments, stdout=full)
    assert (done.code, done.err) == (
        1,
        "figmill: standard output cannot be written: No space left on device; everything else is done\n",
    )
    if not arguments or arguments[0] != "show":
        assert "Rank 0" in hand.read("build/global/hand.svg")
    with open("/dev/full", "wb") as full:
        assert run(hand, stderr=full).code == 0


def test_a_broken_line_to_a_worker_is_not_taken_for_a_closed_output(space: Space) -> None:
    """click ends a command in silence where anything raises EPIPE."""
    code = (
        "import sys\nimport figmill.engine.build\n"
        "def broken(*_, **__): raise BrokenPipeError(32, 'Broken pipe')\n"
        "figmill.engine.build.build = broken\nsys.argv[1:] = ['--format', 'json']\nfrom figmill.cli import run\n"
        "from figmill.commands.error_handler import guarded\nsys.exit(guarded(run))"
    )
    space.question("a", "source: a.dot, alt: a node")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=space.root,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONG,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("figmill: figmill itself has failed (BrokenPipeError)")


# ---------------------------------------------------------------- words for terminals and CI services

COMMANDS = (
    "::error::x",
    " ::warning::x",
    "\t::set-env name=PATH::x",
    "\u00a0::stop-commands::x",
    "##[error]x",
    "a ##[error]x",
    "##vso[task.setvariable]x",
    "##teamcity[message]",
    "####[error]x",
    "\u2003\u3000::add-mask::x",
    "\ufeff::error::x",
    "\x0c::error::x",
)
OBEYED = re.compile("^[\\s\ufeff\u200b\u180e]*::|##[\\w.-]*\\[")


@cases("text", COMMANDS)
def test_no_line_of_ours_is_a_command(text: str) -> None:
    assert OBEYED.search(text)
    assert not OBEYED.search(printable(text)) and not OBEYED.search(shown(text))
    assert not any(
        OBEYED.search(line) for line in map(shown_source, f"one\n{text}\r{text}\x85{text}".splitlines())
    )
    told = as_json({"message": text, text: [text]})
    assert json.loads(told) == {"message": text, text: [text]}
    assert not any(OBEYED.search(line) for line in told.splitlines())


@pytest.mark.parametrize("text", ["a::b", "x.svg:3: wrong", "std::vector", "# 1 [x]", "C# [x]", "größe → 图"])
def test_other_words_stay_as_they_are(text: str) -> None:
    assert printable(text) == shown(text) == text


def test_names_that_are_no_utf8_are_shown_by_their_bytes() -> None:
    name = os.fsdecode(b"caf\xe9.yaml")
    assert one_line(name) == own_lines(name) == "caf\\xe9.yaml"
    assert json.loads(as_json([name])) == ["caf\\xe9.yaml"]
    assert as_json(["\x9b\u202e"]) == '[\n "\\u009b\\u202e"\n]'
    assert json.loads(in_ascii(as_json(["größe 图 \U0001f600"]))) == ["größe 图 \U0001f600"]


EVIL = "::error::evil"
SCRIPT = f"""\
import sys
from figmill import Drawing
print("{EVIL}\\n \\x1b[31m##[error]evil\\n\\t::stop-commands::x\\u202e")
print("::error::evil", file=sys.stderr)
def draw(fail: bool = False):
    print("  {EVIL}")
    if fail:
        raise ValueError("{EVIL}\\n{EVIL}\\n  ##[error]evil\\n\\x1b[2J\\u2028{EVIL}")
    return Drawing("digraph {{ a -> b }}", facts={{"said": "{EVIL}\\n{EVIL}\\x1b[2J", "list": ["##[error]\\n"]}})
"""
LABELS = (
    'digraph { a [label="\\n::error::evil\\n##[error]" fontcolor="::error::evil\n::error::evil" shape="\x1b[2J"]\n'
    " b [label=<<b>::error::evil</b><x\n::error::evil>>] }\n"
)


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Space:
    """A book in which every word is meant for somebody else."""
    space = Space(tmp_path_factory.mktemp("evil").resolve() / "book")
    space.write({"visuals/s.py": SCRIPT, "visuals/l.dot": LABELS, "visuals/d.svg": HAND})
    space.write({f"visuals/{EVIL}.svg": "<svg>\n::error::evil &x; </svg>", "visuals/low.svg": LOW})
    space.question("good", "kind: dot, source: s.py, alt: a graph")
    space.question("bad", "kind: dot, source: s.py, params: {fail: true}, alt: a graph")
    space.question("labels", "source: l.dot, alt: a graph")
    space.question("named", f"source: '{EVIL}.svg', alt: a drawing")
    space.question("low", "source: low.svg, alt: a drawing")
    for number, name in enumerate(
        (EVIL, " \n::error::evil", "\x1b[2Jx", "##[error]", os.fsdecode(b"caf\xe9"))
    ):
        space.write(
            {f"questions/{name}.yaml": f"id: q{number}\nvisual: {{source: d.svg, alt: 'a', wrong: 1}}\n"}
        )
        space.write({f"questions/t{name}.yaml": f"id: t{number}\nvisual: {{source: low.svg, alt: a box}}\n"})
    return space


LOW = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100">
  <rect width="200" height="100" fill="#777777"/>
  <text x="10" y="35" font-size="12" fill="#888888">::error::evil&#10;::error::evil ##[error]evil</text>
</svg>
"""
WAYS: tuple[tuple[str, ...], ...] = (
    (),
    ("--verbose",),
    ("--explain",),
    ("--format", "json"),
    ("--format", "sarif"),
    ("--format", "github"),
    ("--force", "--verbose"),
    ("--dry-run", "--force"),
    ("--check",),
    ("show",),
    ("lint", "--verbose"),
    ("lint", "--format", "json"),
    ("lint", "--format", "sarif"),
    ("lint", "--format", "github"),
    ("facts", "good"),
    ("facts", "good", "said"),
    ("facts", "good", "list"),
    ("show", "good"),
    ("show", "good#said"),
    ("facts", "::error::x\n::error::x"),
    ("clean", "--dry-run"),
    ("--id", "\n::error::x"),
    ("--root", "\n::error::x"),
    ("::error::x\n::error::x",),
    ("new", "\n::error::x", "--kind", "dot"),
)
OURS = re.compile(r"^::(error|warning) file=[^:]*::")


@pytest.mark.parametrize("arguments", WAYS)
def test_whatever_a_book_says_is_no_command(evil: Space, arguments: tuple[str, ...]) -> None:
    done = evil.run(*arguments)  # which decodes strictly
    assert "Traceback" not in done.err
    lines = [*done.out.splitlines(), *done.err.splitlines()]
    assert lines
    for line in lines:
        told = OURS.sub("", line) if "github" in arguments else line
        assert not OBEYED.search(told) or ("github" in arguments and told == line.partition("::")[2]), line
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e]", line), line
    if {"json", "sarif"} & {*arguments}:
        done.json  # noqa: B018 - it can be read


def test_annotations_are_one_a_finding(evil: Space) -> None:
    rows = evil.run("--format", "json").json["figures"]
    errors = sum(len(row.get("errors", [row["error"]] if "error" in row else [])) for row in rows)
    warnings = sum(len(row.get("warnings", [])) for row in rows)
    lines = evil.run("--format", "github").out.splitlines()
    assert errors > 5
    assert len(lines) == errors + warnings + 1
    assert all(line.startswith(("::error file=", "::warning file=")) for line in lines[:-1])


def test_sarif_names_a_file_whose_name_is_no_utf8(evil: Space) -> None:
    results = evil.run("--format", "sarif").json["runs"][0]["results"]
    places = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results}
    assert "questions/caf%E9.yaml" in places
    assert "questions/%20%0A%3A%3Aerror%3A%3Aevil.yaml" in places


def test_a_book_with_a_name_that_is_no_utf8_is_built(space: Space) -> None:
    space.write({"visuals/d.svg": HAND, "visuals/a.dot": DOT})
    for number, name in enumerate((b"caf\xe9", b"\xff\xfe")):
        text = f"id: q{number}\nvisual: {{source: a.dot, alt: one}}\n"
        space.write({f"questions/{os.fsdecode(name)}.yaml": text})
        space.write({f"visuals/{os.fsdecode(name)}.csv": "1"})
    assert (space.run().code, space.run().code, space.run().out) == (0, 0, "2 figures, all fresh\n")
    for arguments in (("show",), ("lint",), ("--check",), ("--format", "json")):
        done = space.run(*arguments)
        assert (done.code, done.err) == (0, "")


def test_json_for_a_stream_that_is_no_utf8(space: Space) -> None:
    space.write({"visuals/größe.svg": "<svg"}).question("q", "source: größe.svg, alt: größe")
    done = space.run("--format", "json", env={"PYTHONIOENCODING": "ascii"})
    assert done.json["figures"][0]["error"]["file"] == "visuals/größe.svg"


# ---------------------------------------------------------------- what is not installed


def test_a_missing_matplotlib_is_told(space: Space, tmp_path: Path) -> None:
    packages = next(Path(path) for path in sys.path if path.endswith("site-packages"))
    place = tmp_path / "packages"
    place.mkdir()
    for path in packages.iterdir():
        if not path.name.startswith("matplotlib"):
            (place / path.name).symlink_to(path)
    for source, kind, code_, told in (
        ("a.dot", "dot", 2, "figmill: matplotlib is not installed"),  # its fonts
        (
            "p.py",
            "matplotlib",
            1,
            "questions/graph.yaml:4:16: kind matplotlib needs the package matplotlib: pip",
        ),
    ):
        space.write({"visuals/a.dot": DOT, "visuals/p.py": "def draw(): return 1\n"})
        space.question("graph", f"kind: {kind}, source: {source}, alt: a graph")
        paths = [*(str(folder.parent) for folder in code_folders().values()), str(place)]
        code = f"import sys\nsys.path[1:] += {paths}\nfrom figmill.__main__ import run\nrun()"
        done = subprocess.run(
            [sys.executable, "-S", "-c", code],
            cwd=space.root,
            timeout=LONG,
            check=False,
            capture_output=True,
            text=True,
            env={"PATH": os.environ["PATH"]},
        )
        assert done.returncode == code_, done.stderr
        assert done.stderr.count("\n") == 1 and done.stderr.startswith(told)


def test_a_library_that_every_command_needs_is_told(space: Space) -> None:
    code = "import sys\nsys.modules['click'] = None\nfrom figmill.__main__ import run\nrun()"
    done = subprocess.run(
        [sys.executable, "-c", code, "lint"], cwd=space.root, check=False, capture_output=True, text=True
    )
    message = (
        "figmill: the library click is not installed; `pip install figmill` installs all that it needs\n"
    )
    assert (done.returncode, done.stderr) == (1, message)
