"""Text with a halo stays text: matplotlib turns it into shapes, which are not searchable.

A halo is drawn by `withStroke`, as in xkcd() and labels on maps. SVG has `paint-order` for it.
"""

from __future__ import annotations

from functools import wraps
from typing import Any


def settle() -> None:
    """Patch how text with path effects is drawn, once per process."""
    from matplotlib import patheffects

    renderer: Any = patheffects.PathEffectRenderer
    as_shapes = renderer.draw_text

    @wraps(as_shapes)
    def draw_text(self: Any, gc: Any, *args: Any, **options: Any) -> None:
        writer = getattr(self._renderer, "writer", None)
        halo = None if writer is None else _halo(self._path_effects)
        if writer is None or halo is None:
            as_shapes(self, gc, *args, **options)
            return
        writer.start("g", attrib=halo)
        self._renderer.draw_text(gc, *args, **options)
        writer.end("g")

    renderer.draw_text = draw_text


def _halo(effects: Any) -> dict[str, str] | None:
    """The attributes of a group around the text; None if the effects are more than a halo."""
    from matplotlib import patheffects
    from matplotlib.colors import to_hex

    if not effects or any(tuple(effect._offset) != (0, 0) for effect in effects):
        return None
    *below, last = effects
    is_drawn = type(last) in (patheffects.withStroke, patheffects.Normal)
    strokes = [effect for effect in effects if type(effect) in (patheffects.withStroke, patheffects.Stroke)]
    if not is_drawn or len(strokes) != 1 or any(type(effect) is patheffects.Normal for effect in below):
        return None
    options = dict(strokes[0]._gc)
    width, colour = options.pop("linewidth", 1.0), options.pop("foreground", "black")
    if options:  # for example dashes, or an alpha of its own
        return None
    return {
        "stroke": to_hex(colour),
        "stroke-width": f"{width:g}",
        "stroke-linejoin": "round",
        "paint-order": "stroke",
    }
