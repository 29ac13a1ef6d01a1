"""The first source that `new --kind railroad` writes."""

from __future__ import annotations

from figmill.kind import Starter

STARTER = Starter(
    ".ebnf",
    b"""\
(* A number as JSON has it *)
number = [ "-" ], whole, [ ".", digit, { digit } ] ;
whole = "0" | nonzero, { digit } ;
""",
    alt="A number is an optional minus, a whole number, and perhaps a point with digits after it.",
    more=("expect: {rules: 2}",),
)
