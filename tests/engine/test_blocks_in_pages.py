"""Code blocks in pages, built: by the same engine, journal and cache as any figure, and kept apart from no other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.book import Space

from figmill import config
from figmill.engine.resident.builder import Resident

PAGE = """\
# Flow of *it*

```dot {#fig-flow alt="a leads to b." expect="{nodes: 2}"}
digraph { a -> b }
```

```dot {alt="One way."}
digraph {
  x -> y
}
```

- item

  ```dot
  digraph { long -> way }
  ```
"""

SECOND = '```dot {alt="One way."}\ndigraph {\n  x -> y\n}\n```\n'
EBNF = '```ebnf {alt="One way."}\nx = "y" ;\n```\n'
MERMAID = "```mermaid\nflowchart LR\n  accDescr: One way.\n  x --> y\n```\n"


@pytest.fixture
def fenced(space: Space) -> Space:
    return space.write({"figmill.toml": 'fences = ["dot", "mermaid"]\n', "docs/page.md": PAGE})


def rows(space: Space) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(space.read("build/manifest.json"))["figures"]
    return found


def statuses(space: Space, *words: str) -> dict[str, str]:
    return {row["id"]: row["status"] for row in space.run("--format", "json", *words).json["figures"]}


@pytest.mark.parametrize("second", [SECOND, pytest.param(MERMAID, marks=pytest.mark.soak)])
def test_pages_alone_are_a_book(fenced: Space, second: str) -> None:
    assert SECOND in PAGE
    fenced.write({"docs/page.md": PAGE.replace(SECOND, second)})
    ran = fenced.run("--verbose")
    assert (ran.code, ran.err) == (0, "")
    found = {row["id"]: row for row in rows(fenced)}
    flow = found.pop("flow")
    assert (flow["source"], flow["line"], flow["kind"], flow["title"]) == (
        "docs/page.md",
        3,
        "dot",
        "Flow of it",
    )
    assert flow["facts"]["nodes"] == 2
    assert sorted(row["alt"] for row in found.values()) == ["Diagram: long; way", "One way."]
    assert all(row["id"].startswith("docs-page-") for row in found.values())
    assert "docs/page.md:3" in fenced.read("build/index.html")
    assert fenced.run().out == "3 figures, all fresh\n"
    assert "docs/page.md" in fenced.run("show").out
    said = fenced.run("lint")
    assert (
        "docs/page.md:15:3: no alt text: people who cannot see it are told 'Diagram: long; way'"
        in said.out + said.err
    )
    assert (said.out + said.err).count("alt-missing") == 2  # the finding, and the summary


def test_the_same_source_gives_the_same_bytes_from_a_file_and_from_a_page(fenced: Space) -> None:
    fenced.run("--quiet")
    before = {name: data for name, data in fenced.outputs().items() if name.endswith(".svg")}
    assert fenced.run("adopt", "docs/page.md").code == 0
    assert "```" not in fenced.read("docs/page.md") and "  ![](figmill:docs-page-" in fenced.read(
        "docs/page.md"
    )
    assert fenced.run("--quiet").code == 0
    assert {name: data for name, data in fenced.outputs().items() if name.endswith(".svg")} == before
    assert {Path(row["source"]).parts[0] for row in rows(fenced)} == {"visuals"}


def test_a_block_that_moves_is_not_drawn_again(fenced: Space) -> None:
    fenced.run("--quiet")
    fenced.write({"docs/page.md": PAGE.replace("# Flow", "New text.\n\n# Flow")})
    report = fenced.run("--format", "json").json["figures"]
    assert {(row["status"], *row["reasons"], row["seconds"]) for row in report} == {
        ("unchanged", "place in its page", 0.0)
    }
    assert sorted(row["line"] for row in rows(fenced)) == [5, 9, 17]
    assert fenced.run("--check").code == 0


def test_an_edited_block_without_an_id_leaves_nothing_behind(fenced: Space) -> None:
    fenced.run("--quiet")
    fenced.write({"docs/page.md": PAGE.replace("long", "longer").replace("#fig-flow", "#fig-other")})
    left = set(fenced.run("--format", "json").json["summary"]["orphans"])
    data = {f"build/global/flow.data-{name}.csv" for name in ("nodes", "edges")}
    assert left == {"build/global/flow.svg", "build/global/flow.dark.svg", *data}  # of the named one
    assert len(list((fenced.root / "build/global").glob("docs-page-*.svg"))) == 4
    (fenced.root / "docs/page.md").unlink()
    (fenced.root / "docs/.keep").write_text("")
    fenced.run()
    assert list((fenced.root / "build/global").glob("docs-page-*.svg")) == []


def test_mistakes_stand_at_their_lines_wherever_the_block_goes(fenced: Space) -> None:
    bad = '\n> ```dot\n> digraph {\n>   a -> ;\n> }\n> ```\n\n```dot {expect="{nodes: 9}"}\ndigraph { q }\n```\n'
    wrong = '\n```dot {#fig-flow}\ndigraph { twice }\n```\n\n```dot {expect="{messages: 1}"}\ndigraph { q }\n```\n'
    fenced.write({"docs/page.md": PAGE + bad, "docs/more/other.md": wrong})
    for moved in ("", "\n"):
        fenced.write({"docs/page.md": moved + PAGE + bad})
        by = len(moved)
        said = fenced.run().err
        assert f"docs/page.md:{21 + by}:7: '->' has no node to its right" in said
        assert f"docs/page.md:{25 + by}: expected 9 nodes, drawn: 1" in said
        assert f"docs/page.md:{3 + by}: the question at docs/more/other.md:2 also has the id 'flow'" in said
        assert "docs/more/other.md:6: messages can be counted only in kind d2, mermaid or plantuml" in said
    assert [row["id"] for row in rows(fenced)] != []
    assert fenced.run("--format", "github").out.count("file=docs/page.md,line=22") == 1


def test_pages_without_fences_are_an_error_at_their_line(space: Space) -> None:
    """A broken block would go unseen. A page with fences of its own is enough, even with a broken one."""
    space.write({"docs/page.md": PAGE, "figmill.toml": 'themes = ["light"]\npages = ["docs"]\n'})
    told = "figmill.toml:2: pages has no effect without fences or images; name the code blocks that are figures, like "
    for words in ((), ("--check",), ("lint",)):
        ran = space.run(*words)
        assert ran.code == 2 and told in ran.err
    space.write({"docs/own.md": "---\nfigmill: {fences: [dot]}\n---\n```dot\ndigraph { a -> }\n```\n"})
    ran = space.run()
    assert ran.code == 1 and told not in ran.err and "docs/own.md:5:" in ran.err


def test_only_pages_that_ask_are_read(space: Space) -> None:
    page = PAGE.replace(SECOND, EBNF)
    space.write({"docs/page.md": page, "questions/a.yaml": "id: a\n"})
    assert space.run().out == "0 figures; `visual` in a question declares one\n"
    space.write(
        {
            "figmill.toml": 'pages = ["."]\n',
            "docs/on.md": f"---\nfigmill: {{fences: [dot]}}\n---\n{page}",
        }
    )
    assert len(statuses(space)) == 2
    space.write({"figmill.toml": 'pages = ["."]\nfences = ["ebnf"]\n', "node_modules/a.md": page})
    assert len(statuses(space)) == 3
    space.write({"figmill.toml": 'fences = ["mermade"]\n'})
    assert (
        "figmill.toml:1: fences: figmill draws no code blocks called 'mermade'; did you mean 'mermaid'?"
        in (space.run().err)
    )
    space.write({"figmill.toml": 'fences = ["dot"]\npages = "pages"\n'})
    assert "figmill.toml:2: pages: there is no folder 'pages' in the book" in space.run().err
    space.write({"figmill.toml": 'fences = ["dot"]\noutput = "docs"\n'})
    assert "output 'docs' would contain 'docs'" in space.run().err


@pytest.mark.parametrize("language", ["python", "matplotlib", "svg", "altair"])
def test_a_page_can_bring_no_program(space: Space, language: str) -> None:
    """Only kinds whose sources are data have names of blocks."""
    space.write({"figmill.toml": f'fences = ["{language}"]\n', "docs/page.md": f"```{language}\n1\n```\n"})
    ran = space.run()
    assert ran.code == 2 and f"figmill draws no code blocks called '{language}'" in ran.err


def test_a_page_outside_of_the_book_is_not_read(fenced: Space) -> None:
    outside = fenced.root.parent / "outside.md"
    outside.write_text(PAGE.replace("#fig-flow", "#fig-stranger"))
    (fenced.root / "docs/link.md").symlink_to(outside)
    (fenced.root / "docs/inside.md").symlink_to(fenced.root / "docs/page.md")
    fenced.write({"docs/page.md": PAGE.replace(" {#fig-flow", " {.flow")})
    assert {row["source"] for row in fenced.run("--format", "json").json["figures"] and rows(fenced)} == {
        "docs/page.md",
        "docs/inside.md",
    }


def test_a_book_with_outputs_in_place_writes_nothing_beside_pages(fenced: Space) -> None:
    fenced.write({"figmill.toml": 'fences = ["dot"]\noutput = "in-place"\n'})
    assert fenced.run().code == 0
    assert sorted(path.name for path in (fenced.root / "docs").iterdir()) == ["page.md"]
    assert (fenced.root / "build/global/flow.svg").exists()
    assert fenced.run().out == "3 figures, all fresh\n"


def test_a_commit_before_shows_what_changes(fenced: Space) -> None:
    fenced.git("init", "-q")
    fenced.git("add", ".")
    fenced.git("commit", "-qm", "a")
    fenced.write({"docs/page.md": "Before.\n\n" + PAGE.replace("digraph { a", "digraph { c -> a")})
    report = fenced.run("--check", "--against", "HEAD", "--format", "json")
    changed = {row["id"]: row["status"] for row in report.json["figures"] if row["status"] != "unchanged"}
    assert {id_: status for id_, status in changed.items() if status != "fresh"} == {
        "flow": "failed"
    }  # expect: 2 nodes
    fenced.write({"docs/page.md": PAGE.replace("digraph { a -> b", "digraph { b -> a")})
    report = fenced.run("--check", "--against", "HEAD", "--format", "json")
    assert report.code == 3
    assert [row["id"] for row in report.json["figures"] if row["status"] == "would-change"] == ["flow"]


def test_a_resident_book_says_what_a_new_look_would(fenced: Space) -> None:
    """Edits, one after the other: each is taken in, and leaves what a build of a new copy leaves."""
    edits = [
        PAGE.replace("a -> b", "b -> a"),
        "\n\n" + PAGE,
        PAGE.replace("#fig-flow", "#fig-new"),
        PAGE + "\n```dot\ndigraph { -> }\n```\n",
        PAGE,
    ]
    with Resident(fenced.root, lambda: config.load(fenced.root)) as resident:
        resident.update()
        for text in edits:
            fenced.write({"docs/page.md": text})
            resident.update([fenced.root / "docs/page.md"])
            while resident.rest() is not None:
                pass
            kept = rows(fenced)
            fenced.run("--quiet")
            assert rows(fenced) == kept
