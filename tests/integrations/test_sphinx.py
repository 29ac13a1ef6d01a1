"""Sphinx: directive and role, all builders, only what changed is read again."""

from __future__ import annotations

import re
import shutil
import sys
import zipfile
from pathlib import Path

from helpers.book import PLOT, Space, believed
from helpers.hosts import PAGE, Ran, book, figures, prose, run, sphinx
from lxml import etree

RST = """\
Other
=====

.. figmill:: plot
   :name: first
   :figclass: wide
   :class: mine
   :align: left
   :width: 50%
   :alt: own alt

   A caption with *emphasis*.

   And a legend.

.. figure:: figmill:graph

   Words of the page

.. image:: figmill:graph
   :alt: in other words

.. figmill:: graph
   :theme: dark
   :caption: Dark alone

See :numref:`first`, :figmill-fact:`plot#points` of them.
"""


def both(space: Space, builder: str, *more: str, conf: str = "") -> Ran:
    """The common page in MyST, and one in reStructuredText."""
    space.write({"docs/other.rst": RST})
    page = PAGE + "\n```{toctree}\nother\n```\n"
    ran = sphinx(space, page, strict=True, builder=builder, conf='project = "P"\nversion = "1"\n' + conf)
    assert ran.code == 0, ran.said
    return ran


def test_the_directive_takes_what_an_author_wishes(hosted: Space) -> None:
    both(hosted, "html")
    page = hosted.read("out/html/other.html")
    found = figures(page)
    assert [one.caption for one in found] == [
        "A caption with emphasis. And a legend.", "Words of the page", "A chain of 3 nodes.", "Dark alone",
    ]  # fmt: skip
    assert [one.alts[0] for one in found] == [
        "own alt",
        'a "sends" to b & c',
        "in other words",
        'a "sends" to b & c',
    ]
    assert [one.themes for one in found] == [("light", "dark")] * 3 + [("only",)]
    assert found[3].files == ("graph.dark.svg",)
    assert re.search(r'<figure class="figmill wide align-left" id="first">', page)
    assert page.count("width:50%") == 2 and '<a class="reference internal image' not in page
    assert "See Fig. 4, 4 of them." in prose(page)
    assert re.findall(r'caption-number">Fig. (\d)', hosted.read("out/html/index.html") + page) == list(
        "1234567"
    )


def test_every_builder_takes_the_form_that_it_can_show(hosted: Space) -> None:
    for builder in ("latex", "epub", "text", "dirhtml", "singlehtml", "gettext"):
        both(hosted, builder, conf='copyright = "x"\nepub_copyright = "x"\nsuppress_warnings = ["epub"]\n')
    tex = hosted.read("out/latex/p.tex")
    assert re.findall(r"\\sphinxincludegraphics(?:\[.*?\])?\{\{(\w+)\}\.(\w+)\}", tex) == [
        ("graph", "pdf"), ("plot", "pdf"), ("graph", "pdf"), ("plot", "pdf"), ("graph", "pdf"), ("graph", "pdf"),
        ("graph", "pdf"),
    ]  # fmt: skip
    assert (hosted.root / "out/latex/plot.pdf").read_bytes().startswith(b"%PDF")
    assert tex.count(r"\caption{") == 7
    with zipfile.ZipFile(hosted.root / "out/epub/P.epub") as packed:
        pictures = {name for name in packed.namelist() if name.endswith(".svg")}
        assert pictures == {
            "OEBPS/_images/graph.svg",
            "OEBPS/_images/plot.svg",
            "OEBPS/_images/graph.dark.svg",
        } or ({name.rpartition("/")[2] for name in pictures} == {"graph.svg", "plot.svg", "graph.dark.svg"})
        page = packed.read("OEBPS/index.xhtml" if "OEBPS/index.xhtml" in packed.namelist() else "index.xhtml")
        etree.fromstring(page)  # which XHTML must be
        assert b"loading" not in page and page.count(b"<img") == 3
    assert "So 4 points, 200.0%." in hosted.read("out/text/index.txt")
    assert 'msgid "A chain of 3 nodes."' in "".join(
        path.read_text("utf-8") for path in (hosted.root / "out/gettext").glob("*.pot")
    )
    assert len(figures(hosted.read("out/singlehtml/index.html"))) == 7


def test_inline_drawings_have_ids_of_their_own(hosted: Space) -> None:
    ran = sphinx(hosted, PAGE, strict=True, conf="figmill_inline = True\n")
    assert ran.code == 0, ran.said
    assert ran.page.count("<svg") == 6 and "<img" not in ran.page
    ids = re.findall(r'\sid="([^"]+)"', ran.page)
    assert len(ids) == len(set(ids)) > 12
    for labels in re.findall(r'<svg[^>]*aria-labelledby="([^"]+)"', ran.page):
        assert set(labels.split()) <= set(ids)
    assert set(re.findall(r"url\(#([^)]+)\)", ran.page)) <= set(ids)


TELL = """
def setup(app):
    app.connect("env-before-read-docs", lambda app, env, names: open("read.txt", "w").write(" ".join(names)))
"""


def read_again(space: Space) -> set[str]:
    """The pages that Sphinx reads, in two processes."""
    ran = run([sys.executable, "-m", "sphinx", "-j", "2", "-b", "html", "docs", "out/html"], space.root)
    assert ran.code == 0, ran.said
    return set(space.read("read.txt").split())


def test_only_pages_whose_figures_changed_are_read_again(hosted: Space) -> None:
    names = {
        f"p{n}": "![](figmill:graph)\n" if n % 2 else "[](figmill:plot#points) points\n" for n in range(12)
    }
    hosted.write({f"docs/{name}.md": f"# {name}\n\n{text}" for name, text in names.items()})
    index = "# Index\n\n```{toctree}\n" + "\n".join(names) + "\n```\n"
    settings = 'extensions = ["myst_parser", "figmill.sphinx"]\n'
    hosted.write({"docs/index.md": index, "docs/conf.py": settings + TELL})
    assert read_again(hosted) == {"index", *names}
    assert read_again(hosted) == set()
    hosted.write({"visuals/b.py": PLOT.replace('"points": n', '"points": n + 1')})
    assert read_again(hosted) == {name for name in names if int(name[1:]) % 2 == 0}
    assert "5 points" in prose(hosted.read("out/html/p0.html"))
    question = hosted.read("questions/graph.yaml")
    hosted.write({"questions/graph.yaml": question.replace("chain", "string")})
    assert read_again(hosted) == {name for name in names if int(name[1:]) % 2}
    hosted.write({"visuals/a.dot": "digraph { a -> b -> c [color=red] }"})
    assert read_again(hosted) == {name for name in names if int(name[1:]) % 2}


def test_a_book_elsewhere_and_one_that_is_not(space: Space, two_figures: Path) -> None:
    shutil.copytree(two_figures, space.root / "elsewhere", symlinks=True)
    believed(space.root / "elsewhere")
    ran = sphinx(space, PAGE, strict=True, conf='figmill_root = "../elsewhere"\n')
    assert ran.code == 0, ran.said
    assert len(figures(ran.page)) == 3
    ran = sphinx(space, PAGE, conf='figmill_root = "../nowhere"\n')
    assert ran.said.count("WARNING") == 1 and "nowhere is no folder" in ran.said


def test_without_a_build_the_manifest_is_what_counts(space: Space) -> None:
    ran = sphinx(book(space), PAGE, conf="figmill_build = False\n")
    assert "manifest.json is not there; run `render-visuals` in the book" in ran.said
    assert ran.said.count("WARNING") == 1
    assert not (space.root / "build").exists()


def test_latex_says_where_its_pdf_is_missing(hosted: Space) -> None:
    ran = sphinx(hosted, "# A\n\n![](figmill:graph)\n", builder="latex", conf="figmill_build = False\n")
    assert (
        "index.md:3: WARNING: figmill: LaTeX takes a PDF, and figure 'graph' has none; pip install"
        in ran.said
    )
