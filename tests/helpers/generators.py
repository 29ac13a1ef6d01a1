"""The generators of visuals/, loaded as a book loads them, and the words of what they draw."""

from __future__ import annotations

import importlib.util
from types import ModuleType

from helpers.book import REPOSITORY
from helpers.words import texts_of
from matplotlib.figure import Figure

VISUALS = REPOSITORY / "visuals"


def generator(name: str) -> ModuleType:
    """The script visuals/<name>.py as a module of its own."""
    spec = importlib.util.spec_from_file_location(f"visual_{name}", VISUALS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def texts(figure: Figure) -> list[str]:
    """Every text of a figure that is not empty."""
    return [text.get_text() for text in texts_of(figure) if text.get_text()]
