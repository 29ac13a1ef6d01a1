"""`figmill page --json`: what pandoc, Quarto and mystmd ask once for each document, and what they do without it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.book import Space
from helpers.hosts import BIN, FILES, PANDOC, Ran, node, programs, prose, run

PAGE = """\
# About [](figmill:plot#half:.1f)

![](figmill:graph)

So ![](figmill:plot){#own}, and [that](figmill:graph). ##[error] `::error::x`
"""


@pytest.fixture
def built(hosted: Space) -> Space:
    """The book of two figures, built."""
    assert hosted.run("--quiet").code == 0
    return hosted


def pandoc_json(page: str) -> str:
    done = subprocess.run([PANDOC, "-t", "json"], input=page, capture_output=True, text=True, check=True)
    return done.stdout


def asked(space: Space, request: object) -> tuple[int, str, str]:
    """(exit code, standard output, standard error) of `figmill page --json`."""
    text = request if isinstance(request, str) else json.dumps(request)
    done = space.run("page", "--json", given=text)
    return done.code, done.out, done.err


def answer(space: Space, page: str, **request: Any) -> Any:
    """The answer to pandoc's document of a page."""
    space.write({"page.md": page})
    whole = {"version": 1, "host": "pandoc", "format": "html5", "sources": ["page.md"]}
    code, out, err = asked(space, {**whole, **request, "document": pandoc_json(page)})
    assert (code, err) == (0, ""), err
    response = json.loads(out)
    assert list(response) == ["version", "messages", "document"] and response["version"] == 1
    return response


def written(response: Any, to: str = "html5") -> str:
    """The document of an answer, as pandoc writes it."""
    command = [PANDOC, "-f", "json", "-t", to, "--wrap=none"]
    return subprocess.run(
        command, input=response["document"], capture_output=True, text=True, check=True
    ).stdout


def test_an_answer_is_the_document_with_its_figures(built: Space) -> None:
    response = answer(built, PAGE)
    page = written(response)
    assert response["messages"] == []
    assert page.count("<img") == 4 and "figmill:" not in page
    assert 'id="fig-graph"' in page and 'href="#fig-graph"' in page
    assert page.index('id="fig-plot"') < page.index('id="own"')
    assert "##[error] <code>::error::x</code>" in page  # what a CI service would obey comes through as it was
    page = written(answer(built, PAGE, format="typst"), "typst")
    assert page.count("build/global/graph.svg") == 1 and "dark" not in page


def test_messages_have_a_level_and_a_place(built: Space) -> None:
    built.write({"visuals/a.dot": "digraph { a -> }"})
    assert built.run("--quiet").code == 1
    response = answer(
        built, "# One\n\n![](figmill:graph)\n\n![](figmill:plto)\n\n[](figmill:plot#half:.1q)\n"
    )
    told = [(row["level"], row["file"], row["line"], row["message"]) for row in response["messages"]]
    assert [(*place, text.partition(";")[0]) for *place, text in told] == [
        ("warning", "page.md", 3, "figure 'graph' is out of date because its last build failed"),
        ("error", "page.md", 5, "there is no figure 'plto'"),
        ("error", "page.md", 7, "fact 'half' of figure 'plot': '.1q' is not a format"),
    ]
    assert [message["column"] for message in response["messages"]] == [None] * 3
    # a longer name that begins alike is another
    response = answer(built, "[](figmill:plot#half)\n\n[](figmill:plot#hal)\n")
    assert [message["line"] for message in response["messages"]] == [3]


BROKEN: tuple[tuple[object, str], ...] = (
    ("", "standard input is not a request of a host"),
    ("[]", "standard input is not a request of a host"),
    ({"version": 1, "host": "pandoc"}, "standard input is not a request of a host"),
    ({"version": 1, "host": "pandoc", "document": {}}, "standard input is not a request of a host"),
    (
        {"version": 2, "host": "pandoc", "document": "{}"},
        "the request has version 2, but this figmill answers version 1",
    ),
    (
        {"version": 1, "host": "hugo", "document": "{}"},
        "no host is called 'hugo'; choose one of pandoc, quarto, myst",
    ),
    ({"version": 1, "host": "myst", "document": "{"}, "the document is not JSON"),
    ({"version": 1, "host": "myst", "document": "[" * 100_000}, "the document is nested too deep"),
)


def test_a_broken_request_is_one_line(built: Space) -> None:
    for request, message in BROKEN:
        code, out, err = asked(built, request)
        told = (str(request)[:80], err)
        assert (code, out, err.count("\n")) == (2, "", 1) and err.startswith(f"figmill: {message}"), told


def test_the_book_is_the_one_that_is_named(built: Space, tmp_path: Path) -> None:
    elsewhere = Space(tmp_path / "elsewhere")
    elsewhere.root.mkdir()
    named = f"---\nfigmill: {{root: '{built.root}', path: /static}}\n---\n{PAGE}"
    assert 'src="/static/global/graph.svg"' in written(answer(elsewhere, named))
    page = answer(elsewhere, PAGE)
    assert [message["level"] for message in page["messages"]] == ["error"]
    assert page["messages"][0]["message"].startswith("there is no questions/ in ")
    assert "figmill:graph" in prose(written(page))


# ---------------------------------------------------------------- what the hosts do


def counted(space: Space, folder: str = "counted") -> str:
    """A PATH on which `figmill` notes each call, and then does its work."""
    script = f'#!/bin/sh\necho call >> "{space.root}/calls"\nexec "{programs()}/figmill" "$@"\n'
    space.write({f"{folder}/figmill": script})
    (space.root / folder / "figmill").chmod(0o755)
    return f"{space.root / folder}{os.pathsep}{os.environ['PATH']}"


def by_pandoc(space: Space, page: str, path: str, *more: str) -> Ran:
    space.write({"page.md": page, "figmill.lua": (FILES / "figmill.lua").read_bytes()})
    return run([PANDOC, "page.md", "-L", "figmill.lua", *more], space.root, PATH=path)


def by_myst(space: Space, page: str, path: str) -> Ran:
    """The plugin's transform alone, in Node."""
    tree = {"type": "root", "children": [{"type": "image", "url": page}]}
    work = f"""
import figmill from "./figmill.mjs";
const tree = {json.dumps(tree)};
const message = (text) => {{ console.error(text); return {{}}; }};
figmill.transforms[0].plugin()(tree, {{ path: "page.md", message }});
console.log(JSON.stringify(tree));
"""
    space.write(
        {
            "figmill.mjs": (FILES / "figmill.mjs").read_bytes(),
            "figmill-page.mjs": (FILES / "mjs/figmill-page.mjs").read_bytes(),
            "work.mjs": work,
        }
    )
    return run([node(), "work.mjs"], space.root, PATH=path)


NOT_FOUND = "figmill: the command figmill is not found; install it with `pip install figmill`, and have it on the PATH"


@pytest.mark.skipif(sys.platform == "win32", reason="a script of a shell stands on the PATH")
def test_a_host_asks_once_for_a_document_with_figures_and_never_for_another(built: Space) -> None:
    path = counted(built)
    for ran in (by_pandoc(built, PAGE + PAGE, path), by_myst(built, "figmill:graph", path)):
        assert ran.code == 0 and "graph.svg" in ran.said, ran.said
    assert built.read("calls") == "call\n" * 2
    for ran in (by_pandoc(built, "# No figure\n", path), by_myst(built, "other.svg", path)):
        assert ran.code == 0, ran.said
    assert built.read("calls") == "call\n" * 2


def test_a_document_is_built_where_the_command_is_not(built: Space) -> None:
    ran = by_pandoc(built, PAGE, "/nowhere", "-t", "latex")
    assert ran.code == 0 and ran.said.count(NOT_FOUND) == 1, ran.said
    assert "includegraphics" not in ran.said and r"\textbf{figmill:graph}" in ran.said
    assert by_pandoc(built, PAGE, "/nowhere", "--fail-if-warnings").code != 0
    ran = by_myst(built, "figmill:graph", "/nowhere")
    assert ran.code == 0 and ran.said.count(NOT_FOUND) == 1, ran.said


@pytest.mark.skipif(sys.platform == "win32", reason="a script of a shell stands on the PATH")
def test_a_command_that_fails_is_told(built: Space) -> None:
    built.write({"old/figmill": "#!/bin/sh\necho \"figmill: No such command 'page'\" >&2\nexit 2\n"})
    (built.root / "old/figmill").chmod(0o755)
    path = f"{built.root / 'old'}{os.pathsep}{os.environ['PATH']}"
    for ran in (by_pandoc(built, PAGE, path), by_myst(built, "figmill:graph", path)):
        assert ran.code == 0 and "No such command 'page'" in ran.said, ran.said
    assert "`figmill page` failed for the reason above" in by_pandoc(built, PAGE, path).said


def test_an_address_is_never_a_command(built: Space) -> None:
    hostile = "figmill:$(touch${IFS}owned);`touch${IFS}owned`|touch${IFS}owned"
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    for ran in (by_pandoc(built, f"![](<{hostile}>)\n", path), by_myst(built, hostile, path)):
        assert ran.code == 0 and "there is no figure" in ran.said, ran.said
    assert not (built.root / "owned").exists()


# What Quarto gives its filters, as its documentation has it.
QUARTO = """\
quarto = { doc = {
  input_file = "chapter.qmd",
  is_format = function(name) return name == "html" end,
  add_html_dependency = function(one) io.stderr:write("dependency ", table.concat(one.scripts), "\\n") end,
} }
"""


def test_quarto_switches_pictures_itself_and_publishes_the_script(built: Space) -> None:
    filter_ = QUARTO + (FILES / "figmill.lua").read_text(encoding="utf-8")
    page = "![](figmill:graph){#fig-graph}\n\n![](figmill:none)\n"
    built.write({"chapter.qmd": f"# One\n\n{page}", "page.md": page, "quarto.lua": filter_})
    ran = run([PANDOC, "page.md", "-L", "quarto.lua", "-t", "html"], built.root)
    assert ran.code == 0 and ran.said.count("dependency figmill-explore.js") == 1, ran.said
    text = " ".join(ran.said.split())
    assert 'class="figmill-light light-content"' in text and 'class="figmill-dark dark-content"' in text
    assert ran.said.count('id="fig-graph"') == 1
    assert "chapter.qmd:5: there is no figure 'none'" in ran.said
    built.write({"page.md": "# No figure\n"})
    ran = run([PANDOC, "page.md", "-L", "quarto.lua", "-t", "html"], built.root)
    assert "dependency" not in ran.said


MANY = """\
---
abstract: About [](figmill:plot#points).
---
# One {#fig-plot}

![Words with ![](figmill:plot), [](figmill:plot#half) and [a link](figmill:graph)](figmill:graph){.wide width=50%}

> ![](figmill:plot)

- ![](figmill:graph)

[that](figmill:plot) ^[A note on [](figmill:plot#points).]
"""


def test_figures_stand_anywhere_in_a_document(built: Space) -> None:
    response = answer(built, MANY)
    page = written(response, "html5")
    assert response["messages"] == [] and "figmill:" not in response["document"]
    assert page.count('id="fig-graph"') == page.count('id="fig-plot"') == 1
    assert '<h1 id="fig-plot"' in page and 'href="#fig-plot"' in page  # an id of the page's own goes before
    assert '<figure id="fig-graph" class="figmill wide">' in page and page.count("width:50%;height:auto") == 2
    assert page.count("<figure") == 2 and "note on 4" in page
    assert "<figcaption>Words with <span" in page and ", 2 and" in page
