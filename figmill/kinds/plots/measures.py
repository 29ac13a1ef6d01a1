"""Measures each text once: a figure asks for the size of the same text again and again.

A child inherits the sizes that its warm process has measured. At one font size, the size of a text depends only on font
files and letters; matplotlib itself computes the other sizes from it.

This patches a private part of matplotlib. It saves a quarter of the time of one step of a slider
(docs/developers/benchmarks.md). Checked with matplotlib 3.11; check again with 3.12, and delete this module if
matplotlib then caches the sizes itself.
"""

from __future__ import annotations

from functools import wraps
from typing import Any, TypeAlias

MOST = 4096  # texts
_Key: TypeAlias = tuple[Any, ...]


def settle() -> None:
    """Patch how matplotlib measures text, once per process. Formulas and TeX are measured as before."""
    from matplotlib import rcParams, textpath
    from matplotlib.font_manager import fontManager

    measuring: Any = textpath.TextToPath
    manager: Any = fontManager
    plain = measuring.get_text_width_height_descent
    sizes: dict[_Key, tuple[float, float, float]] = {}

    @wraps(plain)
    def measured(self: Any, s: Any, prop: Any, ismath: Any) -> Any:
        if ismath:
            return plain(self, s, prop, ismath)
        files = tuple(manager._find_fonts_by_props(prop))
        key = files, s, rcParams["text.kerning_factor"], rcParams["font.enable_last_resort"]
        size = sizes.get(key)
        if size is None:
            if len(sizes) >= MOST:
                sizes.clear()
            whole = prop.copy()
            whole.set_size(self.FONT_SCALE)  # the size at which matplotlib itself measures
            size = sizes[key] = plain(self, s, whole, ismath)
        scale = prop.get_size_in_points() / self.FONT_SCALE
        width, height, descent = size
        return width * scale, height * scale, descent * scale

    measuring.get_text_width_height_descent = measured
