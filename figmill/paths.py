"""The paths of figmill's own package. Standard library only."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).parent
FONTS = PACKAGE / "fonts"  # made when the package is built; see hatch_build.py

# The libraries for scripts: packages of figmill that only scripts import.
LIBRARIES = ("figmill.timelines", "figmill.structure")
