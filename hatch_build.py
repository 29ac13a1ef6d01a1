"""Cut static instances of the book font out of Arimo's variable files when the package is built.

Graphviz and matplotlib mis-measure variable fonts, so the four styles are shipped as plain static files.
They are data of the wheel, made here and not committed; the same inputs give the same bytes.
"""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FACES = (
    ("Arimo-Regular.ttf", "Arimo[wght].ttf", 400),
    ("Arimo-Bold.ttf", "Arimo[wght].ttf", 700),
    ("Arimo-Italic.ttf", "Arimo-Italic[wght].ttf", 400),
    ("Arimo-BoldItalic.ttf", "Arimo-Italic[wght].ttf", 700),
)


class CutFonts(BuildHookInterface):  # type: ignore[type-arg]
    """The build hook that hatchling runs, for a wheel and for an editable install alike."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "wheel":
            cut(Path(self.root) / "figmill" / "fonts")


def cut(folder: Path) -> None:
    """Write the four faces, their licence and one digest of them all into `folder`."""
    from fontTools.ttLib import TTFont
    from fontTools.varLib import instancer

    spec = find_spec("fontpkg_arimo")
    if spec is None or spec.origin is None:
        raise RuntimeError("fontpkg-arimo is not installed: it holds the font that is shipped")
    source = Path(spec.origin).parent
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    for target, variable, weight in FACES:
        font = TTFont(source / "files" / variable, recalcTimestamp=False)
        static = instancer.instantiateVariableFont(font, {"wght": weight}, updateFontNames=True)
        static.save(folder / target)
        digest.update((folder / target).read_bytes())
    (folder / "OFL.txt").write_bytes((source / "LICENSE").read_bytes())
    (folder / "digest").write_text(digest.hexdigest() + "\n", encoding="ascii")
