"""The signature of a script's draw(), read without running the script. Pure.

Parameters of a question are compared with it, so that a mistyped one is reported at its YAML line before any code
runs. For a script of 600 kB, Python's parser can need more memory than a machine has. So `offered` runs in a process
with limits, and `decoded` makes a Signature from its plain data.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from figmill.errors import AuthorError, did_you_mean
from figmill.kind import notebook
from figmill.kinds.scripts import advice, parameter_docs, parameter_limits
from figmill.late_dataclasses import dataclass
from figmill.model import Json, Origin


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of draw().

    - accepts: JSON types; empty if the annotation cannot be checked.
    - bounds: of a number, or of each number in a list.
    - default: a one-item tuple; empty if there is none, or it is computed.
    - about: the author's description.
    """

    name: str
    required: bool
    accepts: tuple[str, ...] = ()
    choices: tuple[Json, ...] = ()
    bounds: parameter_limits.ParamLimits = ()
    default: tuple[Json, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of draw(). open_ended: it takes **kwargs, or is not a plain function."""

    parameters: tuple[Parameter, ...]
    open_ended: bool


# annotation -> the JSON types it accepts. Unlike in Python, a bool is not a number.
TYPES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "int": ("integer",),
        "float": ("integer", "number"),
        "complex": ("integer", "number"),
        "str": ("text",),
        "bool": ("boolean",),
        "None": ("null",),
        "list": ("list",),
        "tuple": ("list",),
        "Sequence": ("list",),
        "Iterable": ("list",),
        "dict": ("mapping",),
        "Mapping": ("mapping",),
    }
)


MAX_BYTES = 5_000_000  # the most bytes of a script
TOO_DEEP = "an expression of this script is longer or deeper than Python can read; write it in parts"


def parse(data: bytes, path: str) -> ast.Module:
    """The syntax tree of a script. Raises AuthorError at the line where Python's parser stops."""
    if len(data) > MAX_BYTES:
        raise AuthorError(Origin(path), f"{len(data):,} bytes; a script has at most {MAX_BYTES:,}")
    try:
        return ast.parse(data, filename=path)
    except SyntaxError as error:
        # A null byte or a wrong coding line has no position.
        at = Origin(path, error.lineno or None, (error.offset or None) if error.lineno else None)
        text = (error.text or "").rstrip()
        advised = advice.of_line(text)
        raise AuthorError(at, advised or error.msg, "" if advised else text) from None
    except ValueError as error:
        raise AuthorError(Origin(path), str(error)) from None
    except (RecursionError, MemoryError):
        raise AuthorError(Origin(path), TOO_DEEP) from None


def _signature(data: bytes, path: str) -> Signature | None:
    """The signature of a script. Raises AuthorError if Python's parser or the walk over its tree gives up."""
    is_script = not notebook.is_notebook(path)
    tree = parse(data if is_script else notebook.as_script(data, path), path)
    try:
        draw = signature(tree) if is_script else None
        advised = advice.of_script(tree) if draw is None else None
    except (RecursionError, MemoryError):  # an annotation of a thousand parts
        raise AuthorError(Origin(path), TOO_DEEP) from None
    if advised is not None:
        line, message = advised
        raise AuthorError(Origin(path, line), message)
    return draw


def offered(path: str, data: bytes) -> dict[str, Any]:
    """The signature of a script, or the error in its text, as JSON values."""
    try:
        draw = _signature(data, path)
    except AuthorError as error:
        return {"error": [error.origin.line, error.origin.column, error.message, error.detail]}
    if draw is None:
        return {"draw": None}
    rows = [
        [
            p.name,
            p.required,
            list(p.accepts),
            [c for c in p.choices if _is_plain(c)],
            [list(b) for b in p.bounds],
            list(p.default),
            p.about,
        ]
        for p in draw.parameters
    ]
    return {"draw": {"parameters": rows, "open_ended": draw.open_ended}}


def _is_plain(choice: object) -> bool:
    """Whether a question can hold a literal value."""
    is_small = not isinstance(choice, int) or abs(choice) < 1 << 64
    return choice is None or (isinstance(choice, bool | int | float | str) and is_small)


def decoded(answer: Mapping[str, Any], path: str) -> Signature | None:
    """The inverse of `offered`. Raises the script's AuthorError, and ValueError if the data is not from `offered`."""
    try:
        if "error" in answer:
            line, column, message, detail = answer["error"]
            raise AuthorError(Origin(path, line, column), message, detail)
        if answer["draw"] is None:
            return None
        rows = answer["draw"]["parameters"]
        parameters = tuple(
            Parameter(
                str(n),
                bool(r),
                tuple(map(str, a)),
                tuple(c),
                tuple(_bound(*b) for b in bounds),
                tuple(d),
                str(doc),
            )
            for n, r, a, c, bounds, d, doc in rows
        )
        return Signature(parameters, bool(answer["draw"]["open_ended"]))
    except (KeyError, TypeError) as error:
        raise ValueError("the data do not describe a script") from error


def _bound(what: str, value: float) -> tuple[str, float]:
    if what not in parameter_limits.NAMES or isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("the data hold an invalid bound")
    return what, value


def signature(tree: ast.Module) -> Signature | None:
    """The signature of the top-level draw(); None if there is none, and the script runs as a whole."""
    last: Signature | None = None
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "draw":
            last = _of_function(node)
        elif _binds_draw(node):
            last = Signature((), open_ended=True)
    return last


def _binds_draw(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == "draw" for target in node.targets)
    if isinstance(node, ast.ImportFrom):
        return any((alias.asname or alias.name) == "draw" for alias in node.names)
    return False


def _of_function(node: ast.FunctionDef) -> Signature:
    arguments = node.args
    positional = arguments.posonlyargs + arguments.args
    without_default = len(positional) - len(arguments.defaults)
    rows: list[tuple[ast.arg, ast.expr | None]] = [
        (argument, None) for argument in positional[:without_default]
    ]
    rows += zip(positional[without_default:], arguments.defaults, strict=True)
    rows += zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    decorated = bool(node.decorator_list)  # a decorator may change the parameters
    about = parameter_docs.words(ast.get_docstring(node) or "", [argument.arg for argument, _ in rows])
    parameters = tuple(_parameter(argument, default, about) for argument, default in rows)
    return Signature(parameters, open_ended=arguments.kwarg is not None or decorated)


def _parameter(argument: ast.arg, default: ast.expr | None, about: Mapping[str, str]) -> Parameter:
    accepts, choices = _accepted(argument.annotation)
    doc = parameter_docs.doc(argument.annotation) or about.get(argument.arg, "")
    bounds = parameter_limits.of(argument.annotation)
    return Parameter(
        argument.arg, default is None, accepts, choices, bounds, parameter_docs.default(default), doc
    )


def _accepted(annotation: ast.expr | None) -> tuple[tuple[str, ...], tuple[Json, ...]]:
    """The JSON types and the literal values that an annotation accepts; both empty: anything."""
    match annotation:
        case ast.Constant(value=str(text)):
            try:
                return _accepted(ast.parse(text, mode="eval").body)
            except SyntaxError:
                return (), ()
        case ast.Constant(value=None):
            return ("null",), ()
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return TYPES.get(name, ()), ()
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _either(left, right)
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=inner):
            return _of_subscript(name, inner)
    return (), ()


def _of_subscript(name: str, inner: ast.expr) -> tuple[tuple[str, ...], tuple[Json, ...]]:
    items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if name == "Literal":
        return (), tuple(i.value for i in items if isinstance(i, ast.Constant))  # type: ignore[misc]
    if name == "Annotated":
        return _accepted(items[0])
    if name == "Optional":
        return _either(items[0], ast.Constant(value=None))
    if name == "Union":
        first, *rest = items
        return _either(first, *rest)
    return TYPES.get(name, ()), ()


def _either(*members: ast.expr) -> tuple[tuple[str, ...], tuple[Json, ...]]:
    parts = [_accepted(member) for member in members]
    if any(not accepts and not choices for accepts, choices in parts):
        return (), ()
    types = tuple(kind for accepts, _ in parts for kind in accepts)
    return types, tuple(choice for _, choices in parts for choice in choices)


def problems(
    draw: Signature, params: Mapping[str, Json], at: Mapping[str, Origin], where: Origin
) -> Iterator[AuthorError]:
    """An error for each parameter that does not fit, at its own line; missing ones at `where`."""
    parameters = {parameter.name: parameter for parameter in draw.parameters}
    allowed = ", ".join(parameters) or "none"
    for name, value in params.items():
        origin = at.get(f"params.{name}", where)
        if name in parameters:
            yield from _misfit(parameters[name], value, origin)
        elif not draw.open_ended:
            hint = did_you_mean(name, parameters)
            yield AuthorError(origin, f"draw() has no parameter '{name}'{hint}; it takes: {allowed}")
    for parameter in draw.parameters:
        if parameter.required and parameter.name not in params:
            yield AuthorError(where, f"draw() needs the parameter '{parameter.name}'; it takes: {allowed}")


def _misfit(parameter: Parameter, value: Json, origin: Origin) -> Iterator[AuthorError]:
    kind = json_type(value)
    if not parameter.accepts and not parameter.choices:
        return
    if kind in parameter.accepts or any(type(c) is type(value) and c == value for c in parameter.choices):
        yield from _out_of_bounds(parameter, value, origin)
        return
    wanted = [*dict.fromkeys(parameter.accepts), *(repr(choice) for choice in parameter.choices)]
    shown = repr(value) if len(repr(value)) <= 40 else kind
    hint = did_you_mean(value, [str(c) for c in parameter.choices]) if isinstance(value, str) else ""
    yield AuthorError(
        origin, f"parameter '{parameter.name}' must be {' or '.join(wanted)}, not {shown}{hint}"
    )


def _out_of_bounds(parameter: Parameter, value: Json, origin: Origin) -> Iterator[AuthorError]:
    for number in value if isinstance(value, list) else [value]:
        if isinstance(number, bool) or not isinstance(number, int | float):
            continue
        if not parameter_limits.keeps(parameter.bounds, number):
            text = f"parameter '{parameter.name}' must be {parameter_limits.words(parameter.bounds)}, not {number!r}"
            yield AuthorError(origin, text)
            return


def json_type(value: Json) -> str:
    """The type of a value, as messages name it: text, integer, number, boolean, list, mapping or null."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    names = ((int, "integer"), (float, "number"), (str, "text"), (list, "list"), (dict, "mapping"))
    return next(name for kind, name in names if isinstance(value, kind))
