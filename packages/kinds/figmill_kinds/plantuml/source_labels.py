"""Where a source has labels, for its translation."""

from __future__ import annotations

from figmill.kind.source_words import QUOTED, labels

LABELS = labels(
    r"^\s*(?:'|!|skinparam|hide|show|left to|top to|@)[^\n]*|^\s*<style>.*?</style>",
    QUOTED,
    r"^\s*(?:title|caption|header|footer|legend|group|loop|alt|else|opt|par|note[^:\n]*:|==)\s+(\S[^\n=]*?)\s*(?:==)?$",
    r"^\s*:([^;\n]+);",
    r"^[^\n:\"]*(?:[-.]+[->xo\\/|*]+|<[-.]+)[^\n:]*:\s*(\S[^\n]*?)\s*$",
    r"\((\w[^()\n]*)\)",
)
