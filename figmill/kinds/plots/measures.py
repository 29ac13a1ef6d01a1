"""The measures of words, taken once: a figure asks for those of the same word again and again.

What is known when a process is forked its children know as well. A measure is one of font files and letters alone, at
one size, from which matplotlib itself computes all others.
"""

from __future__ import annotations

from functools import wraps
from typing import Any, TypeAlias

MOST = 4096  # words
# Where a font says it, and in which words: as matplotlib asks.
LINES = (
    ("OS/2", ("sTypoLineGap", "sTypoAscender", "sTypoDescender")),
    ("hhea", ("lineGap", "ascent", "descent")),
)
_Key: TypeAlias = tuple[Any, ...]


def settle() -> None:
    """Patch how matplotlib measures words, once per process. Formulas and TeX it measures as before."""
    from matplotlib import rcParams, textpath
    from matplotlib.font_manager import fontManager

    measuring: Any = textpath.TextToPath
    manager: Any = fontManager
    plain = measuring.get_text_width_height_descent
    known: dict[_Key, tuple[float, float, float]] = {}

    @wraps(plain)
    def measured(self: Any, s: Any, prop: Any, ismath: Any) -> Any:
        if ismath:
            return plain(self, s, prop, ismath)
        files = tuple(manager._find_fonts_by_props(prop))
        key = files, s, rcParams["text.kerning_factor"], rcParams["font.enable_last_resort"]
        found = known.get(key)
        if found is None:
            if len(known) >= MOST:
                known.clear()
            whole = prop.copy()
            whole.set_size(self.FONT_SCALE)  # at which it measures whatever is asked for
            found = known[key] = plain(self, s, whole, ismath)
        scale = prop.get_size_in_points() / self.FONT_SCALE
        width, height, descent = found
        return width * scale, height * scale, descent * scale

    measuring.get_text_width_height_descent = measured
    _settle_lines(manager)


def _settle_lines(manager: Any) -> None:
    """How far lines of text are apart, which matplotlib looks up in the font for each text; it asks who knows it."""
    from matplotlib.backends.backend_mixed import MixedModeRenderer
    from matplotlib.font_manager import get_font

    known: dict[_Key, tuple[int, tuple[float, float, float] | None]] = {}

    def read(font: Any) -> tuple[int, tuple[float, float, float] | None]:
        for name, keys in LINES:
            table = font.get_sfnt_table(name)
            if table is not None:
                gap, up, down = (table[key] for key in keys)
                return font.get_sfnt_table("head")["unitsPerEm"], (gap, up, down)
        return 1, None

    def heights(self: Any, prop: Any) -> Any:
        own = getattr(self._vector_renderer, "_get_font_height_metrics", None)
        if own is not None:  # not of an SVG
            return own(prop)
        files = tuple(manager._find_fonts_by_props(prop))
        if files not in known:
            known[files] = read(get_font(files))
        units, lines = known[files]
        if lines is None:  # matplotlib measures a word
            return None, None, None
        scale = 1 / units * prop.get_size_in_points() * self.figure.dpi / 72
        gap, up, down = lines
        return up * scale, -down * scale, gap * scale

    renderer: Any = MixedModeRenderer
    renderer._get_font_height_metrics = heights
