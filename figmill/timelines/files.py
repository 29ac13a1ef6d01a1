"""Where a generator finds the data that a question names."""

from __future__ import annotations

from pathlib import Path


def beside(script: str, name: str) -> Path:
    """The file or folder of that bare name in data/ beside the script, or beside it.

    script: the generator's `__file__`. FileNotFoundError tells both places; a ValueError refuses a path.
    """
    if Path(name).name != name:
        raise ValueError(f"'{name}': give the bare name of a file in data/ beside {Path(script).name}")
    for folder in (Path(script).parent / "data", Path(script).parent):
        if (folder / name).exists():
            return folder / name
    raise FileNotFoundError(f"no '{name}' in data/ beside {Path(script).name}, nor beside it")
