"""Where figmill itself lies. Standard library only."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parent
FONTS = PACKAGE / "fonts"  # cut when the package is built; see hatch_build.py
