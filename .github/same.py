"""Compare what several machines built.

python .github/same.py --list FOLDER    the digest and the name of each file in it
python .github/same.py LIST LIST...     exit 1 if the lists differ; each file that does, with who has it otherwise
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path


def listed(folder: Path) -> Iterator[str]:
    """A line for each file: SHA-256, two spaces, its path, as `sha256sum` writes it."""
    paths = ((path.relative_to(folder).as_posix(), path) for path in folder.rglob("*") if path.is_file())
    for name, path in sorted(paths):
        yield f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}"


def read(path: Path) -> dict[str, str]:
    """Name -> digest."""
    rows = (line.partition("  ") for line in path.read_text("utf-8").splitlines())
    return {name: digest for digest, _, name in rows}


def differences(lists: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """A line for each file that is not the same in all lists."""
    (first, expected), *others = lists.items()
    for name in sorted({name for digests in lists.values() for name in digests}):
        if unlike := [other for other, digests in others if digests.get(name) != expected.get(name)]:
            yield f"{name}: {', '.join(unlike)} not as {first}"


def main(words: Sequence[str]) -> int:
    if len(words) == 2 and words[0] == "--list":
        lines = [*listed(Path(words[1]))]
        sys.stdout.reconfigure(newline="\n")  # type: ignore[union-attr]
        print("\n".join(lines))
        return 0 if lines else _wrong(f"{words[1]}: no files")
    if len(words) < 2:
        return _wrong(__doc__ or "")
    lists = {word: read(Path(word)) for word in words}
    if empty := [name for name, digests in lists.items() if not digests]:
        return _wrong(f"{empty[0]}: lists nothing")
    lines = [*differences(lists)]
    print("\n".join(lines) if lines else f"{len(lists)} lists of the same {len(read(Path(words[0])))} files")
    return 1 if lines else 0


def _wrong(text: str) -> int:
    print(text, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
