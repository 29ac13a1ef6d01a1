"""A host's own configuration with figmill's lines in it. Pure: text in, text out.

Nothing is reformatted. A parser finds the places, the lines are inserted as text, and the result is parsed again: it
must hold everything that it held before, and the new lines. Otherwise the change is refused. Unaware of files.
"""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

import yaml


class UnsafeChangeError(Exception):
    """A file that cannot be changed safely; the message says why."""


# ---------------------------------------------------------------- YAML: mkdocs.yml, _quarto.yml, myst.yml


class _Loader(yaml.SafeLoader):
    """Accepts every tag, because hosts load Python objects and environment variables by tags."""


def _tagged(loader: _Loader, suffix: str, node: yaml.Node) -> tuple[str, object]:
    if isinstance(node, yaml.MappingNode):
        return suffix, loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return suffix, loader.construct_sequence(node, deep=True)
    return suffix, node.value


_Loader.add_multi_constructor("", _tagged)


INHERITED = "INHERIT"  # the key of mkdocs.yml that names its parent file


def with_item(text: str, keys: Sequence[str], item: str, first: Sequence[str] = ()) -> str:
    """The text with `item` in the list below `keys`.

    first: what a new list holds before it. Raises UnsafeChangeError.
    """
    before = _loaded(text)
    items = _below(before, keys)
    if items is not None and item in _names(items):
        return text
    root = yaml.compose(text, Loader=_Loader)
    node, depth = _deepest(root, keys)
    if depth == 0 and INHERITED in (before or {}):
        raise UnsafeChangeError(
            f"the file that it inherits may have {keys[0]}, which a list here would replace"
        )
    if depth < len(keys):
        after = _with_keys(text, node, keys[depth:], [f"- {name}" for name in (*first, item)])
    elif isinstance(node, yaml.SequenceNode):
        after = _in_flow(text, node, item) if node.flow_style else _below_last(text, node, [f"- {item}"])
    elif isinstance(node, yaml.MappingNode) and not node.flow_style:
        after = _below_last(text, node, [f"{item}: {{}}"])
    else:
        raise UnsafeChangeError(f"{'.'.join(keys)} is not a list on several lines")
    items = _below(_loaded(after), keys)
    wanted = list(first) if depth < len(keys) else _below(before, keys)
    if items != _with(wanted, item) or _without(_loaded(after), keys) != _without(before, keys):
        raise UnsafeChangeError("its lines cannot be changed safely")
    return after


def with_value(text: str, keys: Sequence[str], value: str) -> str:
    """The text with a value at the end of `keys`, which must not have one yet. Raises UnsafeChangeError."""
    before = _loaded(text)
    current = _below(before, keys)
    if current == value:
        return text
    node, depth = _deepest(yaml.compose(text, Loader=_Loader), keys)
    if depth == len(keys):
        raise UnsafeChangeError(f"{'.'.join(keys)} already has another value")
    *above, last = keys[depth:]
    after = _with_keys(text, node, above, [f"{last}: {value}"])
    if _below(_loaded(after), keys) != value or _without(_loaded(after), keys) != _without(before, keys):
        raise UnsafeChangeError("its lines cannot be changed safely")
    return after


def _loaded(text: str) -> Any:
    try:
        return yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise UnsafeChangeError(
            f"line {mark.line + 1} is not valid YAML" if mark else "it is not valid YAML"
        ) from None


def _below(data: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _names(items: object) -> list[object]:
    """The names of a list's items: of `- search: {lang: en}` it is `search`."""
    if isinstance(items, dict):
        return list(items)
    rows = items if isinstance(items, list) else []
    return [next(iter(row), None) if isinstance(row, dict) else row for row in rows]


def _with(items: Any, item: str) -> Any:
    return {**items, item: {}} if isinstance(items, dict) else [*items, item]


def _without(data: Any, keys: Sequence[str]) -> Any:
    """The data without the value at the end of `keys`, and without mappings that are empty then."""
    if not isinstance(data, dict):
        return data or {}
    head, *rest = keys
    inner = _without(data.get(head), rest) if rest else None
    return {key: value for key, value in data.items() if key != head} | ({head: inner} if inner else {})


def _deepest(node: yaml.Node | None, keys: Sequence[str]) -> tuple[yaml.Node | None, int]:
    """The node at the end of those `keys` that exist, and how many of them do."""
    for depth, key in enumerate(keys):
        below = node.value if isinstance(node, yaml.MappingNode) else []
        values = [value for name, value in below if name.value == key]
        if not values:
            return node, depth
        node = values[-1]
    return node, len(keys)


def _with_keys(text: str, node: yaml.Node | None, keys: Sequence[str], last: Sequence[str]) -> str:
    """The text with new nested keys in a mapping, and lines inside the innermost key."""
    lines = [f"{'  ' * depth}{key}:" for depth, key in enumerate(keys)]
    lines += [f"{'  ' * len(keys)}{line}" for line in last]
    if node is None:  # an empty file
        return text + _ended(text, "".join(f"{line}\n" for line in lines))
    if not isinstance(node, yaml.MappingNode) or node.flow_style:
        raise UnsafeChangeError("it does not have its keys on lines of their own")
    return _below_last(text, node, lines)


def _below_last(text: str, node: yaml.CollectionNode, lines: Sequence[str]) -> str:
    """The text with lines after the last item of a list or a mapping, with the same indentation."""
    end: Any = node
    while isinstance(end, yaml.CollectionNode) and end.value and not end.flow_style:
        end = end.value[-1][1] if isinstance(end, yaml.MappingNode) else end.value[-1]
    if isinstance(end, yaml.ScalarNode) and end.style in ("|", ">"):
        raise UnsafeChangeError(f"line {end.start_mark.line + 1} begins a text of several lines")
    at = text.find("\n", end.end_mark.index)
    at = len(text) if at < 0 else at + 1
    indent = " " * node.start_mark.column
    return text[:at] + _ended(text[:at], "".join(f"{indent}{line}\n" for line in lines)) + text[at:]


def _in_flow(text: str, node: yaml.SequenceNode, item: str) -> str:
    """The text with an item before the bracket that closes a list."""
    at = node.end_mark.index - 1
    head = text[:at].rstrip()
    comma = "" if not node.value or head.endswith(",") else ","
    return f"{head}{comma}{' ' if node.value else ''}{item}{text[len(head) : at]}{text[at:]}"


def _ended(before: str, lines: str) -> str:
    """Lines with the line endings of the text before them; they end its last line first if needed."""
    start = "" if not before or before.endswith("\n") else "\n"
    lines = start + lines
    return lines.replace("\n", "\r\n") if "\r\n" in before else lines


# ---------------------------------------------------------------- Sphinx: conf.py


def with_extension(text: str, name: str, numbers: bool = True) -> str:
    """conf.py with one more extension, and with numbered figures if they are wanted. Raises UnsafeChangeError."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise UnsafeChangeError(f"line {getattr(error, 'lineno', None) or 1} is not valid Python") from None
    if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree)):
        raise UnsafeChangeError("it imports all names of another module")
    named = [
        node.value for node in tree.body if isinstance(node, ast.Assign) and _names_of(node) == ["extensions"]
    ]
    times = len(_bound(tree, "extensions"))
    after = text
    if any(isinstance(node, ast.Constant) and node.value == name for node in ast.walk(tree)):
        pass
    elif not times:
        after += _ended(after, f'\nextensions = ["{name}"]\n')
    elif times == len(named) == 1 and isinstance(named[0], ast.List):
        after = _in_list(text, named[0], f'"{name}"')
    else:
        after += _ended(after, f'\nextensions = [*extensions, "{name}"]\n')
    if numbers and not _bound(tree, "numfig"):
        after += _ended(after, "numfig = True  # numbers the figures of all pages\n")
    try:
        ast.parse(after)
    except SyntaxError:
        raise UnsafeChangeError("its lines cannot be changed safely") from None
    return after


def _names_of(node: ast.Assign) -> list[str]:
    return [target.id for target in node.targets if isinstance(target, ast.Name)]


def _bound(tree: ast.Module, name: str) -> list[ast.AST]:
    """The places where a module assigns a name, at any depth."""
    stored = (
        node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    imported = (alias for alias in ast.walk(tree) if isinstance(alias, ast.alias))
    return [
        *(node for node in stored if node.id == name),
        *(alias for alias in imported if (alias.asname or alias.name) == name),
    ]


def _in_list(text: str, node: ast.List, item: str) -> str:
    """The text with an item after the last one of a list, on the same line or on its own."""
    lines = text.encode().splitlines(keepends=True)  # columns count bytes
    before = sum(map(len, lines[: (node.end_lineno or 1) - 1])) + (node.end_col_offset or 1) - 1
    if not node.elts:
        return (text.encode()[:before] + item.encode() + text.encode()[before:]).decode()
    last = node.elts[-1]
    at = sum(map(len, lines[: (last.end_lineno or 1) - 1])) + (last.end_col_offset or 0)
    is_wide = last.end_lineno != node.end_lineno and last.lineno != node.lineno
    end = "\r\n" if "\r\n" in text else "\n"
    gap = end + " " * last.col_offset if is_wide else " "
    return (text.encode()[:at] + f",{gap}{item}".encode() + text.encode()[at:]).decode()


# ---------------------------------------------------------------- JavaScript: Docusaurus, VitePress, Astro

_EXPORT = re.compile(
    r"^export default (\w+|(?:defineConfig\()?\{.*^\}\)?)(;?)\s*\Z", re.MULTILINE | re.DOTALL
)
_NO_EXPORT = "its last statement is not `export default`, as figmill expects it"


def with_export(text: str, imported: str) -> str:
    """A module whose default export, its last statement, passes through `figmill`. imported: the line that imports it.

    JavaScript is not parsed: anything but a name, an object or defineConfig({...}) raises UnsafeChangeError.
    """
    if imported in text:
        return text
    match = _EXPORT.search(text)
    if match is None:
        raise UnsafeChangeError(_NO_EXPORT)
    after = f"{text[: match.start()]}export default figmill({match[1]}){match[2]}{_end(text)}"
    return _with_import(after, imported)


def with_integration(text: str, imported: str) -> str:
    """astro.config.mjs with `figmill()` as its first integration. Raises UnsafeChangeError."""
    if imported in text:
        return text
    first, *more = re.findall(r"^\s*integrations:\s*\[", text, re.MULTILINE) or [""]
    if not first or more:
        raise UnsafeChangeError("it has no single list `integrations`")
    gap = "" if re.match(r"\r?\n", text.split(first)[1]) else " "
    return _with_import(text.replace(first, f"{first}figmill(),{gap}"), imported)


def _with_import(text: str, imported: str) -> str:
    at = re.search(r"^import\b", text, re.MULTILINE)
    if at is None:
        raise UnsafeChangeError("it imports nothing, so it may not be an ES module")
    return f"{text[: at.start()]}{imported}{_end(text)}{text[at.start() :]}"


def _end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


# ---------------------------------------------------------------- TOML: zensical.toml, pyproject.toml


def with_settings(text: str, table: str, values: Mapping[str, str], new_tables: Sequence[str] = ()) -> str:
    """TOML with settings in a table, each value as TOML text, and with new empty tables. Raises UnsafeChangeError.

    table: its name; empty: the text's own keys, which stand first.
    """
    before = _toml(text)
    path = table.split(".") if table else []
    existing = _below(before, path)
    missing = {}
    for key, value in values.items():
        wanted = tomllib.loads(f"x = {value}")["x"]
        there = (existing or {}).get(key)
        if there is None:
            missing[key] = value
        elif there != wanted and not (isinstance(there, list) and set(wanted) <= set(there)):
            raise UnsafeChangeError(f"{key} in [{table}] already has another value")
    lines = "".join(f"{key} = {value}\n" for key, value in missing.items())
    after = text
    if lines and existing is None:
        after += _ended(after, f"{chr(10) if after else ''}[{table}]\n{lines}")
    elif lines and not path:
        after = lines + text
    elif lines:
        rows = text.splitlines(keepends=True)
        heads = [number for number, row in enumerate(rows) if row.partition("#")[0].strip() == f"[{table}]"]
        if len(heads) != 1:
            raise UnsafeChangeError(f"[{table}] is not a line of its own")
        head = "".join(rows[: heads[0] + 1])
        after = head + _ended(head, lines) + "".join(rows[heads[0] + 1 :])
    for name in new_tables:
        if _below(before, name.split(".")) is None:
            after += _ended(after, f"\n[{name}]\n")
    if not _holds_all(before, _toml(after)) or _lacks(_toml(after), path, values):
        raise UnsafeChangeError("its lines cannot be changed safely")
    return after


def with_lists(text: str, table: str, lists: Mapping[str, Sequence[str]]) -> str:
    """TOML with these lists of texts in a table: new ones, and longer ones in place of those that are there.

    A list that is there must be on one line. Raises UnsafeChangeError.
    """
    before = _toml(text)
    path = table.split(".") if table else []
    there = _below(before, path) or {}
    after = text
    for key, names in lists.items():
        if key in there:
            after = _with_longer(after, key, there[key], names)
    new = {key: json.dumps(names, ensure_ascii=False) for key, names in lists.items() if key not in there}
    after = with_settings(after, table, new)
    wanted = {**there, **{key: list(names) for key, names in lists.items()}}
    if _below(_toml(after), path) != wanted or _without_table(_toml(after), path) != _without_table(
        before, path
    ):
        raise UnsafeChangeError("its lines cannot be changed safely")
    return after


def _with_longer(text: str, key: str, there: Any, names: Sequence[str]) -> str:
    """The text with a longer list in place of the one on the line of this key."""
    for match in re.finditer(rf"^[ \t]*{re.escape(key)}[ \t]*=[ \t]*(?P<value>\[[^\]\n]*\])", text, re.M):
        if _toml(match[0]).get(key) == there:
            start, end = match.span("value")
            return f"{text[:start]}{json.dumps(names, ensure_ascii=False)}{text[end:]}"
    raise UnsafeChangeError(f"{key} is not a list on one line")


def _without_table(data: Any, path: Sequence[str]) -> Any:
    """The data without a table; the data without any of its own keys, if the path is empty."""
    return _without(data, path) if path else {}


def _lacks(data: Any, path: Sequence[str], values: Mapping[str, str]) -> bool:
    """Whether a key is missing in a table."""
    return any(_below(data, (*path, key)) is None for key in values)


def _holds_all(before: Any, after: Any) -> bool:
    """Whether `after` still has all values of `before`."""
    if isinstance(before, dict) and isinstance(after, dict):
        return all(key in after and _holds_all(value, after[key]) for key, value in before.items())
    return bool(before == after)


def _toml(text: str) -> Any:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UnsafeChangeError(f"it is not valid TOML: {error}") from None
