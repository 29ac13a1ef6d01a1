"""The quick answer: given only where nothing at all can have changed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.book import DOT, HAND, CopyOf, Space
from helpers.building import built_here

from figmill import fastpath
from figmill.host import bound

READER = (
    "from pathlib import Path\n"
    "def draw():\n    text = (Path(__file__).parent.parent / 'numbers.txt').read_text()\n"
    "    try: text += (Path(__file__).parent / 'more.txt').read_text()\n    except OSError: pass\n"
    "    return f'digraph {{ a [label=\"{text}\"] }}'\n"
)


def answer(space: Space) -> tuple[int, list[str]] | None:
    return fastpath.answer(str(space.root))[0]


def three_and_spare(space: Space) -> Space:
    """Three figures, and files that none is made of."""
    space.write({"visuals/a.dot": DOT, "visuals/d.svg": HAND, "visuals/r.py": READER, "numbers.txt": "12"})
    space.write(
        {"questions/spare.yaml": "id: spare\n", "visuals/spare.dot": DOT, "visuals/deep/spare.dot": DOT}
    )
    space.question("graph", "source: a.dot, alt: a graph")
    space.question("hand", "source: d.svg, alt: a drawing")
    return space.question("reader", "source: r.py, kind: dot, alt: a number")


@pytest.fixture
def fresh(copy_of: CopyOf) -> Space:
    """A copy for every test."""
    space = copy_of(three_and_spare)
    assert answer(space) == (3, [])
    return space


def forged(path: Path) -> None:
    """Other bytes of the same size in the same file, which was given its old time."""
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(b"sends", b"gives"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    now = path.stat()
    assert (now.st_size, now.st_mtime_ns, now.st_ino) == (status.st_size, status.st_mtime_ns, status.st_ino)


CHANGES: dict[str, Callable[[Path], object]] = {
    "a source's bytes": lambda root: (root / "visuals/a.dot").write_text(DOT + "\n"),
    "a source's time": lambda root: os.utime(root / "visuals/a.dot", (1, 1)),
    "a source's bytes, with its size, time and inode": lambda root: forged(root / "visuals/a.dot"),
    "a source's inode": lambda root: (
        subprocess.run(["cp", "-p", "visuals/a.dot", "visuals/x"], cwd=root, check=True)
        and (root / "visuals/x").rename(root / "visuals/a.dot")
    ),
    "a question": lambda root: (root / "questions/hand.yaml").write_text(
        "id: hand\nvisual: {source: d.svg, alt: x}\n"
    ),
    "a new question": lambda root: (root / "questions/new.yaml").write_text("id: new\n"),
    "a question removed": lambda root: (root / "questions/spare.yaml").unlink(),
    "a new source": lambda root: (root / "visuals/new.dot").write_text("graph {}"),
    "a new folder": lambda root: (root / "visuals/deeper").mkdir(),
    "a source in a folder": lambda root: (root / "visuals/deep/x.dot").write_text("graph {}"),
    "a source renamed": lambda root: (root / "visuals/spare.dot").rename(root / "visuals/newer.dot"),
    "a source removed": lambda root: (root / "visuals/spare.dot").unlink(),
    "an output removed": lambda root: (root / "build/global/graph.svg").unlink(),
    "an output's bytes": lambda root: (root / "build/global/graph.svg").write_text("torn"),
    "the manifest removed": lambda root: (root / "build/manifest.json").unlink(),
    "the gallery's bytes": lambda root: (root / "build/index.html").write_text("torn"),
    "the output folder removed": lambda root: subprocess.run(["rm", "-r", root / "build"], check=True),
    "the journal removed": lambda root: (root / ".figmill/journal").unlink(),
    "settings appear": lambda root: (root / "figmill.toml").write_text("timeout = 50\n"),
    "other settings appear": lambda root: (root / "pyproject.toml").write_text(""),
    "a file read outside visuals": lambda root: (root / "numbers.txt").write_text("13"),
    "a file looked for appears": lambda root: (root / "visuals/more.txt").write_text("!"),
    "it itself torn": lambda root: (root / ".figmill/snapshot").write_text("{"),
    "it itself cut": lambda root: os.truncate(root / ".figmill/snapshot", 300),
    "it itself of another checkout": lambda root: (root / ".figmill/snapshot").write_bytes(
        bound.sealed(b"0" * 64, fastpath.PATH, (root / ".figmill/snapshot").read_bytes().partition(b"\n")[2])
    ),
    "it itself of no text": lambda root: (root / ".figmill/snapshot").write_bytes(bytes(range(256)) * 9),
    "it itself of too many parts": lambda root: (root / ".figmill/snapshot").write_bytes(
        fastpath.VERSION.encode() + b"\0\0" * 99
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_any_change_means_no_answer(fresh: Space, what: str) -> None:
    CHANGES[what](fresh.root)
    assert answer(fresh) is None


def test_changed_and_removed_settings_mean_no_answer(fresh: Space) -> None:
    for change in ("timeout = 51\n", "", None):
        fresh.write({"figmill.toml": "timeout = 50\n"})
        deadline = time.monotonic() + 30
        # Settings that have just changed are looked at again.
        while answer(fresh) is None and time.monotonic() < deadline:
            assert built_here(fresh.root).code == 0
        assert answer(fresh) == (3, [])
        if change is None:
            (fresh.root / "figmill.toml").unlink()
        else:
            fresh.write({"figmill.toml": change})
        assert answer(fresh) is None, change


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("README.md", "x"),
        ("visuals/.hidden", "x"),
        ("visuals/__pycache__/x.pyc", "x"),
        ("build/other.txt", "x"),
    ],
)
def test_what_no_figure_depends_on_is_no_change(fresh: Space, name: str, content: str) -> None:
    fresh.write({name: content})
    assert answer(fresh) == (3, [])


@pytest.mark.parametrize("below", [".", "questions", "visuals", "build/global"])
def test_the_book_is_found_from_below(fresh: Space, below: str) -> None:
    assert fastpath.find(str(fresh.root / below)) == str(fresh.root)


def test_a_book_within_a_book_is_not_taken_for_the_outer_one(fresh: Space) -> None:
    (fresh.root / "inner/questions").mkdir(parents=True)
    assert fastpath.find(str(fresh.root / "inner")) is None
    assert fresh.run(cwd=fresh.root / "inner").out == "0 figures; `visual` in a question declares one\n"


def test_a_stale_or_failing_book_has_no_answer(space: Space) -> None:
    space.write({"visuals/a.dot": "digraph { a -> }"}).question("graph", "source: a.dot, alt: a graph")
    assert space.run().code == 1
    assert answer(space) is None


@pytest.mark.parametrize("edits", [3, pytest.param(60, marks=pytest.mark.soak)])
def test_an_edit_right_after_a_build_is_always_seen(space: Space, edits: int) -> None:
    """Of the same size and in the same moment: what git calls racy."""
    space.write({"visuals/a.dot": "digraph { n00 }"}).question("graph", "source: a.dot, alt: a graph")
    script = (
        "import sys\nfrom pathlib import Path\nfrom figmill import config, fastpath\n"
        "from figmill.engine.build import build\nfrom figmill.engine.processes import pool_of\n"
        "from figmill.engine.request import Request\nroot, seen = Path(sys.argv[1]), 0\n"
        "def built():\n"
        "    with pool_of(root, config.load(root), 1) as pool:\n"
        "        build(root, config.load(root), Request(), pool)\n"
        "built()\n"
        f"for number in range(1, {edits + 1}):\n"
        "    (root / 'visuals/a.dot').write_text(f'digraph {{ n{number:02} }}')\n"
        "    assert fastpath.answer(str(root))[0] is None, number\n"
        "    built()\n"
        "    assert f'>n{number:02}<' in (root / 'build/global/graph.svg').read_text(), number\n"
        "    seen += 1\nprint(seen)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, space.root], capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.stdout) == ("", f"{edits}\n")


# ---------------------------------------------------------------- edits while a build is at work

# It takes its time while there is a file `slow`, which it does not read itself: whether that is there changes no input.
SLOW = (
    "import subprocess\nfrom pathlib import Path\nHERE = Path(__file__).parent\n"
    "def draw():\n    text = (HERE / 'data.txt').read_text() + 'one'\n"
    "    subprocess.run(['sh', '-c', '[ ! -e slow ] || exec sleep 1.47'], cwd=HERE.parent)\n"
    "    return f'digraph {{ a [label=\"{text}\"] }}'\n"
)


def edited_while_drawn(space: Space, edit: Callable[[], object]) -> None:
    """Build, and edit something when the only figure has read its inputs and is not yet done."""
    space.question("slow", "source: slow.py, kind: dot, alt: a number")
    space.write({"slow": ""})
    drawing = subprocess.Popen([sys.executable, "-m", "figmill"], cwd=space.root, stdout=subprocess.PIPE)
    deadline = time.monotonic() + 30
    while not at_work() and time.monotonic() < deadline:
        time.sleep(0.01)
    edit()
    assert at_work()
    drawing.communicate(timeout=30)
    (space.root / "slow").unlink()


def at_work() -> bool:
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if entry.read_bytes() == b"sleep\x001.47\x00":
                return True
        except OSError:
            continue
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("name", "old", "new", "shown"),
    [
        ("visuals/data.txt", "12 ", "13 ", ">13 one<"),
        ("visuals/slow.py", SLOW, SLOW.replace("'one'", "'two'"), ">12 two<"),
        ("figmill.toml", 'font = "Georgia"\n', 'font = "Verdana"\n', "Verdana"),
    ],
)
def test_an_edit_while_a_figure_is_drawn_is_seen_by_the_next_build(
    space: Space, name: str, old: str, new: str, shown: str
) -> None:
    files = {"visuals/data.txt": "12 ", "visuals/slow.py": SLOW, "figmill.toml": 'font = "Georgia"\n'}
    space.write({**files, name: old})
    edited_while_drawn(space, lambda: space.write({name: new}))
    assert space.run().code == 0
    assert shown in space.read("build/global/slow.svg")
    space.write({name: old})  # and back: the cache may not hold what was drawn from a mixture
    assert space.run().code == 0
    assert shown not in space.read("build/global/slow.svg")


def test_a_build_of_one_figure_does_not_forget_the_warnings_of_others(space: Space) -> None:
    space.write({"visuals/a.svg": HAND.replace("Rank 0", "\U00013000"), "visuals/b.svg": HAND})
    space.question("a", "source: a.svg, alt: a drawing").question("b", "source: b.svg, alt: a drawing")
    told = space.run().err
    assert "visuals/a.svg: character U+13000" in told
    space.write({"visuals/b.svg": HAND.replace("Rank 0", "Rank 1")})
    space.run("--id", "b")
    assert space.run().err == told


def test_a_source_is_not_read_for_the_answer(fresh: Space) -> None:
    """Only looked at: the command answers while the source cannot even be opened."""
    code = (
        "import sys, io\nfrom figmill import fastpath\nopened = []\n"
        "sys.addaudithook(lambda event, args: event == 'open' and opened.append(str(args[0])))\n"
        "assert fastpath.answer(sys.argv[1])[0] == (3, [])\n"
        "print([name for name in opened if name.startswith(sys.argv[1])])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, fresh.root], capture_output=True, text=True, check=False
    )
    private = [f"{fresh.root}/.figmill/{name}" for name in ("mark", "key", "snapshot")]
    # The folder, to look at files from its descriptor.
    assert done.stdout == f"{[*private, str(fresh.root)]}\n"
