"""What readers turn of a figure, as text for figmill-explore.js: JSON in an attribute of a page. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

# What HTML and its converters might take for their own -> how JSON spells it. In JSON they stand in strings alone.
_SPELT = str.maketrans({letter: f"\\u{ord(letter):04x}" for letter in "&<>'`*_~$|"})


def data(row: Mapping[str, Any]) -> str:
    """The key `explore` of a row of the manifest, without what a page has no use for. Raises KeyError or TypeError."""
    pictures = [
        {
            **{key: one[key] for key in ("alt", "caption", "facts")},
            "files": [
                {key: file[key] for key in ("theme", "path", "width", "height")} for file in one["files"]
            ],
        }
        for one in row["pictures"]
    ]
    whole = {"parameters": row["parameters"], "declared": row["declared"], "pictures": pictures}
    return json.dumps(whole, separators=(",", ":")).translate(_SPELT)
