"""The palette of a book: the colours that the charts of figmill_timelines draw with, and the roles that a book adds.

Generators always draw with these colours. If a book has its own palette, settling replaces them role by role, so a
new palette never reruns a generator.
"""

from __future__ import annotations

from collections.abc import Iterable

from figmill_timelines.palette import GRID as GRID
from figmill_timelines.palette import MUTED as MUTED
from figmill_timelines.palette import PAGE as PAGE
from figmill_timelines.palette import ROLES as ROLES
from figmill_timelines.palette import TEXT as TEXT
from figmill_timelines.palette import Role as Role
from figmill_timelines.palette import role as role


def added_roles(palette: Iterable[Role]) -> dict[str, tuple[str, str]]:
    """Fill and line of the roles that a book adds: settling cannot map them, so they must be drawn."""
    built_in = {role.name for role in ROLES}
    return {role.name: (role.fill, role.line) for role in palette if role.name not in built_in}
