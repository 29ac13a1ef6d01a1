"""What Graphviz could not do, and drew all the same: told with its line, kept, and an error with `--strict` alone."""

from __future__ import annotations

import pytest
from helpers.book import Ran, Space

# name -> engine, DOT, line, what is said
HARMLESS = {
    "ortho": (
        "dot",
        "digraph {\n a\n splines=ortho\n a -> b [label=x]\n}",
        3,
        "Orthogonal edges do not currently handle edge labels. Try using xlabels",
    ),
    "curved": (
        "dot",
        "digraph {\n splines=curved\n a -> b [label=x]\n}",
        2,
        "edge labels with splines=curved not supported in dot - use xlabels",
    ),
    "fixed": (
        "dot",
        'digraph {\n a -> b\n b [fixedsize=true width=.2 label="long label"]\n}',
        3,
        "node 'b' has a fixed size that is too small for its label",
    ),
    "all-fixed": (
        "dot",
        "digraph {\n node [fixedsize=true width=.2]\n\n long_name -> b\n}",
        2,
        "node 'long_name' has a fixed size that is too small",
    ),
    "cell": (
        "dot",
        "digraph {\n a -> b\n b [label=<<table><tr>\n<td fixedsize='true' width='4' height='4'>words</td>"
        "</tr></table>>]\n}",
        3,
        "in the HTML-like label of 'b': cell size too small for content",
    ),
    "edge-cell": (
        "dot",
        "digraph {\n a -> b [label=<<table fixedsize='true' width='4' height='4'><tr><td>words</td>"
        "</tr></table>>]\n}",
        2,
        "HTML-like label of 'a -> b': table size too small for content",
    ),
    "osage": (
        "osage",
        "graph {\n pack=1\n splines=true\n a--b b--c c--a d e f g h i\n}",
        3,
        "touch - falling back to straight line edges",
    ),
    "mds": (
        "neato",
        "graph {\n model=mds\n a--b\n}",
        2,
        "edges have no len attribute: laid out by shortest paths",
    ),
    "self": ("fdp", "graph {\n start=self\n a--b\n}", 2, "fdp does not support start=self"),
    "colours": (
        "dot",
        'digraph {\n a -> b\n b [fillcolor="red;0.8:blue;0.9" style=wedged]\n}',
        3,
        'Total size > 1 in "red;0.8:blue;0.9" color spec',
    ),
    "table": (
        "dot",
        "digraph {\n a [shape=plaintext, label=<<TABLE FIXEDSIZE='TRUE' WIDTH='8'><TR><TD>wide words</TD>"
        "</TR></TABLE>>]\n}",
        2,
        "in the HTML-like label of 'a': fixed table size with unspecified",
    ),
    "port": ("dot", "digraph {\n a:p -> b\n}", 2, "node a, port p unrecognized"),
    "shape": ("dot", "digraph {\n a [shape=bxo]\n}", 2, "there is no shape 'bxo'; did you mean 'box'?"),
    "attribute": (
        "dot",
        "digraph {\n a [label=<<table><tr><td bgclor='red'>x</td></tr></table>>]\n}",
        2,
        "in the HTML-like label of 'a': Illegal attribute bgclor in <TD>",
    ),
    "aspect": ("dot", "digraph {\n a\n aspect=1\n}", 3, "the aspect attribute has been disabled"),
    "empty": ("dot", "digraph {\n}", 1, "this graph has no node"),
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Space:
    space = Space(tmp_path_factory.mktemp("warnings") / "book")
    for name, (engine, text, _, _) in HARMLESS.items():
        space.write({f"visuals/{name}.dot": text})
        space.question(name, f"source: {name}.dot, engine: {engine}, alt: what is to be seen here")
    return space


@pytest.fixture(scope="module")
def first(told: Space) -> Ran:
    """The first build of it."""
    return told.run()


def test_each_is_a_warning_at_its_line_and_the_figure_is_built(told: Space, first: Ran) -> None:
    ran = first
    assert ran.code == 0, ran.err
    for name, (_, _, line, message) in HARMLESS.items():
        assert (told.root / f"build/global/{name}.svg").is_file(), name
        rows = [
            row for row in (ran.out + ran.err).splitlines() if row.startswith(f"visuals/{name}.dot:{line}: ")
        ]
        assert any(message in row for row in rows), (name, ran.err)


def test_strict_makes_them_errors_also_after_a_build(told: Space, first: Ran) -> None:
    assert first.code == 0
    ran = told.run("--strict", "--force")
    assert ran.code == 1
    assert f"{len(HARMLESS)} figures, {len(HARMLESS)} failed" in ran.out


def test_a_figure_may_be_let_off_and_a_book_may_switch_them(space: Space) -> None:
    text = HARMLESS["ortho"][1]
    space.write({"visuals/a.dot": text, "visuals/b.dot": text})
    space.question("a", "source: a.dot, alt: what is to be seen here, lint: {graphviz: labels are short}")
    space.question("b", "source: b.dot, alt: what is to be seen here")
    ran = space.run()
    assert ("visuals/a.dot" in ran.err, "visuals/b.dot:3: " in ran.err, ran.code) == (False, True, 0)
    space.write({"figmill.toml": '[lint]\ngraphviz = "off"\n'})
    assert space.run("--strict", "--force").code == 0
    space.write({"figmill.toml": '[lint]\ngraphviz = "error"\n'})
    ran = space.run("--force")
    assert (ran.code, "[graphviz: an error in this book]" in ran.err) == (1, True)


def test_neither_ortho_nor_fixedsize_is_put_down_to_a_label_of_html(first: Ran) -> None:
    for name in ("ortho", "fixed", "all-fixed"):
        rows = [row for row in first.err.splitlines() if f"visuals/{name}.dot" in row]
        assert rows and not [row for row in rows if "HTML" in row]


def test_what_comes_from_the_cache_is_told_again(space: Space) -> None:
    space.write({"visuals/a.dot": HARMLESS["ortho"][1]}).question(
        "a", "source: a.dot, alt: what is to be seen"
    )
    first = space.run().err
    space.question("a", "source: a.dot, alt: what is to be seen now")
    again = space.run()
    assert "Orthogonal edges" in first
    assert "Orthogonal edges" in again.err + again.out


def test_a_character_without_a_font_names_the_setting_that_mends_it(space: Space) -> None:
    space.write({"visuals/a.dot": 'digraph { a [label="漢字"] }'}).question(
        "a", "source: a.dot, alt: two characters"
    )
    ran = space.run()
    assert (
        "(字) is in no configured font; name a font file that has it under `fonts` in the settings" in ran.err
    )
