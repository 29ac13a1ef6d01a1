"""Edit parameters in the text of a question file: only their lines change.

A serialiser would change quotes, comments and line ends throughout the file. So the text is cut at the parser's
marks, and the result is parsed again: it may differ only in the parameters. If the text cannot be cut safely
(anchors, aliases, tags, block scalars), the edit is refused with the reason. Pure.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

import yaml
from yaml.nodes import MappingNode, ScalarNode, SequenceNode

from figmill.book import yaml_parser
from figmill.book.editing.values import Value, leaf, tree, written
from figmill.errors import AuthorError
from figmill.late_dataclasses import dataclass
from figmill.model import Origin

_Row: TypeAlias = tuple[Any, Any]  # a key's node and its value's node; PyYAML has no types for them

_SHORT = re.compile(r"[ \t]*:(?:[ \t]*\*[^\s,}\]]+)?")  # after a key: a colon, perhaps an alias
_LINE_END = re.compile(r"\r\n|\r|\n|\Z")


def with_params(
    path: str, data: bytes, name: str | None, params: Mapping[str, Value], removed: Collection[str] = ()
) -> bytes:
    """The file with some parameters of a figure set, and the `removed` ones deleted, so that their defaults apply.

    path: of the file, for messages. name: the figure's name in the list `visuals`; None: the figure under `visual`.
    Raises AuthorError if the file cannot be read, or its text cannot be cut.
    """
    text = before = _Text.of(path, data)
    for key, value in params.items():
        text = text.with_param(name, key, value)
    for key in removed:
        text = text.without_param(name, key)
    wanted = {leaf(key): leaf(value) for key, value in params.items()}
    before.require(text, name, wanted, {leaf(key) for key in removed})
    return text.data


def copied(path: str, data: bytes, new_id: str) -> bytes:
    """The file as a new question: with another id, and without output names, which belong to the first question.

    Raises AuthorError like with_params().
    """
    text = _Text.of(path, data)
    row = text.row(text.root, "id")
    if row is None:
        raise AuthorError(Origin(path, 1, 1), "the question has no id")
    text = text.cut(text.replacing(row, new_id))
    while outputs := [(f, row) for f in text.figures() if (row := text.row(f, "rendered")) is not None]:
        text = text.cut(text.removing(*outputs[0]))
    return text.data


@dataclass(frozen=True, slots=True)
class _Cut:
    """Replaces the characters from start to end by `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Text:
    """A question file as text and as nodes."""

    path: str
    text: str
    bom: bool  # whether it begins with a byte order mark
    root: Any

    @classmethod
    def of(cls, path: str, data: bytes) -> _Text:
        yaml_parser.read(path, data, frozenset())  # checks the limits, and has messages for invalid YAML
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
        return cls(path, text, data.startswith(codecs.BOM_UTF8), yaml.compose(text, Loader=yaml.SafeLoader))

    @property
    def data(self) -> bytes:
        return (codecs.BOM_UTF8 if self.bom else b"") + self.text.encode("utf-8")

    def cut(self, cut: _Cut) -> _Text:
        text = self.text[: cut.start] + cut.text + self.text[cut.end :]
        return _Text.of(self.path, (codecs.BOM_UTF8 if self.bom else b"") + text.encode("utf-8"))

    def refusal(self, node: Any, why: str) -> AuthorError:
        mark = node.start_mark
        message = f"{why}; edit this place by hand"
        return AuthorError(Origin(self.path, mark.line + 1, mark.column + 1), message)

    # Finding the parameters

    def row(self, mapping: Any, key: str) -> _Row | None:
        """The row with this key, or None."""
        return next((row for row in mapping.value if row[0].value == key), None)

    def figures(self) -> list[Any]:
        """The mappings of all figures."""
        visual, visuals = self.row(self.root, "visual"), self.row(self.root, "visuals")
        listed = visuals[1].value if visuals is not None and isinstance(visuals[1], SequenceNode) else []
        single = [visual[1]] if visual is not None else []
        return [node for node in (*single, *listed) if isinstance(node, MappingNode)]

    def figure(self, name: str | None) -> tuple[Any, tuple[str | int, ...]]:
        """The mapping of a figure, and its path from the root. Refuses anchors, aliases and tags on that path."""
        key = "visual" if name is None else "visuals"
        row = self.row(self.root, key)
        if row is None:
            raise AuthorError(Origin(self.path, 1, 1), f"the file has no `{key}`")
        self.plain(row)
        if name is None:
            if isinstance(row[1], MappingNode):
                return row[1], (key,)
        elif isinstance(row[1], SequenceNode):
            before = row[0]
            for number, item in enumerate(row[1].value):
                named = self.row(item, "name") if isinstance(item, MappingNode) else None
                if named is not None and named[1].value == name:
                    self.plain((before, item))
                    return item, (key, number)
                before = item
        raise AuthorError(
            Origin(self.path, row[0].start_mark.line + 1), f"there is no figure {name or ''} here"
        )

    def plain(self, row: _Row) -> None:
        """Refuse a value with an alias, an anchor or a tag. row: the node before it, and the value's node."""
        before, node = row
        start = node.start_mark.index
        if start < before.end_mark.index and node.end_mark.index <= before.start_mark.index:
            raise self.refusal(before, "this is an alias, and its value is used elsewhere too")
        sign = self.text[start : start + 1]
        if sign == "&":
            raise self.refusal(node, "this is an anchor, and every alias of it would change too")
        if sign == "!":
            raise self.refusal(node, "this value has a tag")

    # Cutting

    def with_param(self, name: str | None, key: str, value: Value) -> _Text:
        figure, _ = self.figure(name)
        params, line = self.row(figure, "params"), f"{written(key)}: {written(value)}"
        if params is None:
            return self.cut(self.adding(figure, f"params: {{{line}}}"))
        self.plain(params)
        if isinstance(params[1], ScalarNode) and params[1].tag == "tag:yaml.org,2002:null":
            return self.cut(self.filling(params, f"{{{line}}}"))
        if not isinstance(params[1], MappingNode):
            raise self.refusal(params[1], "`params` is not a mapping")
        row = self.row(params[1], key)
        return self.cut(self.adding(params[1], line) if row is None else self.replacing(row, value))

    def without_param(self, name: str | None, key: str) -> _Text:
        figure, _ = self.figure(name)
        params = self.row(figure, "params")
        if params is None or not isinstance(params[1], MappingNode):
            return self
        self.plain(params)
        row = self.row(params[1], key)
        if row is None:
            return self
        is_last = len(params[1].value) == 1
        return self.cut(self.removing(figure, params) if is_last else self.removing(params[1], row))

    def replacing(self, row: _Row, value: Value) -> _Cut:
        """A cut that replaces the value of a row."""
        self.plain(row)
        key, node = row
        if node.start_mark.index == node.end_mark.index:
            return self.filling(row, written(value))
        if not isinstance(node, ScalarNode) and not node.flow_style:
            raise self.refusal(node, f"the value of {key.value} is written over several lines")
        style = None
        if isinstance(node, ScalarNode):
            if node.style in ("|", ">"):
                raise self.refusal(node, f"the value of {key.value} is a block of text")
            style = node.style
        return _Cut(node.start_mark.index, node.end_mark.index, written(value, style))

    def filling(self, row: _Row, text: str) -> _Cut:
        """A cut that writes a value in place of null or nothing."""
        key, node = row
        if node.start_mark.index < node.end_mark.index:
            self.plain(row)
            return _Cut(node.start_mark.index, node.end_mark.index, text)
        after = key.end_mark.index
        blank = len(self.text[after:]) - len(self.text[after:].lstrip(" \t"))
        if self.text[after + blank : after + blank + 1] == ":":
            return _Cut(after + blank + 1, after + blank + 1, f" {text}")
        return _Cut(after, after, f": {text}")  # a key alone in a flow mapping

    def adding(self, mapping: Any, added: str) -> _Cut:
        """A cut that adds a row after the last one."""
        if mapping.flow_style:
            start = mapping.start_mark.index + 1
            place = self.end(mapping.value[-1]) if mapping.value else start
            return _Cut(place, place, f", {added}" if mapping.value else added)
        first = mapping.value[0][0].start_mark
        line = f"{self.line_break()}{' ' * first.column}"
        for row in reversed(mapping.value):
            if not self.is_block_text(row[1]):
                place = self.line_end(self.end(row))
                return _Cut(place, place, line + added)
        return _Cut(first.index, first.index, added + line)

    def removing(self, mapping: Any, row: _Row) -> _Cut:
        """A cut that removes a row from a mapping."""
        number = next(i for i, pair in enumerate(mapping.value) if pair[0] is row[0])
        following = mapping.value[number + 1][0].start_mark.index if number + 1 < len(mapping.value) else None
        start, end = row[0].start_mark.index, self.end(row)
        if self.is_block_text(row[1]):
            raise self.refusal(row[0], f"the value of {row[0].value} is a block of text")
        if mapping.flow_style:
            if number:
                start = self.end(mapping.value[number - 1])
            elif following is not None:
                end = following
            outside = self.text[start : row[0].start_mark.index] + self.text[self.end(row) : end]
            if "#" in outside:
                raise self.refusal(row[0], "there is a comment between this parameter and the next")
            return _Cut(start, end, "")
        line = self.text.rfind("\n", 0, start) + 1
        if self.text[line:start].strip() and following is not None:  # the first row of a list item
            if "#" in self.text[end:following]:
                raise self.refusal(row[0], "there is a comment between this row and the next")
            return _Cut(start, following, "")
        close = self.line_end(end)
        match = _LINE_END.match(self.text, close)
        return _Cut(line, match.end() if match else close, "")

    def end(self, row: _Row) -> int:
        """The index after the last character of a row, without the blank lines that the parser includes."""
        key, node = row
        after: int = key.end_mark.index
        end: int = node.end_mark.index
        if end <= after or node.start_mark.index == end:  # an alias, or nothing: the parser gives no position
            match = _SHORT.match(self.text, after)
            return match.end() if match else after
        if isinstance(node, ScalarNode) or node.flow_style or not node.value:
            return end
        last = node.value[-1]
        return self.end(last if isinstance(node, MappingNode) else (key, last))

    def is_block_text(self, node: Any) -> bool:
        """Whether a value ends in a block scalar: the parser does not know its exact end."""
        while not isinstance(node, ScalarNode):
            if node.flow_style or not node.value:
                return False
            node = node.value[-1][1] if isinstance(node, MappingNode) else node.value[-1]
        return node.style in ("|", ">")

    def line_end(self, place: int) -> int:
        match = _LINE_END.search(self.text, place)
        assert match is not None
        return match.start()

    def line_break(self) -> str:
        match = _LINE_END.search(self.text)
        return (match.group() if match else "") or "\n"

    # Checking the result

    def require(
        self, edited: _Text, name: str | None, wanted: Mapping[Any, Any], removed: Collection[Any]
    ) -> None:
        """Raise AuthorError unless `edited` differs from this text only in the parameters."""
        expected, result = tree(self.root), tree(edited.root)
        figure = expected
        for step in self.figure(name)[1]:
            figure = figure[1][leaf(step) if isinstance(step, str) else step]
        params = figure[1].get(leaf("params"), (None, {}))
        rows = dict(params[1]) if isinstance(params[1], dict) else {}
        rows = {
            key: value for key, value in {**rows, **wanted}.items() if key not in removed or key in wanted
        }
        if rows:
            figure[1][leaf("params")] = ("tag:yaml.org,2002:map", rows)
        else:
            figure[1].pop(leaf("params"), None)
        if expected != result:
            raise AuthorError(
                Origin(self.path),
                "these parameters cannot be changed without changing more; edit the file by hand",
            )
