"""Where a source has labels, for its translation."""

from __future__ import annotations

from figmill.kind.source_words import QUOTED, labels

LABELS = labels(
    r"%%[^\n]*|^\s*(?:classDef|class|style|linkStyle|click|accTitle|accDescr|direction)\b[^\n]*|\A---\n.*?\n---$",
    QUOTED,
    r"^\s*(?:participant|actor)\s+\S+\s+as\s+(\S[^\n]*?)\s*$",
    r"^\s*(?:title|section|loop|alt|else|opt|par|and|critical|break|Note[^:\n]*:|note[^:\n]*:)\s+(\S[^\n]*?)\s*$",
    r"^(?!\s*(?:flowchart|graph)\b)[^\n:\[\](){}|\"]*(?:-[->)x]+|[o|}{*<.]+[-.]+[o|}{*>.]*)[^\n:]*:\s*([^\"\s\n][^\n]*?)\s*$",
    r"\w(?:\[\[|\[\(|\(\[|\(\(|\[|\(|\{\{|\{|>)([^\[\](){}|\"\n/\\]+?)(?:\]\]|\)\]|\]\)|\)\)|\]|\)|\}\}|\})",
    r"\|([^|\"\n]+)\|",
    r"(?:--|==|-\.)\s+([^-=.|>\"\n]+?)\s+(?:-->|---|==>|\.->)",
)
