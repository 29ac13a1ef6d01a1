"""Python source as a graph: which module imports which, and which class inherits from or has which. Runs nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from figmill_structure.graph import Edge, Graph, Node, Section, once
from figmill_structure.places import python_files, text_of

DEEP = 64  # levels of modules


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the source.

    - name: dotted, from the top package.
    """

    name: str
    is_package: bool
    tree: ast.Module


def modules(place: Path) -> dict[str, Module]:
    """The modules of a package, of a folder of modules, or of one file, by name.

    ValueError, with file and line, for a file that Python cannot parse.
    """
    if place.is_file():
        return {place.stem: Module(place.stem, False, _parsed(place, place.name))}
    files = {path: _parsed(path, path.relative_to(place).as_posix()) for path in python_files(place)}
    begin = (place.name,) if _is_package(place, files.values()) else ()
    modules = {}
    for path, tree in files.items():
        parts = (*begin, *path.relative_to(place).with_suffix("").parts)
        own = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if own else parts)
        if name:
            modules[name] = Module(name, own, tree)
    return modules


def _is_package(place: Path, trees: Iterable[ast.Module]) -> bool:
    """Whether the modules' names begin with the folder's: it has an __init__.py, or imports among them show it."""
    if (place / "__init__.py").is_file():
        return True
    named = (
        name
        for tree in trees
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""] * (not node.level)
            if isinstance(node, ast.ImportFrom)
            else []
        )
    )
    return any(f"{name}.".startswith(f"{place.name}.") for name in named)


def _parsed(path: Path, shown: str) -> ast.Module:
    try:
        return ast.parse(text_of(path), filename=shown)
    except SyntaxError as error:
        raise ValueError(f"{shown}:{error.lineno}: Python cannot parse this: {error.msg}") from None
    except (RecursionError, MemoryError):
        raise ValueError(f"{shown}: this is nested too deep") from None


def imports(
    read: Mapping[str, Module], depth: int = DEEP, *, typing: bool = False, outside: bool = False
) -> Graph:
    """Which module imports which. depth: names are cut to this many parts below the top package.

    typing: count imports under `if TYPE_CHECKING`. outside: show the packages that are imported from elsewhere. An
    import inside a function is "late" if no other import names the module.
    """
    tops = {name.partition(".")[0] for name in read}
    keep = depth + (1 if len(tops) == 1 else 0)

    def cut(name: str) -> str:
        return ".".join(name.split(".")[:keep])

    kinds: dict[tuple[str, str], str] = {}
    outer: list[str] = []
    for module in read.values():
        for name, is_late in _imported(module, typing):
            target = _known(name, read)
            if target is None:
                target = name.partition(".")[0]
                if not outside or target in tops:
                    continue
                outer.append(target)
            pair = cut(module.name), cut(target)
            if pair[0] != pair[1]:
                kinds[pair] = "late" if is_late and kinds.get(pair, "late") == "late" else "uses"
    inner = dict.fromkeys(cut(name) for name in read)
    top = next(iter(tops)) if len(tops) == 1 else ""
    connected = {name for pair in kinds for name in pair}
    if top in inner and top not in connected and len(inner) > 1:
        del inner[top]  # an empty __init__.py
    nodes = [Node(name, _label(name, top), _group(name, top, keep)) for name in inner]
    nodes += [Node(name, role="neutral", group="") for name in dict.fromkeys(outer) if name not in inner]
    return Graph(tuple(nodes), tuple(Edge(*pair, kind=kind) for pair, kind in kinds.items()))


def _label(name: str, top: str) -> str:
    return name.removeprefix(f"{top}.") if top else name


def _group(name: str, top: str, keep: int) -> str:
    """The package around a module, if modules of several packages are shown."""
    inside = name.removeprefix(f"{top}.") if top else name
    return inside.rpartition(".")[0] if keep > 2 else ""


def _known(name: str, read: Mapping[str, Module]) -> str | None:
    """The longest beginning of a dotted name that is a module."""
    while name and name not in read:
        name = name.rpartition(".")[0]
    return name or None


def _imported(module: Module, typing: bool) -> Iterator[tuple[str, bool]]:
    """Each imported name, and whether only a function imports it."""
    for node, is_late in _statements(module.tree.body, typing, False):
        if isinstance(node, ast.Import):
            yield from ((alias.name, is_late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(module, node)
            yield from ((f"{base}.{alias.name}" if base else alias.name, is_late) for alias in node.names)


def _base(module: Module, node: ast.ImportFrom) -> str:
    """The absolute name of the module in a `from` import."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    up = node.level - (1 if module.is_package else 0)
    parts = parts[: len(parts) - up] if up else parts
    return ".".join((*parts, *((node.module,) if node.module else ())))


def _statements(body: Iterable[ast.AST], typing: bool, is_late: bool) -> Iterator[tuple[ast.AST, bool]]:
    for node in body:
        if isinstance(node, ast.If) and _is_for_typing(node.test) and not typing:
            yield from _statements(node.orelse, typing, is_late)
            continue
        yield node, is_late
        inside = is_late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from _statements(ast.iter_child_nodes(node), typing, inside)


def _is_for_typing(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def classes(
    read: Mapping[str, Module], *, fields: bool = True, methods: bool = True, private: bool = False
) -> Graph:
    """The classes of these modules, with what they inherit from and what they have.

    A field whose annotation names one of the classes is an edge "has". private: show names that begin with "_".
    """
    owned = [
        (module, node)
        for module in read.values()
        for node in module.tree.body
        if isinstance(node, ast.ClassDef) and (private or not node.name.startswith("_"))
    ]
    counts: dict[str, int] = {}
    for _, node in owned:
        counts[node.name] = counts.get(node.name, 0) + 1

    def named(module: Module, node: ast.ClassDef) -> str:
        return node.name if counts[node.name] == 1 else f"{module.name}.{node.name}"

    names = {node.name: named(module, node) for module, node in owned}
    nodes, edges = [], []
    for module, node in owned:
        own = named(module, node)
        held = [row for row in _fields(node) if private or not row[0].startswith("_")]
        calls = [row for row in _methods(node) if private or not row[0].startswith("_")]
        sections = (
            Section(tuple(held)) if fields else Section(()),
            Section(tuple(calls)) if methods else Section(()),
        )
        above = _above(node)
        role = (
            "neutral"
            if above in ("abstract", "protocol")
            else "data"
            if above in ("enum", "dataclass")
            else "compute"
        )
        nodes.append(Node(own, node.name, role=role, shape="table", above=above, sections=sections))
        bases = [name for base in node.bases for name in _names(base)]
        edges += [
            Edge(own, names[base], kind="inherits") for base in bases if base in names and names[base] != own
        ]
        for field, annotation in _annotated(node):
            if private or not field.startswith("_"):
                held_classes = dict.fromkeys(name for name in _names(_held(annotation)) if name in names)
                edges += [
                    Edge(own, names[name], field, "has", row=field)
                    for name in held_classes
                    if names[name] != own
                ]
    return Graph(tuple(nodes), once(edges))


ABOVE = {
    **dict.fromkeys(("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"), "enum"),
    "ABC": "abstract",
    "BaseModel": "model",
    "Exception": "exception",
    "NamedTuple": "named tuple",
    "Protocol": "protocol",
    "TypedDict": "typed dict",
}


def _above(node: ast.ClassDef) -> str:
    """The kind of class, from its decorators and bases."""
    decorators = {name for decorator in node.decorator_list for name in _names(decorator)}
    if decorators & {"dataclass", "define", "frozen", "attrs"}:
        return "dataclass"
    bases = [name for base in node.bases for name in _names(base)]
    if any(keyword.arg == "metaclass" and "ABCMeta" in _names(keyword.value) for keyword in node.keywords):
        return "abstract"
    return next((ABOVE[name] for name in bases if name in ABOVE), "")


def _annotated(node: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """The annotated fields: in the class, and of `self` in its methods."""
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            yield item.target.id, item.annotation
    for item in node.body:
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and item.args.args:
            me = item.args.args[0].arg
            given = {
                argument.arg: argument.annotation for argument in (*item.args.args, *item.args.kwonlyargs)
            }
            for part in ast.walk(item):
                if isinstance(part, ast.AnnAssign) and _is_of(part.target, me):
                    yield part.target.attr, part.annotation  # type: ignore[union-attr]
                elif isinstance(part, ast.Assign) and isinstance(part.value, ast.Name):
                    annotation = given.get(part.value.id)
                    for target in part.targets:
                        if _is_of(target, me) and annotation is not None:
                            yield target.attr, annotation  # type: ignore[attr-defined]


def _is_of(target: ast.expr, me: str) -> bool:
    return isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == me


def _fields(node: ast.ClassDef) -> list[tuple[str, str]]:
    """The fields with their types; of an enum, its members."""
    rows = {name: ast.unparse(annotation) for name, annotation in reversed([*_annotated(node)])}
    ordered = dict.fromkeys(name for name, _ in _annotated(node))
    if _above(node) == "enum":
        for item in node.body:
            if isinstance(item, ast.Assign):
                for target in item.targets:
                    if isinstance(target, ast.Name):
                        ordered[target.id] = None
    return [(name, rows.get(name, "")) for name in ordered]


def _methods(node: ast.ClassDef) -> list[tuple[str, str]]:
    rows: dict[str, str] = {}
    for item in node.body:
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
            result = (
                ""
                if item.returns is None or ast.unparse(item.returns) == "None"
                else ast.unparse(item.returns)
            )
            decorators = {name for decorator in item.decorator_list for name in _names(decorator)}
            is_property = bool(decorators & {"property", "cached_property"})
            rows.setdefault(item.name if is_property else f"{item.name}()", result)
    return [*rows.items()]


# What stands in brackets after these names is not held: what functions take and return, classes themselves, and words.
NOT_HELD = frozenset({"Callable", "type", "Type", "Literal"})


class _WithoutNames(ast.NodeTransformer):
    """An annotation without the names of what its field does not hold."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return node.value if NOT_HELD & set(_names(node.value)) else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not isinstance(node.value, str) or len(node.value) >= 200:
            return node
        try:
            return self.visit(ast.parse(node.value, mode="eval").body)  # type: ignore[no-any-return]
        except (SyntaxError, ValueError):
            return node


def _held(annotation: ast.expr) -> ast.AST:
    return _WithoutNames().visit(deepcopy(annotation))  # type: ignore[no-any-return]


def _names(expression: ast.AST) -> list[str]:
    """The last parts of all names in an expression; names in a string are those of an annotation."""
    names = []
    for node in ast.walk(expression):
        if isinstance(node, ast.Name):
            names.append(node.id)
        elif isinstance(node, ast.Attribute):
            names.append(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                names += _names(ast.parse(node.value, mode="eval")) if len(node.value) < 200 else []
            except (SyntaxError, ValueError):
                continue
    return names
