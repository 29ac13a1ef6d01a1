"""The commonest mistakes in DOT: each is told at its place, by its true cause, and no other word is blamed."""

from __future__ import annotations

from pathlib import Path

from helpers.book import Space
from helpers.cases import cases
from helpers.drawing import draw_all

from figmill.kind.job import Job
from figmill.kinds.graphs import syntax
from figmill.render.results import Drawn, NotDrawn, Result

# What an author's objects do when they are asked what they are, or what they say.
ODD_SCRIPTS = {
    "message": (
        "class E(Exception):\n def __str__(self): raise E\ndef draw(): raise E\n",
        "visuals/message.py: raised an exception whose message cannot be read",
    ),
    "kind": (
        "class A:\n @property\n def __class__(self): raise OSError('no')\ndef draw(): return A()\n",
        "visuals/kind.py:3: OSError: no",
    ),
}

# name -> the text, the place, and what is said
MISTAKES = {
    "arrow in a graph": ("graph {\n  a -> b\n}", "2:5", "'->' joins nodes of a digraph, and this is a graph"),
    "arrow in a strict graph": ("strict graph {\n  a -> b\n}", "2:5", "'->' joins nodes of a digraph"),
    "dashes in a digraph": (
        "digraph {\n  a -- b\n}",
        "2:5",
        "'--' joins nodes of a graph, and this is a digraph",
    ),
    "arrow and graph on one line": ("graph { a -> b }", "1:11", "'->' joins nodes of a digraph"),
    "label of two words": ("digraph {\n  a [label=hello world]\n}", "2:12", 'write label="hello world"'),
    "label of three words": ("digraph {\n a [label = x y z, color=red]\n}", "2:13", 'write label="x y z"'),
    "label with an arrow": ("digraph {\n a [label=b->c]\n}", "2:11", 'write label="b->c"'),
    "label without quotes": ("digraph {\n a [label=50%]\n}", "2:11", 'write "50%"'),
    "colour without quotes": ("digraph {\n a [color=#ff0000]\n}", "2:11", 'write color="#ff0000"'),
    "single quotes": ("digraph {\n a [label='x y']\n}", "2:11", "DOT quotes with \", not with '"),
    "quote in quotes": ('digraph {\n a [label="say "hi" now"]\n}', "2:17", 'is written as \\"'),
    "html without its brackets": ("digraph {\n a [label=<b>x</b>]\n}", "2:11", "write label=<<b>x</b>>"),
    "hyphen in a name": ("digraph {\n  a-b -> c\n}", "2:3", 'write "a-b"'),
    "hyphen in a graph": ("graph {\n  a-b\n}", "2:3", 'write "a-b", or for an edge a -- b'),
    "dot in a name": ("digraph {\n a -> node.b\n}", "2:7", 'write "node.b"'),
    "digit before letters": ("digraph {\n 1st -> b\n}", "2", 'write "1st"'),
    "arrow to nothing": ("digraph {\n  x -> ;\n}", "2:5", "'->' has no node to its right"),
    "arrow before the end": ("digraph {\n  x ->\n}", "2:5", "'->' has no node to its right"),
    "long arrow": ("digraph {\n a --> b\n}", "2:4", "'-->' is not an arrow; write '->'"),
    "double arrow": ("digraph {\n a => b\n}", "2:4", "'=>' is not an arrow; write '->'"),
    "arrow backwards": ("digraph {\n a <- b\n}", "2:4", "'<-' is not an arrow; write '->'"),
    "one dash": ("graph {\n a - b\n}", "2:4", "'-' is not an arrow; write '--'"),
    "attributes before an arrow": (
        "digraph {\n a [color=red] -> b\n}",
        "2:16",
        "attributes come after all nodes",
    ),
    "bracket not closed": ('digraph {\n  a [label="x"\n  b -> c\n}', "2:5", "'[' is never closed"),
    "brace for a bracket": ('digraph {\n a [label="x"}\n b\n}', "2:4", "'[' is never closed"),
    "brace not closed": ("digraph {\n  a -> b\n", "1:9", "'{' is never closed"),
    "inner brace not closed": (
        "digraph {\n  subgraph cluster_a {\n    a\n  b\n}\n",
        "2:22",
        "'{' is never closed",
    ),
    "brace too many": ("digraph {\n a -> b\n}\n}", "4:1", "'}' closes nothing"),
    "quote not closed": (
        'digraph {\n  a [label="x];\n  b [label="y"];\n}',
        "2:12",
        "the quote is never closed",
    ),
    "comment not closed": ("digraph {\n  /* a -> b\n}\n", "2:3", "the comment is never closed"),
    "no equals sign": ('digraph {\n a [label "x"]\n}', "2:5", "'=' is missing after 'label'"),
    "no value": ("digraph {\n a [bold]\n}", "2:5", "'bold' has no value"),
    "equals and no value": ("digraph {\n a [label=]\n}", "2:5", "'label' has no value"),
    "keyword as a node": ("digraph {\n node -> b\n}", "2:2", "'node' is a keyword of DOT"),
    "keyword as an end": ("digraph {\n a -> Graph\n}", "2:7", "'Graph' is a keyword of DOT"),
    "defaults with an equals sign": (
        "digraph {\n node = [shape=box]\n}",
        "2:2",
        "written without '=': node [...]",
    ),
    "no graph": ("a -> b\n", "1:1", "a source begins with 'graph {' or 'digraph {', not with 'a'"),
    "graph misspelt": ("diagraph {\n a -> b }", "1:1", "did you mean 'digraph'?"),
    "two words for a graph": (
        "digraph my graph {\n a }",
        "1:12",
        "'{' is missing after 'my'; a name of several words",
    ),
    "no brace": ("digraph\n a -> b\n", "2:4", "'{' is missing after 'a'"),
    "record": ('digraph {\n\n a [shape=record label="{x|y"]\n}', "3", "every { needs its }"),
    "html: other tag closed": (
        "digraph {\n a -> b\n a [label=<<b>x</i>>]\n}",
        "3",
        "not well-formed: mismatched tag",
    ),
    "html: ampersand": ("digraph {\n a [label=<\n x & y>]\n}", "3", "write & as &amp;"),
    "html: br": ("digraph {\n a [label=<x<br>y>]\n}", "2", "such a tag is written <br/>"),
}


# Mistakes that Graphviz names at their word.
NAMED = {
    "arrow from nothing": ("digraph {\n  -> x\n}", "2", "->"),
    "colon for an equals sign": ('digraph {\n a [label: "x"]\n}', "2", ":"),
    "two words for a cluster": ("digraph {\n subgraph cluster a {\n b }\n}", "2", "a"),
}


def drawn(space: Space, texts: dict[str, str], **fields: str) -> dict[str, Result]:
    names = {name: f"visuals/{number}.dot" for number, name in enumerate(texts)}
    space.write({names[name]: text for name, text in texts.items()})
    jobs = [Job("dot", names[name], "file", timeout=30, **fields) for name in texts]  # type: ignore[arg-type]
    return dict(zip(texts, draw_all(jobs, Path(space.root).resolve(), 2), strict=True))


def test_the_true_cause_is_told_at_its_place(space: Space) -> None:
    results = drawn(space, {name: text for name, (text, _, _) in MISTAKES.items()})
    for name, (_, place, message) in MISTAKES.items():
        result = results[name]
        assert isinstance(result, NotDrawn), name
        _, _, told = str(result.error).partition(".dot:")
        assert told.startswith(f"{place}: "), (name, told)
        assert message in told, (name, told)
        assert "syntax error near" not in told, (name, told)


def test_graphviz_tells_what_it_names_itself(space: Space) -> None:
    results = drawn(space, {name: text for name, (text, _, _) in NAMED.items()})
    for name, (_, line, word) in NAMED.items():
        _, _, told = str(results[name].error).partition(".dot:")  # type: ignore[union-attr]
        assert told == f"{line}: syntax error near '{word}'", name


def test_what_a_script_draws_has_no_line_of_its_own_but_its_text_has(space: Space) -> None:
    space.write({"visuals/g.py": "def draw():\n    return 'digraph {\\n a -- b\\n}'\n"})
    (result,) = draw_all([Job("dot", "visuals/g.py", "draw")], space.root.resolve(), 1)
    assert isinstance(result, NotDrawn)
    assert str(result.error).startswith("visuals/g.py: '--' joins nodes of a graph")
    assert "line 2 of the DOT text that draw() made" in str(result.error)


# Texts that come near to a mistake, and are right: nothing is told of them.
RIGHT = (
    'strict digraph "my graph" { a -> b -> {c d} [label="x y" color="#ff0000"]; }',
    "graph { node [shape=box]; edge [color=gray]; graph [rankdir=LR]; a -- b }",
    "digraph { rankdir=LR node [shape=box] a -> b }",
    "digraph { label=x\n y -> z }",
    "digraph { label=x y -> z }",
    "digraph { label=x node [shape=box] a }",
    "digraph {\n# a comment\n a -> b // another\n a # -- b [\n /* -- and -> one more */ }",
    'digraph { a:n -> b:s:w [weight=-.5 len=2., label="->" ]; -1 -> .5 }',
    'digraph { a [label=<<b>x</b> &amp; <i>y</i><br/>z>, xlabel="it\'s"] }',
    'digraph { a [label="say \\"hi\\""]; "a-b" -> "c.d"; Größe -> größer }',
    "digraph { subgraph cluster_a { label=inner; a } subgraph { rank=same; c; b } }",
    'digraph { a [shape=record label="{<p> x|y}"]; a:p -> b }',
    'digraph { a [label="two" + " parts"] ; b [style="filled,rounded"] }',
    'digraph { a [label="line\nline -> 2; [x]\nline"]; b [label="y"] }',
    "DIGRAPH { Node [shape=box] a -> b }",
    'digraph { a [age=3 site=x mydata=4]; compound=true; a -> b [lhead=cluster_b ltail=""]; '
    "subgraph cluster_b { b } }",
)


@cases("text", RIGHT)
def test_what_is_right_has_no_cause(text: str) -> None:
    assert syntax.cause(text) is None
    assert list(syntax.odd(text, 1)) == []


def test_what_is_right_is_drawn_without_a_word(space: Space) -> None:
    for text, result in drawn(space, {text: text for text in RIGHT}).items():
        assert isinstance(result, Drawn), (text, result)
        assert result.raw.remarks == (), text


# What Graphviz draws without a word and without the attribute -> what is told, at the line of the attribute.
PASSED_OVER = {
    "digraph {\n a [shap=box labl=x with=1]\n}": "Graphviz has no attribute 'shap'; did you mean 'shape'?",
    "digraph {\n a [fillcolr=red]\n}": "Graphviz has no attribute 'fillcolr'; did you mean 'fillcolor'?",
    "digraph {\n node [colour=red]\n a }": "Graphviz has no attribute 'colour'; did you mean 'color'?",
    "digraph {\n rankDir=LR\n a }": "Graphviz has no attribute 'rankDir'; did you mean 'rankdir'?",
    "digraph {\n a -> b [Label=x, lable=y]\n}": "Graphviz has no attribute 'Label'; did you mean 'label'?",
    "digraph {\n subgraph cluster_b { b } a -> b [lhead=cluster_b]\n}": (
        "'lhead' has no effect without compound=true in the graph; add that"
    ),
}


def test_an_attribute_without_effect_is_told_with_its_line(space: Space) -> None:
    results = drawn(space, {text: text for text in PASSED_OVER})
    for text, result in results.items():
        assert isinstance(result, Drawn), (text, result)
        first = result.raw.remarks[0]
        assert (first.message, first.line) == (PASSED_OVER[text], 2), text


def test_attributes_in_the_text_of_a_script_are_its_own(space: Space) -> None:
    """Libraries write what they know of a node beside the picture: nobody misspelt that."""
    space.write({"visuals/a.py": "def draw():\n    return 'digraph { a [colour=1 weights=2] }'\n"})
    (result,) = draw_all([Job("dot", "visuals/a.py", "draw")], Path(space.root).resolve(), 1)
    assert isinstance(result, Drawn) and result.raw.remarks == ()


def test_what_an_odd_object_does_is_its_authors_error(tmp_path: Path) -> None:
    for name, (text, _) in ODD_SCRIPTS.items():
        Space(tmp_path).write({f"visuals/{name}.py": text})
    jobs = [Job("dot", f"visuals/{name}.py", "draw") for name in ODD_SCRIPTS]
    results = list(draw_all(jobs, tmp_path, 1))
    told = [str(result.error) for result in results if isinstance(result, NotDrawn)]
    assert told == [message for _, message in ODD_SCRIPTS.values()]
