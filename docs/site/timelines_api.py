"""The functions and types of the timelines library, read from the source: names, arguments, and a line for each.

Whole docstrings, the types of arguments and the fields of types are in `help()`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

TIMELINES = Path(__file__).parents[2] / "packages" / "timelines" / "figmill_timelines"

# A module of the API -> the page of docs/ with its generators; empty: it serves all of them.
API: Mapping[str, str] = MappingProxyType(
    {
        "spans": "",
        "pipeline.schedules": "generators/pipeline",
        "pipeline.evaluate": "generators/pipeline",
        "pipeline.plan": "generators/pipeline",
        "pipeline.activations": "generators/pipeline",
        "pipeline.schedule_panels": "generators/pipeline",
        "pipeline.filling": "generators/pipeline",
        "pipeline.kfac": "generators/pipeline",
        "traces.pipeline_events": "generators/pipeline",
        "training.workers": "generators/training",
        "training.stalls": "generators/training",
        "training.stall_table": "generators/training",
        "charts.stall_chart": "generators/training",
        "models.queues": "generators/serving",
        "models.serving": "generators/serving",
        "models.paged_serving": "generators/serving",
        "models.repeated": "generators/serving",
        "models.memory_budget": "generators/serving",
        "models.mixtures": "generators/serving",
        "models.accelerators": "generators/serving",
        "models.rooflines": "generators/serving",
        "models.link_path": "generators/serving",
        "training.collectives": "generators/training",
        "models.collective_steps": "generators/training",
        "models.stragglers": "generators/training",
        "models.speculation": "generators/serving",
        "models.failures": "generators/training",
        "models.bit_fields": "generators/diagrams",
        "models.networks": "generators/diagrams",
        "models.messages": "generators/diagrams",
        "models.sharding": "generators/training",
        "traces.readers": "generators/traces",
        "charts.gantt": "",
        "charts.ascii": "",
        "charts.looks": "",
        "charts.layout": "",
        "charts.canvas": "",
        "charts.xy_chart": "",
        "plots.plot": "",
        "plots.curve_labels": "",
        "plots.point_labels": "",
        "plots.page": "",
        "plots.bars": "",
        "plots.block_chart": "",
        "plots.field_chart": "",
        "plots.sequence_chart": "",
        "plots.step_chart": "",
        "quantities": "",
        "bounds": "",
        "titles": "",
        "files": "",
    }
)


def tree(module: str) -> ast.Module:
    """The syntax tree of a module of the timelines."""
    return ast.parse(TIMELINES.joinpath(*module.split(".")).with_suffix(".py").read_bytes())


def members(module: str) -> Iterator[ast.ClassDef | ast.FunctionDef]:
    """The public types and functions of a module, with those that it takes over from `units`."""
    whole = tree(module)
    units = ast.parse((TIMELINES / "units.py").read_bytes())
    taken = {
        alias.name
        for node in whole.body
        if isinstance(node, ast.ImportFrom) and node.module == "figmill_timelines.units"
        for alias in node.names
    }
    for part, names in ((whole, None), (units, taken)):
        for node in part.body:
            if (
                isinstance(node, ast.ClassDef | ast.FunctionDef)
                and not node.name.startswith("_")
                and (names is None or node.name in names)
                and "overload" not in map(ast.unparse, node.decorator_list)
            ):
                yield node


def modules() -> Iterator[str]:
    """A section for each module: what it is about, its types and its functions."""
    for module, page in API.items():
        about = _lines(tree(module))[0]
        yield f"## {module}\n"
        yield f"{about} [Generators](../{page}.md)\n" if page else f"{about}\n"
        nodes = list(members(module))
        types = [_type(node) for node in nodes if isinstance(node, ast.ClassDef)]
        lines = [f"- types: {', '.join(types)}"] if types else []
        lines += [
            f"- `{_named(node)}`: {' '.join(_lines(node))}"
            for node in nodes
            if isinstance(node, ast.FunctionDef)
        ]
        yield "\n".join(lines) + "\n"


def _type(node: ast.ClassDef) -> str:
    """The name of a type, and those of its methods and properties."""
    own = [
        f"`{each.name}`"
        for each in node.body
        if isinstance(each, ast.FunctionDef) and not each.name.startswith("_")
    ]
    return f"`{node.name}`" + (f" ({', '.join(own)})" if own else "")


def _lines(node: ast.Module | ast.FunctionDef) -> list[str]:
    """The first sentence of a docstring, up to a semicolon, and those that name an error other than ValueError."""
    text = ast.get_docstring(node) or ""
    sentences = re.split(r"(?<=\.) ", " ".join(text.split()))
    first = sentences[0].partition("; ")[0].rstrip(".") + "."
    return [first, *(each for each in sentences[1:] if re.match(r"(?!ValueError)\w+Error\b", each))]


def _named(node: ast.FunctionDef) -> str:
    """`name(argument, ...)`: the arguments without types, and dots for those that may be left out."""
    plain = node.args
    optional = len(plain.defaults)
    needed = [each.arg for each in plain.args[: len(plain.args) - optional]]
    needed += [
        each.arg for each, value in zip(plain.kwonlyargs, plain.kw_defaults, strict=True) if value is None
    ]
    if optional or len(needed) < len(plain.args) + len(plain.kwonlyargs):
        needed.append("...")
    return f"{node.name}({', '.join(needed)})"
