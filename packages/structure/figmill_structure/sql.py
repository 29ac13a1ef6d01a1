"""SQL as a graph: the tables that a script creates, with columns and foreign keys. Needs the package sqlglot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from figmill_structure.graph import MARKS, Edge, Graph, Node, Section, once


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns of a table that refer to another one.

    - targets: its columns, if the key names them.
    """

    table: str
    columns: tuple[str, ...]
    other: str
    targets: tuple[str, ...] = ()


def tables(text: str, dialect: str = "", *, types: bool = True) -> Graph:
    """The tables from CREATE TABLE, and their foreign keys from these and from ALTER TABLE.

    dialect: one of sqlglot's, such as "postgres", "mysql", "sqlite", "tsql"; empty: standard SQL. types: show the types
    of columns. A foreign key is an edge "many to one", or "one to one" if it is unique. ValueError, with the line, for
    SQL that cannot be parsed.
    """
    from sqlglot import exp, parse
    from sqlglot.errors import ErrorLevel, ParseError, TokenError

    try:
        statements = parse(text, dialect=dialect or None, error_level=ErrorLevel.RAISE)
    except ParseError as error:
        first: dict[str, Any] = error.errors[0] if error.errors else {}
        raise ValueError(f"line {first.get('line')}: {first.get('description') or error}") from None
    except (TokenError, ValueError) as error:
        raise ValueError(str(error).splitlines()[0]) from None
    columns: dict[str, list[tuple[str, str]]] = {}  # table -> its columns with their types
    keys: dict[str, list[tuple[str, ...]]] = {}  # table -> the columns of each key
    primary: dict[str, set[str]] = {}
    foreign: list[ForeignKey] = []
    for statement in statements:
        if (
            isinstance(statement, exp.Create)
            and statement.kind == "TABLE"
            and isinstance(statement.this, exp.Schema)
        ):
            name = _name(statement.this.this)
            columns[name] = [
                (column.name, _type(column) if types else "")
                for column in statement.this.find_all(exp.ColumnDef)
            ]
        elif isinstance(statement, exp.Alter) and isinstance(statement.this, exp.Table):
            name = _name(statement.this)
        else:
            continue
        keys.setdefault(name, []).extend(_keys(statement, exp))
        primary.setdefault(name, set()).update(part for key in _primary(statement, exp) for part in key)
        foreign += _foreign(statement, name, exp)
    referring = {(key.table, column) for key in foreign for column in key.columns}

    def row(table: str, names: Iterable[str]) -> str:
        """The row of the first of these columns; empty if the table has none of them."""
        own = [column for column, _ in columns.get(table, ()) if column in names]
        return _marked(table, own[0], primary[table], referring) if own else ""

    edges = [
        Edge(
            key.table,
            key.other,
            ", ".join(key.columns),
            "one to one" if key.columns in keys[key.table] else "many to one",
            row=row(key.table, key.columns[:1]),
            head_row=row(key.other, key.targets[:1] or primary.get(key.other, ())),
        )
        for key in foreign
    ]
    nodes = {}
    for name, rows in columns.items():
        marked = tuple((_marked(name, column, primary[name], referring), type_) for column, type_ in rows)
        nodes[name] = Node(name, role="data", shape="table", sections=(Section(marked),))
    for name in (name for edge in edges for name in (edge.tail, edge.head)):  # a table of another script
        nodes.setdefault(name, Node(name, role="neutral", shape="table"))
    return Graph(tuple(nodes.values()), once(edges))


def _name(table: Any) -> str:
    return ".".join(part for part in (table.db, table.name) if part)


def _type(column: Any) -> str:
    return str(column.kind.sql().lower()) if column.kind else ""


def _marked(table: str, column: str, primary: set[str], referring: set[tuple[str, str]]) -> str:
    marks = [
        mark for mark, holds in (("PK", column in primary), ("FK", (table, column) in referring)) if holds
    ]
    return f"{column}{MARKS}{' '.join(marks)}" if marks else column


def _primary(statement: Any, exp: Any) -> list[tuple[str, ...]]:
    """The columns of the primary key."""
    own = [
        (column.name,)
        for column in statement.find_all(exp.ColumnDef)
        if any(
            isinstance(constraint.kind, exp.PrimaryKeyColumnConstraint) for constraint in column.constraints
        )
    ]
    return own + [tuple(part.name for part in key.expressions) for key in statement.find_all(exp.PrimaryKey)]


def _keys(statement: Any, exp: Any) -> list[tuple[str, ...]]:
    """The columns of each key: primary or unique."""
    own = [
        (column.name,)
        for column in statement.find_all(exp.ColumnDef)
        if any(isinstance(clause.kind, exp.UniqueColumnConstraint) for clause in column.constraints)
    ]
    for constraint in statement.find_all(exp.UniqueColumnConstraint):
        if isinstance(constraint.this, exp.Schema):
            own.append(tuple(part.name for part in constraint.this.expressions))
    return own + _primary(statement, exp)


def _foreign(statement: Any, table: str, exp: Any) -> list[ForeignKey]:
    """The foreign keys in a statement on this table."""
    references = [
        ((column.name,), constraint.kind)
        for column in statement.find_all(exp.ColumnDef)
        for constraint in column.constraints
        if isinstance(constraint.kind, exp.Reference)
    ]
    for key in statement.find_all(exp.ForeignKey):
        if (reference := key.args.get("reference")) is not None:
            references.append((tuple(part.name for part in key.expressions), reference))
    return [
        ForeignKey(
            table,
            columns,
            _name(to.this.this if isinstance(to.this, exp.Schema) else to.this),
            tuple(part.name for part in to.this.expressions) if isinstance(to.this, exp.Schema) else (),
        )
        for columns, to in references
    ]
