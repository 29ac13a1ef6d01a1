"""Every engine of Graphviz draws, each graph the same whatever was drawn before it, and no node over another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.book import Space
from helpers.drawing import draw_all
from helpers.layouts import ENGINES, corpus, drawn_in_one_process, graph
from lxml import etree

from figmill.kind.job import Job
from figmill.render.pool import Pool
from figmill.render.results import Drawn, Result

OVERLAPS = (
    "",
    "true",
    "false",
    "prism",
    "prism1000",
    "scale",
    "scalexy",
    "compress",
    "vpsc",
    "voronoi",
    "ortho",
    "oscale",
    "9:prism",
)
SETS = (
    *(f'overlap="{overlap}"' for overlap in OVERLAPS),
    "splines=true overlap=false",
    "splines=polyline",
    "splines=curved",
    "splines=line",
    "start=random",
    "start=7",
    "start=rand",
    "sep=0.3",
    "pack=true",
    "mode=KK",
    "mode=sgd",
    "mode=major",
    "K=1.5",
    "rankdir=LR",
    "size=6",
    "ratio=compress",
    "newrank=true",
    "compound=true",
    "concentrate=true",
    "normalize=true",
    "margin=0.2",
    'label="all of it"',
    "nodesep=1 ranksep=2",
    "dpi=96",
)


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pool]:
    """The processes of one build, for all tests that need none of their own."""
    with Pool(tmp_path_factory.mktemp("layouts"), slots=2) as pool:
        pool.start(("dot",))
        yield pool


def written(root: Path, pairs: list[tuple[str, str]]) -> list[Job]:
    """A job for each engine and graph."""
    Space(root).write({f"visuals/{number}.dot": text for number, (_, text) in enumerate(pairs)})
    return [
        Job("dot", f"visuals/{number}.dot", "file", engine=engine, timeout=60)
        for number, (engine, _) in enumerate(pairs)
    ]


def drawn(space: Space, pairs: list[tuple[str, str]], slots: int = 2) -> list[Result]:
    return list(draw_all(written(space.root, pairs), Path(space.root).resolve(), slots))


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_draws_every_set_of_attributes(pool: Pool, engine: str) -> None:
    pairs = [(engine, graph(number, attributes)) for number, attributes in enumerate(SETS)]
    results = pool.draw_all(written(pool.root, pairs))
    for (_, text), attributes, result in zip(pairs, SETS, results, strict=True):
        assert isinstance(result, Drawn), (engine, attributes, result)
        assert result.raw.facts["nodes"] == text.count('label="service') + text.count('label="0"') + sum(
            text.count(f'label="{n}"') for n in range(3, 24, 3)
        ), attributes


BOX = re.compile(r'<polygon fill="none" stroke="#767c83" points="([^"]*)"')


def overlapping(svg: bytes) -> int:
    """How many pairs of boxes lie over each other by more than a point."""
    boxes = []
    for points in BOX.findall(svg.decode()):
        xs, ys = zip(*((float(v) for v in point.split(",")) for point in points.split()), strict=True)
        boxes.append((min(xs) + 1, max(xs) - 1, min(ys) + 1, max(ys) - 1))
    assert len(boxes) > 10
    return sum(
        a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]
        for number, a in enumerate(boxes)
        for b in boxes[:number]
    )


@pytest.mark.parametrize(
    ("engine", "overlap"),
    [
        ("sfdp", ""),
        ("sfdp", "prism"),
        ("sfdp", "false"),
        ("neato", "prism"),
        ("neato", "PRISM1000"),
        ("fdp", ""),
        ("fdp", "prism"),
        ("fdp", "3:prism"),
        ("twopi", "prism"),
        ("circo", "prism"),
    ],
)
def test_without_its_library_overlap_is_removed_all_the_same(pool: Pool, engine: str, overlap: str) -> None:
    attribute = f'overlap="{overlap}"' if overlap else ""
    texts = [graph(number, f"{attribute}\nnode [shape=box]", nodes=24) for number in (0, 2, 3, 5)]
    for result in pool.draw_all(written(pool.root, [(engine, text) for text in texts])):
        assert isinstance(result, Drawn), result
        assert overlapping(result.raw.svg) == 0
        told = [(remark.line, remark.message) for remark in result.raw.remarks]
        words = "overlap=prism needs a library that this Graphviz lacks; it is drawn with overlap=vpsc: write that"
        assert told == ([(2, words)] if "prism" in overlap.casefold() else [])


def test_what_was_drawn_before_changes_nothing(space: Space) -> None:
    """The same jobs in three orders, in one process and in two: the same bytes."""
    pairs = corpus(4)
    first = [result.raw.svg for result in drawn(space, pairs, 1) if isinstance(result, Drawn)]
    assert len(first) == len(pairs)
    for step, slots in ((-1, 2), (7, 1)):
        order = [number * step % len(pairs) for number in range(len(pairs))]
        assert len(set(order)) == len(pairs)
        again = drawn(space, [pairs[number] for number in order], slots)
        for number, result in zip(order, again, strict=True):
            assert isinstance(result, Drawn) and result.raw.svg == first[number], pairs[number]


def test_neither_memory_nor_random_numbers_of_a_process_change_a_layout() -> None:
    """A quick form of the soak test: heaps disturbed in two ways."""
    pairs = [pair for pair in corpus(6) if pair[0] in ("fdp", "sfdp", "neato")]
    counts, first = drawn_in_one_process(pairs, 4, 1)
    assert set(counts) == {1}
    assert drawn_in_one_process(pairs, 1, 2)[1] == first


CLUSTERS = "subgraph cluster_a { a1 -> a2 }\n subgraph cluster_b { b1 -> b2 }\n"
ACROSS = (
    f"digraph {{\n {CLUSTERS} {{rank=same; a1; b1}}\n}}",
    f"digraph {{\n {CLUSTERS} {{rank=same; a2; b1}} a1 -> b2\n}}",
    f"digraph {{\n {CLUSTERS} {{rank=min; b2; x}} x -> a1\n}}",
    f"digraph {{ rankdir=LR\n {CLUSTERS} {{rank=same; a1; b1}} {{rank=same; a2; b2}} a2 -> b1\n}}",
    f"digraph {{ compound=true\n {CLUSTERS} {{rank=same; a1; b1}} a2 -> b1 [lhead=cluster_b]\n}}",
    "digraph {\n subgraph cluster_a { subgraph cluster_i { i -> j } a }\n\n {rank=same; i; x} x -> j\n}",
    "digraph {\n subgraph box { cluster=true; a; c; a -> c }\n subgraph cluster_b { b }\n {rank=same; a; b}\n}",
)


def test_ranks_over_clusters_are_drawn_with_every_node_in_its_cluster(space: Space) -> None:
    for text, result in zip(ACROSS, drawn(space, [("dot", text) for text in ACROSS]), strict=True):
        assert isinstance(result, Drawn), (text, result)
        (remark,) = result.raw.remarks
        assert "it is drawn with newrank=true: write that" in remark.message
        assert remark.line is not None and "rank=" in text.split("\n")[remark.line - 1], text
        assert result.raw.svg.count(b'class="cluster"') == text.count("subgraph")


def test_ranks_within_a_cluster_or_outside_of_all_stay_as_they_are(space: Space) -> None:
    texts = (
        f"digraph {{\n {CLUSTERS} {{rank=same; x; y}} x -> a1 }}",
        "digraph { subgraph cluster_a { a; b; {rank=same; a; b} } c -> a }",
        f"digraph {{ newrank=true\n {CLUSTERS} {{rank=same; a1; b1}} }}",
        f"digraph {{ clusterrank=none\n {CLUSTERS} {{rank=same; a1; b1}} }}",
    )
    for result in drawn(space, [("dot", text) for text in texts]):
        assert isinstance(result, Drawn), result
        assert result.raw.remarks == ()


def test_a_crash_of_graphviz_is_not_put_down_to_memory(space: Space) -> None:
    texts = (
        ("fdp", "graph { splines=compound; subgraph cluster_a {a b} cluster_a -- c }"),
        ("dot", "graph { a }"),
    )
    crashed, well = drawn(space, list(texts), 1)
    assert isinstance(well, Drawn) and not isinstance(crashed, Drawn)
    message = str(crashed.error)
    assert "Graphviz crashed on this graph because of a bug in Graphviz (its own check 'list.c:" in message
    assert "memory" not in message


BEGIN_EMPTY = (
    r'digraph { a [label="\n"] }',
    r'digraph { a [label="\l"] b [label="\r"] c [label="\l\l"] }',
    r'digraph { a [label="\nx"] }',
    'digraph { a [label="\nx"] }',
    r'digraph { a [xlabel="\n"] }',
    r'digraph { a -> b [label="\l"] }',
    r'digraph { a -> b [headlabel="\nx" taillabel="\r"] }',
    r'digraph { label="\n" subgraph cluster_a { label="\l" a } }',
    r'graph { node [label="\n"] a -- b }',
    r'digraph { node [shape=record] a [label="{Dog|\l|+ bark() : void\l}"] b [label="\n|{\r|{ \l|x}}"] }',
    r'digraph { node [shape=Mrecord] a [label="{<one> Dog|<two> \l|<three>\n}"] a:two -> a:one }',
)


def test_a_label_may_begin_with_an_empty_line(space: Space) -> None:
    """Graphviz frees what it never set, which is a crash as soon as memory was used before."""
    pairs = [("dot", text) for text in BEGIN_EMPTY] * 4
    for (_, text), result in zip(pairs, drawn(space, pairs, slots=1), strict=True):
        assert isinstance(result, Drawn), (text, result)
        assert not result.raw.remarks


def test_an_empty_line_takes_its_room(space: Space) -> None:
    def height(label: str) -> float:
        (result,) = drawn(space, [("dot", f'digraph {{ a [shape=record label="{label}"] }}')])
        assert isinstance(result, Drawn)
        return float(re.search(r'height="([\d.]+)pt"', result.raw.svg.decode())[1])  # type: ignore[index]

    assert height(r"{Dog|\l|+ bark()\l}") == height(r"{Dog|x\l|+ bark()\l}")
    assert height(r"{Dog|\l\l|+ bark()\l}") > height(r"{Dog|x\l|+ bark()\l}")


def test_lines_text_and_sizes_that_a_source_leaves_open_are_those_of_the_book(pool: Pool) -> None:
    plain = "digraph { a -> b; b -> c [color=red]; c [style=filled] }"
    sized = "digraph { node [fontsize=14] a -> b; b -> c [color=red]; c [style=filled] }"
    page = "digraph { bgcolor=navy a -> b }"
    drawn = [
        result.raw.svg
        for result in pool.draw_all(written(pool.root, [("dot", text) for text in (plain, sized, page)]))
    ]
    root, whole, dark = map(etree.fromstring, drawn)
    lines = [path.get("stroke") for path in root.iter("{*}path")]
    assert lines == ["#767c83", "red"]
    outlines = [ellipse.get("stroke") for ellipse in root.iter("{*}ellipse")]
    assert outlines == ["#767c83", "#767c83", "black"]  # a grey outline would fill c
    assert [text.get("fill") for text in root.iter("{*}text")] == ["#2b2b2b", "#2b2b2b", None]
    width, full = (float(each.get("width").removesuffix("pt")) for each in (root, whole))
    assert width == pytest.approx(full * 11 / 14, abs=0.01)
    assert [path.get("stroke") for path in dark.iter("{*}path")] == ["black"]
    assert {text.get("fill") for text in dark.iter("{*}text")} == {None}


COLOURS = """digraph {
  label="page"; subgraph cluster { label="group"; a [fontcolor=red] }
  a -> b [label="edge"]; b [style=filled, fillcolor="#cfe2f3"]; c [style=filled, fillcolor=gold]
  d [shape=plain, label=<<table bgcolor="gold"><tr><td>d</td></tr></table>>]
}"""


def test_text_takes_the_colour_of_the_book_where_it_stands_on_a_ground_of_the_book(space: Space) -> None:
    (result,) = drawn(space, [("dot", COLOURS)])
    assert isinstance(result, Drawn)
    texts = etree.fromstring(result.raw.svg).iter("{*}text")
    own = dict.fromkeys(("page", "group", "edge", "b"), "#2b2b2b")
    assert {text.text: text.get("fill") for text in texts} == {**own, "a": "red", "c": None, "d": None}
