"""Python source as a graph, on trees that a reader can check by eye."""

from __future__ import annotations

from pathlib import Path

import pytest

from figmill_structure import drawing, python
from figmill_structure.graph import Edge, Graph, Node, cycles, returning

TREE = {
    "shop/__init__.py": "",
    "shop/a.py": "from shop import b\nfrom . import c as other\n",
    "shop/b.py": "import shop.deep.d\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from shop.a import X\n",
    "shop/c.py": "def f():\n    from .deep import d\n    import json, shop.a\n",
    "shop/deep/__init__.py": "from ..c import f\n",
    "shop/deep/d.py": "from .. import nothing\nimport numpy as np\n",
    "shop/.hidden/e.py": "(",
    "shop/__pycache__/a.py": "(",
}


def written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root / "shop"


def arrows(graph: Graph) -> list[str]:
    signs = {"uses": "->", "late": "..>", "inherits": "-|>", "has": "<>->"}
    return [f"{edge.tail} {signs[edge.kind]} {edge.head}" for edge in graph.edges]


def test_imports_in_every_form(tmp_path: Path) -> None:
    read = python.modules(written(tmp_path, TREE))
    assert [*read] == ["shop", "shop.a", "shop.b", "shop.c", "shop.deep", "shop.deep.d"]
    assert arrows(python.imports(read)) == [
        "shop.a -> shop.b",
        "shop.a -> shop.c",
        "shop.b -> shop.deep.d",
        "shop.c ..> shop.deep.d",
        "shop.c ..> shop.a",
        "shop.deep -> shop.c",
        "shop.deep.d -> shop",
    ]
    assert "shop.b -> shop.a" in arrows(python.imports(read, typing=True))
    packages = python.imports(read, 1)
    assert [node.label for node in packages.nodes] == ["shop", "a", "b", "c", "deep"]
    assert "shop.b -> shop.deep" in arrows(packages)
    outside = python.imports(read, outside=True)
    assert {node.name for node in outside.nodes if node.role == "neutral"} == {"json", "numpy", "typing"}


def test_a_package_needs_no_init_file(tmp_path: Path) -> None:
    place = written(tmp_path, {"shop/a.py": "from shop.b import x\n", "shop/b.py": "import a.shop\n"})
    assert arrows(python.imports(python.modules(place))) == ["shop.a -> shop.b"]
    place = written(tmp_path / "loose", {"shop/a.py": "import b\n", "shop/b.py": "from . import a\n"})
    assert arrows(python.imports(python.modules(place))) == ["a -> b", "b -> a"]


def test_a_file_that_python_cannot_parse_is_named(tmp_path: Path) -> None:
    place = written(tmp_path, {"shop/__init__.py": "", "shop/bad.py": "x = 1\ndef (:\n"})
    with pytest.raises(ValueError, match=r"^bad\.py:2: Python cannot parse this: "):
        python.modules(place)


def test_classes_with_what_they_inherit_and_hold(tmp_path: Path) -> None:
    text = """
import abc, enum
from dataclasses import dataclass
class Base(abc.ABC):
    @property
    def size(self) -> int: ...
    def _hidden(self): ...
class Colour(enum.Enum):
    RED = 1
@dataclass
class Car(Base):
    colour: "Colour"
    wheels: list["Wheel"]
    def drive(self, to: str) -> None: ...
class Wheel:
    def __init__(self, car: Car | None = None):
        self.car = car
        self.spare: bool = False
class _Private(Base): ...
"""
    graph = python.classes(python.modules(written(tmp_path, {"shop/cars.py": text}) / "cars.py"))
    assert arrows(graph) == ["Car -|> Base", "Car <>-> Colour", "Car <>-> Wheel", "Wheel <>-> Car"]
    shown = {node.name: (node.above, *(section.rows for section in node.sections)) for node in graph.nodes}
    assert shown == {
        "Base": ("abstract", (), (("size", "int"),)),
        "Colour": ("enum", (("RED", ""),), ()),
        "Car": ("dataclass", (("colour", "'Colour'"), ("wheels", "list['Wheel']")), (("drive()", ""),)),
        "Wheel": ("", (("car", "Car | None"), ("spare", "bool")), ()),
    }


def test_subclasses_share_one_arrowhead_at_the_head_of_their_base(tmp_path: Path) -> None:
    text = "class Base:\n    def run(self): ...\nclass A(Base): ...\nclass B(Base): ...\nclass C:\n    base: Base\n"
    graph = python.classes(python.modules(written(tmp_path, {"shop/a.py": text}) / "a.py"))
    source = drawing.drawn(graph, "LR").source
    assert 'A:head:e -> Base:"head.0":w' in source and 'B:head:e -> Base:"head.0":w' in source
    assert 'C:"0.0.type":e -> Base:"head.1":w' in source


@pytest.mark.parametrize(
    "annotation",
    ["type[Car]", "typing.Type['Car']", "'type[Car] | None'", "Literal['Car']", "Callable[[Car], 'Car']"],
)
def test_a_class_that_an_annotation_only_names_is_not_held(tmp_path: Path, annotation: str) -> None:
    text = f"class Car: ...\nclass Garage:\n    kind: {annotation}\n    cars: 'dict[str, Car]'\n"
    file = written(tmp_path, {"shop/cars.py": text}) / "cars.py"
    graph = python.classes(python.modules(file))
    assert [edge.label for edge in graph.edges] == ["cars"]


def test_classes_that_stand_alone_fill_a_square_and_long_ones_are_cut(tmp_path: Path) -> None:
    fields = "".join(f"    x{n}: int\n" for n in range(30))
    text = "".join(f"class C{n}:\n{fields if n == 0 else '    ...'}\n" for n in range(9))
    graph = python.classes(python.modules(written(tmp_path, {"shop/a.py": text}) / "a.py"))
    dot = drawing.drawn(graph, "LR", 12).source
    assert 'packmode="graph"' in dot and "19 more" in dot and "x10" in dot and "x11" not in dot
    assert "pack" not in drawing.drawn(graph_of("a>b b>c d>e")).source


def graph_of(text: str) -> Graph:
    """`a>b b>c` as a graph."""
    pairs = [pair.split(">") for pair in text.split()]
    names = dict.fromkeys(name for pair in pairs for name in pair)
    return Graph(tuple(map(Node, names)), tuple(Edge(*pair) for pair in pairs))


def test_what_a_longer_path_implies_is_left_out_and_circles_stay() -> None:
    assert arrows(graph_of("a>b b>c a>c").reduced()) == ["a -> b", "b -> c"]
    assert arrows(graph_of("a>b b>a a>c b>c").reduced()) == ["a -> b", "b -> a", "a -> c", "b -> c"]
    assert cycles(graph_of("a>b b>c c>a c>d d>d")) == [["a", "b", "c"]]
    long = " ".join(f"{n}>{n + 1}" for n in range(3_000))
    assert cycles(graph_of(f"{long} 3000>0")) == [sorted(map(str, range(3_001)))]


def test_a_part_is_chosen_by_patterns() -> None:
    graph = graph_of("shop.a>shop.b shop.b>web")
    assert [node.name for node in graph.only(["shop.*"], ["*.b"]).nodes] == ["shop.a"]
    with pytest.raises(
        ValueError, match=r"^'shopp\.\*' matches no name; the names are shop\.a, shop\.b, web$"
    ):
        graph.only(["shopp.*"])


def test_what_a_callback_takes_is_not_held(tmp_path: Path) -> None:
    text = "class A: ...\nclass B:\n    call: Callable[[A], None]\nclass C:\n    kept: dict[str, 'A']\n"
    graph = python.classes(python.modules(written(tmp_path, {"shop/a.py": text}) / "a.py"))
    assert arrows(graph) == ["C <>-> A"]


def test_the_edge_that_closes_a_circle_leads_around_the_others() -> None:
    names = "a", "b", "c"
    circle = [Edge("a", "b"), Edge("b", "c"), Edge("c", "a"), Edge("c", "b")]
    graph = Graph(tuple(map(Node, names)), tuple(circle))
    assert returning(graph) == {("c", "a")}  # c and b lead to each other, side by side
    for direction, side in (("LR", "s"), ("TB", "e")):
        lines = [line for line in drawing.drawn(graph, direction).source.splitlines() if "port=" in line]
        assert len(lines) == 1 and "c -> a" in lines[0] and lines[0].count(f"port={side}") == 2
