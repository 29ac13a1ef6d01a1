"""Cases of one table in one test: a test each would cost more than what most of them do."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]


def cases(
    names: str | Sequence[str], rows: Iterable[Any], ids: Iterable[object] | Callable[[Any], object] = ()
) -> Callable[[Test], Test]:
    """In the place of `pytest.mark.parametrize`: one test of all rows, whose failure names each row that fails.

    For tests whose fixtures serve all rows. ids: the names of the rows, or what names one; by default, its values.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = list(rows)
    assert table, "no cases"
    labels = [ids(row) for row in table] if callable(ids) else list(ids) or table

    def decorated(test: Test) -> Test:
        def whole(**fixtures: object) -> None:
            failures = []
            for label, row in zip(labels, table, strict=True):
                values = row if len(keys) > 1 else (row,)
                try:
                    test(**dict(zip(keys, values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    failures.append(f"{label}: {type(error).__name__}: {error}")
            assert not failures, f"{len(failures)} of {len(table)} cases:\n" + "\n\n".join(failures)

        signature = inspect.signature(test)
        others = [parameter for name, parameter in signature.parameters.items() if name not in keys]
        whole.__name__, whole.__module__, whole.__doc__ = test.__name__, test.__module__, test.__doc__
        whole.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return whole

    return decorated
