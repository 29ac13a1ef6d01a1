"""Floats are summed by math.fsum: builtin sum() rounds in another way since Python 3.12, and facts must not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.book import REPOSITORY

# Sums of integers that one cannot tell from the expression alone: the argument as it is written.
INTEGERS = {
    "(1 << number for number in kept)",  # a set of capabilities as bits
    "(1 << bit for bit in range(4, 13))",  # a set of rights as bits
    "(max(0, one.memory - each) for one in taken.values())",  # bytes of memory
    "map(_buffers, taken)",  # the same
    "(BUFFERS.get(kind, 0) for kind in kinds)",  # the same
    "(_proportional(pid, bool(files)) for pid in taken)",  # the same
    "(one.threads for one in taken.values())",  # threads
    "found.values()",  # bytes of files
    "(status[0] for status, _ in self._new.values())",  # bytes of files
    "[len(stated) if isinstance(stated, list) else 1 for stated in facts.values()]",  # values stated
    "sizes.values()",  # bytes of pictures
    "counts.values()",  # of figures by their verdict
    "count.values()",  # of shapes by the letter that they look like
    "self.client.nthreads().values()",  # of a cluster's workers
    "(size for _, size, _ in entries)",  # bytes of files in a cache
    "(each for _, each, _ in entries)",  # bytes of files on a worker
    "(size[child] for child in node.elements())",  # elements of an SVG
    "(count(further, nodes[at]) for further in drawn[nodes[at]])",  # elements that a use draws
    "(_winding(piece.ring, point) for piece in pieces)",  # turns around a point
    "(len(line) + 1 for line in text.split('\\n')[:token.line - 1])",  # letters before a line
    "(count for count, _ in counts)",  # elements of a plot
    "(row.each * many for row, many in zip(rows, times, strict=True))",  # parameters of a network
    "(min(bits.words(layout, word), 5 * len(layout.fields)) for layout in shown)",  # words of a header
    "(row.is_known for row in report.rows)",  # figures whose failure is known
    "(len(piece.ring) // 2 for piece in pieces)",  # corners of areas
    "(item.source.width * item.source.height * len(item.nodes) for item in items)",  # pixels of pictures
    "(item.source.width * item.source.height for item in items)",  # the same, each picture once
    "(len(one.data) * len(item.nodes) for one, item in zip(written, items, strict=True))",  # bytes of pictures
}
# Sums of floats in the normaliser, whose results are rounded before they are written. To be mended with its bytes in
# sight: fsum may move a text by the last digit that is kept.
ROUNDED = {
    "[math.floor(advances.get(ord(letter), 0.0) * ppem + 0.5) for letter in text]",
    "[advances[ord(character)] for character in text]",
    "[run.width + run.dx for run in chunk]",
    "(run.width for run in runs)",
    "times",  # of the script that `new` writes
}
# Exact in every version: fsum, fractions or fixed polynomials inside. Others of the module were changed since 3.11.
STATISTICS = {"fmean", "stdev", "median", "NormalDist"}
# Of later Pythons alone, or changed by one.
MATH = {"sumprod", "fma"}
# What stands in every source with one of these.
NAMED = re.compile(r"\bsum\b|\bstatistics\b|\bsumprod\b|\bfma\b")


def is_count(argument: ast.expr) -> bool:
    """Whether these can only be integers: lengths, comparisons, numbers without a point."""
    match argument:
        case ast.GeneratorExp(elt=element) | ast.ListComp(elt=element):
            return _is_integer(element)
        case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="len" | "int"), *_]):
            return True
    return False


def _is_integer(element: ast.expr) -> bool:
    match element:
        case ast.Compare() | ast.Constant(value=int()) | ast.Call(func=ast.Name(id="len" | "int")):
            return True
    return False


def inexact(source: str) -> Iterator[tuple[int, str]]:
    """(line, what stands there) for each sum that may differ between versions of Python."""
    if not NAMED.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="sum"), args=[argument, *_]):
                text = ast.unparse(argument)
                if not is_count(argument) and text not in INTEGERS | ROUNDED:
                    yield node.lineno, f"sum({text})"
            case ast.Call(args=[ast.Name(id="sum"), *_]):
                yield node.lineno, ast.unparse(node)  # map(sum, ...)
            case ast.ImportFrom(module="statistics", names=names):
                yield from ((node.lineno, n.name) for n in names if n.name not in STATISTICS)
            case ast.ImportFrom(module="math", names=names):
                yield from ((node.lineno, n.name) for n in names if n.name in MATH)
            case ast.Attribute(value=ast.Name(id="statistics"), attr=name) if name not in STATISTICS:
                yield node.lineno, f"statistics.{name}"
            case ast.Attribute(value=ast.Name(id="math"), attr=name) if name in MATH:
                yield node.lineno, f"math.{name}"


def scripts() -> list[Path]:
    return sorted(path for folder in ("figmill", "visuals") for path in (REPOSITORY / folder).rglob("*.py"))


def test_floats_are_summed_exactly() -> None:
    found = [
        f"{path.relative_to(REPOSITORY)}:{line}: {text}"
        for path in scripts()
        for line, text in inexact(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_the_lists_name_nothing_that_is_gone() -> None:
    sums = (data for path in scripts() if b"sum(" in (data := path.read_bytes()))
    written = "\n".join(ast.unparse(ast.parse(data)) for data in sums)
    starters = "step = sum(times)"  # inside a string, which unparse keeps on one line
    assert [text for text in INTEGERS | ROUNDED if f"sum({text.strip('()')}" not in written.replace("sum((", "sum(")
            and not (text == "times" and starters in written)] == []  # fmt: skip


@pytest.mark.parametrize(
    "source",
    [
        "x = sum(lengths)",
        "x = sum(b - a for a, b in spans)",
        "x = sum([1.0, y])",
        "x = tuple(map(sum, zip(d, w)))",
        "import statistics\nx = statistics.mean(values)",
        "from statistics import correlation",
        "from math import sumprod",
        "import math\nx = math.fma(a, b, c)",
    ],
)
def test_what_may_be_a_float_is_found(source: str) -> None:
    assert list(inexact(source))


@pytest.mark.parametrize(
    "source",
    [
        "x = sum(len(a) for a in b)",
        "x = sum(span.kind == 'forward' for span in spans)",
        "x = sum(1 for _ in spans)",
        "x = sum(map(len, parts))",
        "x = fsum(lengths)",
        "from statistics import fmean, stdev",
        "x = table.sum(axis=2)",
    ],
)
def test_counts_are_left_alone(source: str) -> None:
    assert not list(inexact(source))
