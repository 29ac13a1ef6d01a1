"""Finds what a question names: a file or folder of the book, from the script's place."""

from __future__ import annotations

from pathlib import Path

MOST_FILES = 5_000
LARGEST = 4 << 20  # bytes of a file


def place(script: str, source: str) -> Path:
    """The file or folder `source`: in data/ beside the script, or relative to the script's own folder, as in
    `../src/shop`.

    script: the generator's `__file__`. FileNotFoundError names the places searched.
    """
    folder = Path(script).parent
    for candidate in (folder / "data" / source, folder / source):
        if candidate.exists():
            return candidate
    raise FileNotFoundError(
        f"no '{source}' in data/ beside {Path(script).name}, nor beside it; "
        "to leave the folder of visuals, write `../src/shop`"
    )


def text_of(path: Path) -> str:
    """The text of a file. ValueError if it is too large or not UTF-8."""
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{path.name} has more than {LARGEST >> 20} MiB")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is not UTF-8") from None


def python_files(folder: Path) -> list[Path]:
    """The Python files below a folder, in the order of their paths; without hidden folders and caches."""
    files: list[Path] = []
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.name.startswith((".", "__pycache__")):
            files += python_files(path)
        elif path.suffix == ".py":
            files.append(path)
        if len(files) > MOST_FILES:
            raise ValueError(
                f"{folder.name} has more than {MOST_FILES:,} Python files; name a smaller folder"
            )
    return files
