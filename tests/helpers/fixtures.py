"""What all tests share: fixtures, such as a small book in a temporary folder, and the order of the tests."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.assertion import rewrite
from helpers import book as books
from helpers import parsing, warm
from helpers.book import CopyOf, Space
from helpers.chromium import QUIET, chromium
from helpers.left_to_soak import SAMPLED, WHOLE
from helpers.machine import BWRAP
from helpers.showcase import built, with_two_values, written
from hypothesis import settings

from figmill.enclosure import limits

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# A shell that runs this in the background has it ignore SIGINT, and so would all that tests start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

parsing.install()
warm.use(warm.in_use)
settings.register_profile("untimed", deadline=None)  # how long an example takes depends on the machine
settings.load_profile("untimed")

# Takes a name and what makes a folder of it.
Once = Callable[[str, Callable[[Path], object]], Path]

# Files that take long, by processor time, come first: no process then waits for the others at the end.
LONGEST = """
    axe mermaid reads fences cli exporter pool building plantuml command blocks_in_pages live_pages
    figure_links kept_commits lint_seeded cluster memory faults own_files elsewhere holding wheel
    other_packages exploring mcp languages sphinx change_page phones plots more_sources descriptions
    sites explore as_written partial answer docs shown resident warnings lint links_and_file_systems
    lint_drawings unfriendly fit failures allowlist contract every_change faulty_sources readme
    captions new mermaid_numbers drawn_numbers kept following
"""
LONG = tuple(f"test_{name}.py" for name in LONGEST.split())
# Folders of files that take longer than most.
THEN = ("browser", "integrations", "soak", "engine", "commands")


def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """Rewrites the asserts of all tests before the processes start: each would take seven seconds."""
    for path in (place for folder in config.args for place in Path(folder).absolute().rglob("test_*.py")):
        compiled = rewrite.get_cache_dir(path) / (path.stem + rewrite.PYC_TAIL)
        if rewrite._read_pyc(path, compiled) is None:
            compiled.parent.mkdir(exist_ok=True)
            source, code = rewrite._rewrite_test(path, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source, compiled)


def pytest_collection() -> None:
    """Nothing of what is collected is garbage, and looking for some takes a third of the time."""
    gc.disable()


@pytest.hookimpl(tryfirst=True)  # before tests are left out by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Of the cases of each run: counted with those of soak alone, each second one could be of soak.
    ours = [item for item in items if item.get_closest_marker("soak") is None]
    names = [getattr(item, "originalname", item.name) for item in ours]
    many, seen = Counter(names), Counter[str]()
    for name, item in zip(names, ours, strict=True):
        modes = len(BWRAP) if "machine" in getattr(item, "fixturenames", ()) else 1
        step = SAMPLED.get(name, modes)
        # Tests of the same cases begin with different ones.
        first = zlib.crc32(name.encode()) % min(step, many[name])
        if name in WHOLE or (seen[name] - first) % step:
            item.add_marker(pytest.mark.soak)
        seen[name] += 1
    items.sort(key=_place)


def _place(item: pytest.Item) -> int:
    """Where the tests of a file come."""
    if item.path.name in LONG:
        return LONG.index(item.path.name)
    return len(LONG) + (not any(part in item.path.parts for part in THEN))


def pytest_collection_finish() -> None:
    """The tests stay, so that the garbage collector need not visit ten thousand of them again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # tests leave little behind
    gc.enable()


# Tests of the processes that draw, and of what they may do: there each build starts its own, as anywhere else.
# matplotlib keeps the folder of its cache from the moment that it is loaded.
STARTS_ITS_OWN = ("enclosure", "render", "soak", "test_prestart.py", "test_script_words.py")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips what needs a browser before anything is made for it, where there is none."""
    warm.own_alone[0] = any(part in item.path.parts for part in STARTS_ITS_OWN)
    if "browser" in getattr(item, "fixturenames", ()):
        chromium()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Lifts the limits that a renderer has set in this process; a Chromium that inherits them stops at once."""
    limits.lift()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, without a window."""
    from playwright.sync_api import sync_playwright  # most tests need no browser

    executable = chromium()
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=executable, args=list(QUIET))
        yield running
        running.close()


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Makes a folder of a name once for all processes of a run. Not to be changed by a test."""
    here = tmp_path_factory.getbasetemp()
    folder = here if "PYTEST_XDIST_WORKER" not in os.environ else here.parent

    def build_once(name: str, make: Callable[[Path], object]) -> Path:
        place, done = folder / name, folder / f"{name}.done"
        with open(folder / f"{name}.lock", "wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(place, ignore_errors=True)  # of an attempt that failed
                make(place)
                done.touch()
        return place

    return build_once


@pytest.fixture(scope="session")
def showcase(request: pytest.FixtureRequest, once: Once) -> Path:
    """The showcase as a book of its own, built in both themes. Not to be changed.

    Readers explore two values of each parameter in it, and all where tests of `make soak` or of the site run.
    """
    marks = {mark.name for item in request.session.items for mark in item.iter_markers()}
    return once("showcase", partial(built, write=written if marks & {"soak", "site"} else with_two_values))


@pytest.fixture(scope="session")
def distributions(once: Once) -> Path:
    """The sdists and the wheels, in a folder."""
    from helpers.installed import distributions as build

    return once("distributions", build)


@pytest.fixture(scope="session")
def installed(once: Once, distributions: Path) -> Path:
    """The bin folder of an environment that has the wheels, and the libraries of this one."""
    from helpers.installed import environment

    wheels = distributions.glob("*.whl")
    return once("environment", lambda place: environment(place, wheels)) / "bin"


@pytest.fixture
def space(tmp_path: Path) -> Space:
    root = tmp_path / "book"
    root.mkdir()
    return Space(root)


@pytest.fixture(scope="session")
def two_figures(once: Once) -> Path:
    """The book that hosts show in their pages, built. Not to be changed."""
    from helpers import hosts  # most tests need no host

    def make(place: Path) -> None:
        ran = hosts.book(Space(place)).run("--quiet")
        assert ran.code == 0, ran.err

    return once("two-figures", make)


@pytest.fixture
def hosted(two_figures: Path, space: Space) -> Space:
    """A copy of it to change: a host that builds it draws only what a test has changed."""
    shutil.copytree(two_figures, space.root, symlinks=True, dirs_exist_ok=True)
    books.believed(space.root)
    return space


@pytest.fixture
def small_book(space: Space) -> Space:
    """A graph and a drawing by hand: the figures that are drawn soonest."""
    return books.two_figures(space)


@pytest.fixture
def book(space: Space) -> Space:
    """One good figure of each kind."""
    return books.four_figures(space)


@pytest.fixture
def copy_of(space: Space, once: Once) -> CopyOf:
    """Gives a copy of a book that was built once, and looked at since, so that all of it is fresh."""

    def copy(written: books.Written) -> Space:
        name = f"{written.__module__}-{written.__name__}"
        return books.copied(once(name, lambda place: books.built(place, written)), space)

    return copy


@pytest.fixture
def built_book(copy_of: CopyOf) -> Space:
    """One good figure of each kind, built."""
    return copy_of(books.four_figures)
