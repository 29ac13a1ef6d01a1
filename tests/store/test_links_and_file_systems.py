"""Where a build reads and writes: regular files inside the book, and nothing beside its own folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.book import DOT, HAND, Ran, Space, believed, without_rights

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and modes are POSIX")


@pytest.fixture
def hand(space: Space) -> Space:
    """The smallest book: nothing has to be drawn, so that a build is quick."""
    return space.write({"visuals/d.svg": HAND}).question("hand", "source: d.svg, alt: one rank as a box")


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.svg").write_text(HAND.replace("Rank 0", "secret"))
    (folder / "victim").write_text("precious\n")
    return folder


def untouched(outside: Path) -> bool:
    return (
        sorted(p.name for p in outside.iterdir()) == ["secret.svg", "victim"]
        and (outside / "victim").read_text() == "precious\n"
    )


# ---------------------------------------------------------------- what is written

LEADS_OUT = {
    # what an unfriendly checkout holds -> what is said
    "build": "build is a link to {outside}, and nothing is written through links; put a folder of the book there",
    "build/global": "build/global is a link to {outside}, and nothing is written through links",
    ".figmill": ".figmill is a link to {outside}, and nothing is written through links; remove the link",
    ".figmill/cache": ".figmill/cache is a link to {outside}",
    ".figmill/cache/products": ".figmill/cache/products is a link to {outside}",
    ".figmill/cache/runs/ab": ".figmill/cache/runs/ab is a link to {outside}",
    ".figmill/lock": ".figmill/lock is a link to {outside}/victim",
}


@pytest.mark.parametrize("name", LEADS_OUT)
def test_nothing_is_written_through_a_link(hand: Space, outside: Path, name: str) -> None:
    link = hand.root / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / "victim" if name.endswith("lock") else outside)
    done = hand.run()
    assert done.code == 2
    assert done.err.startswith("figmill: " + LEADS_OUT[name].format(outside=outside.resolve()))
    assert done.err.count("\n") == 1
    assert untouched(outside)


def test_a_link_to_another_folder_of_the_book_says_what_to_write(hand: Space) -> None:
    (hand.root / "site").mkdir()
    (hand.root / "build").symlink_to("site")
    assert "name that folder in the settings" in hand.run().err
    hand.write({"figmill.toml": 'output = "site"\n'})
    assert hand.run().code == 0
    assert (hand.root / "site/global/hand.svg").exists()


def test_an_output_that_is_a_link_is_replaced_and_not_followed(hand: Space, outside: Path) -> None:
    (hand.root / "build/global").mkdir(parents=True)
    output = hand.root / "build/global/hand.svg"
    output.symlink_to(outside / "victim")
    assert hand.run().code == 0
    assert output.is_file() and not output.is_symlink()
    assert untouched(outside)


def test_a_forged_journal_removes_nothing_outside_the_book(hand: Space, outside: Path) -> None:
    hand.run()
    for forged in ("../outside/victim", str(outside / "victim"), "build/../../outside/victim"):
        hand.forge({**hand.records(), "orphans": {"": [forged]}})
        done = hand.run("clean")
        assert "removed" not in done.out and "Traceback" not in done.err
        assert done.code == 0 or "is no folder of the book" in done.err
    assert untouched(outside)


def test_a_build_writes_only_into_its_own_folders(small_book: Space) -> None:
    before = set(small_book.stamps())
    small_book.run()
    new = {name.split("/")[0] for name in set(small_book.stamps()) - before}
    assert new == {"build", ".figmill"}


# ---------------------------------------------------------------- what is read


def link_out(path: Path, outside: Path) -> None:
    path.symlink_to(outside / "secret.svg")


def device(path: Path, _: Path) -> None:
    path.symlink_to("/dev/zero")


NO_SOURCES: dict[str, tuple[Callable[[Path, Path], object], str]] = {
    # what lies there -> what is said of it
    "a link out": (link_out, "is a link that leads out of the book"),
    "a device": (device, "is a link that leads out of the book"),
    "a link to nowhere": (lambda path, _: path.symlink_to("gone.svg"), "is a link that leads nowhere"),
    "a loop": (lambda path, _: path.symlink_to(path.name), "is a link that leads nowhere"),
    "a pipe": (lambda path, _: os.mkfifo(path), "is not a regular file"),
    "a folder": (lambda path, _: path.mkdir(), "is a folder"),
    "a link to a folder": (lambda path, _: path.symlink_to("."), "is a folder"),
}


@pytest.mark.parametrize("what", NO_SOURCES)
def test_what_is_no_source_is_told_as_what_it_is(hand: Space, outside: Path, what: str) -> None:
    make, reason = NO_SOURCES[what]
    hand.question("bad", "source: bad.svg, alt: nothing")
    hand.question("needy", "source: d.svg, inputs: [bad.svg], alt: one rank as a box")
    make(hand.root / "visuals/bad.svg", outside)
    done = hand.run()
    assert done.code == 1
    told = f"'visuals/bad.svg' {reason}; a source is a regular file in the book"
    assert f"questions/bad.yaml:4:18: {told}" in done.err
    assert f"questions/needy.yaml:4:34: {told}" in done.err
    assert set(hand.outputs()) == {"build/global/hand.svg", "build/global/hand.dark.svg"}


def test_a_link_inside_the_book_is_a_source(hand: Space) -> None:
    (hand.root / "visuals/also.svg").symlink_to("d.svg")
    assert hand.question("also", "source: also.svg, alt: one rank as a box").run().code == 0
    assert "build/global/also.svg" in hand.outputs()


@pytest.mark.parametrize("folder", ["visuals", "questions"])
def test_a_folder_of_sources_that_leads_out_is_refused(hand: Space, outside: Path, folder: str) -> None:
    shutil.move(hand.root / folder, outside.parent / folder)
    (hand.root / folder).symlink_to(outside.parent / folder)
    done = hand.run()
    assert (done.code, done.err) == (
        2,
        f"figmill: {folder} is a link that leads out of the book; put the folder itself there\n",
    )


# ---------------------------------------------------------------- unusual, and fine


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Space:
    """A built book whose outputs every unusual one must have, too."""
    space = Space(tmp_path_factory.mktemp("usual"))
    filled(space)
    assert space.run().code == 0
    return space


def filled(space: Space) -> Space:
    space.write({"visuals/a.dot": DOT, "visuals/d.svg": HAND})
    space.question("graph", "source: a.dot, alt: a sends to b").question(
        "hand", "source: d.svg, alt: one rank"
    )
    return space


def built(
    root: Path, env: dict[str, str] | None = None, *arguments: str, as_user: bool = False, umask: int = 0o022
) -> Ran:
    """Run the command with just this environment; as_user: without root's right to read and write everything."""

    def prepare() -> None:
        os.umask(umask)
        if as_user:
            without_rights()

    path = {"PATH": os.environ["PATH"], "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    done = subprocess.run(
        [sys.executable, "-m", "figmill", *arguments],
        cwd=root,
        env={**path, **(env or {})},
        preexec_fn=prepare,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


ENVIRONMENTS: dict[str, dict[str, str]] = {
    "nothing set": {},
    "no home and no fonts": {"HOME": "/nonexistent", "FONTCONFIG_FILE": "/nonexistent"},
    "C locale": {"LC_ALL": "C"},
    "C locale, held to it": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "Turkish": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "LANGUAGE": "tr"},
    "ASCII output": {"PYTHONIOENCODING": "ascii"},
    "no colours, narrow": {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "10"},
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_unusual_environment(usual: Space, tmp_path: Path, name: str) -> None:
    space = filled(Space(tmp_path / "book ü"))
    done = built(space.root, ENVIRONMENTS[name])
    assert (done.code, done.err) == (0, "")
    assert space.outputs() == usual.outputs()


@pytest.mark.parametrize(
    "folder", ['it\'s a "book"', "$HOME `x` %s {0} * ? [a]", "книга 图 é", "-rf", "a,b;c&d|e<f>", "\\n"]
)
def test_an_unusual_path(usual: Space, tmp_path: Path, folder: str) -> None:
    space = filled(Space(tmp_path / folder))
    done = space.run()
    assert (done.code, done.err) == (0, "")
    assert space.outputs() == usual.outputs()


def test_names_in_the_book_may_be_unusual_too(space: Space) -> None:
    names = ["it's.dot", "größe.dot", "a b.dot", "图.dot", "$HOME.dot", "a&b.dot"]
    for number, name in enumerate(names):
        space.write({f"visuals/{name}": DOT})
        space.question(f"q{number}", f'source: "{name}", alt: a sends to b')
    done = built(space.root, {"LC_ALL": "C"})
    assert (done.code, done.err) == (0, "")
    assert {f"build/global/q{number}.svg" for number in range(len(names))} <= set(space.outputs())


def test_a_root_that_is_a_link(usual: Space, tmp_path: Path) -> None:
    space = filled(Space(tmp_path / "real"))
    (tmp_path / "link").symlink_to("real")
    assert built(tmp_path / "link").code == 0
    assert space.outputs() == usual.outputs()
    assert built(tmp_path, None, "--root", str(tmp_path / "link")).out == "2 figures, all fresh\n"


def test_a_umask_that_keeps_others_out(usual: Space, tmp_path: Path) -> None:
    space = filled(Space(tmp_path / "book"))
    assert built(space.root, umask=0o077).code == 0
    assert space.outputs() == usual.outputs()
    assert {(space.root / name).stat().st_mode & 0o777 for name in space.outputs()} == {0o600}


def test_old_outputs_that_are_read_only_or_hard_linked(usual: Space, tmp_path: Path) -> None:
    space = filled(Space(tmp_path / "book"))
    old = {name: f"{data.decode()}\n" for name, data in usual.outputs().items()}  # of another build
    space.write(old)
    for number, name in enumerate(usual.outputs()):
        os.link(space.root / name, tmp_path / f"kept{number}")
        (space.root / name).chmod(0o444)
    assert built(space.root, as_user=True).code == 0
    assert space.outputs() == usual.outputs()
    assert (tmp_path / "kept0").read_text() == next(iter(old.values()))


def test_sources_that_are_read_only(usual: Space, tmp_path: Path) -> None:
    space = filled(Space(tmp_path / "book"))
    for folder in ("questions", "visuals"):
        for path in (space.root / folder).iterdir():
            path.chmod(0o444)
        (space.root / folder).chmod(0o555)
    assert built(space.root, as_user=True).code == 0
    assert space.outputs() == usual.outputs()


@pytest.mark.parametrize("name", [".", "build", "build/global"])  # the journal grows in place in .figmill
def test_a_folder_that_may_not_be_written_is_told_and_loses_nothing(
    tmp_path: Path, usual: Space, name: str
) -> None:
    space = Space(tmp_path / "book")
    shutil.copytree(usual.root, space.root)
    believed(space.root)
    space.write({"visuals/d.svg": HAND.replace("Rank 0", "Rank 1")})
    if name == ".":
        shutil.rmtree(space.root / "build")
        shutil.rmtree(space.root / ".figmill")
    before = space.outputs()
    (space.root / name).chmod(0o555)
    done = built(space.root, as_user=True)
    (space.root / name).chmod(0o755)
    assert done.code == 1
    assert done.err.startswith("figmill: cannot write ") and done.err.endswith(": Permission denied\n")
    assert done.err.count("\n") == 1
    now = space.outputs()
    assert space.run().code == 0
    after = space.outputs()
    assert b"Rank 1" in after["build/global/hand.svg"]
    assert set(now) == set(before) and all(data in (before[path], after[path]) for path, data in now.items())


@pytest.mark.parametrize("name", ["questions", "questions/deep", "visuals"])
def test_a_folder_that_cannot_be_read_is_not_taken_for_an_empty_one(
    tmp_path: Path, usual: Space, name: str
) -> None:
    space = Space(tmp_path / "book")
    shutil.copytree(usual.root, space.root)
    believed(space.root)
    (space.root / "questions/deep").mkdir()
    shutil.move(space.root / "questions/hand.yaml", space.root / "questions/deep")
    (space.root / name).chmod(0)
    done = built(space.root, as_user=True)
    (space.root / name).chmod(0o755)
    assert done.code == 1
    assert done.err.startswith("figmill: the build cannot continue on this machine: Permission denied at ")
    assert done.err.endswith(f"/{name}\n")
    assert space.outputs() == usual.outputs()


def test_a_question_that_cannot_be_read_is_not_taken_for_none(hand: Space, outside: Path) -> None:
    hand.run()
    (hand.root / "questions/out.yaml").symlink_to(outside / "victim")
    (hand.root / "questions/lost.yaml").symlink_to("nowhere")
    os.mkfifo(hand.root / "questions/pipe.yaml")
    done = hand.run()
    told = "; a question is a regular file in the book"
    assert done.code == 1
    assert f"questions/out.yaml: is a link that leads out of the book{told}" in done.err
    assert f"questions/lost.yaml: is a link that leads nowhere{told}" in done.err
    assert f"questions/pipe.yaml: is not a regular file{told}" in done.err


def test_a_book_that_may_not_be_written_can_still_be_checked(tmp_path: Path) -> None:
    space = filled(Space(tmp_path / "book"))
    space.root.chmod(0o555)
    assert built(space.root, None, "--check", as_user=True).code == 3
    assert built(space.root, None, "--dry-run", as_user=True).code == 0
    space.root.chmod(0o755)
