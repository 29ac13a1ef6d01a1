"""An interactive figure: every combination of values is drawn, checked and published like any other figure."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.book import CLASSIC, HAND, Space, built, copied

# One node more than `n`, in the words of `way`; `loud` changes a fact alone.
CHAIN = """\
from typing import Annotated, Literal

from annotated_types import Interval

from figmill import Drawing


def draw(n: Annotated[int, Interval(ge=1, le=9)] = 2, way: Literal["down", "up", "lost"] = "down", loud: bool = False,
         note: str | None = "") -> Drawing:
    if way == "lost" and n > 2:
        raise ValueError(f"no way for {n}")
    edges = "".join(f'n{i} -> n{i + 1} [label="{way}"]' for i in range(n))
    return Drawing(f"digraph {{ {edges} }}", facts={"edges_drawn": n, "loud": loud})
"""


def chain(space: Space, explore: str, params: str = "n: 2, way: down", more: str = "") -> Space:
    space.write({"visuals/chain.py": CHAIN})
    texts = f"alt: 'a chain of {{edges_drawn}} edges', caption: '{{edges_drawn}} edges'{more}"
    return space.question(
        "c", f"kind: dot, source: chain.py, params: {{{params}}}, explore: {{{explore}}}, {texts}"
    )


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Space:
    return built(tmp_path_factory.mktemp("chain") / "book", lambda space: chain(space, "n: [2, 3, 4]"))


@pytest.fixture
def three(built_once: Space, space: Space) -> Space:
    """A chain of two, three or four edges, built."""
    return copied(built_once.root, space)


def told(space: Space) -> Any:
    (figure,) = json.loads(space.read("build/manifest.json"))["figures"]
    return figure


def test_every_combination_is_a_picture(space: Space) -> None:
    chain(space, "way: [up, down], n: [1, 2, 3]", more=", expect: {edges: 2, facts: {edges_drawn: 2}}")
    ran = space.run("--explain")
    assert (ran.code, ran.err) == (0, "")
    explore = told(space)["explore"]
    assert list(explore["parameters"].items()) == [("way", ["up", "down"]), ("n", [1, 2, 3])]
    pictures = [(p["params"]["way"], p["params"]["n"], p["alt"], p["caption"]) for p in explore["pictures"]]
    assert pictures == [
        (way, n, f"a chain of {n} edges", f"{n} edges") for way in ("up", "down") for n in (1, 2, 3)
    ]
    paths = [[file["path"] for file in p["files"]] for p in explore["pictures"]]
    assert paths[0] == ["global/c/up-1.svg", "global/c/up-1.dark.svg"]
    assert paths[4] == ["global/c.svg", "global/c.dark.svg"], "the declared picture is the figure's own"
    assert (explore["declared"], explore["number"]) == (4, 6)
    outputs = space.outputs()
    assert sorted(outputs) == sorted({f"build/{path}" for some in paths for path in some})
    assert explore["bytes"] == sum(map(len, outputs.values()))
    assert outputs["build/global/c/up-3.svg"].count(b">up<") == 3
    assert f"readers choose way and n: 6 pictures, {explore['bytes'] / 1000:.0f} kB" in ran.out
    assert space.run("--explain").out.count("6 pictures") == 1  # fresh, and told all the same


def test_equal_pictures_are_stored_once(space: Space) -> None:
    chain(space, "loud: [false, true], n: [2, 3]", "n: 2, loud: false")
    assert space.run().code == 0
    pictures = told(space)["explore"]["pictures"]
    assert [p["facts"]["loud"] for p in pictures] == [False, False, True, True]
    assert [p["files"][0]["path"] for p in pictures] == [
        "global/c.svg",
        "global/c/false-3.svg",
        "global/c.svg",
        "global/c/false-3.svg",
    ]
    assert len(space.outputs()) == 4


WRONG = [
    ("n: [2, 3], way: [up, down], loud: [true, false], note: [a, b]", "explore has 4 parameters; 1 to 3"),
    ("n: [2]", "explore.n needs 2 to 256 values, not 1"),
    ("n: 3", "explore.n must be a list of values, like [4, 8]"),
    ("n: [2, 3, 2.0]", "explore.n has the value 2.0 twice"),
    ("n: [3, 4]", "params.n: the page begins with 2, which is not in explore.n; choose one of 3, 4"),
    ("loud: [true, false]", "the page needs a first value: write `loud` under params, one of true, false"),
    ("n: [2, [3]]", "explore.n.1 must be a word or a number"),
    ("n: [2, 12]", "parameter 'n' must be from 1 to 9, not 12"),
    ("n: [2, three]", "parameter 'n' must be integer, not 'three'"),
    ("way: [down, upp]", "parameter 'way' must be 'down' or 'up' or 'lost', not 'upp'; did you mean 'up'?"),
    ("m: [1, 2]", "draw() has no parameter 'm'"),
    (
        f"n: [2, {', '.join(str(n) for n in range(100, 228))}], way: [up, down]",
        "asks for 129 x 2 = 258 pictures",
    ),
]


def test_a_wrong_exploration_is_one_line(space: Space) -> None:
    """All of them in one book: each is told in the file of its question, at its line."""
    space.write({"visuals/chain.py": CHAIN})
    for number, (explore, _) in enumerate(WRONG):
        lines = explore.replace("], ", "]\n    ").replace("3, way", "3\n    way")
        params = "{n: 2, way: down, m: 1}" if explore.startswith("m:") else "{n: 2, way: down}"
        question = (
            f"id: c{number}\nvisual:\n  kind: dot\n  source: chain.py\n  alt: a chain of edges\n"
            f"  params: {params}\n  explore:\n    {lines}\n"
        )
        space.write({f"questions/c{number}.yaml": question})
    ran = space.run()
    assert ran.code == 1 and not space.outputs()
    told = ran.err.splitlines()
    assert all(line.startswith(("questions/c", "    ")) for line in told)
    for number, (_, message) in enumerate(WRONG):
        first, line = next(
            (line, line.split(":")[1]) for line in told if line.startswith(f"questions/c{number}.yaml:")
        )
        assert message in first
        assert int(line) >= (6 if "params" in message or "'m'" in message else 7), first


def test_what_has_no_parameters_cannot_be_turned(space: Space) -> None:
    space.write({"visuals/d.svg": HAND, "visuals/c.py": CLASSIC})
    for kind, source in (("svg", "d.svg"), ("matplotlib", "c.py")):
        space.question(
            kind, f"kind: {kind}, source: {source}, alt: words, params: {{n: 1}}, explore: {{n: [1, 2]}}"
        )
    ran = space.run()
    assert ran.code == 1
    told = [line.partition(" ") for line in ran.err.splitlines()]
    for kind, message in (
        ("svg", "'d.svg' is not a script; leave explore out"),
        ("matplotlib", "has no draw() to explore"),
    ):
        places = [place for place, _, text in told if message in text]
        assert places and all(place.startswith(f"questions/{kind}.yaml:4:") for place in places), ran.err


def test_a_failing_combination_fails_the_figure_and_names_its_values(space: Space) -> None:
    chain(space, "n: [3, 4]", "n: 3, way: down")
    assert space.run().code == 0
    before = space.outputs()
    chain(space, "way: [down, lost], n: [3, 4]", "n: 3, way: down")
    ran = space.run()
    assert ran.code == 1
    head = ran.err.splitlines()[0]
    assert head.startswith("visuals/chain.py:11: ValueError: no way for 3 (with way lost, n 3)"), ran.err
    assert "no way for 4 (with way lost, n 4)" in ran.err
    assert space.outputs() == before, "a figure that fails writes nothing"
    assert told(space)["status"] == "stale"
    again = space.run()
    assert "failed as before; nothing has changed" in again.out
    assert again.err.splitlines()[0] == head
    space.write({"visuals/chain.py": CHAIN.replace("n > 2", "n > 9")})
    assert space.run().code == 0
    assert told(space)["status"] == "current"


def test_what_is_true_of_all_pictures_is_told_once_without_values(space: Space) -> None:
    """The same mistake in all of them, and an expectation, which is that of the declared picture."""
    chain(space, "n: [2, 3]", more=", expect: {edges: 3}")
    space.write({"visuals/wrong.py": CHAIN.replace("edges = ", "edges = nothing + ")})
    space.question("w", "kind: dot, source: wrong.py, params: {n: 2}, explore: {n: [2, 3, 4]}, alt: a chain")
    ran = space.run()
    assert ran.code == 1
    assert ran.err.count("NameError") == 1
    assert ran.err.count("expected 3 edges, drawn: 2") == 1
    assert "(with" not in ran.err


def test_what_a_check_finds_names_the_values(space: Space) -> None:
    space.write(
        {
            "visuals/w.py": (
                "def draw(wide=False):\n    label = 'x' * (80 if wide else 2)\n"
                "    return f'digraph {{ a [label=\"{label}\", fixedsize=true, width=1] }}'\n"
            )
        }
    )
    question = "kind: dot, source: w.py, alt: a box, params: {wide: false}, explore: {wide: [false, true]}"
    ran = space.question("w", question).run()
    assert ran.code == 0
    assert "(with wide true) [" in ran.err
    assert space.run("--strict").code == 1
    assert "(with wide true) [" in space.run("lint").out


def test_one_picture_more_or_less(three: Space) -> None:
    (three.root / "build/global/c/4.dark.svg").unlink()
    assert three.run("--check").code == 3
    assert "global/c/4.dark.svg" in three.run().out
    before = three.stamps()
    chain(three, "n: [2, 3]")
    ran = three.run()
    assert "orphan  build/global/c/4.svg" in ran.out
    assert "removed  build/global/c/4.dark.svg" in three.run("clean").out
    assert sorted(three.outputs()) == [
        "build/global/c.dark.svg",
        "build/global/c.svg",
        "build/global/c/3.dark.svg",
        "build/global/c/3.svg",
    ]
    after = three.stamps()
    assert {name: after[name] for name in three.outputs()} == {name: before[name] for name in three.outputs()}


def test_beside_the_sources(space: Space) -> None:
    chain(space, "n: [2, 3]")
    space.write({"figmill.toml": 'output = "in-place"\n'})
    assert space.run().code == 0
    assert sorted(space.outputs("visuals")) == [
        "visuals/c.dark.svg",
        "visuals/c.svg",
        "visuals/c/3.dark.svg",
        "visuals/c/3.svg",
    ]
    assert space.run("--check").code == 0
    assert "nothing to remove" in space.run("clean").out
    assert "unused" not in space.run("lint").out
    space.write({"visuals/c/3.svg": HAND}).question("h", "source: c/3.svg, alt: one rank as a box")
    ran = space.run()
    assert "'visuals/c/3.svg' is the drawing of 'h', which figmill never overwrites" in ran.err
    assert space.read("visuals/c/3.svg") == HAND


def test_changes_between_commits(three: Space) -> None:
    three.write({".gitignore": "build/\n.figmill/\n"})
    three.git("init", "-q")
    three.git("add", "-A")
    three.git("commit", "-qm", "a")
    three.write({"visuals/chain.py": CHAIN.replace('label="{way}"', 'label="{way if n < 4 else 0}"')})
    ran = three.run("--check", "--against", "HEAD", "--report", "report.html")
    assert ran.code == 3
    assert "1 explored picture" in ran.out
    assert three.read("report.html").count("<svg") <= 8, "one picture stands for all"
    assert three.run("--check", "--against", "HEAD", "--id", "c").code == 3
    dry = three.run("--dry-run", "--verbose")
    assert "+++ b/build/global/c/4.svg" in dry.out
    assert "build/global/c/3.svg" not in dry.out


def test_two_built_folders(three: Space) -> None:
    (three.root / "build").rename(three.root / "old")
    assert three.run().code == 0
    assert three.run("diff", "old", "build").out == "0 figures differ\n"
    three.write({"visuals/chain.py": CHAIN.replace('label="{way}"', 'label="{way if n != 3 else 0}"')}).run()
    ran = three.run("diff", "old", "build")
    assert ran.code == 3
    assert "1 explored picture" in ran.out


def test_exports_are_those_of_the_declared_picture(space: Space) -> None:
    chain(space, "n: [2, 3]")
    assert space.run("--to", "png").code == 0
    assert sorted(path.name for path in (space.root / "build").rglob("*.png")) == ["c.dark.png", "c.png"]
    assert {file["format"] for file in told(space)["files"]} == {"svg", "png"}
    assert space.run("--to", "png").out == "1 figure, all fresh\n"


def test_the_same_bytes_by_any_number_of_processes(space: Space) -> None:
    chain(space, "way: [up, down], n: [1, 2]")
    space.run("--jobs", "1")
    before = space.outputs(), space.read("build/manifest.json")
    space.run("--force", "--jobs", "3")
    assert (space.outputs(), space.read("build/manifest.json")) == before


def test_a_reference_shows_all_of_it(space: Space) -> None:
    chain(space, "n: [2, 3]").question("r", "ref: c")
    space.run()
    figures = json.loads(space.read("build/manifest.json"))["figures"]
    assert figures[0]["explore"] == figures[1]["explore"]
