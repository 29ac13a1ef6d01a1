"""`embed` and `setup`."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import typst
from docutils.core import publish_string
from helpers.book import Space, believed
from helpers.hosts import FILES, book, figures, node

from figmill.integrations.hosts import HOSTS


@pytest.fixture(scope="module")
def built(two_figures: Path, tmp_path_factory: pytest.TempPathFactory) -> Space:
    space = Space(tmp_path_factory.mktemp("books") / "book")
    shutil.copytree(two_figures, space.root, symlinks=True)
    believed(space.root)
    space.write(
        {
            "questions/odd.yaml": "id: odd\nvisual:\n  source: a.dot\n  alt: a & b\n"
            "  caption: '100 % of {x y} is $5 #1 <b> \\ _'\n"
        }
    )
    assert space.run("--to", "pdf").code == 0
    return space


@pytest.mark.parametrize("base", [None, "/static"])
def test_html_is_what_every_host_writes(built: Space, base: str | None) -> None:
    ran = built.run("embed", "graph", *(["--base", base] if base else []))
    assert ran.code == 0, ran.err
    (figure,) = figures(ran.out)
    assert (figure.themes, figure.caption) == (("light", "dark"), "A chain of 3 nodes.")
    assert f'src="{base or "build"}/global/graph.dark.svg"' in ran.out


def test_each_format_is_read_by_its_own_reader(built: Space) -> None:
    jsx = built.run("embed", "odd", "--format", "mdx").out
    assert 'className="figmill"' in jsx and "class=" not in jsx and jsx.count(" />") == 2
    assert r'{"100 % of \u007bx y\u007d is $5 #1 \u003cb\u003e \\ _"}' in jsx
    rst = built.run("embed", "odd", "--format", "rst").out
    page = publish_string(rst, writer="html5", settings_overrides={"halt_level": 2}).decode()
    assert "100 % of {x y} is $5 #1 &lt;b&gt; \\ _" in page and 'alt="a &amp; b"' in page
    typ = built.run("embed", "odd", "--format", "typst").out
    built.write({"page.typ": typ + "\nSee @fig-odd.\n"})
    assert typst.compile(built.root / "page.typ", root=str(built.root)).startswith(b"%PDF")
    tex = built.run("embed", "odd", "--format", "latex").out
    assert r"100 \% of \{x y\} is \$5 \#1 \textless{}b\textgreater{} \textbackslash{} \_" in tex
    assert "{build/global/odd.pdf}" in tex and r"\label{fig-odd}" in tex
    markdown = built.run("embed", "odd", "--format", "md").out
    assert '<source media="(prefers-color-scheme: dark)" srcset="build/global/odd.dark.svg">' in markdown


def test_a_fact_and_what_is_not_there(built: Space) -> None:
    assert built.run("embed", "plot#half:.1f").out == "2.0\n"
    assert built.run("embed", "plot#half:.1%", "--format", "latex").out == "200.0\\%\n"
    ran = built.run("embed", "grpah")
    assert (ran.code, ran.err) == (2, "figmill: there is no figure 'grpah'; did you mean 'graph'?\n")
    ran = built.run("embed", "plot#hafl")
    assert (ran.code, ran.err) == (
        2,
        "figmill: figure 'plot' states no fact 'hafl'; did you mean 'half'?\n",
    )


@pytest.mark.parametrize("host", HOSTS)
def test_setup_writes_once_and_knows_what_is_old(space: Space, host: str) -> None:
    book(space)
    before = space.stamps()
    ran = space.run("setup", host, "--dry-run")
    assert ran.code == 0, ran.err
    assert space.stamps() == before
    copies = [copy.target for copy in HOSTS[host].copies]
    assert re.findall(r"^would write (.+)$", ran.out, re.M) == copies
    ran = space.run("setup", host)
    assert re.findall(r"^wrote (.+)$", ran.out, re.M) == copies
    assert "Add to " in ran.out or "On the command line" in ran.out
    stamps = space.stamps()
    ran = space.run("setup", host)
    assert re.findall(r"^(.+) is up to date$", ran.out, re.M) == copies
    assert space.stamps() == stamps
    for copy in copies:
        text = space.read(copy)
        stamp, _, rest = text.partition("\n")
        older = rest + "\n"
        import hashlib

        digest = hashlib.sha256(older.encode()).hexdigest()[:16]
        space.write({copy: re.sub("; [0-9a-f]{16}", f"; {digest}", stamp) + "\n" + older})
        assert f"{copy} is old; would update it" in space.run("setup", host, "--dry-run").out
        assert f"updated {copy}" in space.run("setup", host).out
        assert space.read(copy) == text
        space.write({copy: text + "changed by hand\n"})
        ran = space.run("setup", host)
        assert (ran.code, space.read(copy)) == (2, text + "changed by hand\n")
        assert f"{copy} differs from what figmill wrote; move it away first" in ran.err
        space.write({copy: "by another hand\n"})
        ran = space.run("setup", host)
        assert (ran.code, space.read(copy)) == (2, "by another hand\n")
        assert f"{copy} was not written by `figmill setup`; move it away first" in ran.err
        space.write({copy: rest})  # copied by hand from the package
        assert f"updated {copy}" in space.run("setup", host).out
        assert space.read(copy) == text
        space.write({copy: text})


def test_setup_leaves_out_lines_that_are_there(space: Space) -> None:
    book(space).write({"mkdocs.yml": "plugins: [figmill]\n"})
    assert "mkdocs.yml already names figmill" in space.run("setup", "mkdocs").out


def test_a_file_with_its_first_line_still_works(hosted: Space) -> None:
    """The stamp must be a comment to whoever reads the file."""
    from helpers.hosts import PANDOC, run

    for host in ("pandoc", "myst", "quarto"):
        assert hosted.run("setup", host).code == 0
    hosted.write({"page.md": "![](figmill:graph)\n"})
    ran = run([PANDOC, "page.md", "-L", "figmill.lua", "-o", "page.html"], hosted.root)
    assert (ran.code, ran.said) == (0, "")
    assert run([node(), "--check", "figmill.mjs"], hosted.root).code == 0
    import yaml

    extension = yaml.safe_load(hosted.read("_extensions/figmill/_extension.yml"))
    assert extension["contributes"]["filters"] == ["figmill.lua"]
    assert (
        hosted.read("figmill.css").splitlines()[1:]
        == (FILES / "css/figmill.css").read_text("utf-8").splitlines()
    )
