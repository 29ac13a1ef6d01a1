"""The functions and types of the timelines library, read from the source: signatures and docstrings."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

TIMELINES = Path(__file__).parents[2] / "packages" / "timelines" / "figmill_timelines"

# A module of the API -> the page of docs/ with its examples.
API: Mapping[str, str] = MappingProxyType(
    {
        "spans": "timelines-library",
        "pipeline.schedules": "generators/pipeline",
        "pipeline.evaluate": "generators/pipeline",
        "pipeline.plan": "generators/pipeline",
        "pipeline.activations": "generators/pipeline",
        "pipeline.schedule_panels": "generators/pipeline",
        "pipeline.filling": "generators/bubble-filling",
        "pipeline.kfac": "generators/bubble-filling",
        "traces.pipeline_events": "generators/bubble-filling",
        "training.workers": "generators/workers",
        "training.stalls": "generators/data-stalls",
        "training.stall_table": "generators/data-stalls",
        "charts.stall_chart": "generators/data-stalls",
        "models.queues": "generators/queueing",
        "models.serving": "generators/serving",
        "models.paged_serving": "generators/serving",
        "models.repeated": "generators/serving",
        "models.memory_budget": "generators/memory",
        "models.mixtures": "generators/memory",
        "models.accelerators": "generators/memory",
        "models.rooflines": "generators/roofline",
        "models.link_path": "generators/links",
        "training.collectives": "generators/collectives",
        "models.collective_steps": "generators/collectives",
        "models.stragglers": "generators/stragglers",
        "models.speculation": "generators/speculative",
        "models.failures": "generators/failures",
        "models.bit_fields": "generators/bit-fields",
        "models.networks": "generators/networks",
        "models.messages": "generators/messages",
        "models.sharding": "generators/fsdp",
        "traces.readers": "generators/traces",
        "charts.gantt": "timelines-library",
        "charts.ascii": "timelines-library",
        "charts.looks": "timelines-library",
        "charts.layout": "timelines-library",
        "charts.canvas": "timelines-library",
        "charts.xy_chart": "timelines-library",
        "plots.plot": "timelines-library",
        "plots.page": "timelines-library",
        "plots.bars": "timelines-library",
        "plots.block_chart": "timelines-library",
        "plots.field_chart": "timelines-library",
        "plots.sequence_chart": "timelines-library",
        "plots.step_chart": "timelines-library",
        "quantities": "timelines-library",
        "bounds": "timelines-library",
        "titles": "timelines-library",
        "files": "timelines-library",
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
    """A section for each module: what it is about, its types with their fields, its functions."""
    for module, page in API.items():
        yield f"## {module}\n"
        yield f"[Examples](../{page}.md). {ast.get_docstring(tree(module))}\n"
        for node in members(module):
            yield from _type(node) if isinstance(node, ast.ClassDef) else _function(node)


def _type(node: ast.ClassDef) -> Iterator[str]:
    """The fields of a type, or the arguments that make one; then its methods."""
    yield f"### {node.name}\n"
    methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
    fields = [
        ast.unparse(item).replace("'", chr(34)) for item in node.body if isinstance(item, ast.AnnAssign)
    ]
    fields += [_signature(method, node.name) for method in methods if method.name == "__init__"]
    yield from _described(node, "\n".join(fields))
    for method in methods:
        if not method.name.startswith("_"):
            yield from _described(method, _signature(method))


def _function(node: ast.FunctionDef) -> Iterator[str]:
    yield f"### {node.name}\n"
    yield from _described(node, _signature(node))


def _described(node: ast.ClassDef | ast.FunctionDef, code: str) -> Iterator[str]:
    if code:
        yield f"```python\n{code}\n```\n"
    if text := ast.get_docstring(node):
        yield f"{text}\n"


def _signature(node: ast.FunctionDef, name: str = "") -> str:
    """`name(argument: type = default) -> type`. name: of the type that the function makes, if it makes one."""
    plain = [argument for argument in node.args.args if argument.arg not in ("self", "cls")]
    arguments = ast.arguments(
        node.args.posonlyargs,
        plain,
        node.args.vararg,
        node.args.kwonlyargs,
        node.args.kw_defaults,
        node.args.kwarg,
        node.args.defaults,
    )
    returns = ast.unparse(node.returns) if node.returns else ""
    if any(isinstance(each, ast.Name) and each.id == "property" for each in node.decorator_list):
        return f"{node.name}: {returns}"
    result = f" -> {returns}" if returns and not name else ""
    return f"{name or node.name}({ast.unparse(arguments)}){result}"
