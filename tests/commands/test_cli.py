"""The command as its users run it: whole builds of small books."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from pkgutil import resolve_name

import click
import pytest
from helpers.book import (
    CLASSIC,
    DOT,
    HAND,
    PLOT,
    REPOSITORY,
    CopyOf,
    Space,
    four_figures,
    two_figures,
)

from figmill import cli
from figmill.scaffold.generators import GENERATORS

SVG = "{http://www.w3.org/2000/svg}"


def test_builds_every_kind_and_a_second_build_touches_no_file(book: Space) -> None:
    done = book.run()
    assert (done.code, done.err) == (0, "")
    assert "4 figures, 4 rendered" in done.out
    assert set(book.outputs()) == {
        f"build/global/{name}{theme}.svg"
        for name in ("graph", "plot", "classic", "hand")
        for theme in ("", ".dark")
    }
    before = book.stamps()
    done = book.run()
    assert (done.code, done.out) == (0, "4 figures, all fresh\n")
    assert book.stamps() == before


def test_dark_figures_lie_beside_the_light_ones_unless_a_book_wants_none(small_book: Space) -> None:
    import json

    small_book.write({"figmill.toml": 'themes = ["light"]\n'})
    small_book.run()
    light = small_book.outputs()
    (small_book.root / "figmill.toml").unlink()
    assert small_book.run().code == 0
    both = small_book.outputs()
    assert set(both) == set(light) | {name.replace(".svg", ".dark.svg") for name in light}
    assert all(both[name] == data for name, data in light.items())
    files = json.loads(small_book.read("build/manifest.json"))["figures"][0]["files"]
    assert [file["theme"] for file in files] == ["light", "dark"]
    assert b'fill="#ffffff"' not in both["build/global/hand.dark.svg"]
    assert b'fill="#1d3b56" stroke="#6db3e8"' in both["build/global/hand.dark.svg"]


def test_every_output_is_readable_text_in_the_books_fonts(built_book: Space) -> None:
    from lxml import etree

    for name, data in built_book.outputs().items():
        root = etree.fromstring(data)
        assert root.get("role") == "img", name
        texts = list(root.iter(f"{SVG}text"))
        assert texts, name
        assert not [e for e in root.iter() if "DejaVu" in (e.get("font-family") or "")]
        for text in texts:
            families = [e.get("font-family") for e in (text, *text.iterancestors()) if e.get("font-family")]
            assert families, name
            assert families[0].split(",")[0].strip("'\"") in ("Helvetica Neue", "SFMono-Regular"), name


def test_the_manifest_tells_a_book_tool_everything(built_book: Space) -> None:
    import hashlib
    import json

    manifest = json.loads(built_book.read("build/manifest.json"))
    assert manifest["version"] == 1
    assert [figure["id"] for figure in manifest["figures"]] == ["classic", "graph", "hand", "plot"]
    plot = manifest["figures"][3]
    assert plot["alt"] == "a line, half is 2.0"
    assert plot["facts"] == {"half": 2.0, "points": 4}
    assert plot["status"] == "current"
    light = plot["files"][0]
    data = (built_book.root / "build" / light["path"]).read_bytes()
    assert (light["theme"], light["format"]) == ("light", "svg")
    assert light["sha256"] == hashlib.sha256(data).hexdigest()
    assert (light["width"], light["height"]) == (384, 288)
    assert manifest["figures"][1]["facts"] == {"edges": 2, "nodes": 3}


def test_dry_run_shows_reason_and_diff_and_writes_nothing(built_book: Space, tmp_path: Path) -> None:
    built_book.write({"visuals/a.dot": DOT.replace("sends", "waits for")})
    home = tmp_path / "home"
    home.mkdir()
    before = built_book.stamps()
    done = built_book.run("--dry-run", env={"HOME": str(home)})
    assert done.code == 0
    assert "would-change build/global/graph.svg" in done.out
    assert "(visuals/a.dot)" in done.out
    assert "words: 'sends' is now 'waits for'" in done.out and "</text>" not in done.out
    whole = built_book.run("--dry-run", "--verbose", env={"HOME": str(home)}).out
    assert "-" in whole and ">sends</text>" in whole and ">waits for</text>" in whole
    assert built_book.stamps() == before
    assert list(home.rglob("*")) == []


def test_dry_run_in_a_fresh_clone_writes_nothing(small_book: Space, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    before = small_book.stamps()
    done = small_book.run("--dry-run", env={"HOME": str(home)})
    assert done.code == 0
    assert done.out.count("would-create") == 3  # two figures and the summary
    assert small_book.stamps() == before
    assert list(home.rglob("*")) == []


def test_check_tells_by_its_exit_code(small_book: Space) -> None:
    assert small_book.run("--check").code == 3
    small_book.run()
    assert small_book.run("--check").code == 0
    small_book.write({"visuals/d.svg": HAND.replace("Rank 0", "Rank 1")})
    assert small_book.run("--check").code == 3
    small_book.write({"visuals/d.svg": HAND.replace("</svg>", "")})
    assert small_book.run("--check").code == 1


@pytest.mark.parametrize(
    ("change", "rebuilt"),
    [
        ({"visuals/a.dot": "digraph { x }"}, {"graph"}),
        ({"visuals/b.py": PLOT.replace("Latency", "Delay")}, {"plot"}),
        ({"visuals/c.py": CLASSIC.replace("Squares", "Powers")}, {"classic"}),
        ({"visuals/d.svg": HAND.replace("Rank 0", "Rank 7")}, {"hand"}),
        ({"visuals/unused.py": "x = 1"}, set()),
        ({"questions/graph.yaml": "id: graph\nvisual: {source: a.dot, alt: another text}\n"}, {"graph"}),
        (
            {
                "questions/graph.yaml": "# a comment\nid: graph\ntrack: global\ntitle: A title\n"
                "visual: {source: a.dot, alt: a sends to b which sends to c}\nanswer: 42\n"
            },
            set(),
        ),
        ({"figmill.toml": 'font = "Georgia, serif"\n'}, {"graph", "plot", "classic", "hand"}),
    ],
)
def test_exactly_what_depends_on_a_change_is_rebuilt(
    built_book: Space, change: dict[str, str], rebuilt: set[str]
) -> None:
    built_book.write(change)
    rows = built_book.run("--format", "json").json["figures"]
    assert {row["id"] for row in rows if row["status"] != "fresh"} == rebuilt


def test_a_helper_module_and_a_data_file_are_inputs(space: Space) -> None:
    script = (
        "from pathlib import Path\nimport style\n"
        "def draw():\n    data = (Path(__file__).parent / 'data.csv').read_text()\n"
        "    return f'digraph {{ a [label=\"{data.strip()}{style.MARK}\"] }}'\n"
    )
    space.write({"visuals/p.py": script, "visuals/style.py": "MARK = '!'\n", "visuals/data.csv": "12\n"})
    space.question("p", "kind: dot, source: p.py, alt: a number")
    space.run()
    assert ">12!</text>" in space.read("build/global/p.svg")
    assert not list(space.root.rglob("__pycache__"))
    space.write({"visuals/data.csv": "13\n"})
    assert space.run("--format", "json").json["figures"][0]["reasons"] == ["visuals/data.csv"]
    assert ">13!</text>" in space.read("build/global/p.svg")
    space.write({"visuals/style.py": "MARK = '?'\n"})
    assert space.run("--format", "json").json["figures"][0]["reasons"] == ["visuals/style.py"]
    space.write({"visuals/data.csv": "12\n", "visuals/style.py": "MARK = '!'\n"})
    again = space.run("--format", "json").json["figures"][0]
    assert (again["status"], again["seconds"]) == ("rendered", 0)  # from the cache: not drawn again


def test_a_new_alt_never_draws_again(built_book: Space) -> None:
    built_book.question("plot", "kind: matplotlib, source: b.py, params: {n: 4}, alt: something else")
    row = next(r for r in built_book.run("--format", "json").json["figures"] if r["id"] == "plot")
    assert (row["status"], row["reasons"], row["seconds"]) == ("rendered", ["alt"], 0)


def test_one_bad_figure_never_stops_the_others(small_book: Space) -> None:
    small_book.write(
        {
            "visuals/bad.dot": "digraph {\n  a -> b\n  b -> -> c\n}\n",
            "visuals/bad.py": "def draw():\n    x = 1\n    return y\n",
            "visuals/bad.svg": HAND.replace("<text", "<script>f()</script>\n  <text"),
            "questions/yaml.yaml": "id: yaml\nvisual:\n  kind: dott\n  source: a.dot\n  alt: x y z\n",
        }
    )
    small_book.question("bad-dot", "source: bad.dot, alt: broken")
    small_book.question("bad-py", "kind: dot, source: bad.py, alt: broken")
    small_book.question("bad-svg", "source: bad.svg, alt: broken")
    done = small_book.run()
    assert done.code == 1
    assert "visuals/bad.dot:3:5: '->' has no node to its right" in done.err
    assert "visuals/bad.py:3: NameError: name 'y' is not defined" in done.err
    assert "visuals/bad.svg:3" in done.err
    assert "questions/yaml.yaml:3:9: unknown kind 'dott'; did you mean 'dot'?" in done.err
    assert "Traceback" not in done.err
    assert "2 rendered, 4 failed" in done.out
    assert len(small_book.outputs()) == 4
    again = small_book.run()
    assert (again.code, again.err) == (1, done.err)


def test_a_figure_that_fails_keeps_its_old_output_and_is_listed_as_stale(built_book: Space) -> None:
    import json

    old = built_book.outputs()
    built_book.write({"visuals/a.dot": "digraph {"})
    assert built_book.run().code == 1
    assert built_book.outputs() == old
    status = {f["id"]: f["status"] for f in json.loads(built_book.read("build/manifest.json"))["figures"]}
    assert status == {"classic": "current", "graph": "stale", "hand": "current", "plot": "current"}
    # Now not even the question can be read.
    built_book.write({"questions/graph.yaml": "id: graph\nvisual: [\n"})
    assert built_book.run().code == 1
    assert built_book.outputs() == old
    assert built_book.run("clean").out == "nothing to remove\n"
    built_book.write({"visuals/a.dot": DOT})
    built_book.question("graph", "source: a.dot, alt: a sends to b which sends to c")
    assert built_book.run().code == 0
    assert built_book.outputs() == old


def test_a_folder_that_is_gone_is_named(space: Space) -> None:
    (space.root / "gone").mkdir()
    done = subprocess.run(
        ["sh", "-c", 'cd gone && rmdir ../gone && exec "$@"', "sh", sys.executable, "-m", "figmill"],
        cwd=space.root,
        capture_output=True,
        text=True,
        check=False,
    )
    message = "figmill: the current folder does not exist any more; change to one that does\n"
    assert (done.returncode, done.stderr) == (2, message)


def test_an_orphan_is_reported_and_removed_by_clean(built_book: Space) -> None:
    (built_book.root / "questions/hand.yaml").unlink()
    done = built_book.run()
    assert done.code == 0
    files = ("build/global/hand.dark.svg", "build/global/hand.svg")
    line = "orphan  build/global/hand.svg and 1 more: no figure has them; `figmill clean` removes them"
    assert line in done.out.splitlines()
    assert "orphan" not in built_book.run("--id", "graph").out
    assert all((built_book.root / file).exists() for file in files)
    assert built_book.run("clean", "--dry-run").out == "".join(f"would remove  {file}\n" for file in files)
    assert built_book.run("clean").out == "".join(f"removed  {file}\n" for file in files)
    assert not any((built_book.root / file).exists() for file in files)
    assert built_book.run().out == "3 figures, all fresh\n"


def test_a_damaged_output_is_made_again(built_book: Space) -> None:
    old = built_book.outputs()
    (built_book.root / "build/global/hand.svg").write_text("torn")
    (built_book.root / "build/global/graph.svg").unlink()
    done = built_book.run("--format", "json").json
    touched = {row["id"]: row["reasons"] for row in done["figures"] if row["status"] == "rendered"}
    assert touched == {"graph": ["build/global/graph.svg"], "hand": ["build/global/hand.svg"]}
    assert built_book.outputs() == old


def test_id_builds_only_that_and_drops_nothing(small_book: Space) -> None:
    import json

    assert "1 rendered" in small_book.run("--id", "gr*").out
    assert set(small_book.outputs()) == {"build/global/graph.svg", "build/global/graph.dark.svg"}
    small_book.run()
    small_book.write({"visuals/a.dot": "digraph { x }", "visuals/d.svg": HAND.replace("Rank 0", "Rank 7")})
    small_book.run("--id", "hand")
    status = {f["id"]: f["status"] for f in json.loads(small_book.read("build/manifest.json"))["figures"]}
    assert status == {"graph": "stale", "hand": "current"}
    wrong = small_book.run("--id", "grap")
    assert (wrong.code, "did you mean 'graph'?" in wrong.err) == (2, True)


MACHINES = {
    "Turkish": {
        "TZ": "America/New_York",
        "LC_ALL": "tr_TR.UTF-8",
        "LANG": "tr_TR.UTF-8",
        "PYTHONHASHSEED": "2",
        "HOME": "/nonexistent",
        "FONTCONFIG_FILE": "/nonexistent",
        "MPLBACKEND": "pdf",
    },
    "plain": {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "1"},
}


@pytest.mark.parametrize("machine", MACHINES)
def test_the_same_bytes_whatever_the_machine(built_book: Space, tmp_path: Path, machine: str) -> None:
    twin = Space(tmp_path / "another place, with a comma" / "buch-ü")
    twin.root.mkdir(parents=True)
    four_figures(twin)
    assert twin.run("-j2", env=MACHINES[machine]).code == 0
    assert built_book.outputs() == twin.outputs()
    assert built_book.read("build/manifest.json") == twin.read("build/manifest.json")
    assert built_book.read("build/index.html") == twin.read("build/index.html")


def test_spawned_workers_draw_the_same_bytes(built_book: Space, tmp_path: Path) -> None:
    twin = Space(tmp_path / "twin")
    twin.root.mkdir()
    four_figures(twin)
    assert twin.run("-j1", env={"FIGMILL_WORKERS": "stay"}).code == 0
    assert built_book.outputs() == twin.outputs()


def test_against_a_commit_shows_what_a_pull_request_changes(small_book: Space) -> None:
    small_book.question("gone", "source: d.svg, alt: what nobody needs any more")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *arguments], cwd=small_book.root, check=True)
    small_book.write({"visuals/a.dot": DOT.replace("sends", "waits for")})
    small_book.question("fresh", "source: d.svg, alt: another use of it")
    (small_book.root / "questions/gone.yaml").unlink()
    before = small_book.stamps()
    done = small_book.run("--dry-run", "--against", "HEAD")
    assert done.code == 0
    assert "would-change build/global/graph.svg  (visuals/a.dot)" in done.out
    assert "would-change build/global/fresh.svg  renamed from 'gone'" in done.out
    assert "global/hand.svg" not in done.out.replace("fresh.svg", "")
    kept = {name for name in small_book.stamps() if not name.startswith(".figmill")}
    assert kept == {name for name in before if not name.startswith(".figmill")}
    assert small_book.run("--check", "--against", "HEAD").code == 3
    wrong = small_book.run("--check", "--against", "nowhere")
    assert (wrong.code, "there is no such commit" in wrong.err) == (2, True)


def test_parameters_are_checked_at_their_yaml_line_before_anything_runs(book: Space) -> None:
    book.write(
        {
            "questions/plot.yaml": "id: plot\nvisual:\n  kind: matplotlib\n  source: b.py\n  alt: a line\n"
            "  params:\n    m: 4\n    style: 3\n"
        }
    )
    done = book.run("--id", "plot")
    assert done.code == 1
    assert "questions/plot.yaml:7:8: draw() has no parameter 'm'" in done.err
    assert "it takes: n, style" in done.err
    assert "questions/plot.yaml:8:12: parameter 'style' must be text, not 3" in done.err


def test_expectations_are_held_against_the_drawing(space: Space) -> None:
    script = (
        "from figmill import Drawing\n\n\ndef draw():\n"
        "    return Drawing('digraph { a -> b }', facts={'points': 3, 'half': 1.5})\n"
    )
    space.write({"visuals/a.dot": DOT, "visuals/b.py": script})
    space.question(
        "graph", "source: a.dot, alt: a b c, expect: {nodes: 4, edges: 2, text: [sends, receives]}"
    )
    space.question("told", "kind: dot, source: b.py, alt: line, expect: {facts: {half: 2.0, points: 3}}")
    done = space.run()
    assert done.code == 1
    assert "expected 4 nodes, drawn: 3" in done.err
    assert "the text 'receives' is not in the figure" in done.err
    assert "half: expected 2.0, drawn 1.5, tolerance 0.002" in done.err
    assert "points" not in done.err


def sleeps(seconds: int) -> bool:
    """Whether a `sleep` of so many seconds runs. A bare Linux has /proc, but no pgrep."""
    if sys.platform != "linux":
        pgrep = subprocess.run(["pgrep", "-f", f"^sleep {seconds}$"], capture_output=True, check=False)
        return bool(pgrep.stdout)
    for told in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if told.read_bytes() == b"sleep\0%d\0" % seconds:
                return True
    return False


def test_a_script_cannot_change_the_book_or_outlive_its_time(space: Space) -> None:
    space.write(
        {
            "visuals/writes.py": "from pathlib import Path\n\n\ndef draw():\n"
            "    Path(__file__).with_suffix('.txt').write_text('x')\n",
            "visuals/hangs.py": "import subprocess\n\n\ndef draw():\n    subprocess.run(['sleep', '31'])\n",
            "visuals/dies.py": "import os\n\n\ndef draw():\n    os.kill(os.getpid(), 11)\n",
            "visuals/eats.py": "def draw():\n    return bytearray(8 << 30)\n",
        }
    )
    for name in ("writes", "dies", "eats"):
        space.question(name, f"kind: dot, source: {name}.py, alt: nothing")
    space.question("hangs", "kind: dot, source: hangs.py, alt: nothing, timeout: 1")
    done = space.run()
    assert done.code == 1
    assert (
        "visuals/writes.py:5: PermissionError: a figure may not change the book: visuals/writes.txt"
        in done.err
    )
    assert "visuals/hangs.py: took longer than 1 s, so figmill ended it" in done.err
    assert "visuals/dies.py: its process was ended by SIGSEGV" in done.err
    assert "visuals/eats.py:2: ran out of memory: a figure may use 2048 MiB" in done.err
    assert not (space.root / "visuals/writes.txt").exists()
    assert not sleeps(31)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_an_interrupt_ends_everything_at_once(space: Space) -> None:
    space.write(
        {"visuals/hangs.py": "import subprocess\n\n\ndef draw():\n    subprocess.run(['sleep', '37'])\n"}
    )
    space.question("hangs", "kind: dot, source: hangs.py, alt: nothing")
    process = subprocess.Popen(
        [sys.executable, "-m", "figmill"],
        cwd=space.root,
        stderr=subprocess.PIPE,
        # A shell's background job ignores it.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if sleeps(37):
            break
        time.sleep(0.05)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert process.returncode == 130
    assert time.monotonic() - began < 2
    assert b"interrupted" in err and b"Traceback" not in err
    assert not sleeps(37)


def test_an_existing_vault_builds_without_one_edit(space: Space) -> None:
    vault = {
        "questions/cloud/c-1.yaml": "id: c-1\ntrack: cloud\nvisual:\n  kind: svg\n  path: c-1.svg\n  alt: a tree\n",
        "questions/cloud/c-2.yaml": "id: c-2\ntrack: cloud\nvisual:\n  kind: svg\n  path: c-2.svg\n  alt: a plot\n",
        "questions/cloud/c-3.yaml": "id: c-3\ntrack: cloud\nvisual:\n  kind: svg\n  path: c-3.svg\n  alt: a box\n",
        "visuals/cloud/c-1.svg": HAND,
        "visuals/cloud/c-1.dot": DOT,
        "visuals/cloud/c-2.svg": HAND,
        "visuals/cloud/c-2.py": CLASSIC,
        "visuals/cloud/c-3.svg": HAND,
    }
    done = space.write(vault).run("--explain")
    assert (done.code, done.err) == (0, "")
    assert "source visuals/cloud/c-1.dot, found beside visuals/cloud/c-1.svg" in done.out
    assert ">sends</text>" in space.read("build/cloud/c-1.svg")
    assert ">Squares</text>" in space.read("build/cloud/c-2.svg")
    assert ">Rank 0</text>" in space.read("build/cloud/c-3.svg")
    assert all(space.read(name) == text for name, text in vault.items())


def test_in_place_keeps_svgs_beside_their_sources_and_hand_drawings_as_they_are(space: Space) -> None:
    space.write({"figmill.toml": 'output = "in-place"\n', "visuals/x.dot": DOT, "visuals/y.svg": HAND})
    space.question("x", "source: x.dot, alt: a graph")
    space.question("y", "source: y.svg, alt: a drawing")
    assert space.run().code == 0
    assert ">sends</text>" in space.read("visuals/x.svg")
    assert space.read("visuals/y.svg") == HAND
    assert space.run().out == "2 figures, all fresh\n"
    (space.root / "questions/y.yaml").unlink()
    assert space.run("clean").out == "removed  visuals/y.dark.svg\n"
    assert space.read("visuals/y.svg") == HAND
    space.write({"visuals/y.svg": HAND.replace("<text", "<script/><text")}).question(
        "y", "source: y.svg, alt: y"
    )
    assert "visuals/y.svg:3" in space.run("--check").err


def test_new_builds_at_once_in_an_empty_folder(space: Space) -> None:
    for kind in ("dot", "matplotlib", "svg"):
        assert space.run("new", f"cloud-{kind}", "--kind", kind).code == 0
    done = space.run("--strict")
    assert (done.code, done.err) == (0, "")
    assert "3 figures, 3 rendered" in done.out
    again = space.run("new", "cloud-dot", "--kind", "dot")
    assert (again.code, "cloud-dot" in again.err) == (2, True)


@pytest.mark.soak  # test_new.py begins with all of them in one book
@pytest.mark.parametrize("name", sorted(GENERATORS))
def test_every_generator_of_the_showcase_can_be_begun_with(space: Space, name: str) -> None:
    (space.root / "questions").mkdir()
    assert space.run("new", "mine", "--from", name).code == 0
    done = space.run()
    assert (done.code, done.err) == (0, "")
    assert "1 figure, 1 rendered" in done.out


def test_an_unknown_generator_is_told_with_those_there_are(space: Space) -> None:
    done = space.run("new", "mine", "--from", "pipeline_buble")
    assert done.code == 2
    assert "did you mean 'pipeline_bubble'?" in done.err and "worker_timeline" in done.err


def test_list_facts_and_schema(built_book: Space) -> None:
    assert "graph    dot         visuals/a.dot  build/global/graph.svg\n" in built_book.run("show").out
    assert built_book.run("facts", "plot", "half").out == "2.0\n"
    assert built_book.run("facts", "plot").json == {"points": 4, "half": 2.0}
    wrong = built_book.run("facts", "plot", "halv")
    assert (wrong.code, "did you mean 'half'?" in wrong.err) == (2, True)
    assert built_book.run("schema").json["title"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--root", "nowhere"], "nowhere"),
        (["--against", "HEAD"], "--against goes with --dry-run or --check"),
        (["--frobnicate"], "--frobnicate"),
        (["--jobs", "0"], "--jobs"),
        (["facts", "nothing"], "no built figure 'nothing'"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(book: Space, arguments: list[str], message: str) -> None:
    done = book.run(*arguments)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


def test_a_wrong_setting_is_told_with_its_line(book: Space) -> None:
    book.write({"pyproject.toml": '[tool.figmill]\noutput = "build"\nthems = ["light"]\n'})
    done = book.run()
    assert done.code == 2
    assert "pyproject.toml:3" in done.err and "did you mean 'themes'?" in done.err


def test_formats_for_other_programs(small_book: Space) -> None:
    small_book.write({"visuals/a.dot": "digraph {\n a -> -> b }"})
    shown = small_book.run("--format", "json").json
    row = next(r for r in shown["figures"] if r["id"] == "graph")
    assert set(row) == {"id", "name", "kind", "status", "reasons", "path", "seconds", "error"}
    assert row["error"] == {
        "file": "visuals/a.dot",
        "line": 2,
        "column": 4,
        "message": "'->' has no node to its right",
    }
    assert shown["summary"]["failed"] == 1
    assert (
        "::error file=visuals/a.dot,line=2,col=4::'->' has no node to its right"
        in small_book.run("--format", "github").out
    )
    result = small_book.run("--format", "sarif").json["runs"][0]["results"][0]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 2, "startColumn": 4}


HEAVY = {"matplotlib", "numpy", "lxml", "pygraphviz", "tinycss2", "fontTools"}
LOADED = re.compile(r"^import time:.*\|\s*([\w.]+)$", re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "line", "spared"),
    [
        (["--version"], "figmill, version", HEAVY),
        (["--check"], "4 figures, all fresh", HEAVY),
        (
            [],
            "4 figures, all fresh",
            HEAVY | {"click", "yaml", "json", "typing", "dataclasses", "hashlib", "re"},
        ),
    ],
)
def test_what_has_nothing_to_do_loads_nothing_heavy(
    built_book: Space, arguments: list[str], line: str, spared: set[str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "figmill", *arguments],
        cwd=built_book.root,
        capture_output=True,
        text=True,
    )
    assert line in done.stdout
    loaded = set(LOADED.findall(done.stderr))
    assert "figmill.fastpath" in loaded or arguments == ["--version"]
    assert loaded & spared == set()


def test_the_table_of_commands_says_what_each_command_says() -> None:
    for name, (target, _, line) in cli.COMMANDS.items():
        command: click.Command = resolve_name(target)
        assert (command.name, (command.help or "").partition("\n\n")[0]) == (name, line)


def test_the_help_lists_every_command_and_imports_none(space: Space) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "figmill", "--help"],
        cwd=space.root,
        capture_output=True,
        text=True,
        check=True,
    )
    listed = done.stdout.partition("Build:")[2].partition("Options:")[0]
    shown = [name for name, (_, heading, _) in cli.COMMANDS.items() if heading]
    assert re.findall(r"^  (\w+) ", listed, re.MULTILINE) == shown
    modules = {target.partition(":")[0] for target, _, _ in cli.COMMANDS.values()}
    modules -= {"figmill.commands.drawing"}  # it has the options of `figmill` alone
    loaded = set(LOADED.findall(done.stderr))
    assert loaded & (modules | HEAVY) == set()
    assert {name for name in loaded if name.startswith("figmill.engine.")} == {"figmill.engine.request"}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
@pytest.mark.parametrize("arguments", [[], ["--check"], ["show"], ["--format", "json"]])
def test_a_lost_report_is_one_line_and_exit_1(built_book: Space, arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "figmill", *arguments]
        done = subprocess.run(command, cwd=built_book.root, stdout=full, stderr=subprocess.PIPE, text=True)
    message = "standard output cannot be written: No space left on device; everything else is done"
    assert (done.returncode, done.stderr) == (1, f"figmill: {message}\n")


def test_a_plain_build_does_without_the_library_of_words(small_book: Space) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "figmill", "-q", "--root", str(small_book.root)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = set(LOADED.findall(done.stderr))
    assert "figmill.engine.book_state" in loaded and "click" not in loaded
    assert small_book.outputs()


def test_a_book_with_nothing_in_it_is_no_error(space: Space) -> None:
    (space.root / "questions").mkdir()
    done = space.run()
    assert (done.code, done.out, done.err) == (0, "0 figures; `visual` in a question declares one\n", "")


def test_render_visuals_py_is_the_command(book: Space) -> None:
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "render_visuals.py"), "--root", str(book.root), "show"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0
    assert "visuals/a.dot" in done.stdout


def test_what_concerns_every_figure_is_told_once(copy_of: CopyOf) -> None:
    book = copy_of(two_figures)
    book.write({"figmill.toml": 'font = "Georgia, serif"\n'})
    out = book.run().out.splitlines()
    assert out[0] == "font changed: 2 figures are checked again"
    assert all("(font)" not in line for line in out)


def test_verbose_shows_what_a_script_printed(space: Space) -> None:
    space.write({"visuals/g.py": "print('loading')\n\n\ndef draw():\n    return 'digraph { a -> b }'\n"})
    space.question("g", "kind: dot, source: g.py, alt: a graph of two")
    assert "| loading" in space.run("--verbose").out
    assert "loading" not in space.run("--force").out


# What the extras bring, by the names of their packages in Python.
EXTRAS = (
    "altair",
    "cryptography",
    "distributed",
    "mkdocs",
    "resvg_py",
    "sphinx",
    "starlette",
    "typst",
    "uvicorn",
    "vl_convert",
    "watchfiles",
)
WITHOUT = [
    (
        ("watch", "--no-open"),
        "watch needs the package uvicorn: pip install 'figmill[serve]', or use --no-page",
    ),
    (("--watch",), "watch needs the package watchfiles: pip install 'figmill[watch]'"),
    (
        ("--scheduler", "tcp://127.0.0.1:9"),
        "--scheduler needs the package distributed: pip install 'figmill[cluster]'",
    ),
    (
        ("--check", "--against", "HEAD", "--report", "r.html"),
        "comparing pixels needs the package resvg-py: pip install 'figmill[report]'",
    ),
]


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment in which no extra is installed."""
    missing = tmp_path / "missing"
    missing.mkdir()
    for name in EXTRAS:
        (missing / f"{name}.py").write_text(f"raise ModuleNotFoundError('gone', name='{name}')\n")
    return {"PYTHONPATH": str(missing)}


@pytest.mark.parametrize(("arguments", "told"), WITHOUT, ids=lambda value: value[0])
def test_a_command_without_its_extra_says_how_to_get_it(
    book: Space, bare: dict[str, str], arguments: tuple[str, ...], told: str
) -> None:
    book.git("init", "--quiet")
    book.git("add", "--all")
    book.git("commit", "--quiet", "--message", "a book")
    ran = book.run(*arguments, env=bare)
    assert (ran.code, ran.out, ran.err) == (2, "", f"figmill: {told}\n")


def test_markdown_without_pixels_has_the_words(built_book: Space, bare: dict[str, str]) -> None:
    built_book.write({"visuals/a.dot": DOT.replace("sends", "waits for")})
    ran = built_book.run("--check", "--format", "markdown", env=bare)
    assert ran.code == 3
    assert "| figure | what changed |\n|---|---|\n| graph | words: 'sends' is now 'waits for'" in ran.out
    assert ran.err.count("comparing pixels needs the package resvg-py") == 1


def test_a_dry_run_tells_a_rename(built_book: Space) -> None:
    question = next(name for name in built_book.stamps() if name.endswith("graph.yaml"))
    text = built_book.read(question)
    (built_book.root / question).unlink()
    built_book.write({question.replace("graph", "chart"): text.replace("id: graph", "id: chart")})
    ran = built_book.run("--check")
    assert "would-change build/global/chart.svg  renamed from 'graph'" in ran.out
    assert "would-create" not in ran.out and ran.code == 3


def test_the_help_of_every_command_needs_no_extra(bare: dict[str, str]) -> None:
    code = (
        "from click.testing import CliRunner\n"
        "from figmill.cli import COMMANDS\n"
        "from figmill.late import imported\n"
        "for name, (target, *_) in COMMANDS.items():\n"
        "    ran = CliRunner().invoke(imported(target), ['--help'])\n"
        "    assert ran.exit_code == 0 and 'Usage:' in ran.output, (name, ran.output, ran.exception)\n"
    )
    subprocess.run([sys.executable, "-c", code], env={**os.environ, **bare}, check=True, timeout=120)
