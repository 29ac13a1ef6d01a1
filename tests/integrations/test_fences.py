"""Code blocks in pages as figures, in every host: drawn, referred to, told at their lines, or left as they were."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.book import Space
from helpers.hosts import BIN, FILES, HOSTS, PANDOC, Ran, Seen, figures, lines_about, prose, run, with_myst

FLOW = """\
```mermaid {#fig-flow alt="A client asks." caption="How it *goes*" expect="{nodes: 2, edges: 1}"}
flowchart LR
  client --> server
```
"""
PAGE = f"""\
# One

{FLOW}
Text

``` dot
digraph {{ a -> b -> c }}
```

So [](figmill:flow#nodes) nodes in [it](figmill:flow).

````text
```mermaid
an example
```
````
"""
NAMED = Seen(("light", "dark"), ("flow.svg", "flow.dark.svg"), ("A client asks.",) * 2, None, "How it *goes*")
DRAWN: dict[str, bytes] = {}  # the same figure, by whichever host


def book(space: Space, host: str, cache: Path | None = None) -> Space:
    """cache: has the drawings of other tests that are not about drawing."""
    pages = "docs" if host in ("sphinx", "mkdocs", "properdocs", "zensical") else "."
    settings = f'fences = ["mermaid", "dot"]\npages = ["{pages}"]\noutput = "docs/figures"\n'
    if cache is not None:
        settings += f'cache = "{cache.as_posix()}"\n'
    return space.write({"docs/.keep": "", "figmill.toml": settings})


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(params=HOSTS)
def host(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_blocks_of_code_become_figures(host: str, space: Space) -> None:
    ran = HOSTS[host](book(space, host), PAGE, strict=True)
    assert ran.code == 0, ran.said
    first, second = figures(ran.page)
    assert Seen(first.themes, first.files, first.alts, None, first.caption) == NAMED
    assert second.alts == ("Diagram: a; b; c",) * 2 and second.caption == ""
    assert "So 2 nodes in it." in prose(ran.page) and "an example" in prose(ran.page)
    assert "client --> server" not in prose(ran.page)
    svg = (space.root / "docs/figures/global/flow.svg").read_bytes()
    assert DRAWN.setdefault("flow", svg) == svg


def test_pages_stay_as_they_are_unless_the_book_asks(host: str, space: Space) -> None:
    page = FLOW.replace(" {#fig-flow", " {#flow-of-it")
    space.write({"visuals/a.dot": "digraph {a}"}).question("other", "source: a.dot, alt: one node")
    ran = HOSTS[host](space, f"# One\n\n{page}\n![](figmill:other)\n")
    assert ran.code == 0, ran.said
    assert [figure.alts[0] for figure in figures(ran.page)] == ["one node"]


def test_a_block_that_cannot_be_drawn_is_told_at_its_line_and_stays(
    host: str, space: Space, cache: Path
) -> None:
    bad = "```mermaid\nflowchart LR\n  a --> [\n```\n"
    ran = HOSTS[host](book(space, host, cache), f"# One\n\ntext\n\n{bad}\n{FLOW}")
    assert re.search(r"(?:page|index)\.md:7:9: '\[' is not closed", ran.said), ran.said
    assert [figure.alts[0] for figure in figures(ran.page)] == ["A client asks."]
    assert "a --> [" in prose(ran.page)


def test_a_block_that_was_not_built_is_a_warning_at_its_line(space: Space, cache: Path) -> None:
    page = space.write({"page.md": f"text\n\n{FLOW}", "figmill.lua": (FILES / "figmill.lua").read_bytes()})
    book(page, "pandoc", cache).run("--quiet")
    space.write({"page.md": f"text\n\n{FLOW}\n``` dot\ndigraph {{new}}\n```\n"})
    ran = run([PANDOC, "page.md", "-L", "figmill.lua", "-o", "page.html"], space.root)
    ((_, line, message),) = lines_about(ran.said)
    assert line == 8 and message.startswith("this block of dot has no figure; run `figmill`")
    without = run([PANDOC, "page.md", "-L", "figmill.lua", "-o", "page.html"], space.root, PATH="/nowhere")
    assert "command figmill is not found" in without.said
    assert "client --&gt; server" in space.read("page.html")


SPHINX = """\
Index
=====

.. toctree::

   page

.. mermaid::
   :name: fig-rest
   :alt: In reST.
   :caption: A caption

   flowchart LR
     client --> server

.. code-block:: dot
   :caption: Code

   digraph { x }

.. graphviz:: other.dot

See :numref:`fig-rest`, :figmill-fact:`rest#edges`.
"""
MYST = """\
# Page

```{mermaid}
:name: fig-dir
:alt: A directive.
:caption: Of a directive
flowchart LR
  client --> server
```

See {numref}`fig-dir`, {numref}`fig-rest` and [it](figmill:rest).
"""


def test_sphinx_takes_directives_and_leaves_the_others_to_their_extension(space: Space, cache: Path) -> None:
    book(space, "sphinx", cache)
    space.write(
        {
            "docs/conf.py": 'extensions = ["myst_parser", "sphinx.ext.graphviz", "figmill.sphinx"]\nnumfig = True\n'
            'suppress_warnings = ["toc"]\n',
            "docs/index.rst": SPHINX,
            "docs/page.md": MYST,
            "docs/other.dot": "digraph { left_to_graphviz }",
        }
    )
    command = [BIN / "sphinx-build", "-q", "-E", "docs", "site"]
    ran = run(command, space.root)
    assert [line for line in ran.said.splitlines() if "dot command 'dot'" not in line] == []
    index, page = space.read("site/index.html"), space.read("site/page.html")
    assert [(figure.alts[0], figure.caption) for figure in figures(index)] == [
        ("In reST.", "A caption"),
        ("Diagram: x", "Code"),
    ]
    assert "left_to_graphviz" in index  # as its extension shows it without the program
    assert [figure.alts[0] for figure in figures(page)] == ["A directive."]
    assert re.search(r"See Fig\. \d, 1\.", prose(index)) and re.search(
        r"See Fig\. \d, Fig\. \d and it\.", prose(page)
    )
    assert 'href="index.html#fig-rest"' in page
    space.write({"docs/index.rst": SPHINX.replace("In reST.", "Changed.").replace("x }", "changed }")})
    assert run(command[:2] + command[3:], space.root).code == 0
    directive, code = figures(space.read("site/index.html"))
    assert directive.alts[0] == "Changed." and code.alts[0] == "Diagram: changed"
    assert "changed" in space.read(f"site/_images/{code.files[0]}")


def test_a_page_may_include_a_block_of_another(space: Space, cache: Path) -> None:
    book(space, "mkdocs", cache)
    space.write(
        {
            "docs/part.md": FLOW,
            "docs/index.md": '# One\n\n--8<-- "docs/part.md"\n',
            "docs/off.md": f"---\nfigmill: {{fences: false}}\n---\n{FLOW}".replace("#fig-flow", "#o"),
            "mkdocs.yml": "site_name: A\ntheme: mkdocs\nplugins: [figmill]\n"
            "markdown_extensions:\n  - pymdownx.snippets\n"
            "  - pymdownx.superfences: {custom_fences: [{name: mermaid, class: mermaid}]}\n",
        }
    )
    ran = run([BIN / "mkdocs", "build", "--strict"], space.root)
    assert ran.code == 0, ran.said
    assert [figure.alts[0] for figure in figures(space.read("site/index.html"))] == ["A client asks."]
    assert figures(space.read("site/off/index.html")) == [] and "client --&gt; server" in space.read(
        "site/off/index.html"
    )


def test_links_lead_to_a_block_on_another_page(space: Space, cache: Path) -> None:
    book(space, "zensical", cache)
    space.write({"docs/sub/two.md": FLOW})
    ran = HOSTS["zensical"](space, "# One\n\nSee [it](figmill:flow).\n", strict=True)
    assert ran.code == 0, ran.said
    assert re.search(r'<a href="sub/two/#fig-flow"[^>]*>it</a>', ran.page)
    space.write(
        {"page.md": "# A\n\n[it](figmill:flow)\n", "figmill.lua": (FILES / "figmill.lua").read_bytes()}
    )
    command = [PANDOC, "-L", "figmill.lua", "-M", "figmill.pages=x", "page.md", "-o", "page.html"]
    space.write({"page.md": "---\nfigmill: {pages: [docs/sub/two.md]}\n---\n[it](figmill:flow)\n"})
    assert run(command[:3] + command[5:], space.root).code == 0
    assert 'href="docs/sub/two.html#fig-flow"' in space.read("page.html")


PLACED = f"""\
# One

{FLOW.replace("{#fig-flow", "{#fig-flow width=50%")}
[](#fig-flow)

```dot
digraph {{ a -> b }}
```
"""


@pytest.mark.soak
def test_a_site_of_mystmd_gives_a_block_the_place_that_it_states(space: Space, cache: Path) -> None:
    ran = HOSTS["myst"](book(space, "myst", cache), PLACED, strict=True)
    assert ran.code == 0 and "No target" not in ran.said, ran.said
    assert '"identifier":"fig-flow"' in ran.page and ran.page.count('"width":"50%"') == 2
    assert "dark.svg" in ran.page


def test_mystmd_gives_a_block_the_place_that_it_states_and_a_document_one_picture(
    space: Space, cache: Path
) -> None:
    exports = "---\nexports: [{format: typst, output: out.typ, template: null}]\n---\n"
    with_myst(book(space, "myst", cache), f"{exports}{PLACED}").run("--quiet")
    ran = run([BIN / "myst", "build", "page.md", "--typst"], space.root)
    document = space.read("out.typ")
    assert document.count("image(") == 2 and "dark.svg" not in document and "<fig-flow>" in document, ran.said
    assert document.count("width: 50%") == 1


def test_the_files_of_hosts_ask_only_where_settings_speak_of_fences(space: Space) -> None:
    page = "```python\nprint()\n```\n"
    space.write({"page.md": page, "figmill.lua": (FILES / "figmill.lua").read_bytes()})
    ran = run([PANDOC, "page.md", "-L", "figmill.lua"], space.root, PATH="/nowhere")
    assert (ran.code, "figmill" in ran.said) == (0, False)
    assert Path(space.root / "build").exists() is False


IN_HTML = f"""\
# One

<center>
{FLOW}<i>below it</i>
</center>

<details><summary>More</summary>

```dot
digraph {{ a -> b }}
```

</details>

<div class="inner"><div>
``` dot
digraph {{ a -> b }}
```
</div></div>

<div markdown="1">
``` dot
digraph {{ c -> d }}
```
</div>

So [](figmill:flow#nodes) nodes in [it](figmill:flow).
"""
MKDOCS = """\
site_name: A book
theme: mkdocs
plugins: [figmill]
markdown_extensions:
  - md_in_html
  - pymdownx.snippets
  - pymdownx.superfences: {custom_fences: [{name: mermaid, class: mermaid}]}
"""
ZENSICAL = """\
[project.markdown_extensions.md_in_html]
[project.markdown_extensions.pymdownx.snippets]
[project.markdown_extensions.pymdownx.superfences]
"""


def mkdocs(space: Space, page: str) -> Ran:
    """MkDocs with the extensions by which its users draw blocks."""
    space.write({"docs/index.md": page, "mkdocs.yml": MKDOCS})
    ran = run([BIN / "mkdocs", "build", "--strict"], space.root)
    shown = space.root / "site/index.html"
    return Ran(ran.code, ran.said, shown.read_text("utf-8") if shown.exists() else "")


def zensical(space: Space, page: str) -> Ran:
    return HOSTS["zensical"](space, page, strict=True, more=ZENSICAL)


@pytest.mark.parametrize("host", [mkdocs, zensical])
def test_a_block_inside_html_is_a_figure_where_the_host_draws_it(
    host: Callable[[Space, str], Ran], space: Space, cache: Path
) -> None:
    book(space, host.__name__, cache).write({"docs/sub/two.md": IN_HTML})
    ran = host(space, IN_HTML.replace("fig-flow", "fig-home").replace("figmill:flow", "figmill:home"))
    assert ran.code == 0, ran.said
    for name, label, up in (("site/index.html", "home", ""), ("site/sub/two/index.html", "flow", "../../")):
        page = space.read(name)
        assert len(figures(page)) == 4 and "figmill:" not in page
        assert [f"{label}.svg" in figure.files for figure in figures(page)].count(True) == 1
        assert f'src="{up}figures/global/{label}.svg"' in page and f'id="fig-{label}"' in page
        assert re.search(r"<center>\s*<figure.*</details>\s*<i>below it</i>\s*</center>", page, re.S)
        assert f'<a href="#fig-{label}">it</a>' in page and "So 2 nodes" in prose(page)


def test_a_block_inside_html_that_cannot_be_drawn_stays(space: Space) -> None:
    bad = "<div>\n```mermaid\nflowchart LR\n  a --> [\n```\n</div>\n"
    ran = mkdocs(book(space, "mkdocs"), f"# One\n\n{bad}")
    assert ran.code != 0 and "index.md:6:9: '[' is not closed" in ran.said
    run([BIN / "mkdocs", "build"], space.root)
    assert '<pre class="mermaid"><code>flowchart LR\n  a --&gt; [' in space.read("site/index.html")


def test_a_block_that_the_host_takes_for_code_stays_code(space: Space, cache: Path) -> None:
    page = f"# One\n\n- item\n\ntext\n\n      {FLOW.replace(chr(10), chr(10) + '      ')}\n"
    ran = mkdocs(book(space, "mkdocs", cache), page)
    assert ran.code == 0, ran.said
    assert "client --> server" in prose(ran.page) and "figmill:flow" not in ran.page


LEFT = f"{FLOW}\n`figmill:flow` in code\n\nsome <b>words</b>\n\n"
SCRIPT = "\n<script>\nfigmill:flow\n</script>\n"


def test_an_address_that_the_host_does_not_read_is_reported_at_its_line(space: Space, cache: Path) -> None:
    book(space, "markdown", cache)
    for inside in ("![](figmill:flow)", '<img src="figmill:flow">', '<a href="figmill:flow">it</a>'):
        page = f"{LEFT}<div>\n{inside}\n</div>\n{SCRIPT}"
        ((_, line, message),) = lines_about(HOSTS["markdown"](space, page).said)
        assert line == 11 and message.startswith("figmill:flow"), (inside, line, message)
        assert "stands in the page as text" in message, (inside, message)


def test_every_host_reports_such_an_address(host: str, space: Space, cache: Path) -> None:
    """At the line of prose alone: code and scripts may name it."""
    ran = HOSTS[host](book(space, host, cache), f"{LEFT}some ![] (figmill:flow) words\n{SCRIPT}", strict=True)
    assert ran.code != 0 and "figmill:flow stands in the page as text" in ran.said, ran.said
    assert {*re.findall(r"(?:(?:index|page)\.md:|(?:Warning|Error): line )(\d+)", ran.said)} == {"10"}, (
        ran.said
    )


INCLUDING = """\
# One

<center>
``` dot {#fig-whole}
--8<-- "parts/whole.dot"
```
</center>

- item

    ``` dot {#fig-part}
    digraph {
      --8<-- "parts/whole.dot:2:2"
      --8<-- "parts/whole.dot:more"
      server -> three
    }
    ```

``` dot {#fig-as-it-is}
digraph { a [label="--8&lt;-- is a line"] }
```

![](figmill:whole)
"""
WHOLE = "digraph {\nclient -> server\n// --8<-- [start:more]\nserver -> store\n// --8<-- [end:more]\n}\n"


@pytest.mark.parametrize("host", [mkdocs, zensical])
def test_a_block_shows_what_the_snippets_of_its_host_put_into_it(
    host: Callable[[Space, str], Ran], space: Space, cache: Path
) -> None:
    book(space, host.__name__, cache).write({"parts/whole.dot": WHOLE})
    ran = host(space, INCLUDING)
    assert ran.code == 0, ran.said
    names = ("whole", "part", "as-it-is", "whole")
    assert [figure.files[0] for figure in figures(ran.page)] == [f"{name}.svg" for name in names]
    assert [figure.alts[0] for figure in figures(ran.page)][:2] == [
        "Diagram: client; server; store",
        "Diagram: client; server; store; three",
    ]
    assert "all fresh" in space.run().out
    space.write({"parts/whole.dot": WHOLE.replace("}", "store -> archive\n}")})
    assert "archive" in figures(host(space, INCLUDING).page)[0].alts[0]


DIAGRAM = "flowchart LR\nclient --> server\n"
# A line of a block -> what is said of it; PAGE: the page of the block.
INCLUDES = {
    '--8<-- "parts/bad.mmd"': "parts/bad.mmd:2:9: '[' is not closed",
    '--8<-- "parts/none.mmd:2"': "PAGE:6: there is no parts/none.mmd to include; mkdocs.yml looks in .",
    '--8<-- "../out.mmd"': "PAGE:6: ../out.mmd is outside of the book; only files below its root",
    '--8<-- ".git/config"': "PAGE:6: .git/config is in '.git', where programs keep passwords and keys",
    '--8<-- "parts/link.mmd"': "PAGE:6: parts/link.mmd is a link that leads out of the book",
    '--8<-- "parts/latin.mmd"': "PAGE:6: an included file is not utf-8; save it as utf-8",
}


def test_an_include_that_cannot_be_drawn_is_reported_at_its_line(space: Space) -> None:
    (space.root.parent / "out.mmd").write_text(DIAGRAM)
    pages = {f"docs/p{number}.md": line for number, line in enumerate(INCLUDES)}
    book(space, "mkdocs").write(
        {
            **{page: f"# One\n\ntext\n\n``` mermaid\n{line}\n```\n" for page, line in pages.items()},
            "mkdocs.yml": MKDOCS,
            "parts/bad.mmd": "flowchart LR\n  a --> [\n",
            "parts/latin.mmd": DIAGRAM.encode() + b"%% \xff\n",
            ".git/config": DIAGRAM,
        }
    )
    (space.root / "parts/link.mmd").symlink_to(space.root.parent / "out.mmd")
    done = space.run()
    assert done.code == 1 and f"{len(INCLUDES)} failed" in done.out, done.out
    silent = [line for page, line in pages.items() if INCLUDES[line].replace("PAGE", page) not in done.err]
    assert silent == [], done.err


def test_pages_of_hosts_without_snippets_include_nothing(space: Space) -> None:
    book(space, "mkdocs").write({"docs/index.md": INCLUDING, "parts/whole.dot": WHOLE})
    assert "index.md:5:1: a source begins with" in space.run().err


def test_a_book_that_cannot_be_opened_is_reported_where_its_blocks_stand(space: Space) -> None:
    book(space, "markdown").write({"figmill.toml": "fences = 3\n"})
    ran = HOSTS["markdown"](space, FLOW)
    assert "figmill.toml" in ran.said and "client --&gt; server" in ran.page
