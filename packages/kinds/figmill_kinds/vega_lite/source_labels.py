"""Where a source has labels, for its translation."""

from __future__ import annotations

from figmill.kind.source_words import labels

LABELS = labels(
    r"(?!)",
    r'"(?:title|text|subtitle|description|label)"\s*:\s*"((?:[^"\\]|\\.)+)"',
    is_json=True,
)
