"""Sphinx: directive and role, all builders, only what changed is read again."""

from __future__ import annotations

import re
import shutil
import sys
import zipfile
from pathlib import Path

import pytest
from helpers.book import Space, believed
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
    page_figures = figures(page)
    assert [figure.caption for figure in page_figures] == [
        "A caption with emphasis. And a legend.",
        "Words of the page",
        "A chain of 3 nodes.",
        "Dark alone",
    ]
    assert [figure.alts[0] for figure in page_figures] == [
        "own alt",
        'a "sends" to b & c',
        "in other words",
        'a "sends" to b & c',
    ]
    assert [figure.themes for figure in page_figures] == [("light", "dark")] * 3 + [("only",)]
    assert page_figures[3].files == ("graph.dark.svg",)
    assert re.search(r'<figure class="figmill wide align-left" id="first">', page)
    assert page.count("width:50%") == 2 and '<a class="reference internal image' not in page
    assert "See Fig. 4, 4 of them." in prose(page)
    assert re.findall(r'caption-number">Fig. (\d)', hosted.read("out/html/index.html") + page) == list(
        "1234567"
    )


def test_every_builder_takes_the_form_that_it_can_show(hosted: Space) -> None:
    for builder in ("latex", "epub", "singlehtml", "gettext"):
        both(hosted, builder, conf='copyright = "x"\nepub_copyright = "x"\nsuppress_warnings = ["epub"]\n')
    tex = hosted.read("out/latex/p.tex")
    assert re.findall(r"\\sphinxincludegraphics(?:\[.*?\])?\{\{(\w+)\}\.(\w+)\}", tex) == [
        ("graph", "pdf"),
        ("plot", "pdf"),
        ("graph", "pdf"),
        ("plot", "pdf"),
        ("graph", "pdf"),
        ("graph", "pdf"),
        ("graph", "pdf"),
    ]
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
        assert b"figmill-min-" not in page  # no page of a book scrolls sideways
    assert 'msgid "A chain of 3 nodes."' in "".join(
        path.read_text("utf-8") for path in (hosted.root / "out/gettext").glob("*.pot")
    )
    assert len(figures(hosted.read("out/singlehtml/index.html"))) == 7


@pytest.mark.soak
def test_text_has_facts_and_each_page_of_a_folder_its_figures(hosted: Space) -> None:
    for builder in ("text", "dirhtml"):
        both(hosted, builder)
    assert "So 4 points, 200.0%." in hosted.read("out/text/index.txt")
    assert [len(figures(hosted.read(f"out/dirhtml/{page}index.html"))) for page in ("", "other/")] == [3, 4]


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


# A figure that states facts and is drawn sooner than a plot.
STEPS = """\
from figmill import Drawing


def draw(n=4):
    return Drawing("digraph { a -> b }", facts={"steps": n})
"""


def test_only_pages_whose_figures_changed_are_read_again(hosted: Space) -> None:
    names = {
        f"p{n}": "![](figmill:graph)\n" if n % 2 else "[](figmill:steps#steps) steps\n" for n in range(12)
    }
    hosted.write({f"docs/{name}.md": f"# {name}\n\n{text}" for name, text in names.items()})
    hosted.write({"visuals/c.py": STEPS})
    hosted.question("steps", "kind: dot, source: c.py, alt: a chain of steps")
    index = "# Index\n\n```{toctree}\n" + "\n".join(names) + "\n```\n"
    settings = 'extensions = ["myst_parser", "figmill.sphinx"]\n'
    hosted.write({"docs/index.md": index, "docs/conf.py": settings + TELL})
    assert read_again(hosted) == {"index", *names}
    assert read_again(hosted) == set()
    hosted.write({"visuals/c.py": STEPS.replace("n=4", "n=5")})
    assert read_again(hosted) == {name for name in names if int(name[1:]) % 2 == 0}
    assert "5 steps" in prose(hosted.read("out/html/p0.html"))
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
    assert ran.said.count("WARNING") == 1 and "nowhere is not a folder" in ran.said


def test_without_a_build_the_manifest_is_what_counts(space: Space) -> None:
    ran = sphinx(book(space), PAGE, conf="figmill_build = False\n")
    assert "manifest.json does not exist; run `figmill` in the book" in ran.said
    assert ran.said.count("WARNING") == 1
    assert not (space.root / "build").exists()


def words_of_latex(space: Space) -> str:
    """What LaTeX is to print, without Sphinx' own settings."""
    return space.read("out/latex/p.tex").partition("\\begin{document}")[2]


def without_pdf(space: Space, why: str, **env: str) -> None:
    """Builds for LaTeX where there is no PDF: the reason is told at the figure, and its words are printed."""
    page = "# A\n\n![](figmill:graph)\n\nIn ![](figmill:plot) a line.\n"
    ran = sphinx(space, page, builder="latex", conf=f'project = "P"\nfigmill_build = {bool(env)}\n', **env)
    for line, label in ((3, "graph"), (5, "plot")):
        message = (
            f"index.md:{line}: WARNING: figmill: LaTeX needs a PDF, and figure '{label}' has none: {why}"
        )
        assert message in ran.said, ran.said
    tex = words_of_latex(space)
    assert "includegraphics" not in tex
    assert '{[}image: a "sends" to b \\& c{]}' in tex and r"\caption{A chain of 3 nodes.}" in tex
    assert "{[}image: a line{]}" in tex


def test_latex_says_that_nothing_was_exported(hosted: Space) -> None:
    without_pdf(hosted, "run `figmill export --to pdf`")


def test_latex_says_why_nothing_could_be_exported(hosted: Space) -> None:
    hosted.write({"broken/typst.py": "raise PermissionError(13, 'Permission denied')\n"})
    why = "typst does not start: PermissionError: [Errno 13] Permission denied"
    without_pdf(hosted, why, PYTHONPATH=str(hosted.root / "broken"))


def test_text_and_manual_pages_say_alt_and_caption_once(hosted: Space) -> None:
    page = PAGE + "\nIn ![](figmill:graph) a line.\n"
    for builder, name in (("text", "index.txt"), ("man", "p.1")):
        conf = 'project = "P"\nman_pages = [("index", "p", "P", ["a"], 1)]\n'
        ran = sphinx(hosted, page, strict=True, builder=builder, conf=conf)
        assert ran.code == 0, ran.said
        text = hosted.read(f"out/{builder}/{name}").replace("\\(dq", '"')
        assert "[image]" not in text
        assert text.count('[image: a "sends" to b & c]') == 3
        assert text.count("[image: a line]") == text.count("words") == 1
        assert text.count("A chain of 3 nodes.\n") == 2
        assert 'In [image: a "sends" to b & c] a line.' in text
