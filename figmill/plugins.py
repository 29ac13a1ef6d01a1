"""Tables that installed packages add rows to: figmill's own rows, and those offered as entry points.

Unaware of what a row means: each table says which rows it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, Generic, Protocol, Self, TypeVar

from figmill import versions
from figmill.late import imported
from figmill.versions import EntryPoint, Package


class TableRow(Protocol):
    """The common part of all rows. package: the one that provides the row; None: figmill."""

    @property
    def module(self) -> str: ...

    @property
    def package(self) -> Package | None: ...

    def brought_by(self, package: Package) -> Self: ...


T = TypeVar("T", bound=TableRow)


class Table(Mapping[str, T], Generic[T]):
    """Name -> row. The rows of other packages are imported when the table is first read.

    - group: of the entry points; each names a row, or a subclass of its type.
    - noun: of one row, for messages.
    - row_type: of all rows.
    - own: figmill's.
    - fault: says what is wrong with another package's row, given its name and the existing rows; None: nothing.
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
        return frozenset(row.package.name for row in self.added.values() if row.package is not None)

    @property
    def modules(self) -> frozenset[str]:
        """The modules that rows of other packages name."""
        return frozenset(row.module for row in self.added.values())

    @property
    def faults(self) -> tuple[str, ...]:
        """The faults of rows that packages offer, one line each; these rows are left out."""
        return self._whole[1]

    @cached_property
    def _whole(self) -> tuple[dict[str, T], tuple[str, ...]]:
        rows, faults = dict(self.own), []
        # Of two rows with one name, the one of figmill's own distribution is kept.
        for point in sorted(versions.entry_points(self.group), key=lambda point: not point.package.is_ours):
            row = self._row(point, rows)
            if isinstance(row, str):
                faults.append(row)
            else:
                rows[point.name] = row
        return rows, tuple(faults)

    def _row(self, point: EntryPoint, rows: Mapping[str, T]) -> T | str:
        """The row that a package offers, or what is wrong with it."""
        offer = f"{_named(point.package)} offers the {self.noun} '{point.name}'"
        there = rows.get(point.name)
        if there is not None:
            owner = "figmill" if there.package is None else _named(there.package)
            return f"{offer}, which {owner} has too; uninstall {point.package.name}"
        try:
            offered: Any = imported(point.target)
            row: Any = offered() if isinstance(offered, type) else offered
        except Exception as error:
            cause = f"{type(error).__name__}: {error}"
            return f"{offer}, but {point.target} cannot be imported ({cause}); repair or uninstall it"
        if not isinstance(row, self.row_type):
            return f"{offer}, but {point.target} is not a {self.row_type.__name__}; repair or uninstall it"
        added = row.brought_by(point.package)
        why = self._fault(point.name, added, rows)
        return added if why is None else f"{offer}, but {why}; repair or uninstall it"


def _named(package: Package) -> str:
    return f"{package.name} {package.version}"
