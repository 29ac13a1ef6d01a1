"""A fact of a figure as text in a page.

The format is a subset of Python's: an optional `+`, an optional `,` between thousands, `.digits`, and one of
`d f e g %`. In addition, `si`, `.4si` and `si ms` write a number with its unit, as in captions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from figmill_timelines import units

if TYPE_CHECKING:
    from figmill.model import Fact

FORM = re.compile(r"(?P<sign>\+?)(?P<comma>,?)(?:\.(?P<digits>[0-9]{1,2}))?(?P<type>[dfeg%]?)")


def shown(fact: Fact, form: str = "", name: str = "") -> str:
    """The fact in this format; without one, whole numbers in full, others with six digits, lists with commas.

    name: of the fact, which may state its unit. Raises ValueError, whose text says what is wrong.
    """
    if isinstance(fact, list):
        return ", ".join(shown(item, form, name) for item in fact)
    if units.FORM.fullmatch(form):
        return units.stated(fact, form, name)
    match = FORM.fullmatch(form)
    if match is None:
        raise ValueError(f"'{form}' is not a format; use .2f, .1%, ,d, or si for a number with its unit")
    if isinstance(fact, bool) or fact is None or isinstance(fact, str):
        if form:
            raise ValueError(f"'{form}' is a format for numbers, and this is not a number")
        return fact if isinstance(fact, str) else {True: "true", False: "false", None: "none"}[fact]
    kind = match["type"]
    if not kind and match["digits"] is None:
        kind = "d" if fact == int(fact) and abs(fact) < 1e15 else "g"
    if kind == "d":
        if fact != int(fact) or match["digits"] is not None:
            raise ValueError(f"'{form}' is for whole numbers, and this is {fact:.6g}")
        fact = int(fact)
    digits = "" if match["digits"] is None else f".{match['digits']}"
    return format(fact, f"{match['sign']}{match['comma']}{digits}{kind or 'g'}")
