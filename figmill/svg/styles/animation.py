"""CSS animations in a still picture: an animation that keeps its last frame shows it; others have no effect.

CSS Animations 1: `animation-fill-mode: forwards` keeps the last frame. The picture shows the state after all finite
animations have ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import tinycss2

from figmill.svg.xml import vocabulary
from figmill.svg.xml.css import CssDeclaration

# animation name -> "from" or "to" -> declarations
Frames = Mapping[str, Mapping[str, tuple[CssDeclaration, ...]]]

STAYS = vocabulary.words("forwards both")
TIMING = vocabulary.words("""linear ease ease-in ease-out ease-in-out step-start step-end none running paused normal
    reverse alternate alternate-reverse infinite forwards backwards both""")


def ends(properties: Mapping[str, str], frames: Frames) -> Iterator[CssDeclaration]:
    """The declarations that an element's finished animations leave. properties: its `animation-...` properties."""
    for animation in _lists(properties.get("animation", "")):
        yield from _end(set(animation), frames)
    names = _lists(properties.get("animation-name", ""))
    for at, name in enumerate(names):
        tokens = set(name)
        for part in ("fill-mode", "direction", "iteration-count", "play-state"):
            values = _lists(properties.get(f"animation-{part}", ""))
            tokens |= set(values[at % len(values)]) if values else set()
        yield from _end(tokens, frames)


@lru_cache(maxsize=256)
def _lists(text: str) -> tuple[tuple[str, ...], ...]:
    """The words of each animation in a comma-separated list."""
    lists: list[list[str]] = [[]]
    for token in tinycss2.parse_component_value_list(text):
        if token == ",":
            lists.append([])
        elif token.type in ("ident", "string"):
            lists[-1].append(token.value)
    return tuple(tuple(tokens) for tokens in lists if tokens)


def _end(tokens: set[str], frames: Frames) -> Iterator[CssDeclaration]:
    if STAYS.isdisjoint(tokens) or "infinite" in tokens or "paused" in tokens:
        return
    last = "from" if "reverse" in tokens else "to"
    for name in sorted(tokens - TIMING):
        yield from frames.get(name, {}).get(last, ())
