"""The settings of kinds, as `[tool.figmill.mermaid]`: each kind that a package brings states its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from figmill import versions
from figmill.config.readers import Setting, WrongError, table_of
from figmill.late import imported

if TYPE_CHECKING:
    from figmill.model import Json

GROUP = "figmill.kinds"  # of the entry points


def names() -> tuple[str, ...]:
    """The kinds that packages bring."""
    return tuple(point.name for point in versions.entry_points(GROUP))


def stated(kind: str) -> Mapping[str, Setting]:
    """The settings of a kind; none if its package cannot be imported, which other messages say."""
    points = (point for point in versions.entry_points(GROUP) if point.name == kind)
    first = next(iter(sorted(points, key=lambda point: not point.package.is_ours)), None)
    try:
        settings = {} if first is None else imported(first.target).settings
    except Exception:
        return {}
    return settings if isinstance(settings, Mapping) else {}


def read(kind: str, table: object) -> tuple[tuple[str, Json], ...]:
    """The values of a kind's table, by their names. Raises WrongError."""
    settings = stated(kind)
    if not settings:
        raise WrongError("has no settings; leave this table out")
    name, setting = next(iter(settings.items()))
    values = table_of(settings, table, "setting", f"{{{name} = {setting.example}}}")
    return tuple(sorted(values.items()))
