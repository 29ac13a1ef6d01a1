"""Find the data file that a question names."""

from __future__ import annotations

from pathlib import Path


def beside(script: str, name: str) -> Path:
    """The file or folder of that bare name: in data/ beside the script, else beside the script itself.

    script: the generator's `__file__`. FileNotFoundError names both places. ValueError where `name` is a path.
    """
    if Path(name).name != name:
        raise ValueError(f"'{name}': give the bare name of a file in data/ beside {Path(script).name}")
    for folder in (Path(script).parent / "data", Path(script).parent):
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"no '{name}' in data/ beside {Path(script).name}, nor beside it")
