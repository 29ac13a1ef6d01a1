"""One figure never stops the others: faults of figmill itself, slow and hungry figures, and dead warm processes."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from textwrap import dedent

import pytest
from helpers.book import DOT, HAND, CopyOf, Ran, Space, two_figures
from helpers.building import built_here
from helpers.disturbed import stated
from helpers.planted import planted

from figmill.enclosure import process_tree
from figmill.host import files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes and signals are POSIX here")

FAULT = """
_well = {name}
def {name}(*words, **named):
    if "hand" in repr((words, named)):
        {what}
    return _well(*words, **named)
"""
DIVIDES = "1 / 0"

# Where figmill fails at one figure -> the module, the function, and what is being done.
STAGES = {
    "settling": ("publish/finalise.py", "settle", "this was read and checked"),
    "checking": ("svg/__init__.py", "in_themes", "this was read and checked"),
    "filling in": ("publish/placeholders.py", "fill", "this was read and checked"),
    "going to another process": ("publish/settling.py", "packed", "this was read and checked"),
    "coming back": ("publish/settling.py", "unpacked", "taking back what was checked"),
    "job": ("render/jobs.py", "job_for", "looking at its parameters"),
    "ledger": ("engine/outputs.py", "entry_of", "describing what it shows"),
    "manifest": ("publish/manifest.py", "row", "describing what it shows"),
    "gallery": ("publish/gallery.py", "card", "describing what it shows"),
}
IMPORTERS = {
    "unpacked": "engine/drawing/results.py",
    "job_for": "engine/drawing/jobs.py",
    "settle": "publish/settling.py",
    "fill": "publish/finalise.py",
    "in_themes": "publish/finalise.py",
    "entry_of": "engine/update.py",
}
BUILT = {"build/global/graph.svg", "build/global/rank.svg"}


@pytest.fixture
def book(small_book: Space) -> Space:
    """A drawing that a fault of `faulty` meets, and two figures that are to be built whatever comes."""
    small_book.write({"visuals/e.svg": HAND.replace("Rank 0", "Rank 1")})
    return small_book.question("rank", "source: e.svg, alt: one rank as a box")


def built(book: Space) -> set[str]:
    """The light SVGs that there are."""
    return {path for path in book.outputs() if not path.endswith(".dark.svg")}


def faulty(space: Space, name: str, what: str = DIVIDES) -> dict[str, str]:
    module, function, _ = STAGES[name]
    where = IMPORTERS.get(function, module)  # whoever calls it by the name under which it was imported
    return dict(planted(space.root.parent, where, FAULT.format(name=function, what=what)))


@pytest.mark.parametrize("name", STAGES)
def test_a_fault_of_figmills_own_is_one_figures_error(book: Space, name: str) -> None:
    env = faulty(book, name)
    told = f"figmill itself failed while {STAGES[name][2]} (ZeroDivisionError); please report it"
    ran = book.run("--format", "json", env=env)
    assert (ran.code, ran.err) == (1, "")
    rows = {row["id"]: row for row in ran.json["figures"]}
    assert {id_ for id_, row in rows.items() if row["status"] == "rendered"} == {"graph", "rank"}
    assert rows["hand"]["status"] == "failed" and rows["hand"]["error"]["message"] == told
    assert built(book) == BUILT
    assert {figure["id"] for figure in json.loads(book.read("build/manifest.json"))["figures"]} == {
        "graph",
        "rank",
    }
    plain, verbose = book.run(env=env), book.run("--verbose", env=env)
    assert plain.code == verbose.code == 1
    assert [line for line in plain.err.splitlines() if told in line] == plain.err.splitlines()
    assert "Traceback" in verbose.err and "1 / 0" in verbose.err
    after = book.run()  # nothing was left half done
    assert (after.code, after.err) == (0, "") and built(book) > BUILT


WAYS = {
    # what is asked -> the words for it
    "dry run": ("--dry-run",),
    "check": ("--check",),
    "github": ("--format", "github"),
    "sarif": ("--format", "sarif"),
    "lint": ("lint",),
    "lint as json": ("lint", "--format", "json"),
}


@pytest.mark.parametrize("words", WAYS.values(), ids=WAYS)
def test_whatever_was_asked_the_fault_is_told_and_nothing_else_stops(
    book: Space, words: tuple[str, ...]
) -> None:
    ran = book.run(*words, env=faulty(book, "settling"))
    assert ran.code == 1
    assert "figmill itself failed while this was read and checked (ZeroDivisionError)" in ran.out + ran.err
    assert "Traceback" not in ran.out + ran.err
    if words == ("--dry-run",):
        assert "3 figures, 2 would-create, 1 failed" in ran.out


def test_lint_holds_its_own_checks(book: Space) -> None:
    env = planted(book.root.parent, "lint/lint.py", FAULT.format(name="_wording", what=DIVIDES))
    ran = book.run("lint", env=env)
    assert ran.code == 1 and "Traceback" not in ran.err
    assert "while checking its words (ZeroDivisionError); please report it [figure-fails]" in ran.out


def test_a_question_that_cannot_be_read_stops_no_other(book: Space) -> None:
    env = planted(book.root.parent, "engine/questions.py", FAULT.format(name="read", what=DIVIDES))
    ran = book.run(env=env)
    assert (ran.code, built(book)) == (1, BUILT)
    assert (
        "questions/hand.yaml: figmill itself failed while reading this question (ZeroDivisionError)"
        in ran.err
    )


def test_a_comparison_holds_each_figure(book: Space) -> None:
    env = planted(book.root.parent, "engine/dry_run.py", FAULT.format(name="row_of", what=DIVIDES))
    ran = book.run("--dry-run", env=env)
    assert ran.code == 1
    assert "while comparing it with the existing files (ZeroDivisionError); please report it" in ran.err


def test_an_earlier_commit_with_a_fault_is_compared_all_the_same(book: Space) -> None:
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "all")):
        subprocess.run([*git, *words], cwd=book.root, check=True)
    ran = book.run("--check", "--against", "HEAD", env=faulty(book, "settling"))
    assert ran.code == 1
    assert "3 figures, 2 unchanged, 1 failed" in ran.out and ran.err.count("figmill itself failed") == 1


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("build/global/hand.svg", ()),
        ("build/global/hand.dark.svg", ()),
        ("build/global/hand.png", ("--to", "png")),
        ("build/global/hand.pdf", ("--to", "pdf")),
    ],
)
def test_a_folder_where_a_file_is_to_be_written_is_one_figures_error(
    book: Space, path: str, words: tuple[str, ...]
) -> None:
    told = "move this folder elsewhere; figmill writes a file of this name"
    inside = f"{path}/kept.txt"
    book.write({inside: "mine"})
    ran = book.run("--format", "json", *words)
    assert (ran.code, ran.err) == (1, "")
    rows = {row["id"]: row for row in ran.json["figures"]}
    assert {id_ for id_, row in rows.items() if row["status"] == "failed"} == {"hand"}
    assert (rows["hand"]["error"]["file"], rows["hand"]["error"]["message"]) == (path, told)
    assert built(book) >= BUILT
    assert book.read(inside) == "mine"
    assert book.run("--check", *words).code == 1  # and it stays said
    shutil.rmtree(book.root / path)
    assert (book.run(*words).code, book.run("--check", *words).code) == (0, 0)


UNREADABLE = """
_holds = Disk.holds
def holds(disk, name, data):
    if name.endswith("graph.data-nodes.csv"):
        raise AuthorError(Origin(name), "cannot be read: Permission denied")
    return _holds(disk, name, data)
Disk.holds = holds
"""
LATE = {
    # what goes wrong when a figure is about to be written: the module, and the code
    "its last file cannot be read": ("store/disk.py", UNREADABLE),
    "its row": ("engine/writer.py", FAULT.format(name="row_of", what=DIVIDES).replace("hand", "graph")),
}


@pytest.mark.parametrize(("module", "code"), LATE.values(), ids=LATE)
def test_a_figure_that_fails_keeps_every_file_that_the_manifest_states(
    copy_of: CopyOf, module: str, code: str
) -> None:
    small_book = copy_of(two_figures)
    before = stated(json.loads(small_book.read("build/manifest.json")))
    small_book.write({"visuals/a.dot": DOT.replace("sends", "waits for")})
    assert small_book.run(env=planted(small_book.root.parent, module, code)).code == 1
    assert stated(json.loads(small_book.read("build/manifest.json"))) == before
    assert "global/graph.data-nodes.csv" in before
    for path, digest in before.items():
        assert sha256((small_book.root / "build" / path).read_bytes()).hexdigest() == digest, path


def test_an_export_that_cannot_be_read_is_one_figures_error(book: Space) -> None:
    pytest.importorskip("typst")
    assert book.run().code == 0
    code = FAULT.format(name="copy", what=DIVIDES).replace('"hand"', '"Rank 0"')
    env = planted(book.root.parent, "publish/exporter.py", code)
    ran = book.run("--to", "png", "--format", "json", env=env)
    assert ran.code == 1 and ran.err == ""
    status = {row["id"]: row["status"] for row in ran.json["figures"]}
    assert status.pop("hand") == "failed" and set(status.values()) == {"exported"}


# ---------------------------------------------------------------- limits of what only reads

SLOW = "import time; time.sleep(90)"
HUNGRY = "x = bytearray(3 << 30)"
DIES = "import os; os.kill(os.getpid(), 9)"
LIMITS = {
    # what reading a drawing comes to -> what is told
    "slow": (SLOW, "visuals/d.svg: could not be read and checked within 1 s; `timeout: N` in its question"),
    "spins": ("while True: pass", "visuals/d.svg: could not be read and checked within 1 s"),
    "hungry": (HUNGRY, "visuals/d.svg: could not be read and checked in 2048 MiB of memory; `memory` in the"),
    "dies": (DIES, "visuals/d.svg: its process ended (SIGKILL) while it was read and checked"),
}


@pytest.mark.parametrize(("what", "told"), LIMITS.values(), ids=LIMITS)
def test_a_hand_drawing_has_the_limits_of_a_figure(book: Space, what: str, told: str) -> None:
    book.question("hand", "source: d.svg, timeout: 1, alt: one rank as a box")
    began = time.monotonic()
    ran = book.run(env=faulty(book, "settling", what))
    assert time.monotonic() - began < 30
    assert (ran.code, built(book)) == (1, BUILT)
    assert told in ran.err and "Traceback" not in ran.err


def test_figures_of_one_drawing_are_settled_each_for_itself(book: Space) -> None:
    """The second is made of the first one's drawing, and fails alone."""
    book.question("hand-again", "source: d.svg, alt: one rank again")
    book.question("other", "source: d.svg, alt: another rank")
    ran = book.run(env=faulty(book, "settling", "if 'hand-again' in repr(words): 1 / 0"))
    assert ran.code == 1 and "4 rendered, 1 failed" in ran.out
    assert "build/global/hand.svg" in book.outputs() and "build/global/other.svg" in book.outputs()


BOMBS = {
    # the text of a script -> what is told
    "names": ("import " + ".".join(["a"] * 300_000), "visuals/bomb.py"),
    "sum": (
        "x = 1" + " + 1" * 300_000,
        "an expression of this script is longer or deeper than Python can read",
    ),
    "signs": (
        "x = " + "-" * 100_000 + "1",
        "an expression of this script is longer or deeper than Python can read",
    ),
    "size": ("#" + "x" * 5_000_000, "visuals/bomb.py: 5,000,001 bytes; a script has at most 5,000,000"),
    "literal": ("def draw(n: 'Literal[0x" + "f" * 9000 + "]'): pass", "questions/bomb.yaml"),
}


@pytest.mark.parametrize(("text", "told"), BOMBS.values(), ids=BOMBS)
def test_a_script_whose_text_is_a_bomb_fails_alone(book: Space, text: str, told: str) -> None:
    book.write({"visuals/bomb.py": text, "figmill.toml": 'memory = "500 MiB"\n'})
    book.question("bomb", "kind: dot, source: bomb.py, timeout: 5, alt: never seen")
    ran = book.run()
    assert ran.code == 1 and "3 rendered, 1 failed" in ran.out
    assert told in ran.err and "Traceback" not in ran.err


# ---------------------------------------------------------------- warm processes that die

SCRIPT = """\
import os
import time


def draw(n: int = 3, style: str = "plain"):
    DEED
    return f"digraph {{ {style} -> n{n} }}"
"""
DEEDS = {
    # what a script does to the process that it was forked from
    "kills": "os.kill(os.getppid(), 9); time.sleep(5)",
    "kills and draws": "os.kill(os.getppid(), 9)",
    "crashes": "os.kill(os.getppid(), 11); time.sleep(5)",
}


@pytest.mark.skipif(sys.platform != "linux", reason="scripts are forked")
@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_who_kills_the_warm_process_fails_by_name_and_the_others_are_built(
    book: Space, tmp_path: Path, deed: str
) -> None:
    """As on a kernel that does not keep a script from signalling others: elsewhere it is told that it may not."""
    env = planted(
        tmp_path, "enclosure/privileges.py", "def give_up(mode: object, writable: object = None) -> None: ..."
    )
    book.write({"visuals/killer.py": SCRIPT.replace("DEED", deed), "figmill.toml": 'sandbox = "off"\n'})
    book.write({"visuals/b.py": SCRIPT.replace("DEED", "pass")})
    for number in range(6):
        book.question(f"good-{number}", f"kind: dot, source: b.py, params: {{n: {number + 5}}}, alt: a line")
    for name in ("aa", "k", "zz"):
        book.question(
            name, f"kind: dot, source: killer.py, params: {{n: {len(name)}, style: {name}}}, alt: none"
        )
    began = time.monotonic()
    ran = book.run("--format", "json", "--jobs", "3", env=env)
    assert time.monotonic() - began < 60
    assert (ran.code, ran.err) == (1, "")
    status = {row["id"]: row["status"] for row in ran.json["figures"]}
    assert {id_ for id_, found in status.items() if found == "failed"} == {"aa", "k", "zz"}
    assert len(built(book)) == 9
    errors = {row["error"]["message"] for row in ran.json["figures"] if "error" in row}
    assert all("process" in error for error in errors), errors


PLOTS = """\
import time

from matplotlib.figure import Figure


def draw(n: int = 3):
    time.sleep(0.4)
    figure = Figure(figsize=(3, 2))
    figure.add_subplot().plot([1, n])
    return figure
"""
WARM = {
    # what a warm process forks: the kind of the scripts, their text, and the kinds that the process has loaded
    "draws and makes": ("dot", SCRIPT.replace("DEED", "time.sleep(0.4)"), ["dot"]),
    "draws": ("matplotlib", PLOTS, ["dot", "matplotlib"]),
    "makes": ("matplotlib", PLOTS, []),
}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(("kind", "script", "loaded"), WARM.values(), ids=WARM)
def test_a_warm_process_that_is_killed_from_without_is_started_again(
    book: Space, kind: str, script: str, loaded: list[str]
) -> None:
    """As the kernel does where memory is short: nobody's figure is at fault, and all are built.

    It is killed once the first figure is there: then it has served, and the scripts still wait for it.
    """
    book.write({"visuals/slow.py": script})
    for number in range(8):
        words = f"kind: {kind}, source: slow.py, params: {{n: {number + 5}}}, alt: a line"
        book.question(f"slow-{number}", words)
    first, until = book.root / "build/global/graph.svg", time.monotonic() + 60
    with subprocess.Popen(
        [sys.executable, "-m", "figmill", "--jobs", "2"],
        cwd=book.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as build:
        while not first.exists() and build.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        (found,) = warm(build.pid, loaded)
        os.kill(found, 9)  # once: what then is drawn alone would be at fault
        out, err = build.communicate(timeout=60)
    told = [line for line in err.splitlines() if "scripts ran without a sandbox" not in line]
    assert (build.returncode, told) == (0, []) and "11 figures, 11 rendered" in out


def warm(build: int, loaded: list[str]) -> list[int]:
    """The warm processes of a build that have loaded these kinds."""
    words = f'"kinds": {json.dumps(loaded)}'.encode()
    return [pid for pid in process_tree.children(build) if words in Path(f"/proc/{pid}/cmdline").read_bytes()]


# ---------------------------------------------------------------- what a process sends

SENDS = dedent("""
    import json, os, socket, struct, time, stat
    def line():
        for fd in range(3, 256):
            try:
                if stat.S_ISSOCK(os.fstat(fd).st_mode):
                    yield socket.socket(fileno=os.dup(fd))
            except OSError:
                pass
    def message(text, payload=b''):
        return struct.pack('>II', len(text), len(payload)) + text + payload
    def draw():
        for one in line():
            try:
                {deed}
            except OSError:
                pass
        time.sleep(60)
""")
SENT = {
    # what a script sends on its line
    "a list": "one.sendall(message(b'[]'))",
    "nothing": "one.sendall(message(b''))",
    "an object": "one.sendall(message(b'{}'))",
    "a number": "one.sendall(message(b'1e999'))",
    "no JSON": "one.sendall(message(b'{'))",
    "not UTF-8": "one.sendall(message(bytes([255] * 9)))",
    "deep": "one.sendall(message(b'[' * 900000))",
    "a long number": "one.sendall(message(b'9' * 900000))",
    "a long header": "one.sendall(struct.pack('>II', 0xffffffff, 0))",
    "a long drawing": "one.sendall(struct.pack('>II', 2, 0xffffffff) + b'{}')",
    "an answer of its own": "one.sendall(message(json.dumps(dict(facts=1, printed='')).encode(), b'<svg/>'))",
    "slowly": "one.sendall(struct.pack('>II', 1000, 0)); [(one.sendall(b'\\0'), time.sleep(0.2)) for _ in range(300)]",
    "without end": "[one.sendall(message(b'{}') * 9999) for _ in range(9999)]",
    "hangs up": "one.shutdown(2)",
}


@pytest.mark.skipif(sys.platform != "linux", reason="scripts are forked")
def test_whatever_a_script_sends_only_its_own_figure_fails(book: Space) -> None:
    for number, deed in enumerate(SENT.values()):
        book.write({f"visuals/s{number:02}.py": SENDS.replace("{deed}", deed)})
        book.question(f"s{number:02}", f"kind: dot, source: s{number:02}.py, timeout: 1, alt: never seen")
    began = time.monotonic()
    ran: Ran = book.run("--format", "json", "--jobs", "3")
    assert time.monotonic() - began < 90
    assert (ran.code, ran.err) == (1, "")
    status = {row["id"]: row["status"] for row in ran.json["figures"]}
    names = {f"s{number:02}" for number in range(len(SENT))}
    assert {id_ for id_, found in status.items() if found == "failed"} == names, status
    assert built(book) == BUILT | {"build/global/hand.svg"}
    own = [
        row["error"]["message"] for row in ran.json["figures"] if "figmill itself" in str(row.get("error"))
    ]
    assert own == []


def test_a_slow_sender_does_not_hold_up_the_others(space: Space) -> None:
    space.write(
        {
            "visuals/slow.py": SENDS.replace("{deed}", SENT["slowly"]),
            "visuals/b.py": SCRIPT.replace("DEED", "pass"),
            "visuals/h.svg": HAND,
        }
    )
    space.question("a-slow", "kind: dot, source: slow.py, timeout: 3, alt: never seen")
    for number in range(3):
        space.question(f"b-{number}", f"kind: dot, source: b.py, params: {{n: {number + 1}}}, alt: a line")
    ran = space.run("--format", "json", "--jobs", "2")
    rows = {row["id"]: row for row in ran.json["figures"]}
    assert rows["a-slow"]["status"] == "failed" and 2.5 < rows["a-slow"]["seconds"] < 8
    assert "took longer than 3 s" in rows["a-slow"]["error"]["message"]
    assert all(rows[f"b-{number}"]["seconds"] < 2.5 for number in range(3))


def test_a_source_that_the_machine_cannot_read_fails_alone(
    book: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged disk, or rights that were taken away; the other figures are built, and nothing of it is lost."""
    assert book.run().code == 0
    before = book.outputs()
    book.write({"visuals/a.dot": "digraph { x -> y }", "visuals/d.svg": f"{HAND}<!-- another line -->\n"})
    read = files.read

    def damaged(path: str | Path, *most: int, **how: bool) -> bytes:
        if str(path).endswith("visuals/a.dot"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return read(path, *most, **how)

    monkeypatch.setattr(files, "read", damaged)
    report = built_here(book.root)
    failed = {row.id: [error.message for error in row.errors] for row in report.rows if row.errors}
    assert failed == {"graph": ["cannot be read: Input/output error"]}
    assert report.code == 1 and book.outputs() == before
