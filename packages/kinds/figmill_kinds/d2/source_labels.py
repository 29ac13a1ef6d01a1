"""Where a source has labels, for its translation."""

from __future__ import annotations

from figmill.kind.source_words import QUOTED, labels

_NO_D2 = (
    r"(?<!shape)(?<!direction)(?<!near)(?<!icon)(?<!class)(?<!link)(?<!width)(?<!height)(?<!constraint)(?<!vars)"
    r"(?<!style)(?<!fill)(?<!stroke)(?<!font-size)(?<!opacity)(?<!dash)(?<!radius)(?<!color)(?<!shadow)(?<!bold)"
    r"(?<!animated)(?<!filled)(?<!theme-id)(?<!layout-engine)(?<!grid-rows)(?<!grid-columns)(?<!grid-gap)(?<!pad)"
    r"(?<!multiple)(?<!italic)(?<!underline)(?<!border)(?<!3d)(?<!text-transform)(?<!stroke-width)"
)
LABELS = labels(
    r"#[^\n]*|\|`?(?:md|tex|latex)\b.*?`?\||\b(?:style|vars|classes)\b[^\n{]*\{[^}]*\}",
    QUOTED,
    rf"[^\s:{{]{_NO_D2}:[ \t]+([^\s\"'{{|#;$&*][^\n{{;#|\"]*?)[ \t]*(?=[{{;#]|$)",
)
