"""An interactive figure's pictures as JSON in an HTML attribute, for figmill-explore.js. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

# Characters that HTML or its converters might interpret -> their JSON escapes. In JSON they occur only in strings.
_SPELT = str.maketrans({letter: f"\\u{ord(letter):04x}" for letter in "&<>'`*_~$|"})


def data(row: Mapping[str, Any]) -> str:
    """The key `explore` of a manifest row, reduced to what a page needs. Raises KeyError or TypeError."""
    pictures = [
        {
            **{key: picture[key] for key in ("alt", "caption", "facts")},
            "files": [
                {key: file[key] for key in ("theme", "path", "width", "height")} for file in picture["files"]
            ],
        }
        for picture in row["pictures"]
    ]
    whole = {"parameters": row["parameters"], "declared": row["declared"], "pictures": pictures}
    return json.dumps(whole, separators=(",", ":")).translate(_SPELT)
