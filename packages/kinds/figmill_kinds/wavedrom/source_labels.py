"""Where a source has labels, for its translation."""

from __future__ import annotations

from figmill.kind.source_words import labels

LABELS = labels(
    r"//[^\n]*",
    r"\b(?:name|text|tick|tock)[\"']?\s*:\s*[\"']([^\"'\n]+)[\"']",
    r"(?<=[\[,\s])[\"']([^\"'\n]*\w{2}[^\"'\n]*)[\"'](?=\s*[,\]])",
)
