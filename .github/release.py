"""What a release needs to agree on, before anything is built.

python .github/release.py check v1.2.3    exit 1 unless the tag, the version, the changelog and CITATION.cff agree
python .github/release.py notes v1.2.3    the section of the changelog, for the page of the release
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>\d{4}-\d\d-\d\d))?$", re.MULTILINE)


def sections(changelog: str) -> dict[str, tuple[str | None, str]]:
    """Version -> its date, and what is written below its heading."""
    found = [*HEADING.finditer(changelog)]
    ends = [match.start() for match in found[1:]] + [len(changelog)]
    return {
        match["version"]: (match["date"], changelog[match.end() : end].strip())
        for match, end in zip(found, ends, strict=True)
    }


def _only(pattern: str, text: str) -> str | None:
    match = re.search(pattern, text, re.MULTILINE)
    return match[1] if match else None


def complaints(tag: str, repository: Path = REPOSITORY) -> Iterator[str]:
    """What does not agree with the tag."""
    version = _only(r'^__version__ = "(.+)"$', (repository / "figmill/__init__.py").read_text("utf-8"))
    if tag != f"v{version}":
        yield f"figmill/__init__.py: the version is {version}, and the tag {tag}; it would be v{version}"
        return
    shelves = repository.glob("packages/*/figmill_*/__init__.py")
    for path in (*repository.glob("pyproject.toml"), *shelves, *repository.glob("packages/*/pyproject.toml")):
        of_ours = re.findall(
            r'^__version__ = "(.+)"$|"figmill[\w-]*==(.+)"', path.read_text("utf-8"), re.MULTILINE
        )
        if {one or other for one, other in of_ours} - {version}:
            yield f"{path.relative_to(repository).as_posix()}: not of version {version}"
    date, text = sections((repository / "CHANGELOG.md").read_text("utf-8")).get(str(version), (None, ""))
    if date is None or not text:
        yield f"CHANGELOG.md: no section `## [{version}] - YYYY-MM-DD` with what changed"
    citation = (repository / "CITATION.cff").read_text("utf-8")
    if _only(r"^version: (\S+)$", citation) != version:
        yield f"CITATION.cff: not of version {version}"
    if date is not None and _only(r'^date-released: "?([\d-]+)"?$', citation) != date:
        yield f"CITATION.cff: not `date-released: {date}`, as the changelog says"


def main(words: Sequence[str]) -> int:
    if len(words) != 2 or words[0] not in ("check", "notes"):
        print(__doc__, file=sys.stderr)
        return 2
    command, tag = words
    if wrong := [*complaints(tag)]:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    if command == "notes":
        print(sections((REPOSITORY / "CHANGELOG.md").read_text("utf-8"))[tag.removeprefix("v")][1])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
