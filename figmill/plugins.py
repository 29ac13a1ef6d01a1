"""Tables that installed packages add rows to: figmill's own rows, and those offered as entry points.

Unaware of what a row means: each table says which rows it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Generic, TypeVar, cast

from figmill import versions
from figmill.late import imported
from figmill.versions import EntryPoint, Package

T = TypeVar("T")


class Table(Mapping[str, T], Generic[T]):
    """Name -> row. The rows of other packages are imported when the table is first read.

    group: of the entry points. noun: of one row, for messages. row_type: of all rows, a dataclass with a `module` and
    a `package`, which is None in `own`, figmill's rows. fault: says what is wrong with another package's row, given its
    name and the existing rows; None: nothing.
    """

    def __init__(
        self,
        group: str,
        noun: str,
        row_type: type[T],
        own: Mapping[str, T],
        fault: Callable[[str, T, Mapping[str, T]], str | None],
    ) -> None:
        self.group, self.noun, self.row_type, self.own, self._fault = group, noun, row_type, own, fault

    def __getitem__(self, name: str) -> T:
        row = self.own.get(name)
        return self._whole[0][name] if row is None else row

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole[0])

    def __len__(self) -> int:
        return len(self._whole[0])

    @property
    def added(self) -> Mapping[str, T]:
        """The rows of other packages."""
        return {name: row for name, row in self.items() if name not in self.own}

    @property
    def packages(self) -> frozenset[str]:
        """The names of the packages that rows come from, except figmill."""
        rows: Iterable[Any] = self.added.values()
        return frozenset(row.package.name for row in rows)

    @property
    def modules(self) -> frozenset[str]:
        """The modules that rows of other packages name."""
        rows: Iterable[Any] = self.added.values()
        return frozenset(row.module for row in rows)

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong with rows that packages offer, one line each; these rows are left out."""
        return self._whole[1]

    @cached_property
    def _whole(self) -> tuple[dict[str, T], tuple[str, ...]]:
        rows, faults = dict(self.own), []
        for point in versions.entry_points(self.group):
            row = self._row(point, rows)
            if isinstance(row, str):
                faults.append(row)
            else:
                rows[point.name] = row
        return rows, tuple(faults)

    def _row(self, point: EntryPoint, rows: Mapping[str, T]) -> T | str:
        """The row that a package offers, or what is wrong with it."""
        offer = f"{_named(point.package)} offers the {self.noun} '{point.name}'"
        there: Any = rows.get(point.name)
        if there is not None:
            owner = "figmill" if there.package is None else _named(there.package)
            return f"{offer}, which {owner} has too; uninstall {point.package.name}"
        try:
            row: Any = imported(point.target)
        except Exception as error:
            cause = f"{type(error).__name__}: {error}"
            return f"{offer}, but {point.target} cannot be imported ({cause}); repair or uninstall it"
        if not isinstance(row, self.row_type):
            return f"{offer}, but {point.target} is not a {self.row_type.__name__}; repair or uninstall it"
        why = self._fault(point.name, row, rows)
        if why is not None:
            return f"{offer}, but {why}; repair or uninstall it"
        added: T = replace(cast(Any, row), package=point.package)
        return added


def _named(package: Package) -> str:
    return f"{package.name} {package.version}"
