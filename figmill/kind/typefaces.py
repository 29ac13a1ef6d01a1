"""The fonts with which Graphviz and matplotlib lay out text, whatever the machine has installed.

Arimo has the metrics of Arial and Helvetica, which readers will see. Monospaced text is measured with DejaVu Sans
Mono, which matplotlib ships. Both renderers map every other family name to one of these two.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from figmill import font_metrics
from figmill.errors import ToolError
from figmill.host import files
from figmill.paths import FONTS

FOLDER = FONTS
FACES, MONO_FACES = tuple(font_metrics.FACES.values()), tuple(font_metrics.MONO.values())
SANS, MONO, FALLBACK = "Arimo", "DejaVu Sans Mono", "figmill fallback"

# A family whose name contains one of these is monospaced.
MONO_SIGNS = (
    "mono",
    "courier",
    "consol",
    "menlo",
    "monaco",
    "code",
    "typewriter",
    "terminal",
    "fixed",
    "cascadia",
    "hack",
)

# Family names that scripts use. matplotlib cannot match patterns, so each name is listed.
MATPLOTLIB_SANS = (
    "Helvetica",
    "Helvetica Neue",
    "Arial",
    "Liberation Sans",
    "DejaVu Sans",
    "Verdana",
    "Times",
    "Times New Roman",
    "DejaVu Serif",
    "Georgia",
    "Calibri",
    "Open Sans",
    "Roboto",
    "Inter",
    "Bitstream Vera Sans",
    "Lucida Grande",
    "Segoe UI",
    "Tahoma",
    "Palatino",
)
MATPLOTLIB_MONO = (
    "Courier",
    "Courier New",
    "Consolas",
    "Menlo",
    "Monaco",
    "SFMono-Regular",
    "SF Mono",
    "Liberation Mono",
    "Bitstream Vera Sans Mono",
    "Andale Mono",
    "Fira Code",
)


def family(name: str) -> str:
    """Which of the two families replaces a font."""
    return MONO if any(sign in name.casefold() for sign in MONO_SIGNS) else SANS


@cache
def digest(extra: tuple[Path, ...] = ()) -> str:
    """The digest of figmill's fonts and `extra` ones. matplotlib's fonts are covered by its version."""
    shipped = FOLDER / "digest"
    if not shipped.exists():
        raise ToolError(
            "figmill's own fonts are missing: install it, with `make` in a checkout or pip elsewhere"
        )
    parts = [shipped.read_bytes(), *(files.read(path, files.FONT) for path in extra)]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def register_with_matplotlib(extra: Iterable[Path] = ()) -> None:
    """Make matplotlib's font manager know figmill's fonts, `extra` ones and its own, and no others."""
    from matplotlib import font_manager

    # The variable kept matplotlib from scanning this machine; from here on it would hide figmill's fonts too.
    os.environ.pop("MPL_IGNORE_SYSTEM_FONTS", None)
    manager = font_manager.fontManager
    shipped = str(font_metrics.matplotlib_folder())
    keep = sorted(
        (e for e in manager.ttflist if str(e.fname).startswith(shipped)), key=lambda e: str(e.fname)
    )
    mono = [entry for entry in keep if entry.name == MONO]
    manager.ttflist = []
    for name in FACES:
        manager.addfont(str(FOLDER / name))
    extras: list[str] = []
    for path in extra:
        try:
            manager.addfont(str(path))
        except Exception as error:  # FreeType opened it before, perhaps in another version
            raise ToolError(f"fonts: '{path.name}' cannot be read by matplotlib: {error}") from None
        extras.append(manager.ttflist[-1].name)
    sans = [entry for entry in manager.ttflist if entry.name == SANS]
    manager.ttflist += [
        replace(entry, name=alias)
        for faces, names in ((sans, MATPLOTLIB_SANS), (mono, MATPLOTLIB_MONO))
        for entry in faces
        for alias in names
    ]
    # The name DejaVu Sans now means Arimo. Its own faces get a private name and serve rare characters.
    manager.ttflist += [replace(e, name=FALLBACK) if e.name == "DejaVu Sans" else e for e in keep]
    manager.afmlist = []
    # A character that Arimo lacks is measured with the first of the extra fonts that has it.
    for key in ("font.family", "font.sans-serif"):
        RC[key] = [*dict.fromkeys((SANS, *extras, FALLBACK))]
    manager.defaultFamily = {"ttf": SANS, "afm": SANS}


def opened_by_matplotlib(path: Path) -> object:
    """The entry of a font in matplotlib's font manager. Raises whatever FreeType and matplotlib raise."""
    from matplotlib import font_manager

    return font_manager.ttfFontProperty(font_manager.get_font(str(path)))


# matplotlib's settings for text and SVG.
RC: Any = {
    "backend": "agg",
    "font.family": [SANS, FALLBACK],
    "font.sans-serif": [SANS, FALLBACK],
    "font.serif": [SANS],
    "font.cursive": [SANS],
    "font.fantasy": [SANS],
    "font.monospace": [MONO],
    "mathtext.fontset": "custom",
    "mathtext.rm": SANS,
    "mathtext.it": f"{SANS}:italic",
    "mathtext.bf": f"{SANS}:bold",
    "mathtext.bfit": f"{SANS}:italic:bold",
    "mathtext.sf": SANS,
    "mathtext.tt": MONO,
    "mathtext.cal": "cmsy10",  # its capitals are calligraphic; drawn as paths, because readers' fonts lack them
    "mathtext.fallback": "stixsans",
    "axes.formatter.use_locale": False,
    "timezone": "UTC",
}

# Settings that no script may change: text stays text, and ids are equal in every run.
PINNED: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "figmill",
    "svg.image_inline": True,
    "image.composite_image": False,  # each image keeps the resolution of its own data
}
